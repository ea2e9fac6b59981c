"""Names while they are typed: read from the real database without SQLAlchemy, a lock or a wait."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from store_rows import insert_many, job, lease

from tradewind.domain.states import LeaseState
from tradewind.store import names
from tradewind.store.database import Database

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "家 folder" / "tradewind.db"
    db = Database(path)
    jobs = [job(f"job-{number}", name=name, submitted_at=NOON + timedelta(hours=number))
            for number, name in enumerate(("digits", "long", "digits"))]  # fmt: skip
    leases = [lease("lease-old", job="job-0", state=LeaseState.RELEASED, created_at=NOON + timedelta(hours=9)),
              lease("lease-now", job="job-2", state=LeaseState.RUNNING, created_at=NOON)]  # fmt: skip
    with db.write() as connection:
        insert_many(connection, jobs)
        insert_many(connection, leases)
    db.close()
    return path


def test_names_come_before_ids_and_the_newest_first(path: Path) -> None:
    told = names.jobs(path)
    assert [name for name, _ in told] == ["digits", "long", "job-2", "job-1", "job-0"]
    assert dict(told)["digits"].startswith("job-2 ") and dict(told)["job-0"].startswith("digits ")


def test_open_leases_come_first(path: Path) -> None:
    told = names.leases(path)
    assert [name for name, _ in told] == ["lease-now", "lease-old"]
    assert dict(told)["lease-now"].startswith("RUNNING ") and dict(told)["lease-now"].endswith(" job-2")


def test_a_writer_is_not_waited_for(path: Path) -> None:
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        assert names.jobs(path)
    finally:
        writer.close()


def test_what_cannot_be_read_has_no_names_and_nothing_is_made(tmp_path: Path) -> None:
    assert names.jobs(tmp_path / "none" / "tradewind.db") == []
    assert not (tmp_path / "none").exists()
    (tmp_path / "torn.db").write_bytes(b"no database at all" * 100)
    assert names.leases(tmp_path / "torn.db") == []

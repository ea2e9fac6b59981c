"""Databases of both kinds as fixtures, and rows to put into them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from cluster import cluster
from doubles import START
from sqlalchemy.engine import Connection

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JobState, Lane, LeaseState
from tradewind.store import queue, schema
from tradewind.store.database import Database

STARTING = Lane.STARTING


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """Where a database is, or will be."""
    if request.param == "sqlite":
        yield tmp_path / "t.db"
        return
    url = cluster().fresh()
    yield url
    cluster().drop(url)


@pytest.fixture
def db(where: Path | str) -> Iterator[Database]:
    """An open database without rows."""
    made = Database(where)
    yield made
    made.close()


def job(id_: str = "job-1", **values: Any) -> Job:
    """A queued job that is due at ``START``."""
    plain = Job(id=id_, name="j", state=JobState.QUEUED, wanted=True, rehearsal=False, account="local",
                workload={"run": "echo"}, plan=None, settings={}, submitted_at=START, state_since=START,
                wake_at=START)  # fmt: skip
    return replace(plain, **values)


def lease(id_: str = "lease-1", **values: Any) -> Lease:
    """An intended lease that is due at ``START``."""
    plain = Lease(id=id_, token=f"token-{id_}", kind="instance", state=LeaseState.INTENDED, job="job-1", epoch=1,
                  account="local", offer={"cloud": "local"}, order="{}", wanted=True, created_at=START,
                  state_since=START, hard_end=START, hard_end_by="processes_only", wake_at=START)  # fmt: skip
    return replace(plain, **values)


def insert_many(db: Connection, rows: list[Job] | list[Lease]) -> None:
    """All of them in one go, in the lane of what is to be started."""
    table = schema.job if isinstance(rows[0], Job) else schema.lease
    db.execute(table.insert(), [{**asdict(row), "lane": STARTING} for row in rows])


def claim_job(db: Connection, now: datetime, owner: str = "a") -> queue.Claim[Job] | None:
    """One job that is due to be started."""
    return next(iter(queue.claim_jobs(db, STARTING, now, owner, 1)), None)

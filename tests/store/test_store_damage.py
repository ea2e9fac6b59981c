"""A file that is damaged, a disk that is full: said, with the next step, and nothing written over."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from store_rows import insert_many, job

from tradewind import words
from tradewind.domain.errors import BadInput, Unavailable
from tradewind.store import migrations, records, sqlite
from tradewind.store.database import Database


def made(path: Path, rows: int = 200) -> Path:
    """A closed database with rows, whole in its one file."""
    db = Database(path)
    with db.write() as connection:
        insert_many(connection, [job(f"job-{n}", settings={"env": {"A": "x" * 400}}) for n in range(rows)])
    db.close()
    assert not path.with_name(path.name + "-wal").exists()
    return path


def test_a_file_that_is_no_database_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    path.write_bytes(b"something else entirely, and long enough to have a header's length\n" * 99)
    before = path.read_bytes()
    with pytest.raises(BadInput) as told:
        Database(path)
    assert told.value.code == "database-damaged"
    assert path.read_bytes() == before
    assert str(path) in words.error(told.value, "en").what
    assert "backup;" not in words.error(told.value, "en").next  # there is none


def test_damaged_pages_are_said_with_the_backup_that_there_is_and_left_as_they_are(tmp_path: Path) -> None:
    path = made(tmp_path / "t.db")
    backup = tmp_path / f"t.db.before-{migrations.HEAD}"
    shutil.copy(path, backup)
    with path.open("r+b") as file:  # all pages of rows; the header and the tables' names are whole
        file.seek(4096 * 12)
        file.write(os.urandom(path.stat().st_size - 4096 * 12))
    before = path.read_bytes()
    with pytest.raises(BadInput) as told, Database(path).read() as connection:
        records.jobs(connection)
    assert told.value.code == "database-damaged"
    assert str(backup) in words.error(told.value, "en").next
    assert path.read_bytes() == before


def test_a_database_of_a_newer_program_is_refused_and_left_as_it_is(db: Database, where: Path | str) -> None:
    with db.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    db.close()
    with pytest.raises(BadInput) as told:
        Database(where)
    assert (told.value.code, told.value.facts["revision"]) == ("database-newer", "9999")
    assert migrations.HEAD in words.error(told.value, "en").why


def test_a_database_held_by_another_for_too_long_is_an_outage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_MS", 200)
    path = made(tmp_path / "t.db", rows=1)
    db = Database(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with db.read() as connection:
            assert len(records.jobs(connection)) == 1  # readers go on
        with pytest.raises(Unavailable) as told, db.write():
            pass
    assert told.value.code == "database-busy"
    with db.write() as connection:
        records.insert(connection, job("after"))


AS_ANOTHER = """
import os, sys
from pathlib import Path
from tradewind.domain.errors import Unavailable
from tradewind.store.database import Database
if os.geteuid() == 0:  # who may write everything
    os.setuid(65534)
try:
    Database(Path(sys.argv[1]))
except Unavailable as told:
    print(told.code)
"""


def test_a_file_that_may_not_be_written_is_an_outage() -> None:
    with tempfile.TemporaryDirectory() as folder:  # whose parents everybody may enter
        path = made(Path(folder) / "t.db", rows=1)
        path.chmod(0o444)
        path.parent.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", AS_ANOTHER, str(path)], capture_output=True, text=True, check=False
        )
        path.parent.chmod(0o700)
    assert done.stdout == "database-unavailable\n", done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting is not allowed here: the limit on the size of files stands in for the full disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_an_outage_and_what_was_committed_stays(small_disk: Path) -> None:
    db = Database(small_disk / "t.db")
    with pytest.raises(Unavailable) as told:
        for number in range(10_000):
            with db.write() as connection:
                records.insert(connection, job(f"job-{number}", settings={"env": {"A": "x" * 3000}}))
    assert told.value.code == "database-full"
    with db.read() as connection:
        kept = len(records.jobs(connection))
    assert kept == number
    db.close()
    with pytest.raises(Unavailable) as again, Database(small_disk / "t.db").write() as connection:
        insert_many(connection, [job(f"more-{n}", settings={"env": {"A": "x" * 3000}}) for n in range(100)])
    assert again.value.code == "database-full"


LIMITED = """
import resource, sys
from pathlib import Path
from store_rows import job
from tradewind.domain.errors import Unavailable
from tradewind.store import records
from tradewind.store.database import Database
db = Database(Path(sys.argv[1]))
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
number = 0
try:
    while True:
        with db.write() as connection:
            records.insert(connection, job(f"job-{number}", settings={"env": {"A": "x" * 3000}}))
        number += 1
except Unavailable as told:
    code = told.code
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
with db.write() as connection:
    records.insert(connection, job("after"))
with db.read() as connection:
    print(code, number, len(records.jobs(connection)))
"""


def test_writes_that_fail_are_an_outage_and_work_goes_on_afterwards(tmp_path: Path) -> None:
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), str(tests / "store")])}
    done = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path / "t.db")], capture_output=True, text=True,
                          check=False, env=environment)  # fmt: skip
    code, written, kept = done.stdout.split() or [done.stderr, "0", "0"]
    assert code == "database-unavailable"
    assert int(written) > 0
    assert int(kept) == int(written) + 1

"""Transactions: whole or not at all; what fails for a while is told apart from what is broken."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa
from cluster import cluster
from doubles import START
from store_rows import job

from tradewind import words
from tradewind.domain.errors import BadInput, NotConfigured, TradewindError, Unavailable
from tradewind.domain.states import JobState
from tradewind.store import records
from tradewind.store.database import Database


@pytest.fixture
def postgres() -> Iterator[Database]:
    url = cluster().fresh()
    db = Database(url)
    yield db
    db.close()
    cluster().drop(url)


def test_an_event_and_its_change_are_written_together_or_not_at_all(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, job())
    with pytest.raises(ZeroDivisionError), db.write() as connection:
        records.update_job(connection, job(), job(state=JobState.PLANNED))
        records.append_event(connection, START, "t", "job-state", "job-1", job="job-1", new="PLANNED")
        raise ZeroDivisionError
    with db.read() as connection:
        assert records.events(connection) == []
        found = records.job(connection, "job-1")
    assert found is not None
    assert found.state is JobState.QUEUED


def test_a_reader_sees_one_moment_while_others_write(db: Database) -> None:
    with db.read() as reader:
        assert records.jobs(reader) == []
        with db.write() as connection:
            records.insert(connection, job())
        assert records.jobs(reader) == []
    with db.read() as reader:
        assert len(records.jobs(reader)) == 1


def test_what_reads_cannot_write_and_that_is_a_mistake_not_an_outage(db: Database) -> None:
    with pytest.raises(sa.exc.DBAPIError), db.read() as connection:
        records.insert(connection, job())


def test_a_mistake_of_ours_is_not_taken_for_an_outage(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, job())
    with pytest.raises(sa.exc.IntegrityError) as broken, db.write() as connection:
        records.insert(connection, job(settings={"env": {"KEY": "hidden-value"}}))
    assert "hidden-value" not in str(broken.value)  # what people's jobs hold does not get into logs
    with pytest.raises(sa.exc.DBAPIError), db.write() as connection:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")


def test_an_outage_elsewhere_that_the_callers_block_tells_passes_unchanged(db: Database) -> None:
    mine = Unavailable("database-full", path="elsewhere", why="mine")
    with pytest.raises(Unavailable) as told, db.write():
        raise mine
    assert told.value is mine
    with pytest.raises(sqlite3.OperationalError), db.write():  # another database than this one
        sqlite3.connect("/nowhere/at/all.db")


def test_the_file_is_in_wal_with_full_synchronisation(tmp_path: Path) -> None:
    with Database(tmp_path / "t.db").write() as connection:
        pragmas = [connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                   for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")]  # fmt: skip
    assert pragmas == ["wal", 2, 1, 30000]


def test_the_server_is_asked_in_utc_at_read_committed_with_one_snapshot_for_readers(postgres: Database) -> None:
    with postgres.write() as writer, postgres.read() as reader:
        asked = [connection.exec_driver_sql(f"SHOW {name}").scalar() for connection in (writer, reader)
                 for name in ("transaction_isolation", "transaction_read_only", "timezone")]  # fmt: skip
    assert asked == ["read committed", "off", "UTC", "repeatable read", "on", "UTC"]


def test_a_server_that_crashes_is_an_outage_and_work_goes_on_afterwards(postgres: Database) -> None:
    with postgres.write() as connection:
        records.insert(connection, job("kept"))
    with pytest.raises(Unavailable) as told, postgres.write() as connection:
        records.insert(connection, job("lost"))
        cluster().restart("immediate")
        records.jobs(connection)
    assert told.value.__cause__ is not None
    assert told.value.retryable
    with (
        pytest.raises(ZeroDivisionError),
        postgres.write() as connection,
    ):  # the caller's own reason, not the lost rollback
        records.jobs(connection)
        cluster().restart("immediate")
        raise ZeroDivisionError
    with pytest.raises(Unavailable), postgres.write() as connection:  # the commit's own answer
        records.insert(connection, job("lost too"))
        cluster().restart("immediate")
    with postgres.read() as connection:
        assert [each.id for each in records.jobs(connection)] == ["kept"]


def test_what_was_acknowledged_outlives_crashes_in_the_middle_of_writes(postgres: Database) -> None:
    acknowledged: set[str] = set()
    broken: list[BaseException] = []
    enough, stop = threading.Semaphore(0), threading.Event()

    def write(writer: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                with postgres.write() as connection:
                    records.insert(connection, job(f"{writer}-{number}"))
                acknowledged.add(f"{writer}-{number}")
                enough.release()
            except Unavailable:
                continue
            except BaseException as fault:
                broken.append(fault)
                raise

    writers = [threading.Thread(target=write, args=(each,)) for each in range(3)]
    for thread in writers:
        thread.start()
    for _ in range(3):
        for _ in range(30):
            assert enough.acquire(timeout=60)
        cluster().restart("immediate")
    for _ in range(90):  # and on afterwards
        assert enough.acquire(timeout=60)
    stop.set()
    for thread in writers:
        thread.join()
    assert broken == []
    with postgres.read() as connection:
        assert acknowledged <= {each.id for each in records.jobs(connection)}


def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    with pytest.raises(Unavailable) as told:
        Database("postgresql://ada:hidden-word@127.0.0.1:1/db")
    assert told.value.code == "database-unavailable"
    assert told.value.facts["path"] == "postgresql://ada:***@127.0.0.1:1/db"
    everything = f"{told.value!r} {told.value} {told.value.facts} {told.value.__cause__!r}"
    assert "hidden-word" not in everything


def test_no_password_is_in_what_a_database_shows_of_itself() -> None:
    url = cluster().fresh()
    db = Database(url.replace("tradewind@", "tradewind:hidden-word@"))
    with pytest.raises(sa.exc.DBAPIError) as broken, db.write() as connection:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")
    assert "hidden-word" not in f"{db!r} {vars(db)} {broken.value!r} {broken.value}"
    repeating = "DO $$ BEGIN RAISE EXCEPTION 'no entry with hidden-word' USING ERRCODE = '57P03'; END $$"
    with pytest.raises(Unavailable) as told, db.write() as connection:
        connection.exec_driver_sql(repeating)
    assert told.value.facts["why"].startswith("no entry with ***")
    db.close()
    cluster().drop(url)


@pytest.mark.parametrize("url", ["mysql://ada:hidden-word@h/db", "hidden-word", "postgresql://a:hidden-word@h:port/db"])
def test_an_address_that_cannot_be_used_is_told_without_being_repeated(url: str) -> None:
    with pytest.raises(BadInput) as told:
        Database(url)
    assert told.value.code == "database-url-unusable"
    assert "hidden-word" not in f"{told.value} {words.error(told.value, 'en')} {told.value.__cause__!r}"


def test_without_the_driver_the_next_step_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(NotConfigured) as told:
        Database("postgresql://ada@127.0.0.1:1/db")
    assert "tradewind[server]" in words.error(told.value, "en").next


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("53100", "database-full"),
        ("40P01", "database-busy"),
        ("40001", "database-busy"),
        ("XX001", "database-damaged"),
        ("57P03", "database-unavailable"),
        ("53300", "database-unavailable"),
        ("08006", "database-unavailable"),
        ("25006", "database-unavailable"),
        ("23505", None),
        ("42P01", None),
        ("P0001", None),
    ],
)
def test_the_servers_codes_tell_an_outage_from_a_mistake(postgres: Database, state: str, code: str | None) -> None:
    raising = f"DO $$ BEGIN RAISE EXCEPTION 'told' USING ERRCODE = '{state}'; END $$"
    with pytest.raises(Exception, match=code or "told") as told, postgres.write() as connection:
        connection.exec_driver_sql(raising)
    assert isinstance(told.value, TradewindError) == (code is not None)


def test_a_row_that_another_holds_for_too_long_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tradewind.store.postgres._LOCK_MS", 200)
    url = cluster().fresh()
    db = Database(url)
    with db.write() as connection:
        records.insert(connection, job())
    with db.write() as first:
        records.update_job(first, job(), job(why="first"))
        with pytest.raises(Unavailable) as told, db.write() as second:
            records.update_job(second, job(), job(why="second"))
    assert told.value.code == "database-busy"
    db.close()
    cluster().drop(url)


def test_more_work_at_once_than_there_are_connections_waits_and_is_then_an_outage(
    postgres: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as held, pytest.raises(Unavailable) as told:
        for engine in vars(postgres).values():
            if isinstance(engine, sa.Engine):
                monkeypatch.setattr(engine.pool, "_timeout", 0.1)
        for _ in range(100):
            held.enter_context(postgres.write())
    assert told.value.code == "database-busy"


def test_opening_a_file_loads_nothing_of_postgresql(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    Database(path).close()
    program = f"""
import sys
from datetime import UTC, datetime
from pathlib import Path
from tradewind.domain.states import Lane
from tradewind.store import queue
from tradewind.store.database import Database
with Database(Path({str(path)!r})).write() as connection:
    queue.claim_jobs(connection, Lane.ENDING, datetime.now(UTC), "a", 1)
    queue.wakes(connection, datetime.now(UTC))
print(sorted(name for name in sys.modules if name.startswith(("psycopg", "alembic", "sqlalchemy.dialects.postgresql"))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr

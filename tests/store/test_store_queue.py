"""Claims, guarded results, wake-ups; pragmas and migrations of a real SQLite file."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from doubles import START
from hypothesis import given
from hypothesis import strategies as st

from tradewind.domain.money import Money
from tradewind.domain.records import Job
from tradewind.domain.states import JOB_TRANSITIONS, JobState
from tradewind.store import migrations, queue, records, schema
from tradewind.store.database import Database


def job(id_: str = "job-1", **values: object) -> Job:
    plain = Job(id=id_, name="j", state=JobState.QUEUED, wanted=True, rehearsal=False, account="local",
                workload={"run": "echo"}, plan=None, settings={}, submitted_at=START, state_since=START,
                wake_at=START)  # fmt: skip
    return replace(plain, **values)  # type: ignore[arg-type]


@pytest.fixture
def db(tmp_path: Path) -> Database:
    made = Database(tmp_path / "t.db")
    with made.write() as connection:
        records.insert(connection, job())
    return made


def test_a_record_comes_back_as_it_went(db: Database) -> None:
    full = job("job-2", plan={"a": [1, None]}, progress={"step": 3}, outcome="failed", exit_code=137, ended_at=START)
    with db.write() as connection:
        records.insert(connection, full)
    with db.read() as connection:
        assert records.job(connection, "job-2") == full


def test_a_row_is_claimed_by_one_and_free_again_when_the_claim_ran_out(db: Database) -> None:
    with db.write() as connection:
        held = queue.claim_job(connection, START, "a")
        assert held is not None
        assert queue.claim_job(connection, START, "b") is None
        later = START + timedelta(seconds=queue.CLAIM_SECONDS)
        again = queue.claim_job(connection, later, "b")
    assert again is not None
    with db.write() as connection, pytest.raises(records.Stale):
        queue.finish_job(connection, held, replace(held.record, name="late"), later)
    with db.read() as connection:
        found = records.job(connection, "job-1")
    assert found is not None
    assert found.name == "j"  # the late result was dropped


def test_rows_asleep_are_not_claimed_and_the_queue_says_when(db: Database) -> None:
    soon = START + timedelta(seconds=9)
    with db.write() as connection:
        held = queue.claim_job(connection, START, "a")
        assert held is not None
        assert queue.wakes(connection, START).next is None  # held
        queue.finish_job(connection, held, replace(held.record, wake_at=soon), START)
        assert queue.wakes(connection, START).next == soon
        assert queue.claim_job(connection, START, "a") is None
        assert queue.claim_job(connection, soon, "a") is not None


def test_a_write_to_a_held_row_makes_it_due_again_and_is_not_undone(db: Database) -> None:
    with db.write() as connection:
        held = queue.claim_job(connection, START, "a")
    assert held is not None
    with db.write() as connection:  # a stop comes from elsewhere
        current = records.job(connection, "job-1")
        assert current is not None
        records.update_job(connection, current, replace(current, wanted=False))
        records.wake(connection, schema.job, "job-1", START)
    far = START + timedelta(hours=1)
    with db.write() as connection:
        queue.finish_job(connection, held, replace(held.record, why="step taken", wake_at=far), START)
    with db.read() as connection:
        after = records.job(connection, "job-1")
    assert after is not None
    assert (after.wanted, after.why, after.wake_at) == (False, "step taken", START)


def test_a_change_that_the_tables_forbid_is_refused(db: Database) -> None:
    with db.write() as connection, pytest.raises(ValueError, match="cannot go"):
        records.update_job(connection, job(), job(state=JobState.SUCCEEDED))


def test_an_event_and_its_change_are_written_together_or_not_at_all(db: Database) -> None:
    with pytest.raises(ZeroDivisionError), db.write() as connection:
        records.update_job(connection, job(), job(state=JobState.PLANNED))
        records.append_event(connection, START, "t", "job-state", "job-1", job="job-1", new="PLANNED")
        raise ZeroDivisionError
    with db.read() as connection:
        assert records.events(connection) == []
        found = records.job(connection, "job-1")
    assert found is not None
    assert found.state is JobState.QUEUED


def _claim_many(path: str, claimed: multiprocessing.Queue[str]) -> None:
    database = Database(Path(path))
    while True:
        with database.write() as connection:
            held = queue.claim_job(connection, START, "p")
        if held is None:
            return
        claimed.put(held.record.id)


def test_two_processes_never_claim_the_same_row(db: Database) -> None:
    with db.write() as connection:
        for number in range(2, 42):
            records.insert(connection, job(f"job-{number}"))
    context = multiprocessing.get_context("spawn")
    claimed = context.Queue()
    workers = [context.Process(target=_claim_many, args=(str(db.path), claimed)) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = [claimed.get(timeout=60) for _ in range(41)]
    for worker in workers:
        worker.join(timeout=60)
        assert worker.exitcode == 0
    assert len(set(found)) == 41


def test_the_file_is_in_wal_with_full_synchronisation(db: Database) -> None:
    with db.write() as connection:
        pragmas = [connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                   for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")]  # fmt: skip
    assert pragmas == ["wal", 2, 1, 30000]


def test_migrations_end_where_the_tables_are(db: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == migrations.HEAD
    with db.read() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, schema.metadata) == []
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == migrations.HEAD


def test_every_live_state_has_a_way_to_an_end() -> None:
    for state in JOB_TRANSITIONS:
        reached, grew = {state}, True
        while grew:
            more = {after for each in reached for after in JOB_TRANSITIONS[each]} - reached
            reached |= more
            grew = bool(more)
        assert any(not JOB_TRANSITIONS[each] for each in reached)


@given(st.decimals(-(10**6), 10**6, places=6), st.sampled_from(["CNY", "USD"]))
def test_money_goes_through_json_whole(amount: object, currency: str) -> None:
    money = Money(amount, currency)  # type: ignore[arg-type]
    assert Money.from_json(money.to_json()) == money

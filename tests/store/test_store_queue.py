"""Claims by lane, guarded results, wake-ups: the same on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from doubles import START
from sqlalchemy.engine import Connection
from store_rows import STARTING, claim_job, insert_many, job, lease

from tradewind.domain.states import JOB_TRANSITIONS, JobState, Lane, LeaseState
from tradewind.store import queue, records, schema
from tradewind.store.database import Database

LATER = START + timedelta(seconds=queue.CLAIM_SECONDS)


@pytest.fixture(autouse=True)
def one_job(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, job())


def test_a_row_is_claimed_by_one_and_free_again_when_the_claim_ran_out(db: Database) -> None:
    with db.write() as connection:
        held = claim_job(connection, START)
        assert held is not None
        assert claim_job(connection, START, "b") is None
        assert claim_job(connection, LATER, "b") is not None
    with db.write() as connection, pytest.raises(records.Stale):
        queue.finish_job(connection, held, replace(held.record, name="late"), LATER)
    with db.read() as connection:
        found = records.job(connection, "job-1")
    assert found is not None
    assert found.name == "j"  # the late result was dropped


def test_a_claim_takes_the_rows_that_have_been_due_longest_and_no_more_than_asked(db: Database) -> None:
    rows = [job(f"due-{n}", wake_at=START - timedelta(seconds=n)) for n in range(1, 6)]
    with db.write() as connection:
        insert_many(connection, rows)
        held = queue.claim_jobs(connection, STARTING, START, "a", 3)
        assert {each.record.id for each in held} == {"due-5", "due-4", "due-3"}
        assert len({each.token for each in held}) == 1  # one claim of three rows
        rest = queue.claim_jobs(connection, STARTING, START, "b", 9)
        assert {each.record.id for each in rest} == {"due-2", "due-1", "job-1"}


def test_each_lane_has_its_own_rows(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, job("watched", state=JobState.RUNNING))
        records.insert(connection, job("unwanted", wanted=False))
        found = {lane: {each.record.id for each in queue.claim_jobs(connection, lane, START, "a", 9)} for lane in Lane}
    assert found == {Lane.STARTING: {"job-1"}, Lane.WATCHING: {"watched"}, Lane.ENDING: {"unwanted"}}


def test_a_row_that_becomes_unwanted_while_it_is_held_goes_to_the_ending_lane(db: Database) -> None:
    with db.write() as connection:
        held = claim_job(connection, START)
        assert held is not None
        current = records.job(connection, "job-1")
        assert current is not None
        records.update_job(connection, current, replace(current, wanted=False))
        queue.finish_job(connection, held, replace(held.record, wake_at=LATER), START)
        assert queue.claim_jobs(connection, Lane.STARTING, START, "a", 1) == []
        assert len(queue.claim_jobs(connection, Lane.ENDING, START, "a", 1)) == 1


def test_rows_asleep_are_not_claimed_and_the_queue_says_when(db: Database) -> None:
    soon = START + timedelta(seconds=9)
    with db.write() as connection:
        held = claim_job(connection, START)
        assert held is not None
        assert queue.wakes(connection, START) == {}  # held
        queue.finish_job(connection, held, replace(held.record, wake_at=soon), START)
        assert queue.wakes(connection, START) == {STARTING: soon}
        records.insert(connection, lease(wake_at=soon + timedelta(seconds=1)))
        records.insert(connection, lease("unwanted", wanted=False, wake_at=START))
        assert queue.wakes(connection, START) == {STARTING: soon, Lane.ENDING: START}
        assert claim_job(connection, START) is None
        assert claim_job(connection, soon) is not None


def test_a_renewed_claim_holds_for_longer_and_a_lost_one_stays_lost(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, job("job-2", wake_at=START + timedelta(seconds=1)))
        first, second = claim_job(connection, START), claim_job(connection, START + timedelta(seconds=1))
        assert first and second
        stolen = claim_job(connection, LATER, "b")  # the first has run out
        assert stolen is not None
        queue.renew(connection, [first, second], LATER)
        assert claim_job(connection, LATER + timedelta(seconds=1), "b") is None  # the second would have run out
        with pytest.raises(records.Stale):
            queue.finish_job(connection, first, first.record, LATER)
        queue.finish_job(connection, second, second.record, LATER)
        queue.finish_job(connection, stolen, stolen.record, LATER)


def test_a_write_to_a_held_row_makes_it_due_again_and_is_not_undone(db: Database) -> None:
    with db.write() as connection:
        held = claim_job(connection, START)
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


def test_leases_are_claimed_and_finished_as_jobs_are(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, lease())
        (held,) = queue.claim_leases(connection, STARTING, START, "a", 9)
        queue.finish_lease(connection, held, replace(held.record, state=LeaseState.REQUESTED, wake_at=LATER), START)
        with pytest.raises(records.Stale):  # it was given back
            queue.finish_lease(connection, held, held.record, START)
        found = records.lease(connection, "lease-1")
    assert found is not None
    assert (found.state, found.wake_at) == (LeaseState.REQUESTED, LATER)


def test_an_owner_that_begins_anew_takes_its_own_rows_back_and_no_others(db: Database) -> None:
    with db.write() as connection:
        records.insert(connection, job("job-2"))
        mine, other = claim_job(connection, START, "mine"), claim_job(connection, START, "other")
        assert mine and other
        queue.release(connection, "mine")
        again = claim_job(connection, START, "mine")
        assert again is not None
        assert again.record.id == mine.record.id
        with pytest.raises(records.Stale):
            queue.finish_job(connection, mine, mine.record, START)
        queue.finish_job(connection, other, other.record, START)


def test_a_claim_that_is_taken_back_drops_its_holders_result(db: Database) -> None:
    with db.write() as connection:
        held = claim_job(connection, START)
        assert held is not None
        queue.take_back(connection, schema.job, "job-1")
        with pytest.raises(records.Stale):
            queue.finish_job(connection, held, held.record, START)


def test_when_the_wall_clock_was_set_wake_ups_and_claims_move_with_it(db: Database) -> None:
    hour = timedelta(hours=1)
    with db.write() as connection:
        records.insert(connection, job("job-2", wake_at=START + timedelta(seconds=5)))
        held = claim_job(connection, START)
        assert held is not None
        queue.shift(connection, hour)
        assert queue.wakes(connection, START + hour) == {STARTING: START + hour + timedelta(seconds=5)}
        assert queue.wakes(connection, LATER + hour) == {STARTING: START + hour}  # the claim runs out an hour later too


def test_a_record_comes_back_as_it_went(db: Database) -> None:
    full = job("job-2", plan={"a": [1, None], "多": "ü"}, progress={"step": 3}, outcome="failed", exit_code=137,
               ended_at=START.replace(microsecond=123456))  # fmt: skip
    with db.write() as connection:
        records.insert(connection, full)
    with db.read() as connection:
        found = records.job(connection, "job-2")
    assert found == full
    assert found is not None
    assert found.submitted_at.tzinfo is UTC


def test_a_change_that_the_tables_forbid_is_refused(db: Database) -> None:
    with db.write() as connection, pytest.raises(ValueError, match="cannot go"):
        records.update_job(connection, job(), job(state=JobState.SUCCEEDED))


def plan(db: Connection, send: Callable[[], object]) -> str:
    """How the database would carry out what a call sends it, by its own telling."""
    sent: list[tuple[str, Any]] = []

    def keep(_c: object, _cursor: object, statement: str, parameters: object, _x: object, _many: bool) -> None:
        sent.append((statement, parameters))

    sa.event.listen(db, "before_cursor_execute", keep)
    send()
    sa.event.remove(db, "before_cursor_execute", keep)
    explain = "EXPLAIN QUERY PLAN " if db.dialect.name == "sqlite" else "EXPLAIN (COSTS OFF) "
    rows = [row for statement, parameters in sent for row in db.exec_driver_sql(explain + statement, parameters)]
    return "\n".join([*(str(row[-1]) for row in rows), ""])


def test_among_ten_thousand_sleepers_the_next_row_is_found_by_the_index(db: Database) -> None:
    asleep = START + timedelta(days=1)
    with db.write() as connection:
        insert_many(connection, [job(f"sleeper-{n}", wake_at=asleep) for n in range(10_000)])
        insert_many(connection, [lease(f"sleeper-{n}", wake_at=asleep) for n in range(10_000)])
    with db.write() as connection:
        connection.exec_driver_sql("ANALYZE")
    with db.write() as connection:
        looking = plan(connection, lambda: queue.wakes(connection, START))
        jobs = plan(connection, lambda: queue.claim_jobs(connection, STARTING, START, "a", 8))
        leases = plan(connection, lambda: queue.claim_leases(connection, STARTING, START, "a", 8))
    assert "job_due" in looking and "lease_due" in looking and "job_due" in jobs and "lease_due" in leases
    assert not db.has_clock or "CTE due" in jobs  # a part of its own on PostgreSQL, so it runs once
    whole = ("Seq Scan on job", "Seq Scan on lease", "SCAN job\n", "SCAN lease\n")
    sorted_first = ("Sort", "TEMP B-TREE")  # the index has them in the order of time
    assert [found for found in (*whole, *sorted_first) if found in looking + jobs + leases] == []


def test_every_live_state_has_a_way_to_an_end() -> None:
    for state in JOB_TRANSITIONS:
        reached, grew = {state}, True
        while grew:
            more = {after for each in reached for after in JOB_TRANSITIONS[each]} - reached
            reached |= more
            grew = bool(more)
        assert any(not JOB_TRANSITIONS[each] for each in reached)

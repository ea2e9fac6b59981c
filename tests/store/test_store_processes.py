"""Several processes on one database: real ones, some of them stopped or of another time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from cluster import cluster
from doubles import START
from store_rows import STARTING, insert_many, job
from store_workers import claim_all, claim_briefly_and_finish_late, hold_all, open_only

from tradewind.app.clock import SystemClock
from tradewind.domain.records import Budget
from tradewind.domain.states import Lane
from tradewind.store import budgets, queue, records
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database

SPAWN = multiprocessing.get_context("spawn")


def answers(work: Callable[..., None], processes: int, *arguments: Any) -> list[Any]:
    """What each of several processes that begin together tells."""
    together = SPAWN.Barrier(processes)
    started = []
    for _ in range(processes):
        ours, theirs = SPAWN.Pipe()
        worker = SPAWN.Process(target=work, args=(*arguments, together, theirs))
        worker.start()
        started.append((worker, ours))
    told = [pipe.recv() for _, pipe in started if pipe.poll(120)]
    for worker, _ in started:
        worker.join(60)
        assert worker.exitcode == 0
    return told


def test_workers_never_claim_the_same_row_and_leave_none(db: Database, where: Path | str) -> None:
    rows = 2000
    with db.write() as connection:
        insert_many(connection, [job(f"job-{n}") for n in range(rows)])
    claimed = answers(claim_all, 3, where, 16)
    assert len(claimed) == 3
    everything = [id_ for mine in claimed for id_ in mine]
    assert len(everything) == len(set(everything)) == rows


def test_workers_never_hold_more_than_a_budget_has(db: Database, where: Path | str) -> None:
    with db.write() as connection:
        budgets.open_budget(connection, Budget("b", "CNY", cap=200, held=0, spent=20))
    taken = answers(hold_all, 2, where)
    assert sum(taken) == 180
    with db.read() as connection:
        left = budgets.budget(connection, "b")
    assert left is not None
    assert (left.held, left.left) == (180, 0)


def test_of_two_that_open_a_new_file_at_once_one_makes_its_tables(tmp_path: Path) -> None:
    assert answers(open_only, 2, tmp_path / "t.db") == [0, 0]


def test_of_two_that_open_a_new_database_at_once_one_makes_its_tables() -> None:
    url = cluster().empty()
    assert answers(open_only, 2, url) == [0, 0]
    cluster().drop(url)


def test_a_worker_stopped_for_longer_than_its_claim_cannot_write_its_result(db: Database, where: Path | str) -> None:
    with db.write() as connection:
        records.insert(connection, job())
    ours, theirs = SPAWN.Pipe()
    worker = SPAWN.Process(target=claim_briefly_and_finish_late, args=(where, theirs))
    worker.start()
    assert ours.poll(60)
    assert ours.recv() == "held"
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGSTOP)
    try:
        held = _claim_when_free(db)
        with db.write() as connection:
            queue.finish_job(connection, held, replace(held.record, name="in time"), START)
    finally:
        os.kill(worker.pid, signal.SIGCONT)
    ours.send("finish")
    assert ours.poll(60)
    assert ours.recv() == "stale"
    worker.join(60)
    with db.read() as connection:
        found = records.job(connection, "job-1")
    assert found is not None
    assert found.name == "in time"


def _claim_when_free(db: Database) -> queue.Claim[Any]:
    clock = StoreClock(SystemClock(), db)
    while True:
        with db.write() as connection:
            held = queue.claim_jobs(connection, Lane.STARTING, clock.now(), "quick", 1)
        if held:
            return held[0]
        clock.sleep(0.1)


class FastClock(SystemClock):
    """This computer's clock, a minute fast."""

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=60)


def test_workers_whose_clocks_are_a_minute_apart_agree_by_the_servers_and_steal_nothing() -> None:
    url = cluster().fresh()
    right, fast = Database(url), Database(url)
    slow_clock, fast_clock = StoreClock(SystemClock(), right), StoreClock(FastClock(), fast)
    second = timedelta(seconds=1)
    before, between, after = slow_clock.now(), fast_clock.now(), slow_clock.now()
    assert before - second <= between <= after + second
    with right.write() as connection:
        insert_many(connection, [job("job-1", wake_at=before), job("job-2", wake_at=before)])
        assert len(queue.claim_jobs(connection, STARTING, slow_clock.now(), "right", 1)) == 1
    with fast.write() as connection:
        assert len(queue.claim_jobs(connection, STARTING, fast_clock.now(), "fast", 9)) == 1  # the other one only
    with right.write() as connection:
        assert queue.claim_jobs(connection, STARTING, slow_clock.now(), "right", 9) == []
    with fast.write() as connection:  # by its own clock it would have taken both
        assert len(queue.claim_jobs(connection, STARTING, FastClock().now(), "fast", 9)) == 2
    right.close()
    fast.close()
    cluster().drop(url)

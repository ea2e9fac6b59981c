"""Freezes a database of the newest revision with work in flight, for the tests of the revisions to come.

    PYTHONPATH=tests python tests/store/freeze.py     writes tests/store/fixtures/REVISION.sql

Before a new revision is begun, so that ``HEAD`` and the code are those of the old one. Each scenario is a job that runs
over doubles until one of its rows is where it is wanted; then its supervisor does nothing more.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from doubles import START
from job_world import OFFER, World, make_world

from tradewind.domain.records import Checkpoint, Job
from tradewind.domain.states import JobState, Lane, LeaseState
from tradewind.jobs.submit import submit
from tradewind.store import migrations, queue, records, schema
from tradewind.store.database import Database

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Scenario:
    """What is odd about the world, and where its job or lease is to be left."""

    reached: LeaseState | JobState
    odd: Callable[[World], None] = lambda world: None
    halfway: Callable[[World], None] | None = None


def _faults(*faults: str) -> Callable[[World], None]:
    return lambda world: world.cloud.faults.extend(faults)


def _silent(world: World) -> None:
    world.nodes.silent = True


def _slow_to_end(world: World) -> None:
    world.cloud.slow_ends = 1000


def _checkpointed(world: World) -> None:
    """A checkpoint, and a supervisor that holds the job's row."""
    with world.room.db.write() as db:
        job = records.jobs(db)[0]
        records.put_checkpoint(db, Checkpoint(job.id, 5, job.epoch, START, 1 << 33, "complete", "/store/5"))
        records.wake(db, schema.job, job.id, START)
        assert queue.claim_jobs(db, Lane.WATCHING, world.clock.now(), "gone:1", 1)


def _stopped(world: World) -> None:
    with world.room.db.write() as db:
        job = records.jobs(db)[0]
        records.update_job(db, job, replace(job, wanted=False))


SCENARIOS = {
    "queued": Scenario(JobState.QUEUED),
    "intended": Scenario(LeaseState.INTENDED),
    "requested": Scenario(LeaseState.REQUESTED, _faults("throttle")),
    "unknown": Scenario(LeaseState.UNKNOWN, _faults("lose")),
    "refused": Scenario(LeaseState.REFUSED, _faults("refuse")),
    "pending": Scenario(LeaseState.PENDING, _silent),
    "preparing": Scenario(JobState.PREPARING),
    "running": Scenario(JobState.RUNNING, halfway=_checkpointed),
    "suspect": Scenario(LeaseState.SUSPECT, halfway=_silent),
    "interrupted": Scenario(JobState.INTERRUPTED, lambda world: world.nodes.exits.append(137)),
    "stopping": Scenario(JobState.STOPPING, _slow_to_end, halfway=_stopped),
    "releasing": Scenario(LeaseState.RELEASING, _slow_to_end),
    "succeeded": Scenario(JobState.SUCCEEDED),
    "failed": Scenario(JobState.FAILED, _faults(*["refuse"] * 9)),
}


def freeze(folder: Path) -> str:
    """SQL that makes a database of revision ``HEAD`` with all scenarios in it."""
    whole = folder / "whole.db"
    Database(whole).close()
    for name, scenario in SCENARIOS.items():
        _play(folder / name, name, scenario)
        with closing(sqlite3.connect(whole, isolation_level=None)) as db:
            db.execute("ATTACH ? AS one", (str(folder / name / "t.db"),))
            for table in schema.metadata.sorted_tables:
                columns = ", ".join(
                    f'"{column.name}"' for column in table.c if table.name != "event" or column.name != "id"
                )
                db.execute(
                    f"INSERT INTO main.{table.name} ({columns}) SELECT {columns} FROM one.{table.name} ORDER BY rowid"
                )
    with closing(sqlite3.connect(whole)) as db:
        return "\n".join([*db.iterdump(), ""]).replace(str(folder), "/srv/tradewind")


def _play(folder: Path, name: str, scenario: Scenario) -> None:
    world = make_world(folder)
    scenario.odd(world)
    with world.room.db.write() as db:
        submit(db, _job(name), world.clock.now())
    if scenario.halfway:
        _step_until(world, LeaseState.RUNNING if scenario.reached is not JobState.RUNNING else JobState.RUNNING)
        scenario.halfway(world)
    _step_until(world, scenario.reached)


def _job(name: str) -> Job:
    settings = {"offer": OFFER, "run": "x", "env": {"A": "1"}, "notice_s": 30, "max_lifetime_s": 3600,
                "time_scale": 1}  # fmt: skip
    return Job(
        id=f"job-{name}", name=name, state=JobState.QUEUED, wanted=True, rehearsal=False, account="odd",
        workload={"run": "x", "outputs": ["x"]}, plan={"plan_id": f"plan-{name}"}, settings=settings,
        submitted_at=START, state_since=START, wake_at=START, request_id=f"request-{name}",
    )  # fmt: skip


def _step_until(world: World, state: LeaseState | JobState) -> None:
    for _ in range(2000):
        with world.room.db.read() as db:
            rows = records.leases(db) if isinstance(state, LeaseState) else records.jobs(db)
        if state in {row.state for row in rows}:
            return
        world.step()
    raise AssertionError(f"nothing came to {state}")


if __name__ == "__main__":
    FIXTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        (FIXTURES / f"{migrations.HEAD}.sql").write_text(freeze(Path(folder)), encoding="utf-8")

"""The life of a job over doubles in virtual time: through refusals, lost nodes, stops, and death at any commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import START, OddCloud, OddNodes, SimClock
from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Event, Job, Lease
from tradewind.domain.states import JOB_ENDED, JOB_TRANSITIONS, LEASE_CLOSED, JobState
from tradewind.jobs import reconcile as jobs
from tradewind.jobs.room import Room
from tradewind.jobs.submit import submit
from tradewind.leasing import reconcile as leasing
from tradewind.leasing.room import Account
from tradewind.leasing.room import Room as LeasingRoom
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Parcel
from tradewind.store import queue, records, schema
from tradewind.store.database import Database
from tradewind.wire import journal
from tradewind.wire.spec import read_spec

OFFER = {
    "cloud": "odd", "region": "r", "zone": None, "instance_type": "t", "purchase": "spot", "gpus": 1,
    "price_per_hour": {"amount": "3.60", "currency": "CNY"},
}  # fmt: skip


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Nodes(OddNodes):
    """Nodes on which a job of ten steps runs at once; ``exits`` are met one an attempt, then 0."""

    exits: list[int] = field(default_factory=list)
    served: set[str] = field(default_factory=set)
    stuck_at: int | None = None

    def start(self, instance: Instance, parcel: Parcel) -> None:
        super().start(instance, parcel)
        spec = read_spec(parcel.spec)
        if spec.key in self.served:
            return
        self.served.add(spec.key)
        code = self.exits.pop(0) if self.exits else 0
        at = START.timestamp()
        lines = [journal.line("agent_started", at, pid=1, adopted=False, python="3")]
        if spec.epoch > 1:
            lines.append(journal.line("restored", at, step=5, epoch=spec.epoch - 1, path="/s", seconds=0))
        last = self.stuck_at or (10 if code == 0 else spec.epoch * 5)
        for n in range(spec.epoch * 5 - 4, last + 1):
            lines.append(journal.line("job", at, event={"type": "step", "step": n, "t": at + n}))
        lines.append(journal.line("run_ended", at, exit=code, why="exit"))
        lines.append(journal.line("outputs", at, files=1, bytes=1, seconds=0, missing=[]))
        self.journal, self.log = b"".join(lines), f"epoch {spec.epoch}\n".encode()
        self.outputs = {"x": b"1"}


@dataclass
class World:
    """A supervisor's work, step by step, over one database."""

    path: Path
    clock: SimClock
    cloud: OddCloud
    nodes: Nodes
    room: Room

    def submit(self, **settings: Any) -> str:
        job = Job(
            id="job-1", name="j", state=JobState.QUEUED, wanted=True, rehearsal=False, account="odd",
            workload={"run": "x", "outputs": ["x"]}, plan=None, submitted_at=START, state_since=START, wake_at=START,
            settings={"offer": OFFER, "run": "x", "env": {}, "notice_s": 30, "max_lifetime_s": 3600, "time_scale": 1,
                      **settings},
        )  # fmt: skip
        with self.room.db.write() as db:
            return submit(db, job, self.clock.now()).id

    def step(self) -> None:
        """One lease and one job that are due, or a little sleep."""
        now = self.clock.now()
        with self.room.db.write() as db:
            lease = queue.claim_lease(db, now, "t")
        if lease:
            leasing.reconcile(self.room.leasing, lease)
        with self.room.db.write() as db:
            job = queue.claim_job(db, now, "t")
        if job:
            jobs.reconcile(self.room, job)
        if not (lease or job):
            self.clock.sleep(0.5)

    def job(self) -> Job:
        with self.room.db.read() as db:
            found = records.job(db, "job-1")
        assert found is not None
        return found

    def until(self, *states: JobState, steps: int = 600) -> Job:
        for _ in range(steps):
            if self.job().state in states:
                return self.job()
            self.step()
        raise AssertionError(f"{self.job()} never came to {states}")

    def told(self) -> tuple[list[Attempt], list[Lease], list[Event]]:
        with self.room.db.read() as db:
            return records.attempts(db, "job-1"), records.leases(db), records.events(db, job="job-1")


def make_world(folder: Path) -> World:
    clock = SimClock()
    cloud, nodes = OddCloud(clock), Nodes()
    return wired(folder, clock, cloud, nodes)


def wired(folder: Path, clock: SimClock, cloud: OddCloud, nodes: Nodes) -> World:
    db = Database(folder / "t.db")
    renting = LeasingRoom(db, clock, "me", {"odd": Account(cloud, nodes)})
    return World(folder, clock, cloud, nodes, Room(db, clock, renting, folder / "jobs", folder / "a", folder / "l"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def check_end(world: World, state: JobState) -> None:
    """The laws at the end: nothing open, nothing running, history that follows the table."""
    attempts, leases, events = world.told()
    assert world.job().state is state
    assert world.job().wake_at is None
    assert all(lease.state in LEASE_CLOSED for lease in leases)
    assert world.cloud.machines == {}
    assert [each.epoch for each in attempts] == sorted(each.epoch for each in attempts)
    now = JobState.QUEUED
    for event in events:
        if event.kind == "job-state":
            assert JobState(str(event.new)) in JOB_TRANSITIONS[now]
            now = JobState(str(event.new))
    assert now is state


def test_a_job_succeeds_with_its_outputs_and_its_log(world: World) -> None:
    world.submit()
    done = world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert (done.exit_code, done.progress and done.progress["step"]) == (0, 10)
    assert (world.path / "jobs" / "job-1" / "outputs" / "x").read_bytes() == b"1"
    assert (world.path / "jobs" / "job-1" / "logs" / "attempt-1.log").read_text() == "epoch 1\n"
    assert world.nodes.commands == ["collected"]


def test_a_refusal_is_tried_again_and_three_end_the_job_with_the_reason(world: World) -> None:
    world.cloud.faults = ["refuse"]
    world.submit()
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert len(world.told()[0][0].leases) == 2


def test_what_is_always_refused_fails_and_says_why(world: World) -> None:
    world.cloud.faults = ["refuse"] * 9
    world.submit()
    failed = world.until(*JOB_ENDED)
    check_end(world, JobState.FAILED)
    assert "none left" in (failed.why or "")
    assert len(world.cloud.orders) == 3


def test_a_job_killed_from_outside_is_resumed_with_the_next_epoch(world: World) -> None:
    world.nodes.exits = [137]
    world.submit()
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    attempts, leases, _ = world.told()
    assert [(each.epoch, each.resumed_step, each.repeated_steps) for each in attempts] == [(1, None, 0), (2, 5, 0)]
    assert len(leases) == 2


def test_a_job_that_dies_again_at_the_same_step_fails(world: World) -> None:
    world.nodes.exits, world.nodes.stuck_at = [137] * 5, 8
    world.submit()
    failed = world.until(*JOB_ENDED)
    assert failed.state is JobState.FAILED
    assert failed.exit_code == 137
    assert len(world.told()[0]) == 2  # the second made no step that the first had not made


def test_a_node_that_vanishes_interrupts(world: World) -> None:
    world.submit()
    world.until(JobState.PREPARING)
    world.cloud.machines.clear()
    world.nodes.silent = True
    world.until(JobState.INTERRUPTED, JobState.ACQUIRING)
    world.nodes.silent = False
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert world.job().epoch == 2


def test_a_job_that_had_ended_when_its_node_was_lost_is_not_run_again(world: World) -> None:
    world.submit()
    world.until(JobState.RUNNING)
    world.cloud.machines.clear()
    world.clock.sleep(5)
    for _ in range(2):  # the leases are looked at first; twice missing is gone
        with world.room.db.write() as db:
            lease = queue.claim_lease(db, world.clock.now(), "t")
        assert lease is not None
        leasing.reconcile(world.room.leasing, lease)
        world.clock.sleep(2)
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert len(world.told()[0]) == 1
    assert (world.path / "jobs" / "job-1" / "outputs" / "x").exists()


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.ACQUIRING, JobState.PREPARING, JobState.RUNNING])
def test_a_stop_ends_a_job_in_any_state(world: World, state: JobState) -> None:
    world.submit()
    current = world.until(state)
    with world.room.db.write() as db:
        records.update_job(db, current, replace(current, wanted=False))
        records.wake(db, schema.job, "job-1", world.clock.now())
    world.until(*JOB_ENDED)
    check_end(world, JobState.STOPPED)


def test_a_duration_that_is_used_up_expires_the_job(world: World) -> None:
    world.nodes.exits = [137] * 3
    world.submit(max_lifetime_s=1)
    with world.room.db.write() as db:
        current = records.job(db, "job-1")
        assert current is not None
        records.update_job(db, current, replace(current, workload={**current.workload,
                                                                   "schedule": {"max_duration": "1s"}}))  # fmt: skip
    for _ in range(400):
        world.step()
        world.clock.time += timedelta(seconds=0.2)
        if world.job().state in JOB_ENDED:
            break
    check_end(world, JobState.EXPIRED)


@pytest.mark.parametrize("sides", [1, pytest.param(2, marks=pytest.mark.long)])
def test_killed_at_any_commit_the_next_process_ends_in_the_same_place(tmp_path: Path, sides: int) -> None:
    commits = _run_and_count(tmp_path / "whole")
    assert commits > 20
    for place in range(commits):
        for after in (False, True) if sides == 2 else (place % 2 == 0,):
            world = make_world(tmp_path / f"killed-{place}-{after}")
            world.nodes.exits = [137]
            world.submit()
            with pytest.raises(Killed):
                _until_killed(world, place, after)
            again = wired(world.path, world.clock, world.cloud, world.nodes)
            with again.room.db.write() as db:
                queue.release_all(db)
            again.until(*JOB_ENDED)
            check_end(again, JobState.SUCCEEDED)
            assert len(again.told()[0]) == 2
            assert len(set(again.cloud.orders)) == len(again.cloud.orders)  # nothing was asked for twice


def _run_and_count(folder: Path) -> int:
    world = make_world(folder)
    world.nodes.exits = [137]
    world.submit()
    with counted(world.room.db, kill_at=None, after=False) as seen:
        world.until(*JOB_ENDED)
    return len(seen)


def _until_killed(world: World, place: int, after: bool) -> None:
    with counted(world.room.db, kill_at=place, after=after):
        world.until(*JOB_ENDED)


@contextmanager
def counted(db: Database, kill_at: int | None, after: bool) -> Iterator[list[int]]:
    """Counts the writing transactions of a database, and dies before or after the commit of one."""
    seen: list[int] = []
    write = db.write

    @contextmanager
    def wrapped() -> Iterator[Connection]:
        mine = len(seen)
        seen.append(mine)
        with write() as connection:
            yield connection
            if mine == kill_at and not after:
                raise Killed
        if mine == kill_at:
            raise Killed

    db.write = wrapped  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        db.write = write  # type: ignore[method-assign]

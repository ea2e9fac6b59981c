"""A supervisor's work over doubles in virtual time, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from doubles import START, OddCloud, OddNodes, OddSecrets, SimClock

from tradewind.domain.records import Attempt, Budget, Event, Job, Lease
from tradewind.domain.states import JOB_TRANSITIONS, LEASE_CLOSED, JobState, Lane
from tradewind.jobs import reconcile as jobs
from tradewind.jobs.room import Room
from tradewind.jobs.submit import submit
from tradewind.leasing import reconcile as leasing
from tradewind.leasing.room import Account
from tradewind.leasing.room import Room as LeasingRoom
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Parcel
from tradewind.store import budgets, queue, records
from tradewind.store.database import Database
from tradewind.store.queue import Claim
from tradewind.wire import journal
from tradewind.wire.spec import read_spec

OFFER = {
    "cloud": "odd", "region": "r", "zone": None, "instance_type": "t", "purchase": "spot", "gpus": 1,
    "price_per_hour": {"amount": "3.60", "currency": "CNY"},
}  # fmt: skip


@dataclass
class Nodes(OddNodes):
    """Nodes on which a job of ten steps runs at once; ``exits`` are met one an attempt, then 0."""

    exits: list[int] = field(default_factory=list)
    served: set[str] = field(default_factory=set)
    stuck_at: int | None = None
    endless: bool = False  # until it is asked to stop; then it checkpoints and exits with 143

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
        if not self.endless:
            lines.append(journal.line("run_ended", at, exit=code, why="exit"))
            lines.append(journal.line("outputs", at, files=1, bytes=1, seconds=0, missing=[]))
        self.journal, self.log = b"".join(lines), f"epoch {spec.epoch}\n".encode()
        self.outputs = {"x": b"1"}

    def command(self, instance: Instance, text: str, name: str) -> None:
        if self.endless and name == "stop" and name not in self.commands:
            at = START.timestamp()
            self.journal += journal.line("checkpoint", at, step=8, epoch=1, bytes=1, path="/s", seconds=0.1)
            self.journal += journal.line("run_ended", at, exit=143, why="stop")
            self.journal += journal.line("outputs", at, files=0, bytes=0, seconds=0, missing=["x"])
        super().command(instance, text, name)


@dataclass
class World:
    """A supervisor's work, step by step, over one database."""

    path: Path
    clock: SimClock
    cloud: OddCloud
    nodes: Nodes
    room: Room

    def submit(self, *, cap: int | None = None, workload: dict[str, Any] | None = None, **settings: Any) -> str:
        """A job; with ``cap``, paid by a budget of so many millionths; ``workload`` is what its file says besides."""
        job = Job(
            id="job-1", name="j", state=JobState.QUEUED, wanted=True, rehearsal=False, account="odd",
            workload={"run": "x", "outputs": ["x"], **(workload or {})}, plan=None, submitted_at=START,
            state_since=START, wake_at=START,
            settings={"offer": OFFER, "run": "x", "env": {}, "notice_s": 30, "max_lifetime_s": 3600, "time_scale": 1,
                      **settings},
        )  # fmt: skip
        with self.room.db.write() as db:
            if cap is not None:
                job = replace(job, settings={**job.settings, "budget": "job-1"})
            budget = Budget("job-1", "CNY", cap, 0, 0) if cap is not None else None
            return submit(db, job, self.clock.now(), budget).id

    def step(self) -> None:
        """One lease and one job that are due, or a little sleep."""
        lease = self.claim_lease()
        if lease:
            leasing.reconcile(self.room.leasing, lease)
        with self.room.db.write() as db:
            claims = [each for lane in Lane for each in queue.claim_jobs(db, lane, self.clock.now(), "t", 1)]
        for job in claims:
            jobs.reconcile(self.room, job)
        if not (lease or claims):
            self.clock.sleep(0.5)

    def claim_lease(self) -> Claim[Lease] | None:
        with self.room.db.write() as db:
            for lane in Lane:
                for held in queue.claim_leases(db, lane, self.clock.now(), "t", 1):
                    return held
        return None

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

    def budget(self) -> Budget:
        with self.room.db.read() as db:
            found = budgets.budget(db, "job-1")
        assert found is not None
        return found

    def told(self) -> tuple[list[Attempt], list[Lease], list[Event]]:
        with self.room.db.read() as db:
            return records.attempts(db, "job-1"), records.leases(db), records.events(db, job="job-1")


def make_world(folder: Path) -> World:
    clock = SimClock()
    cloud, nodes = OddCloud(clock), Nodes()
    return wired(folder, clock, cloud, nodes)


def wired(folder: Path, clock: SimClock, cloud: OddCloud, nodes: Nodes) -> World:
    db = Database(folder / "t.db")
    renting = LeasingRoom(db, clock, "me", {"odd": Account(cloud, nodes)}, lambda: 0.5)
    room = Room(db, clock, renting, folder / "jobs", folder / "a", folder / "l", OddSecrets())
    return World(folder, clock, cloud, nodes, room)


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

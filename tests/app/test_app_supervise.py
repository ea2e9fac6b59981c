"""The supervisor's loop over doubles, with real threads: ending before starting, a store that is away, clocks set."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doubles import OddCloud, SimClock
from job_world import OFFER, Nodes
from sqlalchemy.engine import Connection

from tradewind.app.clock import ClockWatch
from tradewind.app.inside import Inside, cloud_accounts
from tradewind.app.machines.reaching import Reach
from tradewind.app.machines.registry import Registry
from tradewind.app.secrets import Secrets
from tradewind.app.settings import Settings
from tradewind.app.supervise import Supervisor
from tradewind.domain.errors import Unavailable
from tradewind.domain.records import Job
from tradewind.domain.states import JOB_ENDED, JobState, Lane
from tradewind.jobs.room import Room
from tradewind.jobs.submit import submit
from tradewind.leasing.room import Account
from tradewind.leasing.room import Room as LeasingRoom
from tradewind.ports.compute import Accepted, Listing, Order, Query
from tradewind.store import records, schema
from tradewind.store.database import Database

PATIENCE = 60.0


@dataclass
class WallClock:
    """The real clock, its wall time off by what it was set to."""

    off: timedelta = field(default_factory=timedelta)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.off

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass
class Office:
    """A supervisor at work in a thread, over a cloud of doubles."""

    inside: Inside
    clock: WallClock
    cloud: OddCloud
    nodes: Nodes
    thread: threading.Thread | None = None

    def submit(self, id_: str) -> None:
        now = self.clock.now()
        job = Job(id=id_, name="j", state=JobState.QUEUED, wanted=True, rehearsal=False, account="odd",
                  workload={"run": "x"}, plan=None, submitted_at=now, state_since=now, wake_at=now,
                  settings={"offer": OFFER, "run": "x", "env": {}, "notice_s": 30, "max_lifetime_s": 43_200,
                            "time_scale": 1})  # fmt: skip
        with self.inside.db.write() as db:
            submit(db, job, now)

    def start(self) -> None:
        self.thread = threading.Thread(target=Supervisor(self.inside).run, daemon=True)
        self.thread.start()

    def stop(self, id_: str) -> None:
        with self.inside.db.write() as db:
            job = records.job(db, id_)
            assert job is not None
            records.update_job(db, job, replace(job, wanted=False))
            records.wake(db, schema.job, id_, self.clock.now())

    def state(self, id_: str) -> JobState:
        with self.inside.db.read() as db:
            job = records.job(db, id_)
        assert job is not None
        return job.state

    def until(self, what: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < deadline, "never"
            time.sleep(0.02)

    def ended(self, *ids: str) -> bool:
        return all(self.state(id_) in JOB_ENDED for id_ in ids)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    clock = WallClock()
    cloud, nodes = OddCloud(clock), Nodes()
    db = Database(tmp_path / "t.db")
    renting = LeasingRoom(db, clock, "me", {"odd": Account(cloud, nodes)}, lambda: 0.5)
    settings, secrets = Settings(tmp_path), Secrets()
    room = Room(db, clock, renting, settings.jobs, tmp_path / "a", tmp_path / "l", secrets)
    registry, reach = Registry(settings.machines), Reach(settings, clock)
    clouds = cloud_accounts(settings, clock, db)
    inside = Inside(settings, clock, db, registry, reach, clouds, secrets, renting, room)
    return Office(inside, clock, cloud, nodes)


def test_the_supervisor_carries_jobs_to_their_end_and_then_ends(office: Office) -> None:
    for number in range(5):
        office.submit(f"job-{number}")
    office.start()
    office.until(lambda: office.ended(*(f"job-{number}" for number in range(5))))
    assert office.thread is not None
    office.thread.join(PATIENCE)
    assert not office.thread.is_alive()
    assert office.cloud.machines == {}


def test_the_host_keys_of_machines_are_forgotten_once_their_lease_is_closed_and_not_before(office: Office) -> None:
    office.submit("job-0")
    office.start()
    office.until(lambda: office.ended("job-0"))
    assert office.thread is not None
    office.thread.join(PATIENCE)
    with office.inside.db.read() as db:
        (lease,) = records.leases(db)
    nodes = office.inside.settings.nodes
    nodes.mkdir()
    for token in (lease.token, "of-no-row"):
        (nodes / f"{token}.json").write_text("{}")
    office.submit("job-1")
    office.start()
    office.until(lambda: not (nodes / f"{lease.token}.json").exists())
    assert (nodes / "of-no-row.json").exists()  # the store may be an older one: it may be adopted yet
    office.until(lambda: office.ended("job-1"))
    office.thread.join(PATIENCE)


def test_ending_goes_on_while_every_launch_hangs(office: Office) -> None:
    office.nodes.endless = True
    office.submit("job-running")
    office.start()
    office.until(lambda: office.state("job-running") is JobState.RUNNING)
    release, hanging, launch = threading.Event(), [], office.cloud.launch

    def hang(order: Order) -> Accepted:
        hanging.append(order)
        release.wait(PATIENCE)
        return launch(order)

    office.cloud.launch = hang  # type: ignore[method-assign]
    for number in range(20):
        office.submit(f"job-{number}")
    office.until(lambda: len(hanging) >= 2)
    office.stop("job-running")
    office.until(lambda: office.ended("job-running"))
    assert not release.is_set()
    assert office.cloud.machines == {}
    for number in range(20):
        office.stop(f"job-{number}")
    release.set()
    office.until(lambda: office.ended(*(f"job-{number}" for number in range(20))))
    assert office.cloud.machines == {}


def test_nothing_is_started_before_the_first_sweep_has_told_what_is_there(office: Office) -> None:
    listed, find = threading.Event(), office.cloud.find

    def slow(query: Query) -> Listing:
        listed.wait(PATIENCE)
        return find(query)

    office.cloud.find = slow  # type: ignore[method-assign]
    office.submit("job-1")
    office.start()
    time.sleep(0.5)
    assert office.cloud.orders == []
    listed.set()
    office.until(lambda: office.ended("job-1"))


def test_a_store_that_is_away_is_waited_for(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    away, write = threading.Event(), office.inside.db.write
    refused = []

    @contextmanager
    def sometimes() -> Iterator[Connection]:
        if away.is_set():
            refused.append(1)
            raise Unavailable("database-full", path="t.db")
        with write() as connection:
            yield connection

    monkeypatch.setattr(office.inside.db, "write", sometimes)
    office.submit("job-1")
    away.set()
    office.start()
    office.until(lambda: len(refused) >= 2)
    away.clear()
    office.until(lambda: office.ended("job-1"))


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_by_an_hour_stops_nothing(office: Office, hours: int) -> None:
    office.nodes.endless = True
    office.submit("job-1")
    office.start()
    office.until(lambda: office.state("job-1") is JobState.RUNNING)
    office.clock.off = timedelta(hours=hours)
    office.submit("job-2")
    office.until(lambda: office.state("job-2") is JobState.RUNNING)
    office.stop("job-1")
    office.stop("job-2")
    office.until(lambda: office.ended("job-1", "job-2"))
    assert office.cloud.machines == {}


def test_only_a_jump_is_a_jump() -> None:
    clock = SimClock()
    watch = ClockWatch(clock)
    clock.sleep(3600)  # both clocks went on
    assert watch.jump() is None
    clock.jump(timedelta(hours=-1))
    assert watch.jump() == timedelta(hours=-1)
    assert watch.jump() is None
    clock.jump(timedelta(seconds=2))
    assert watch.jump() is None


def test_every_lane_has_workers() -> None:
    from tradewind.app.supervise import WORKERS

    assert set(WORKERS) == set(Lane)
    assert all(size > 0 for size in WORKERS.values())

"""A cloud that accepts at once and nodes whose job has ended at once: what is left is the control plane's own work."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from tradewind.app.clock import SystemClock
from tradewind.app.inside import Inside, cloud_accounts
from tradewind.app.machines.reaching import Reach
from tradewind.app.machines.registry import Registry
from tradewind.app.secrets import Secrets
from tradewind.app.settings import Settings
from tradewind.domain.records import Budget, Job
from tradewind.domain.states import JobState
from tradewind.jobs.room import Room
from tradewind.jobs.submit import submit
from tradewind.leasing.room import Account
from tradewind.leasing.room import Room as LeasingRoom
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    HardEnd,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)
from tradewind.ports.transport import Heard, Parcel
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database
from tradewind.wire import journal

CAPABILITIES = Capabilities(hard_end=HardEnd.SERVER_SIDE, native_idempotency=True, list_lag_s=0.0, absence_s=2.0,
                            beat_s=15.0, hear_s=15.0, boot_s=300.0, notice_s=120.0)  # fmt: skip
OFFER = {"cloud": "noop", "region": "r", "zone": None, "instance_type": "t", "purchase": "spot", "gpus": 1,
         "price_per_hour": {"amount": "3.60", "currency": "CNY"}}  # fmt: skip


class NoopCloud:
    """Machines in a dictionary."""

    name = "noop"
    caps = CAPABILITIES

    def __init__(self) -> None:
        self._machines: dict[str, Instance] = {}
        self._lock = threading.Lock()
        self.made = 0

    def launch(self, order: Order) -> Accepted:
        now = SystemClock().now()
        made = Instance(id=f"m-{order.token}", token=order.token, lease=order.lease, owner=order.owner,
                        state=InstanceState.RUNNING, why=None, address="x", launched_at=now,
                        tags=order.tags)  # fmt: skip
        with self._lock:
            self._machines[made.id] = made
            self.made += 1
        return Accepted((made.id,), now)

    def find(self, query: Query) -> Listing:
        with self._lock:
            if query.ids is not None:
                found = tuple(self._machines[id_] for id_ in query.ids if id_ in self._machines)
            else:
                found = tuple(self._machines.values())
        return Listing(found, complete=True, seen_at=SystemClock().now())

    def end(self, ids: Sequence[str]) -> None:
        with self._lock:
            for id_ in ids:
                self._machines.pop(id_, None)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        return ()

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        return {}

    @property
    def left(self) -> int:
        """Machines that still run."""
        return len(self._machines)


class NoopNodes:
    """Every job has ended with 0 as soon as it is heard."""

    def reach(self, instance: Instance) -> None:
        return

    def store(self, instance: Instance, here: Path) -> str:
        return str(here)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        return

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        return

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        at = time.time()
        lines = journal.line("run_ended", at, exit=0, why="exit") + journal.line("outputs", at, files=0, bytes=0)
        return Heard(lines[journal_offset:], b"", agent_alive=True)

    def command(self, instance: Instance, text: str, name: str) -> None:
        return

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        return True

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        return ()

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        return ()


def office(folder: Path, where: Path | str) -> tuple[Inside, NoopCloud]:
    """The rooms of an installation over a cloud that does nothing."""
    clock, cloud, db = SystemClock(), NoopCloud(), Database(where)
    shared = StoreClock(clock, db)
    renting = LeasingRoom(db, shared, "bench", {"noop": Account(cloud, NoopNodes())}, random.random)
    settings, secrets = Settings(folder), Secrets()
    room = Room(db, shared, renting, folder / "jobs", folder / "agent", folder / "library", secrets)
    registry, reach = Registry(settings.machines), Reach(settings, clock)
    clouds = cloud_accounts(settings, clock, db)
    return Inside(settings, clock, db, registry, reach, clouds, secrets, renting, room), cloud


def job(number: int, now: datetime, state: JobState = JobState.QUEUED) -> tuple[Job, Budget]:
    """A job with its budget."""
    id_ = f"job-{number:08d}"
    made = Job(id=id_, name="bench", state=state, wanted=True, rehearsal=False, account="noop",
               workload={"run": "true"}, plan=None, submitted_at=now, state_since=now, wake_at=now,
               settings={"offer": OFFER, "run": "true", "env": {}, "notice_s": 120, "max_lifetime_s": 3600,
                         "time_scale": 1, "budget": id_})  # fmt: skip
    return made, Budget(id_, "CNY", 10_000_000, 0, 0)


def store(inside: Inside, made: Job, budget: Budget) -> None:
    """One submit, as the control plane does it."""
    with inside.db.write() as db:
        submit(db, made, made.submitted_at, budget)

"""The wiring: which adapter stands behind which account, and the rooms made of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial

from tradewind.app.fates import fate_of
from tradewind.app.settings import Settings
from tradewind.clouds.local.compute import LocalCompute
from tradewind.clouds.rehearsal.compute import RehearsalCompute
from tradewind.jobs import room as jobs
from tradewind.leasing import room as leasing
from tradewind.leasing.breaker import Guarded
from tradewind.nodes.local import LocalTransport
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.ports.clock import Clock
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database

LOCAL, REHEARSAL = "local", "rehearsal"


@dataclass(frozen=True, slots=True)
class Inside:
    """The rooms of one installation, wired."""

    settings: Settings
    clock: Clock
    db: Database
    leasing: leasing.Room
    jobs: jobs.Room


def open_inside(settings: Settings, clock: Clock) -> Inside:
    """Open the store and wire the rooms to it."""
    db = Database(settings.database)
    local = LocalCompute(settings.instances, clock)
    rehearsal = RehearsalCompute(local, settings.home / "rehearsals", clock, partial(fate_of, db, settings.jobs))
    transport = LocalTransport()
    accounts = {
        name: leasing.Account(Guarded(compute, clock), transport)
        for name, compute in ((LOCAL, local), (REHEARSAL, rehearsal))
    }
    shared = StoreClock(clock, db)  # workers of one database agree on the time
    renting = leasing.Room(db, shared, settings.installation(), accounts, random.random)
    working = jobs.Room(db, shared, renting, settings.jobs, build_agent(settings.cache), build_library(settings.cache))
    return Inside(settings, clock, db, renting, working)

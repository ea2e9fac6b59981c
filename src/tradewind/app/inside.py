"""The wiring: which adapter stands behind which account, and the rooms made of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial

from tradewind.app.accounts import LOCAL, REHEARSAL, Accounts
from tradewind.app.clouds.accounts import CloudAccounts
from tradewind.app.clouds.furnishing import furnish
from tradewind.app.clouds.providers import Providers
from tradewind.app.clouds.reaching import RentedReach
from tradewind.app.clouds.settings_file import SettingsFile
from tradewind.app.fates import fate_of
from tradewind.app.machines.reaching import Reach
from tradewind.app.machines.registry import Registry
from tradewind.app.secrets import Secrets
from tradewind.app.settings import Settings
from tradewind.clouds.local.compute import LocalCompute
from tradewind.clouds.rehearsal.compute import Reclaiming, RehearsalCompute
from tradewind.jobs import room as jobs
from tradewind.leasing import room as leasing
from tradewind.leasing.breaker import Guarded
from tradewind.leasing.sweep import NAMED_WITHIN
from tradewind.nodes.local import LocalTransport
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.ports.clock import Clock
from tradewind.store import records
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database


@dataclass(frozen=True, slots=True)
class Inside:
    """The rooms of one installation, wired."""

    settings: Settings
    clock: Clock
    db: Database
    registry: Registry
    reach: Reach
    clouds: CloudAccounts
    secrets: Secrets
    leasing: leasing.Room
    jobs: jobs.Room


def open_inside(settings: Settings, clock: Clock, reach: Reach | None = None) -> Inside:
    """Open the store and wire the rooms to it; ``reach``: the roads to machines, where they are not made here."""
    db, secrets = Database(settings.database), Secrets()
    registry, reach = Registry(settings.machines), reach or Reach(settings, clock)
    shared = StoreClock(clock, db)  # workers of one database agree on the time
    clouds = cloud_accounts(settings, clock, db)
    accounts = _accounts(settings, clock, db, registry, reach, clouds)
    renting = leasing.Room(db, shared, settings.installation(), accounts, random.random, accounts.retired)
    agent, library = build_agent(settings.cache), build_library(settings.cache)
    working = jobs.Room(db, shared, renting, settings.jobs, agent, library, secrets)
    return Inside(settings, clock, db, registry, reach, clouds, secrets, renting, working)


def cloud_accounts(settings: Settings, clock: Clock, db: Database) -> CloudAccounts:
    """The accounts at clouds; nothing of them is opened yet."""
    providers = Providers(SettingsFile(settings.clouds), settings.installation(), clock)
    reach = RentedReach(settings, clock)
    return CloudAccounts(providers, reach, partial(_named, db, clock), partial(furnish, settings), clock)


def _named(db: Database, clock: Clock) -> list[str]:
    """The accounts that leases were rented by lately."""
    with db.read() as reading:
        return records.accounts_named(reading, clock.now() - NAMED_WITHIN)


def _accounts(
    settings: Settings, clock: Clock, db: Database, registry: Registry, reach: Reach, clouds: CloudAccounts
) -> Accounts:
    def rehearsing(inner: Reclaiming) -> RehearsalCompute:
        return RehearsalCompute(inner, settings.home / "rehearsals", clock, partial(fate_of, db, settings.jobs))

    local, transport = LocalCompute(settings.instances, clock), LocalTransport()
    here = {
        name: leasing.Account(Guarded(compute, clock), transport)
        for name, compute in ((LOCAL, local), (REHEARSAL, rehearsing(local)))
    }
    return Accounts(here, registry, reach, rehearsing, clouds, partial(_named, db, clock), clock)

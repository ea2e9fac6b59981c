"""What the laws are held against: the cloud's own bill, the history and the rows, read by queries of their own."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from odd.cloud import OddCloud
from odd.nodes import OddNodes
from odd.world import World
from tradewind.domain.records import Event
from tradewind.ledger.usage import usage
from tradewind.store import schema

_LEASE = sa.select(*(schema.lease.c[name] for name in (
    "id", "token", "state", "job", "epoch", "wanted", "wake_at", "claim_until", "cloud_id", "paid_from", "paid_to",
    "budget", "hold", "end_reason",
)))  # fmt: skip
_JOB = sa.select(*(schema.job.c[name] for name in ("id", "state", "epoch", "attempt", "wake_at", "claim_until")))
_BUDGET = sa.select(schema.budget)
_EVENT = sa.select(schema.event).order_by(schema.event.c.id)


@dataclass(frozen=True)
class Line:
    """What the ledger says of one machine over one span; ``until`` None: still counting."""

    lease: str
    machine: str
    since: datetime
    until: datetime | None


@dataclass
class Folded:
    """What the history alone says of a lease or job."""

    state: str | None = None
    cloud_id: str | None = None
    paid_from: datetime | None = None
    paid_to: datetime | None = None
    unwanted_at: datetime | None = None
    states: list[str] = field(default_factory=list)


@dataclass
class Sight:
    """One look at a world."""

    now: datetime
    wall: datetime
    cloud: OddCloud
    nodes: OddNodes
    leases: list[sa.Row[Any]]
    jobs: list[sa.Row[Any]]
    budgets: list[sa.Row[Any]]
    events: list[Event]
    lag: timedelta
    forgot: list[tuple[datetime, datetime]]
    broke: list[str]
    blind: list[tuple[datetime, datetime]]

    @cached_property
    def folded(self) -> dict[str, Folded]:
        """The history, folded by what it tells of."""
        folded: defaultdict[str, Folded] = defaultdict(Folded)
        for event in self.events:
            _fold(folded[event.what], event)
        return folded

    def lines(self) -> list[Line]:
        """The ledger's lines, each with the machine that it is for."""
        machine = {event.what: event.data.get("cloud_id") for event in self.events if event.kind == "lease-accepted"}
        return [
            Line(each.lease, str(machine.get(each.lease)), each.started_at, each.ended_at)
            for each in usage(self.events, self.wall)
        ]


def _fold(known: Folded, event: Event) -> None:
    if event.new is not None:
        known.state = event.new
        known.states.append(event.new)
    data = event.data
    known.cloud_id = data.get("cloud_id") or known.cloud_id
    if data.get("paid_from"):
        known.paid_from = datetime.fromisoformat(data["paid_from"])
    if data.get("paid_to"):
        known.paid_to = datetime.fromisoformat(data["paid_to"])
    if event.kind in ("lease-unwanted", "lease-releasing", "lease-refused", "lease-released"):
        known.unwanted_at = known.unwanted_at or event.at


def see(world: World, known: list[Event] | None = None) -> Sight:
    """Look at a world as it is now; ``known`` is the history as far as it was read before, and is read on."""
    events = [] if known is None else known
    with world.db.read() as db:
        leases, jobs, budgets = (list(db.execute(query)) for query in (_LEASE, _JOB, _BUDGET))
        newer = _EVENT.where(schema.event.c.id > (events[-1].id if events else 0))
        events.extend(Event(**row._mapping) for row in db.execute(newer))
    return Sight(
        world.time.now(), world.clock.now(), world.cloud, world.nodes, leases, jobs, budgets, events, lag_of(world),
        world.forgot, list(world.broke), world.blind,
    )  # fmt: skip


def lag_of(world: World) -> timedelta:
    """How late anything may be: some beats and a sweep, a pause of two minutes for every fault, and what was rough."""
    caps = world.caps
    plain = 4 * caps.beat_s + caps.list_lag_s + caps.absence_s + caps.sweep_s + 120
    faults = sum(120 + each.seconds for each in world.schedule.met)
    return timedelta(seconds=plain + faults + world.rough + abs(world.skew_s) + 60 * len(world.broke))

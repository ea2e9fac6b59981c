"""OddCloud: the Compute port in memory, misbehaving by schedule, with a bill of its own that it never gets wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from doubles import SimClock

from odd.faults import Fault, Schedule, after, before
from odd.machines import Machine
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    HardEnd,
    Instance,
    Leftover,
    Listing,
    Order,
    Query,
)

CAPABILITIES = Capabilities(
    hard_end=HardEnd.SERVER_SIDE, native_idempotency=False, list_lag_s=15.0, absence_s=60.0, beat_s=30.0, hear_s=25.0,
    boot_s=120.0, notice_s=60.0,
)  # fmt: skip
BOOTS = timedelta(seconds=8)
REMEMBERS = timedelta(hours=1)  # how long an ended machine stays in the list
SILENCE = timedelta(seconds=90)
DISK = "disk-of-"
STRANGER = "somebody-else"


@dataclass
class OddCloud:
    """A cloud. ``off_s`` is the error of its clock; with ``caps.native_idempotency`` a token makes one machine.

    While ``repeating`` a call comes a second time on its way, not from the product.
    ``machines`` are all that were ever made, by id; ``doubled`` counts, by token, those that a repeat made on top;
    ``launches`` how often it was sent; ``hurt`` are the ids of others' machines that were asked to end.
    """

    time: SimClock
    schedule: Schedule
    caps: Capabilities = CAPABILITIES
    off_s: float = 0.0
    name: str = "odd"
    machines: dict[str, Machine] = field(default_factory=dict)
    doubled: Counter[str] = field(default_factory=Counter)
    launches: Counter[str] = field(default_factory=Counter)
    hurt: list[str] = field(default_factory=list)
    repeating: bool = False

    def __post_init__(self) -> None:
        far = (self.time.now() + timedelta(days=400)).isoformat()
        order = Order("t", "lease-of-somebody", STRANGER, "odd", "r", None, "t", "spot", far,
                      {"tradewind:owner": STRANGER})  # fmt: skip
        self._make(order, self.time.now(), fated=False)

    def launch(self, order: Order) -> Accepted:
        self.launches[order.token] += 1
        fault = self._meet("launch")
        if self._hard_end(order) <= self.time.now():
            raise CloudFault("clock", "the hard end is past", sent="yes")
        known = next((each for each in self.machines.values() if each.order.token == order.token), None)
        if known is not None and self.caps.native_idempotency:
            if known.order != order:
                raise CloudFault("conflict", "the token was used for another order", sent="yes")
            made = known
        else:
            self.doubled[order.token] += self.repeating
            late = timedelta(seconds=fault.seconds) if fault and fault.what == "appears-late" else timedelta(0)
            made = self._make(order, self.time.now() + late)
            if fault and fault.what.startswith("repeat") and not self.caps.native_idempotency:
                self.doubled[order.token] += 1
                self._make(order, self.time.now())
        after(fault)
        return Accepted((made.id,), made.since + self._off)

    def find(self, query: Query) -> Listing:
        fault = self._meet("find")
        now, stale = self.time.now(), timedelta(0)
        if fault and fault.what == "stale":
            stale = timedelta(seconds=fault.seconds)
        found = [
            each.shown(now, self._off, "r", stale) for each in self.machines.values()
            if each.listed_from <= now < each.listed_to + stale and _matches(each, query)
        ]  # fmt: skip
        complete = not (fault and fault.what == "incomplete")
        after(fault)
        return Listing(tuple(found if complete else found[: len(found) // 2]), complete, now + self._off)

    def end(self, ids: Sequence[str]) -> None:
        fault = self._meet("end")
        what = fault.what if fault else ""
        for id_ in ids[:1] if what == "partly" else () if what == "ignored" else ids:
            machine = self.machines.get(id_.removeprefix(DISK))
            if machine is None or machine.since > self.time.now():
                continue
            if not id_.startswith(DISK):
                self._end(machine, fault)
            elif not machine.lives(self.time.now()):
                machine.disks = 0
        after(fault)

    def _end(self, machine: Machine, fault: Fault | None) -> None:
        now = self.time.now()
        if machine.order.owner == STRANGER:
            self.hurt.append(machine.id)
        if not machine.lives(now):
            machine.disks = 0
            machine.listed_to = min(machine.listed_to, now) if machine.why == "capacity" else machine.listed_to
            return
        slow = timedelta(seconds=fault.seconds) if fault and fault.what == "slow" else timedelta(0)
        machine.disks = 1 if fault and fault.what == "disks" else 0
        machine.ending = True
        machine.ends(now + slow, "ours", REMEMBERS)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        fault = self._meet("leftovers")
        left = tuple(
            Leftover("disk", DISK + each.id, each.order.lease)
            for each in self.machines.values()
            if each.disks and not each.lives(self.time.now()) and _matches(each, query, DISK + each.id)
        )
        after(fault)
        return left

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        return {"kind": "file", "path": f"notice-of-{instance.id}"}

    def ours(self) -> list[Machine]:
        """All machines that were made for us, in the order of their making."""
        return [each for each in self.machines.values() if each.order.owner != STRANGER]

    def alive(self) -> list[Machine]:
        """Those of ours that run and cost money."""
        return [each for each in self.ours() if each.lives(self.time.now())]

    def vanish(self, machine: Machine, at: datetime) -> None:
        """A machine is gone at ``at`` without a word."""
        machine.ends(at, "unknown", timedelta(0))

    def reclaim(self, machine: Machine) -> None:
        """A machine is taken back, after the notice."""
        machine.reclaim(self.time.now(), timedelta(seconds=self.caps.notice_s), REMEMBERS)

    @property
    def _off(self) -> timedelta:
        return timedelta(seconds=self.off_s)

    def _hard_end(self, order: Order) -> datetime:
        """The true time at which a machine ends by itself: the cloud goes by its own clock."""
        return datetime.fromisoformat(order.hard_end) - self._off

    def _meet(self, op: str) -> Fault | None:
        fault = self.schedule.take(op)
        if fault and fault.what == "delay":
            self.time.sleep(fault.seconds)
        before(fault)
        return fault

    def _make(self, order: Order, at: datetime, fated: bool = True) -> Machine:
        until = max(self._hard_end(order), at)
        made = Machine(
            f"m-{len(self.machines)}", order, at, at + BOOTS, until, listed_from=at, listed_to=until + REMEMBERS
        )
        self.machines[made.id] = made
        if fated:
            self._fate(made)
        return made

    def _fate(self, machine: Machine) -> None:
        fate = self.schedule.take("machine")
        if fate is None:
            return
        at = machine.since + timedelta(seconds=fate.seconds)
        if fate.what == "vanish":
            self.vanish(machine, at)
        elif fate.what == "reclaim":
            machine.reclaim(at, timedelta(seconds=self.caps.notice_s), REMEMBERS)
        elif fate.what == "fail":
            machine.ends(at, "capacity", REMEMBERS)
        elif fate.what == "silent":
            machine.silent = (at, at + SILENCE)
        elif fate.what == "unlisted":
            machine.listed_from = machine.since + timedelta(seconds=self.caps.list_lag_s)
        elif fate.what == "agent-dies":
            machine.agent_dies = at


def _matches(machine: Machine, query: Query, also: str = "") -> bool:
    """Whether a query means the machine; ``also`` is another id that it may be meant by."""
    order = machine.order
    return (
        (query.owner is None or order.owner == query.owner)
        and (query.token is None or order.token == query.token)
        and (query.lease is None or order.lease == query.lease)
        and (query.ids is None or machine.id in query.ids or also in query.ids)
    )


def idempotent(caps: Capabilities) -> Capabilities:
    """The same cloud, with tokens that make one machine however often they are sent."""
    return replace(caps, native_idempotency=True)


class OddNetworks:
    """The networks of the same cloud: what it makes of their orders is billed and ended like a machine."""

    def __init__(self, cloud: OddCloud) -> None:
        self._cloud = cloud
        self.name = cloud.name
        self.caps = replace(cloud.caps, hard_end=HardEnd.CONTROL_PLANE, beat_s=900.0, boot_beat_s=5.0)
        self.find, self.end = cloud.find, cloud.end
        self.leftovers, self.notice_probe = cloud.leftovers, cloud.notice_probe

    def launch(self, order: Order) -> Accepted:
        """Go on with what is there of the network, or begin it: it is found by its token."""
        begun = self._cloud.find(Query(token=order.token)).instances
        return Accepted((begun[0].id,), begun[0].launched_at) if begun else self._cloud.launch(order)

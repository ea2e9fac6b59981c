"""LabCloud: a real adapter over its cloud of the lab, in virtual time, with the bill that the lab's machines keep.

The adapter is what the product asks; what is alive, since when and until when is told by whoever has the machines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from doubles import SimClock
from lab import control
from lab.machines import Guest, NoHypervisor, OnOff
from lab_account import PLACES, connected, opened

from odd.clocks import WallClock
from odd.cloud import BOOTS, REMEMBERS, SILENCE, STRANGER, OddCloud
from odd.faults import Schedule
from odd.machines import Machine
from tradewind.leasing.tags import Tags, write
from tradewind.ports.cloud import Cloud
from tradewind.ports.compute import Accepted, CloudFault, Compute, Instance, Leftover, Listing, Order, Query

OWNER, TOKEN = "me", "tradewind:token"
AFTER_ALL = timedelta(days=400)
# A fault of a schedule → the lab's word for it. ``unsent`` is not among them: the lab is always there.
KINDS: dict[str, control.Kind] = {
    "throttle": "throttle", "throttle-bare": "throttle", "unmade": "dropped", "down": "error-before",
    "lost": "lost-answer", "capacity": "capacity", "quota": "quota", "price_cap": "price-cap", "money": "money",
    "error-made": "error-after", "page": "gateway-page",
}  # fmt: skip
_ALIBABA_PARTS = ("d", "eni", "eip", "sg", "vsw", "ngw", "vpc")
_AWS_PARTS = {
    "Volumes": "VolumeId", "NetworkInterfaces": "NetworkInterfaceId", "Addresses": "AllocationId",
    "SecurityGroups": "GroupId", "Subnets": "SubnetId", "RouteTables": "RouteTableId",
    "InternetGateways": "InternetGatewayId", "NatGateways": "NatGatewayId", "Vpcs": "VpcId",
}  # fmt: skip


class Bill(NoHypervisor):
    """Machines without anything behind them, which tell when each of them is made and ended."""

    def __init__(self, made: Callable[[str], None], ended: Callable[[str], None]) -> None:
        super().__init__()
        self._made, self._ended = made, ended

    def boot(self, guest: Guest, on_off: OnOff | None = None) -> str:
        address = super().boot(guest, on_off)
        self._made(guest.id)
        return address

    def end(self, id_: str) -> None:
        super().end(id_)
        self._ended(id_)


class LabCloud(OddCloud):
    """A cloud of the lab; ``adapter`` is what asks it, ``networks`` the account of the networks there."""

    def __init__(self, cloud: str, time: SimClock, clock: WallClock, schedule: Schedule, network: str) -> None:
        self._anchor = {"default": "sg", "private": "vpc"}[network]
        self._at, self._open, self.control = PLACES[cloud], ExitStack(), control.Control()
        self._bill = Bill(self._made, self._ended)
        self.front: Any = self._open.enter_context(opened(cloud, self._bill, self.control, time.now))
        self.control.set(cloud, state_delay_s=BOOTS.total_seconds())
        self._clock = clock
        self._order: Order | None = None
        self._deeds: list[tuple[datetime, Callable[[], None]]] = []
        account = connected(cloud, self.front, OWNER, clock, network=network)
        self.adapter: Cloud = account.cloud(self._at.region)
        self.networks = LabNetworks(self, account.network(self._at.region))
        super().__init__(time, schedule, self.adapter.caps, name=cloud)
        self.off_s = 60.0 if cloud == "alibaba" else 0.0  # ECS tells to the minute when a machine was made

    def __post_init__(self) -> None:
        """Somebody else has a machine and a network there."""
        account = connected(self._at.cloud, self.front, STRANGER, self._clock)
        region, until = self._at.region, self.time.now() + AFTER_ALL
        orders = [
            Order(str(uuid4()), f"lease-of-somebody-{kind}", STRANGER, self._at.cloud, region, None, kind, "on_demand",
                  until.isoformat(), write(Tags(STRANGER, f"lease-of-somebody-{kind}", "t", until, "", 0, "a", None)))
            for kind in ("default", self._at.machine_type)
        ]  # fmt: skip
        network = account.network(region).launch(orders[0]).ids[0]
        whole = account.cloud(region).complete(replace(orders[1], network=network))
        self._order = replace(whole, user_data="#!/bin/sh\n")
        self.adapter.launch(self._order)

    def close(self) -> None:
        """It fails where a request was objected to."""
        self._open.close()

    def furnish(self, order: Order) -> Order:
        """The whole order, as an account of the product makes it; it raises what the cloud says."""
        self.pass_time()
        with suppress(CloudFault):
            self.adapter.quote(order)
        return replace(self.adapter.complete(order), user_data="#!/bin/sh\n", furnished=True)

    # --- the port -----------------------------------------------------------------------------------------------------

    def launch(self, order: Order) -> Accepted:
        self.launches[order.token] += 1
        self._order = order
        self.order_fault("launch", "RunInstances")
        return self.adapter.launch(order)

    def find(self, query: Query) -> Listing:
        self.order_fault("find", "*")
        return self.adapter.find(query)

    def end(self, ids: Sequence[str]) -> None:
        self.order_fault("end", {"aws": "TerminateInstances", "alibaba": "DeleteInstances"}[self._at.cloud])
        self.adapter.end(ids)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        self.order_fault("leftovers", "*")
        return self.adapter.leftovers(query)

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        return self.adapter.notice_probe(instance)

    def order_fault(self, op: str, operation: str) -> None:
        """What the schedule has for this call, as an order to the lab; and what is due by now happens."""
        fault = self.schedule.take(op)
        if fault is not None and fault.what == "delay":
            self.time.sleep(fault.seconds)
        elif fault is not None:
            seconds = 7.0 if fault.what == "throttle" else None
            self.control.add(control.Fault(KINDS[fault.what], operation=operation, seconds=seconds))
        self.pass_time()

    # --- the bill -----------------------------------------------------------------------------------------------------

    def _made(self, id_: str) -> None:
        order, now = self._order, self.time.now()
        assert order is not None
        until = datetime.fromisoformat(order.cloud_end or order.hard_end)
        made = Machine(id_, order, now, now + BOOTS, until, listed_from=now, listed_to=until + self._remembers)
        self.machines[id_] = made
        if self._at.cloud == "aws":
            self._later(until, lambda: self._if_there(id_, self._bill.power_off))
        if order.owner != STRANGER:
            self._fate(made)

    def _ended(self, id_: str) -> None:
        machine, now = self.machines[id_], self.time.now()
        if machine.order.owner == STRANGER and now < machine.until:
            self.hurt.append(id_)
        machine.ends(now, "ours", self._remembers)

    @property
    def _remembers(self) -> timedelta:
        return REMEMBERS if self._at.cloud == "aws" else timedelta(0)

    def pass_time(self) -> None:
        """What was due by now has happened."""
        now = self.time.now()
        due = [each for each in self._deeds if each[0] <= now]
        self._deeds = [each for each in self._deeds if each[0] > now]
        for _, deed in due:
            deed()

    def _later(self, at: datetime, deed: Callable[[], None]) -> None:
        self._deeds.append((at, deed))

    def _fate(self, machine: Machine) -> None:
        fate = self.schedule.take("machine")
        if fate is None:
            return
        at = machine.since + timedelta(seconds=fate.seconds)
        if fate.what == "reclaim":
            self._reclaimed(machine, at)
        elif fate.what == "vanish":
            self.vanish(machine, at)
        elif fate.what == "silent":
            machine.silent = (at, at + SILENCE)
        elif fate.what == "agent-dies":
            machine.agent_dies = at

    def vanish(self, machine: Machine, at: datetime) -> None:
        machine.ends(at, "unknown", timedelta(0))
        self._later(at, lambda: self._if_there(machine.id, self.control.vanish))

    def reclaim(self, machine: Machine) -> None:
        self._reclaimed(machine, self.time.now())

    def _reclaimed(self, machine: Machine, at: datetime) -> None:
        machine.reclaim(at, timedelta(seconds=self.caps.notice_s), self._remembers)
        if machine.reclaim_at is not None:  # it lives so long
            self._later(at, partial(self._announce, machine.id, machine.reclaim_at))

    def _announce(self, id_: str, reclaim_at: datetime) -> None:
        left_s = max((reclaim_at - self.time.now()).total_seconds(), 0.0)
        self._if_there(id_, lambda id_: self.control.reclaim(id_, left_s))

    def _if_there(self, id_: str, deed: Callable[[str], object]) -> None:
        if self._bill.alive(id_):
            deed(id_)

    # --- what is left -------------------------------------------------------------------------------------------------

    def parts(self) -> dict[str, dict[str, str]]:
        """The tags of all that there is besides machines, by id: disks, interfaces, addresses, what networks are of."""
        account, region = self.front.account, self._at.region
        if self._at.cloud == "alibaba":
            return {each.id: each.tags for kind in _ALIBABA_PARTS for each in account.things.of(kind, region)}
        return {
            each[id_name]: {tag["Key"]: tag["Value"] for tag in each.get("Tags", ())}
            for rows, id_name in _AWS_PARTS.items() for each in account.moto.ask(region, f"Describe{rows}")[rows]
            if each.get("State") != "deleted"
        }  # fmt: skip

    def networks_there(self) -> dict[str, str]:
        """Token by id of the networks of ours."""
        found = {id_: tags for id_, tags in self.parts().items() if id_.startswith(f"{self._anchor}-")}
        return {id_: tags[TOKEN] for id_, tags in found.items() if tags.get("tradewind:owner") == OWNER}

    def remains(self) -> list[str]:
        """What lies around of ours, whatever it costs."""
        return [id_ for id_, tags in self.parts().items() if tags.get("tradewind:owner") == OWNER]


class LabNetworks:
    """The networks there, billed as they are seen from behind."""

    def __init__(self, cloud: LabCloud, adapter: Compute) -> None:
        self._cloud, self._adapter = cloud, adapter
        self.name, self.caps = adapter.name, adapter.caps
        self.find, self.leftovers, self.notice_probe = adapter.find, adapter.leftovers, adapter.notice_probe

    def launch(self, order: Order) -> Accepted:
        self._cloud.launches[order.token] += 1
        self._cloud.order_fault("network", "*")
        try:
            accepted = self._adapter.launch(order)
        finally:
            self._write_down(order)
        made = self._cloud.machines[accepted.ids[0]]
        made.leeway = made.leeway or accepted.at - made.since
        return accepted

    def end(self, ids: Sequence[str]) -> None:
        self._cloud.order_fault("network", "*")
        try:
            self._adapter.end(ids)
        finally:
            self._write_down(None)

    def _write_down(self, order: Order | None) -> None:
        """What there is now, and what is there no more."""
        now, machines, there = self._cloud.time.now(), self._cloud.machines, self._cloud.networks_there()
        for id_, token in there.items():
            if order is not None and id_ not in machines and token == order.token:
                machines[id_] = Machine(id_, order, now, now, now + AFTER_ALL, now, now + AFTER_ALL)
        for id_, machine in machines.items():
            if not id_.startswith("i-") and id_ not in there:
                machine.ends(now, "ours", timedelta(0))

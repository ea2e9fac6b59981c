"""A double of the port to a cloud account: its regions, prices and checks as told, what it was asked written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from doubles import SimClock

from tradewind.domain.money import Money
from tradewind.ports.cloud import Checked, Region
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    HardEnd,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)

CAPS = Capabilities(HardEnd.SERVER_SIDE, True, 5.0, 120.0, 15.0, 15.0, 600.0, 120.0, price_cap=True)
FINE = (
    Checked("identity", "ok", {"account": "123456789012", "who": "ada", "how": "environment"}),
    Checked("right", "ok", {"action": "ec2:RunInstances", "region": "us-east-1"}),
)
Answer = Money | CloudFault | None


@dataclass
class OddRegion:
    """``ports.cloud.Cloud`` and ``Network`` of one region, in memory."""

    provider: OddProvider
    region: str
    name: str
    caps: Capabilities = CAPS
    instances: dict[str, Instance] = field(default_factory=dict)
    admitted: list[tuple[str, str]] = field(default_factory=list)

    def launch(self, order: Order) -> Accepted:
        id_ = f"i-{len(self.instances)}"
        now = self.provider.clock.now()
        self.instances[id_] = Instance(
            id_, order.token, order.lease, order.owner, InstanceState.RUNNING, None, "127.0.0.9", now,
            tags=dict(order.tags), instance_type=order.instance_type, region=self.region, purchase=order.purchase,
        )  # fmt: skip
        return Accepted((id_,), now)

    def find(self, query: Query) -> Listing:
        self.provider.asked.append(f"find {self.region}")
        matching = tuple(each for each in self.instances.values() if query.matches(each))
        return Listing(matching, complete=True, seen_at=self.provider.clock.now())

    def end(self, ids: Sequence[str]) -> None:
        for each in ids:
            self.instances.pop(each, None)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        return ()

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        return {"kind": self.name}

    def complete(self, order: Order) -> Order:
        return replace(order, zone=order.zone or f"{self.region}-a", image="image-1")

    def quote(self, order: Order) -> Money | None:
        self.provider.quoted.append((order.region, order.zone, order.instance_type, order.purchase))
        told = self.provider.price(order)
        if isinstance(told, CloudFault):
            raise told
        return told

    def extend(self, id_: str, hard_end: datetime) -> None:
        self.provider.asked.append(f"extend {id_} {hard_end.isoformat()}")

    def stop(self, id_: str) -> None:
        raise NotImplementedError

    def start(self, id_: str) -> None:
        raise NotImplementedError

    def resize(self, id_: str, instance_type: str) -> None:
        raise NotImplementedError

    def console(self, id_: str) -> str | None:
        return None

    def admit(self, id_: str, source: str) -> None:
        self.admitted.append((id_, source))


@dataclass
class OddProvider:
    """``ports.cloud.Provider``; ``price`` answers quotes, ``checked`` the checks of a region."""

    name: str = "aws"
    found: str | None = "environment"
    there: tuple[Region, ...] = (Region("us-east-1", True), Region("us-west-2", True), Region("af-south-1", False))
    away: CloudFault | None = None
    price: Callable[[Order], Answer] = lambda order: None
    checked: Mapping[str, tuple[Checked, ...]] = field(default_factory=dict)
    clock: SimClock = field(default_factory=SimClock)
    asked: list[str] = field(default_factory=list)
    quoted: list[tuple[Any, ...]] = field(default_factory=list)
    opened: dict[str, OddRegion] = field(default_factory=dict)

    def credentials(self) -> str | None:
        return self.found

    def regions(self) -> tuple[Region, ...]:
        self.asked.append("regions")
        if self.away:
            raise self.away
        return self.there

    def cloud(self, region: str) -> OddRegion:
        return self.opened.setdefault(region, OddRegion(self, region, self.name))

    def network(self, region: str) -> OddRegion:
        return self.opened.setdefault(f"{region}:network", OddRegion(self, region, self.name))

    def check(self, region: str) -> tuple[Checked, ...]:
        self.asked.append(f"check {region}")
        return self.checked.get(region, FINE)

    def policy(self) -> Mapping[str, Any]:
        return {"Version": "2012-10-17", "Statement": []}


def usd(amount: str) -> Money:
    """So many dollars."""
    return Money(Decimal(amount), "USD")

"""Plan: the chosen offer and fit, what it will take, and why the others were rejected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from tradewind.domain.estimate import Estimate, Source
from tradewind.domain.fit import Fit
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer


@dataclass(frozen=True, slots=True)
class MoneyEstimate:
    """A sum of money with its 90 % range; all three in one currency."""

    value: Money
    low: Money
    high: Money
    source: Source = Source.ESTIMATED
    as_of: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The contract's range with decimal strings and the currency."""
        return {
            "value": self.value.to_json()["amount"], "low": self.low.to_json()["amount"],
            "high": self.high.to_json()["amount"], "level": 0.9, "source": self.source.value,
            "as_of": self.as_of, "currency": self.value.currency,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CostParts:
    """The parts of a cost; they sum exactly to its value."""

    compute: Money
    storage: Money
    egress: Money
    setup: Money
    preemption: Money

    def sum(self) -> Money:
        """All parts together."""
        return self.compute + self.storage + self.egress + self.setup + self.preemption

    def to_json(self) -> dict[str, Any]:
        """Part name → Money."""
        return {name: getattr(self, name).to_json() for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Placed:
    """One way of doing the job: an offer, a fit on it, and what that takes (the contract's ``P``).

    ``finish_by``, ``on_time_probability`` are None where no deadline or no date is known.
    """

    offer: Offer
    fit: Fit
    nodes: int
    hours: Estimate
    cost: MoneyEstimate
    cost_parts: CostParts
    finish_by: datetime | None
    on_time_probability: float | None
    deadline_guarantee: Literal["firm", "conditional", "none"]
    quota: Literal["ok", "none", "unknown"]
    carbon_g: float | None
    policy: str
    beaten: bool = False

    def to_json(self) -> dict[str, Any]:
        """The contract's ``P``, with ``beaten``."""
        return {
            "offer": self.offer.to_json(), "fit": self.fit.to_json(), "nodes": self.nodes,
            "hours": self.hours.to_json(), "cost": self.cost.to_json(), "cost_parts": self.cost_parts.to_json(),
            "finish_by": _instant(self.finish_by), "on_time_probability": self.on_time_probability,
            "deadline_guarantee": self.deadline_guarantee, "quota": self.quota, "carbon_g": self.carbon_g,
            "policy": self.policy, "beaten": self.beaten,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rejected:
    """How many offers one constraint rejected; ``nearest`` says how near the nearest miss came."""

    why: str
    count: int
    nearest: str | None

    def to_json(self) -> dict[str, Any]:
        """One element of ``rejected``."""
        return {"why": self.why, "count": self.count, "nearest": self.nearest}


@dataclass(frozen=True, slots=True)
class Change:
    """One smallest change that would make an infeasible plan feasible: a key of the job file and its new value."""

    set: str
    to: str

    def to_json(self) -> dict[str, str]:
        """One element of ``infeasible.changes``."""
        return {"set": self.set, "to": self.to}


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer of planning. ``chosen`` is None when nothing satisfies the constraints.

    ``assumptions`` are codes with facts (``code``, ``facts``) whose sentences are in ``words``.
    """

    plan_id: str
    catalog_date: str
    chosen: Placed | None
    fallbacks: tuple[Placed, ...]
    alternatives: tuple[Placed, ...]
    rejected: tuple[Rejected, ...]
    assumptions: tuple[str, ...]
    changes: tuple[Change, ...] | None
    on_demand_price_per_hour: Money | None = None

    def to_json(self) -> dict[str, Any]:
        """The object of ``plan --json``."""
        on_demand = self.on_demand_price_per_hour
        return {
            "plan_id": self.plan_id, "catalog_date": self.catalog_date,
            "chosen": self.chosen.to_json() if self.chosen else None,
            "fallbacks": [each.to_json() for each in self.fallbacks],
            "alternatives": [each.to_json() for each in self.alternatives],
            "rejected": [each.to_json() for each in self.rejected],
            "assumptions": list(self.assumptions), "compliance": [],
            "infeasible": None if self.changes is None else {"changes": [each.to_json() for each in self.changes]},
            "on_demand_price_per_hour": on_demand.to_json() if on_demand else None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tariff:
    """A storage or network price: ``per_unit`` Money for one ``unit`` (``GB-month``, ``GB``), with its source."""

    kind: str
    unit: str
    per_unit: Money
    as_of: str
    source: str


def _instant(value: datetime | None) -> str | None:
    return None if value is None else value.strftime("%Y-%m-%dT%H:%M:%SZ")


def hours_to_decimal(hours: float) -> Decimal:
    """Hours as an exact decimal of a microhour, so that money made from them is reproducible."""
    return Decimal(repr(round(hours, 6)))

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
class Losses:
    """What is expected of a spot machine's life; ``losses`` of the whole run, None where its length is not known.

    ``source`` is ``advisor``, ``trace`` or ``assumed``.
    """

    losses: float | None
    mean_life_hours: float
    source: str
    as_of: str | None

    def to_json(self) -> dict[str, Any]:
        """The ``interruption`` of a ``P``."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Transfer:
    """Data fetched from elsewhere: from where, how much, how long a machine waits for it, and what one copy costs."""

    gb: float
    hours: float
    origin: str
    egress: Money | None

    def to_json(self) -> dict[str, Any]:
        """The ``transfer`` of a ``P``."""
        return {"gb": self.gb, "hours": self.hours, "from": self.origin, "egress": _money(self.egress)}


@dataclass(frozen=True, slots=True)
class LastResort:
    """The on-demand machines that save a deadline when spot machines fail; ``hours`` with a slow set-up."""

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    nodes: int
    hours: float

    def to_json(self) -> dict[str, Any]:
        """The ``last_resort`` of a ``P``."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Placed:
    """One way of doing the job: an offer, a fit on it, and what that takes (the contract's ``P``).

    ``finish_by``, ``on_time_probability`` are None where no deadline or no date is known; ``hours``, ``cost``,
    ``cost_parts`` and ``carbon_g`` where the length of the work is not; ``fit`` where nothing is known of the model.

    Attributes:
        guarantee_why: what the deadline rests on, or hangs on when it is conditional: a code with facts.
        interruption: None on demand.
        last_resort: of a spot way under a deadline; ``on_demand_share`` of its work is expected to be done on demand.
    """

    offer: Offer
    fit: Fit | None
    nodes: int
    hours: Estimate | None
    cost: MoneyEstimate | None
    cost_parts: CostParts | None
    finish_by: datetime | None
    on_time_probability: float | None
    deadline_guarantee: Literal["firm", "conditional", "none"]
    quota: Literal["ok", "none", "unknown"]
    carbon_g: float | None
    policy: str
    beaten: bool = False
    guarantee_why: str = "no-deadline"
    interruption: Losses | None = None
    transfer: Transfer | None = None
    last_resort: LastResort | None = None
    on_demand_share: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The contract's ``P``, with what it has besides."""
        return {
            "offer": self.offer.to_json(), "fit": _told(self.fit), "nodes": self.nodes,
            "hours": _told(self.hours), "cost": _told(self.cost), "cost_parts": _told(self.cost_parts),
            "finish_by": _instant(self.finish_by), "on_time_probability": self.on_time_probability,
            "deadline_guarantee": self.deadline_guarantee, "quota": self.quota, "carbon_g": self.carbon_g,
            "policy": self.policy, "beaten": self.beaten, "guarantee_why": self.guarantee_why,
            "interruption": _told(self.interruption), "transfer": _told(self.transfer),
            "last_resort": _told(self.last_resort), "on_demand_share": self.on_demand_share,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rejected:
    """How many offers one constraint rejected; ``nearest`` says how near the nearest miss came, ``near`` as a code."""

    why: str
    count: int
    nearest: str | None
    near: str | None = None

    def to_json(self) -> dict[str, Any]:
        """One element of ``rejected``."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Change:
    """One smallest change that would make an infeasible plan feasible: a key of the job file and its new value.

    ``by``: how much more that is, where it is a quantity.
    """

    set: str
    to: str
    by: str | None = None

    def to_json(self) -> dict[str, str | None]:
        """One element of ``infeasible.changes``."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Infeasible:
    """What would help: ``changes``, each of which does alone; where none does, the smallest pair ``together``."""

    changes: tuple[Change, ...]
    together: tuple[Change, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The object of ``infeasible``."""
        return {"changes": [each.to_json() for each in self.changes],
                "together": [each.to_json() for each in self.together]}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """A way that no other beats; ``rank_cost`` is what it is ranked by, in the plan's ranking currency."""

    cloud: str
    instance_type: str
    region: str
    zone: str | None
    purchase: str
    gpu: str
    gpus: float
    nodes: int
    hours: float
    cost: Money
    rank_cost: float
    carbon_g: float | None
    chosen: bool

    def to_json(self) -> dict[str, Any]:
        """One element of ``front``."""
        return {name: getattr(self, name) for name in self.__slots__} | {"cost": self.cost.to_json()}


@dataclass(frozen=True, slots=True)
class PlanLimits:
    """What the job file limits, as it was planned by."""

    deadline_hours: float | None
    budget: Money | None
    max_duration_hours: float | None

    def to_json(self) -> dict[str, Any]:
        """The object of ``limits``."""
        return {"deadline_hours": self.deadline_hours, "budget": _money(self.budget),
                "max_duration_hours": self.max_duration_hours}  # fmt: skip


Objective = Literal["cost", "time", "carbon", "balanced"]
Point = tuple[float, float, str, bool, bool]  # hours, cost in the ranking currency, purchase, unbeaten, within limits


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer of planning. ``chosen`` is None when nothing satisfies the constraints.

    Attributes:
        assumptions: codes with facts, whose sentences are in ``words``.
        front: the ways that no other beats, the cheapest first; ``points``: of all ways, for a picture.
        currency: in which ways are ranked, and points told.
        controls: of compliance that were asked for and are not checked.
    """

    plan_id: str
    catalog_date: str
    objective: Objective
    chosen: Placed | None
    fallbacks: tuple[Placed, ...]
    alternatives: tuple[Placed, ...]
    rejected: tuple[Rejected, ...]
    assumptions: tuple[str, ...]
    infeasible: Infeasible | None
    limits: PlanLimits
    currency: str
    front: tuple[FrontPoint, ...] = ()
    points: tuple[Point, ...] = ()
    controls: tuple[str, ...] = ()
    on_demand_price_per_hour: Money | None = None

    def to_json(self) -> dict[str, Any]:
        """The object of ``plan --json``."""
        return {
            "plan_id": self.plan_id, "catalog_date": self.catalog_date, "objective": self.objective,
            "chosen": _told(self.chosen),
            "fallbacks": [each.to_json() for each in self.fallbacks],
            "alternatives": [each.to_json() for each in self.alternatives],
            "rejected": [each.to_json() for each in self.rejected],
            "assumptions": list(self.assumptions),
            "compliance": [{"control": each, "result": "unknown"} for each in self.controls],
            "infeasible": _told(self.infeasible), "limits": self.limits.to_json(),
            "on_demand_price_per_hour": _money(self.on_demand_price_per_hour),
            "front": [each.to_json() for each in self.front], "points": [list(each) for each in self.points],
            "points_currency": self.currency,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tariff:
    """A storage or network price: ``per_unit`` Money for one ``unit`` (``GB-month``, ``GB``), with its source."""

    kind: str
    unit: str
    per_unit: Money
    as_of: str
    source: str


def _told(value: Any) -> Any:
    return None if value is None else value.to_json()


def _money(value: Money | None) -> dict[str, str] | None:
    return None if value is None else value.to_json()


def _instant(value: datetime | None) -> str | None:
    return None if value is None else value.strftime("%Y-%m-%dT%H:%M:%SZ")


def hours_to_decimal(hours: float) -> Decimal:
    """Hours as an exact decimal of a microhour, so that money made from them is reproducible."""
    return Decimal(repr(round(hours, 6)))

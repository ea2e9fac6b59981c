"""Plans read back from their JSON, as they are stored with a job: the inverse of ``Plan.to_json``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from tradewind.domain.estimate import Estimate, Source
from tradewind.domain.fit import Fit, Hint, MemoryParts, PeakMemory
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer
from tradewind.domain.plan import (
    Change,
    CostParts,
    FrontPoint,
    Infeasible,
    LastResort,
    Losses,
    MoneyEstimate,
    Placed,
    Plan,
    PlanLimits,
    Rejected,
    Transfer,
)
from tradewind.domain.precision import Precision

Told = dict[str, Any]
T = TypeVar("T")


def plan_of(told: Told) -> Plan:
    """The plan that was told."""
    infeasible, limits = told["infeasible"], told["limits"]
    return Plan(
        plan_id=told["plan_id"],
        catalog_date=told["catalog_date"],
        objective=told["objective"],
        chosen=_maybe(placed_of, told["chosen"]),
        fallbacks=tuple(map(placed_of, told["fallbacks"])),
        alternatives=tuple(map(placed_of, told["alternatives"])),
        rejected=tuple(Rejected(**each) for each in told["rejected"]),
        assumptions=tuple(told["assumptions"]),
        infeasible=_maybe(lambda each: Infeasible(_changes(each["changes"]), _changes(each["together"])), infeasible),
        limits=PlanLimits(limits["deadline_hours"], _money(limits["budget"]), limits["max_duration_hours"]),
        currency=told["points_currency"],
        front=tuple(map(_front_point, told["front"])),
        points=tuple((hours, cost, purchase, best, within) for hours, cost, purchase, best, within in told["points"]),
        controls=tuple(each["control"] for each in told["compliance"]),
        on_demand_price_per_hour=_money(told["on_demand_price_per_hour"]),
    )


def placed_of(told: Told) -> Placed:
    """One way of doing the job (the contract's ``P``)."""
    finish = told["finish_by"]
    return Placed(
        offer=Offer.from_json(told["offer"]),
        fit=_maybe(fit_of, told["fit"]),
        nodes=told["nodes"],
        hours=_maybe(estimate_of, told["hours"]),
        cost=_maybe(_money_estimate, told["cost"]),
        cost_parts=_maybe(_cost_parts, told["cost_parts"]),
        finish_by=datetime.fromisoformat(finish) if finish else None,
        on_time_probability=told["on_time_probability"],
        deadline_guarantee=told["deadline_guarantee"],
        quota=told["quota"],
        carbon_g=told["carbon_g"],
        policy=told["policy"],
        beaten=told["beaten"],
        guarantee_why=told["guarantee_why"],
        interruption=_maybe(lambda each: Losses(**each), told["interruption"]),
        transfer=_maybe(_transfer, told["transfer"]),
        last_resort=_maybe(lambda each: LastResort(**each), told["last_resort"]),
        on_demand_share=told["on_demand_share"],
    )


def fit_of(told: Told) -> Fit:
    """One element of ``fits``."""
    peak, usual = told["peak_memory_gib"], {name: told[name] for name in Fit.__slots__ if name in told}
    return Fit(**usual | {
        "gpus": float(told["gpus"]), "precision": Precision(told["precision"]),
        "peak_memory_gib": PeakMemory(*(estimate_of(peak[name]) for name in ("allocated", "reserved", "device"))),
        "gpu_memory_nominal_gib": told["gpu_memory_gib"]["nominal"],
        "gpu_memory_usable_gib": told["gpu_memory_gib"]["usable"], "memory_gib": MemoryParts(**told["memory_gib"]),
        "step_seconds": estimate_of(told["step_seconds"]),
        "throughput_per_second": estimate_of(told["throughput_per_second"]),
        "first_token_seconds": _maybe(estimate_of, told["first_token_seconds"]),
        "relief": tuple(Hint(each["code"], each["facts"]) for each in told["relief"]),
    })  # fmt: skip


def estimate_of(told: Told) -> Estimate:
    """The contract's range ``R``."""
    return Estimate(
        told["value"], told["low"], told["high"], Source(told["source"]), told["as_of"], told["level"]
    )  # fmt: skip


def _money_estimate(told: Told) -> MoneyEstimate:
    value, low, high = (Money(Decimal(told[name]), told["currency"]) for name in ("value", "low", "high"))
    return MoneyEstimate(value, low, high, Source(told["source"]), told["as_of"])


def _cost_parts(told: Told) -> CostParts:
    return CostParts(**{name: Money.from_json(part) for name, part in told.items()})


def _transfer(told: Told) -> Transfer:
    return Transfer(told["gb"], told["hours"], told["from"], _money(told["egress"]))


def _front_point(told: Told) -> FrontPoint:
    return FrontPoint(
        **{name: told[name] for name in FrontPoint.__slots__ if name != "cost"}, cost=Money.from_json(told["cost"])
    )


def _changes(told: list[Told]) -> tuple[Change, ...]:
    return tuple(Change(**each) for each in told)


def _money(told: dict[str, str] | None) -> Money | None:
    return _maybe(Money.from_json, told)


def _maybe(read: Callable[[Any], T], told: Any) -> T | None:
    return None if told is None else read(told)

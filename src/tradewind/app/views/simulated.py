"""Simulated runs as the object of ``simulate --json``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tradewind.domain.money import Money
from tradewind.planning.ask import SETUP_HOURS
from tradewind.planning.simulation.distribution import LEVEL, Spread, distribution, histogram

if TYPE_CHECKING:
    from tradewind.app.queries import SimulateQuery
    from tradewind.app.simulating import Setting
    from tradewind.domain.trace import SpotTrace
    from tradewind.planning.simulation.policies import Compared
    from tradewind.planning.simulation.run import Run

Answer = dict[str, Any]

BINS = 48  # of the histograms: as many columns as a narrow terminal has left beside the names
MOST_SHARE = 1.0001  # by which a scale's end lies beyond the greatest value


def simulated(
    planned: Answer, setting: Setting, trace: SpotTrace | None, query: SimulateQuery, compared: Compared | None,
    remarks: Sequence[str],
) -> Answer:  # fmt: skip
    """The whole answer; without ``compared`` no policy had a choice."""
    job, currency = setting.job, _currency(planned)
    work = job.work if compared else setting.resort_hours
    hours = work + SETUP_HOURS.value
    on_demand = job.od_price * job.work / work * hours
    if compared and job.transfer_cost:
        on_demand += job.transfer_cost[0][-1]
    return {
        "plan_id": planned["plan_id"], "catalog_date": planned["catalog_date"],
        "market": _market(trace, query), "runs": query.runs if compared else 0,
        "job": {
            "work_hours": job.work, "deadline_hours": job.deadline, "deadline_assumed": setting.deadline_assumed,
            "start_hours": SETUP_HOURS.value, "start_hours_at_most": job.overhead, "step_hours": job.step,
            "pools": [_pool(pool, name, price, currency) for pool, name, price in
                      zip(setting.spots, job.zones, job.spot_price, strict=True)],
            "on_demand": _pool(setting.resort, None, job.od_price, currency),
        },
        "on_demand_only": {"cost": _money(on_demand, currency).to_json(), "hours": hours},
        "policies": [_policy(name, runs, on_demand, currency) for name, runs in _ran(compared)],
        "bound": _bound(compared, on_demand, currency),
        "histograms": {
            "cost": _histogram(compared, "cost", on_demand, *_bounds(compared)),
            "finish_hours": _histogram(compared, "finish_hours", job.deadline),
        },
        "remarks": list(remarks),
    }  # fmt: skip


def _market(trace: SpotTrace | None, query: SimulateQuery) -> Answer:
    if trace is None:
        return {"kind": "made-up", "seed": query.market or 0, "trace": None}
    return {"kind": "trace", "seed": query.seed, "trace": {
        "name": trace.name, "zones": list(trace.zones), "hours": trace.hours, "tick_seconds": trace.tick_seconds,
        "nodes": trace.nodes, "gpu": trace.gpu or None, "start": trace.start or None, "source": trace.source or None,
        "licence": trace.licence or None,
    }}  # fmt: skip


def _pool(pool: Answer, zone: str | None, price: float, currency: str) -> Answer:
    """``price_per_work_hour``: of all nodes, for what the slowest pool does in an hour."""
    offer = pool["offer"]
    return {
        "offer": {key: value for key, value in offer.items() if key != "billing"}, "nodes": pool["nodes"],
        "zone": zone, "price_per_work_hour": _money(price, currency).to_json(), "hazard": pool["hazard"],
    }  # fmt: skip


def _ran(compared: Compared | None) -> Iterable[tuple[str, list[Run]]]:
    return compared.runs.items() if compared else ()


def _policy(name: str, runs: list[Run], on_demand: float, currency: str) -> Answer:
    told = distribution(runs)
    return {
        "policy": name, "cost": _money_range(told.cost, currency), "against_on_demand": told.cost.mean / on_demand,
        "finish_hours": _range(told.finish_hours), "preemptions": _range(told.preemptions), "misses": told.misses,
        "starts": told.starts, "wait_hours": told.wait_hours, "spot_hours": told.spot_hours,
        "on_demand_hours": told.od_hours,
    }  # fmt: skip


def _bound(compared: Compared | None, on_demand: float, currency: str) -> Answer | None:
    """What nobody could have beaten, on average over the markets; None where nobody could have been in time."""
    if compared is None or not _bounds(compared):
        return None
    spread = Spread.of(compared.bounds)
    return {"cost": _money_range(spread, currency), "against_on_demand": spread.mean / on_demand}


def _bounds(compared: Compared | None) -> list[float]:
    """The mean of the bounds, if nobody had to be late."""
    bounds = compared.bounds if compared else []
    return [sum(bounds) / len(bounds)] if bounds and not any(map(math.isinf, bounds)) else []


def _histogram(compared: Compared | None, field: str, *shown: float) -> Answer | None:
    """How many runs fell into each of equal parts of one scale for all policies, on which ``shown`` lie as well."""
    values = {name: [float(getattr(run, field)) for run in runs] for name, runs in _ran(compared)}
    if not values:
        return None
    every = [*shown, *(value for each in values.values() for value in each)]
    low, high = min(every), max(every) * MOST_SHARE
    counts = {name: histogram(each, low, high, BINS) for name, each in values.items()}
    return {"from": low, "to": high, "counts": counts}


def _range(spread: Spread) -> Answer:
    """The contract's range, with the median beside it."""
    return {"value": spread.mean, "low": spread.low, "high": spread.high, "level": LEVEL, "source": "estimated",
            "as_of": None, "median": spread.median}  # fmt: skip


def _money_range(spread: Spread, currency: str) -> Answer:
    names = {"value": spread.mean, "low": spread.low, "high": spread.high, "median": spread.median}
    sums = {name: _money(value, currency).to_json()["amount"] for name, value in names.items()}
    return {**sums, "level": LEVEL, "source": "estimated", "as_of": None, "currency": currency}


def _money(value: float, currency: str) -> Money:
    return Money(Decimal(repr(value)), currency).rounded()


def _currency(planned: Answer) -> str:
    """Of the chosen offer; of one that is free, the plan's own."""
    price = planned["chosen"]["offer"]["price_per_hour"]
    return str(price["currency"] if price else planned["points_currency"])

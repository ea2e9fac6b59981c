"""The policies that are compared, by name, and all runs of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tradewind.planning.simulation.baselines import EagerNextRegion, LastMoment, OnDemand, UniformProgress
from tradewind.planning.simulation.bound import bound
from tradewind.planning.simulation.market import Market, SimJob
from tradewind.planning.simulation.run import Run, SpotPolicy, run
from tradewind.planning.spot import Policy

OURS = "tradewind"
POLICIES: Mapping[str, Callable[[], SpotPolicy]] = {
    OURS: Policy,
    "uniform-progress": UniformProgress,
    "eager-next-region": EagerNextRegion,
    "last-moment": LastMoment,
    "on-demand": OnDemand,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """Every run of every policy, the markets in the same order; and what nobody could have beaten in each."""

    runs: dict[str, list[Run]]
    bounds: list[float] = field(default_factory=list)


def compare(job: SimJob, markets: Iterable[Market], names: Iterable[str], tell: Callable[[int], None]) -> Compared:
    """Each policy on each market; ``tell`` hears after each market how many are done."""
    policies = {name: POLICIES[name]() for name in names}
    compared = Compared({name: [] for name in policies})
    for done, market in enumerate(markets, start=1):
        for name, policy in policies.items():
            compared.runs[name].append(run(job, market, policy))
        compared.bounds.append(bound(job, market))
        tell(done)
    return compared

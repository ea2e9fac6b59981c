"""Many runs in a few figures: means, ranges, and how often which cost and which hour of finish came."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum

from tradewind.planning.simulation.run import Run

LEVEL = 0.9  # of the runs lie in a range, as many below it as above


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, median, and the range that holds nine of ten values."""

    mean: float
    low: float
    median: float
    high: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Of at least one value."""
        ranked = sorted(values)
        low, median, high = (quantile(ranked, share) for share in ((1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2))
        return cls(fsum(ranked) / len(ranked), low, median, high, ranked[0], ranked[-1])


@dataclass(frozen=True, slots=True)
class Distribution:
    """What came of the runs under one policy. Means are a run's; ``misses`` counts runs."""

    runs: int
    cost: Spread
    finish_hours: Spread
    preemptions: Spread
    misses: int
    starts: float
    wait_hours: float
    spot_hours: float
    od_hours: float


def distribution(runs: Sequence[Run]) -> Distribution:
    """Of at least one run."""
    count = len(runs)
    names = ("starts", "wait_hours", "spot_hours", "od_hours")
    return Distribution(
        count, Spread.of(run.cost for run in runs), Spread.of(run.finish_hours for run in runs),
        Spread.of(run.preemptions for run in runs), sum(run.missed for run in runs),
        *(fsum(getattr(run, name) for run in runs) / count for name in names),
    )  # fmt: skip


def quantile(ranked: Sequence[float], share: float) -> float:
    """The value below which a share of the sorted values lies, between two of them on a straight line."""
    place = share * (len(ranked) - 1)
    below = min(int(place), len(ranked) - 2) if len(ranked) > 1 else 0
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)


def histogram(values: Iterable[float], low: float, high: float, bins: int) -> list[int]:
    """How many values lie in each of ``bins`` equal parts from ``low`` to ``high``; all lie within."""
    edges = [low + (high - low) * part / bins for part in range(1, bins)]
    ranked = sorted(values)
    below = [0, *(bisect_left(ranked, edge) for edge in edges), len(ranked)]
    return [until - since for since, until in pairwise(below)]

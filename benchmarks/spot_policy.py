"""What the spot policy costs over the development traces, beside what others would do and what nobody can beat.

    python benchmarks/spot_policy.py            the shipped tables, then each family left out of their fit

A fixed sample of jobs: a grid of deadline, work and overhead, windows by a fixed seed, one zone or all.
Costs are shares of on-demand's (work and one start). The gap is Uniform Progress less the exact optimum; told is the
share of it that is left open, of the means over traces. Left out: everything that the policy knows of zones beforehand
is fitted again without the traces of a family, and only those are run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measure import tell
from spot.pooled import put

FAMILIES = {
    "h100": ("h100x1-gcp-2025-10-dev", "h100x16-gcp-2025-10-dev"),
    "v100": ("v100-2023-02-dev",),
    "v100x16": ("v100x16-2023-08-dev",),
}
DEADLINES, SHARES, OVERHEADS = (24.0, 48.0), (0.5, 0.65, 0.8, 0.9, 0.95), (60, 360, 720, 1800)
SEED = 7
# Windows in each of the 40 cells of the grid, and the share of the gap that may stay open.
ONE, MANY = "one", "many"
WINDOWS = {ONE: 4, MANY: 1}
OPEN, OPEN_LEFT_OUT = {ONE: 0.45, MANY: 0.50}, {ONE: 0.55, MANY: 0.65}
WORSE = 0.35  # of on-demand's cost than Uniform Progress, on any job
DECIDE_MS = 1.0
NAMES = ("ours", "uniform-progress", "last-moment", "eager-next-region", "optimum")


class Outcome(NamedTuple):
    """One job under every policy: costs as shares of on-demand's, in the order of NAMES."""

    trace: str
    costs: tuple[float, ...]
    missed: bool
    seconds: float
    decisions: int


def main() -> None:
    """Print the figures; with a family, those of its traces with the family left out."""
    if len(sys.argv) > 1:
        left_out = FAMILIES[sys.argv[1]]
        from tradewind.catalog.traces import trace, traces

        put([trace(name) for name in traces() if name not in left_out])
        print(json.dumps({zones: [list(each) for each in outcomes(zones, left_out)] for zones in WINDOWS}))
        return
    every = tuple(name for names in FAMILIES.values() for name in names)
    for zones in WINDOWS:
        told(f"spot-policy/{zones}", list(outcomes(zones, every)), OPEN[zones])
    left: dict[str, list[Outcome]] = {zones: [] for zones in WINDOWS}
    for family in FAMILIES:
        ran = subprocess.run([sys.executable, __file__, family], check=True, capture_output=True, text=True,
                             cwd=Path(__file__).parent)  # fmt: skip
        for zones, rows in json.loads(ran.stdout).items():
            left[zones] += [Outcome(row[0], tuple(row[1]), *row[2:]) for row in rows]
    for zones, found in left.items():
        told(f"spot-policy/{zones}/family-left-out", found, OPEN_LEFT_OUT[zones])


def told(name: str, found: list[Outcome], bar: float) -> None:
    """The figures of some jobs."""
    names = sorted({each.trace for each in found})
    means = np.array([np.mean([each.costs for each in found if each.trace == trace], axis=0) for trace in names])
    ours, progress, *_, best = means.mean(0)
    worse = np.array([each.costs[0] - each.costs[1] for each in found])
    milliseconds = 1e3 * sum(each.seconds for each in found) / sum(each.decisions for each in found)
    by_trace = {trace: round(float((row[0] - row[-1]) / (row[1] - row[-1])), 3)
                for trace, row in zip(names, means, strict=True)}  # fmt: skip
    tell(
        name, "share of the gap left open", float((ours - best) / (progress - best)), bar, jobs=len(found),
        by_trace=by_trace,
        cost={each: round(float(mean), 4) for each, mean in zip(NAMES, means.mean(0), strict=True)},
        worse_share=round(float((worse > 1e-6).mean()), 3),
    )  # fmt: skip
    tell(f"{name}/worst", "of on-demand's cost worse than Uniform Progress", float(worse.max()), WORSE)
    tell(f"{name}/missed", "jobs", sum(each.missed for each in found), 0)
    tell(f"{name}/decide", "ms", milliseconds, DECIDE_MS, decisions=sum(each.decisions for each in found))


def outcomes(zones: str, traces: tuple[str, ...]) -> Iterator[Outcome]:
    """Every job of the sample on these traces, with one zone of each in turn or with all of them."""
    from tradewind.catalog.traces import trace

    for name in traces:
        measured = trace(name)
        cells = product(range(WINDOWS[zones]), DEADLINES, SHARES, OVERHEADS)
        for number, (_, deadline, share, overhead) in enumerate(cells):
            taken = [number * 7 % len(measured.zones)] if zones == ONE else None
            yield _outcome(measured, taken, SEED + number, deadline, share, overhead)


def _outcome(
    measured: Any, zones: list[int] | None, seed: int, deadline: float, share: float, overhead: int
) -> Outcome:
    from optimum import optimum

    from tradewind.planning.simulation import EagerNextRegion, LastMoment, UniformProgress, markets, run
    from tradewind.planning.spot import Policy

    [market] = markets(measured, deadline, seed, 1, zones=zones)
    job = market.job(deadline * share, deadline, overhead / 3600)
    on_demand = (job.work + job.overhead) * market.od_price
    begun = time.perf_counter()
    ours = run(job, market, Policy(), record=True)
    seconds = time.perf_counter() - begun
    others = [run(job, market, each()).cost for each in (UniformProgress, LastMoment, EagerNextRegion)]
    costs = (ours.cost, *others, optimum(job, market))
    return Outcome(
        measured.name, tuple(each / on_demand for each in costs), ours.missed, seconds, len(ours.steps),
    )  # fmt: skip


if __name__ == "__main__":
    main()

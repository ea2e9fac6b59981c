"""The omniscient optimum: what a job would have cost at least, had one known the market's future. Exact, with numpy.

Backward over the steps; for each amount of work left, on a lattice that holds every amount that can occur, the least
cost from there with what runs: nothing, or a place after 0, 1, … of the steps that its start takes.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tradewind.planning.simulation import Market, SimJob

Costs = NDArray[np.float64]  # by units of work left


def optimum(job: SimJob, market: Market) -> float:
    """Cost of the cheapest schedule that is in time; infinite when none is. On-demand counts as granted.

    Raises:
        ValueError: work, deadline, step or overhead is not of whole seconds, or starts differ.
    """
    return _Backward(job, market).cost()


class _Backward:
    def __init__(self, job: SimJob, market: Market) -> None:
        overhead = min(market.overheads, default=job.overhead)
        if max(market.overheads, default=overhead) != overhead:
            raise ValueError("starts that differ are not reckoned with")
        seconds = [hours * 3600 for hours in (job.step, overhead, job.work, job.deadline)]
        if any(market.start_cost):
            raise ValueError("starts that cost more than their hours are not reckoned with")
        if any(abs(each - round(each)) > 1e-6 for each in seconds):
            raise ValueError(f"not of whole seconds: {seconds}")
        unit = reduce(math.gcd, map(round, seconds))
        self.step, self.overhead, self.work, self.deadline = (round(each) // unit for each in seconds)
        self.unit_hours, self.job, self.market = unit / 3600, job, market
        self.phases = -(-self.overhead // self.step) + 1  # steps that a start lasts, and one for all after it

    def cost(self) -> float:
        """From nothing, with all work left, at the first step."""
        done: Costs = np.full(self.work + 1, math.inf)
        done[0] = 0.0
        places = len(self.market.available[0]) + 1
        idle, running = done, [[done] * self.phases] * places
        for index in reversed(range(self.job.steps)):
            units = min(self.step, self.deadline - index * self.step)
            prices = (*self.market.prices[index], self.market.od_price)
            up = (*self.market.available[index], True)
            used = [
                [self._use(running[place], phase, units, prices[place]) for phase in range(self.phases)]
                if up[place] else None
                for place in range(places)
            ]  # fmt: skip
            idle = np.minimum.reduce([idle, *(each[0] for each in used if each)])
            running = [[np.minimum(idle, phase) for phase in each] if each else [idle] * self.phases for each in used]
        return float(idle[self.work])

    def _use(self, after: list[Costs], phase: int, units: int, price: float) -> Costs:
        """The step is spent in a place that has run for ``phase`` of the steps that a start takes."""
        burnt = min(max(self.overhead - phase * self.step, 0), units)
        progress = units - burnt
        following = after[min(phase + 1, self.phases - 1)]
        costs = np.empty_like(following)
        left = np.arange(min(progress, self.work) + 1)
        costs[: len(left)] = (burnt + left) * self.unit_hours * price
        costs[len(left) :] = (
            units * self.unit_hours * price + following[len(left) - progress :][: len(costs) - len(left)]
        )
        return costs

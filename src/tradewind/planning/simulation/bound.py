"""What no policy beats: a lower bound on the cost of being in time, for one that knows the whole future.

The least cost of a schedule that makes ``work`` hours of progress is at least

    L(y) = y · work + least of (cost − y · progress) over all schedules,      for every y ≥ 0  (weak duality),

and the inner minimum needs no memory of progress: a walk over the stretches in which nothing changes, with what runs
as its only state. Where nothing changes, cost and progress are straight lines in the moment of a switch, so that
switches at the ends of stretches are as good as any; a start costs y · overhead. L is concave and made of straight
pieces: where the tangents on both sides of its summit meet, there is the summit, or a better tangent.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import NamedTuple

from tradewind.planning.simulation.market import Market, SimJob

MOST_TANGENTS = 50
CLOSE = 1e-9  # share of the bound that another tangent must promise; what differs by less is alike
ON_DEMAND = -1  # as a place; the others are the numbers of zones


class Stretch(NamedTuple):
    """Hours in which nothing changes, and what can be had at which price an hour."""

    hours: float
    places: tuple[tuple[int, float], ...]


class Tangent(NamedTuple):
    """L at ``y``, and its slope there: work less the progress of the least schedule."""

    y: float
    value: float
    slope: float


def bound(job: SimJob, market: Market) -> float:
    """What any schedule that is in time costs at least, as ``Run.cost``; infinite when none is in time.

    On-demand counts as granted, and every start as taking the shortest of the market's overheads at no other cost.
    """
    overhead = min(market.overheads, default=job.overhead)
    if job.work > (job.deadline - overhead) * (1 + CLOSE):
        return math.inf
    stretches = _stretches(job, market)

    def tangent(y: float) -> Tangent:
        least, progress = _least(stretches, y, overhead)
        return Tangent(y, y * job.work + least, job.work - progress)

    rising, falling = tangent(0.0), tangent(market.od_price)
    for _ in range(MOST_TANGENTS):
        if falling.slope <= CLOSE * job.work:  # level, but for rounding: without slack L rises no further
            break
        rising, falling = falling, tangent(2 * falling.y)
    for _ in range(MOST_TANGENTS):
        if falling.slope >= 0:  # the summit, or as near to it as the doubling went
            break
        run = (rising.value - falling.value - falling.slope * (rising.y - falling.y)) / (falling.slope - rising.slope)
        promised = rising.value + rising.slope * run
        if promised <= max(rising.value, falling.value) * (1 + CLOSE):
            break
        found = tangent(rising.y + run)
        if found.slope > 0:
            rising = found
        else:
            falling = found
    return max(rising.value, falling.value)


def _stretches(job: SimJob, market: Market) -> list[Stretch]:
    """The market until the deadline, like steps together."""
    rows = zip(market.available[: job.steps], market.prices[: job.steps], strict=True)
    found = []
    for (available, prices), like in groupby(rows):
        places = [(zone, prices[zone]) for zone, up in enumerate(available) if up]
        found.append(Stretch(len(list(like)) * job.step, (*places, (ON_DEMAND, market.od_price))))
    over = job.steps * job.step - job.deadline
    found[-1] = found[-1]._replace(hours=found[-1].hours - over)
    return found


def _least(stretches: list[Stretch], y: float, overhead: float) -> tuple[float, float]:
    """The least of cost − y · progress over all schedules, and the progress of the one that has it.

    A start of less than ``overhead`` hours is counted as if it made negative progress: too dear ever to be the least.
    """
    least, progress = 0.0, 0.0  # of all walks that could now go on with nothing
    running: dict[int, tuple[float, float]] = {}
    for hours, places in stretches:
        fresh, started = least + y * overhead, progress - overhead
        going = {}
        for place, price in places:
            value, made = running.get(place, (math.inf, 0.0))
            if fresh < value:
                value, made = fresh, started
            value, made = value + (price - y) * hours, made + hours
            going[place] = value, made
            if value < least:
                least, progress = value, made
        running = going
    return least, progress

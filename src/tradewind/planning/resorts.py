"""Last resorts: on-demand ways that could still do the whole work before a deadline, when spot machines fail.

The policy that steers a job keeps its deadline by going over to on-demand machines in time. So a spot way can promise a
deadline if an on-demand way that works no slower could do all of the work within it, begun at once, with a set-up as
long as one in a hundred is.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from tradewind.planning.course import WAIT_HOURS, Pace
from tradewind.planning.way import Way

Priced = tuple[float, Way]  # what the work costs on a way, in the ranking currency

_AS_FAST = 1 + 1e-9  # hours of like machines differ in their last digits


class Resorts:
    """On-demand ways, to be asked for by the hours that the work takes on a spot way. ``deadline``: hours, or infinite.

    All are added before the first is asked for.
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._need: dict[float, float] = {}
        self._able: dict[float, Priced] = {}

    def add(self, work: float, need: float, price: float, way: Way) -> None:
        """A way whose work takes so long, that needs so long for all of it, and what the work alone costs there."""
        if need < self._need.get(work, math.inf):
            self._need[work] = need
        if need <= self._deadline < math.inf:
            known = self._able.get(work)
            self._able[work] = (price, way) if known is None else _cheaper(known, (price, way))

    def hours_needed(self, work: float) -> float:
        """The shortest deadline that some way as fast could keep from the start; infinite when there is none."""
        works, needs = self._needs
        place = bisect_right(works, work * _AS_FAST)
        return needs[place - 1] if place else math.inf

    def cheapest(self, work: float) -> Priced:
        """Of the ways as fast that keep the deadline the one whose work costs least, and that cost; there is one."""
        works, found = self._prices
        return found[bisect_right(works, work * _AS_FAST) - 1]

    @cached_property
    def _needs(self) -> tuple[list[float], list[float]]:
        """Hours of work, and the least need of all that are no slower."""
        works = sorted(self._need)
        return works, list(accumulate((self._need[work] for work in works), min))

    @cached_property
    def _prices(self) -> tuple[list[float], list[Priced]]:
        works = sorted(self._able)
        return works, list(accumulate((self._able[work] for work in works), _cheaper))


def _cheaper(one: Priced, other: Priced) -> Priced:
    return min(one, other, key=lambda each: (each[0], each[1].nodes, each[1].name))


def on_demand_share(pace: Pace, deadline: float) -> float:
    """Share, 0 to 1, of the work that is expected to be done on demand, since the deadline comes too near.

    Reckoned for no losses, the expected ones and twice as many, weighed 1 : 2 : 1, which is the spread that is assumed
    of losses. A way whose expected hours keep the deadline needs it in the last case alone. Falls as deadlines grow.
    """
    lost = 2 * (pace.lost + pace.losses * WAIT_HOURS.value)
    work = pace.paid - pace.setup - pace.lost
    over = work + lost + 2 * pace.setup - deadline
    return round(min(1.0, max(0.0, over / lost)) / 4, 6) if lost > 0 else 0.0

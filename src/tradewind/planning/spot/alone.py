"""One zone and on-demand beside it: what each option costs, looking ahead over slack with what is believed of it.

With a single zone the whole future fits into a table (:mod:`lattice`), so nothing has to be approximated but the zone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tradewind.planning.spot.lattice import lattice
from tradewind.planning.spot.phases import FIRST, UP, after, moves, seen

COARSE_PRICE = 0.02  # prices are told to a fiftieth of on-demand's, so that jobs share tables
FINE_HOURS = 0.005  # hours of a start are told to 18 seconds
QUARTER = math.log(1.25)  # and hazards in steps of a quarter
TIE = 0.002  # hours of on-demand that waiting must save: of equals, take what makes progress

Choice = tuple[str, int]


class Alone:
    """What is believed of one zone, and what that makes each option cost.

    Args:
        start: hours that a start takes on average.
        reserve: hours of slack that on-demand must find (the guard's); ``least``: without which spot is not started.
        save: hours of a checkpoint before a machine is left.
        hazard: how much likelier than the pool the zone is lost.
        step: hours between two decisions.
    """

    def __init__(self, start: float, reserve: float, least: float, save: float, hazard: float, step: float) -> None:
        wildness = math.exp(round(math.log(hazard) / QUARTER) * QUARTER)
        self._start, self._save, self._step = start, save, step
        self._key = (_told(reserve, FINE_HOURS), _told(least, FINE_HOURS), wildness)
        self._moves = moves(step, wildness)
        self._then = FIRST  # what is believed of the next sight before it
        self._read = 0

    def learn(self, history: Sequence[Sequence[bool | None]]) -> None:
        """Read on in the history: whether the zone was up, step by step; None: nobody looked."""
        for (up,) in history[self._read :]:
            self._then = after(self._then if up is None else seen(self._then, up), self._moves)
        self._read = len(history)

    def costs(self, s: Any, slack: float, repeat: float) -> dict[Choice, float]:
        """Expected cost of the rest, in units of the on-demand price, by option; a loss repeats ``repeat`` hours."""
        price = s.spot_price[0] / s.od_price
        table = lattice(max(COARSE_PRICE, _told(price, COARSE_PRICE)), _told(self._start, FINE_HOURS), *self._key)
        then = self._then
        rest = table.after(max(0.0, s.time_left - self._step), then)
        paid = min(self._step, s.work_left)
        leaving = self._save if s.kind == "spot" else 0.0
        used = s.overhead_left if s.kind == "od" else self._start + leaving
        idle = rest("none", slack - self._step - leaving) + TIE
        found = {("none", -1): idle, ("od", -1): paid + rest("od", slack - used)}
        if s.available[0]:
            again = sum(then[UP:]) * repeat  # expected of this step
            used = s.overhead_left if s.kind == "spot" else self._start
            found["spot", 0] = price * (paid + again) + rest("spot", slack - used - again)
        return found


def _told(value: float, unit: float) -> float:
    return round(round(value / unit) * unit, 6)

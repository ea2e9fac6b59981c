"""How often a spot machine is lost: hazards by age, and the losses to expect over a run.

The hazards fall with age. An offer's own ``multiplier`` scales them (``Interruption`` says where it comes from), and a
gang has those of one machine times ``nodes ** GANG``. A lost run begins again at age 0, so the losses to expect in t
hours are the renewal function m(t) = F(t) + ∫ m(t - x) dF(x), with F the distribution of a run's life; past the grid
it is its asymptote of slope 1/mean life (elementary renewal theorem; Ross, Stochastic Processes, 2nd ed., §3.3).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Literal

from tradewind.planning.spot.hazards import LOSSES

LOSS_SPREAD = (0.0, 2.0)  # range of losses over their expectation: none in a calm zone, twice in a busy one. Assumed.

# Machines of one pool go together: 16 H100 at once in six zones of GCP (2025-10) were lost 1.40 times as often as one
# of the same zones at the same age, not 16 times as often. The exponent is ln 1.40 / ln 16, from launch probes.
GANG = 0.12

_LEVELS_AN_OCTAVE = 8  # of hazard, for which m(t) is kept: 4.4 % at most from what was asked, far finer than is known
_FIRST_HOURS, _GROWTH, _HORIZON_HOURS = 0.025, 1.25, 500.0  # grid of m(t): cells grow, as m(t) straightens


@dataclass(frozen=True, slots=True)
class Interruption:
    """How an offer's hazards compare with the pooled ones.

    Attributes:
        multiplier: on the pooled hazards at every age, above 0.
        source: a cloud's own published bands, a trace of like machines in its region, or nothing better than 1.
        as_of: the date of what it was read from; None where it is assumed.
    """

    multiplier: float
    source: Literal["advisor", "trace", "assumed"]
    as_of: str | None


ASSUMED = Interruption(1.0, "assumed", None)


def factor(nodes: int, multiplier: float) -> float:
    """What the hazards of ``nodes`` machines of one pool are times the pooled ones of one machine."""
    return multiplier * float(nodes**GANG)


def hazard_at(age_hours: float, nodes: int = 1, multiplier: float = 1.0) -> float:
    """Losses an hour of ``nodes`` machines that have run for ``age_hours``; never grows with age."""
    piece = max(bisect_right(LOSSES, (age_hours, math.inf)) - 1, 0)
    return LOSSES[piece][1] * factor(nodes, multiplier)


def exposure(age_hours: float) -> float:
    """Losses to expect of one machine under the pooled hazards until ``age_hours``, were it replaced at its age."""
    return sum(rate * (min(age_hours, end) - start) for start, rate, end in _pieces(1.0) if age_hours > start)


def survival(age_hours: float, nodes: int = 1, multiplier: float = 1.0) -> float:
    """Probability, 0 to 1, that none of ``nodes`` machines of one pool is lost before ``age_hours``."""
    return math.exp(-exposure(age_hours) * factor(nodes, multiplier))


def mean_life_hours(nodes: int = 1, multiplier: float = 1.0) -> float:
    """Expected life of a run of ``nodes`` machines, hours: the integral of its survival, piece by piece exact."""
    return _Life(factor(nodes, multiplier)).mean_hours


def expected_losses(hours: float, nodes: int = 1, multiplier: float = 1.0) -> float:
    """Losses to expect over ``hours`` of running on ``nodes`` spot machines, at least 0; grows with all three."""
    if hours <= 0:
        return 0.0
    times, losses, slope = _renewals(round(math.log2(factor(nodes, multiplier)) * _LEVELS_AN_OCTAVE))
    if hours >= times[-1]:
        return losses[-1] + (hours - times[-1]) * slope
    after = bisect_right(times, hours)
    share = (hours - times[after - 1]) / (times[after] - times[after - 1])
    return losses[after - 1] + share * (losses[after] - losses[after - 1])


def _pieces(times: float) -> list[tuple[float, float, float]]:
    """(from age, hazard, to age) of so many times the pooled hazards."""
    ends = [start for start, _ in LOSSES[1:]] + [math.inf]
    return [(start, rate * times, end) for (start, rate), end in zip(LOSSES, ends, strict=True)]


class _Life:
    """The life of a run whose hazards are so many times the pooled ones: survival, and its integral, by age."""

    def __init__(self, times: float) -> None:
        pieces = _pieces(times)
        self._starts, self._rates = [start for start, _, _ in pieces], [rate for _, rate, _ in pieces]
        gone = accumulate((rate * (end - start) for start, rate, end in pieces[:-1]), initial=0.0)
        self._survival = [math.exp(-each) for each in gone]
        steps = zip(pairwise([*self._survival, 0.0]), self._rates, strict=True)
        lived = list(accumulate(((alive - after) / rate for (alive, after), rate in steps), initial=0.0))
        self._lived, self.mean_hours = lived[:-1], lived[-1]

    def until(self, age: float) -> tuple[float, float]:
        """Probability of living beyond ``age``, and the hours to expect until then."""
        piece = bisect_right(self._starts, age) - 1
        rate, alive = self._rates[piece], self._survival[piece]
        after = alive * math.exp(-rate * (age - self._starts[piece]))
        return after, self._lived[piece] + (alive - after) / rate


@cache
def _renewals(level: int) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Times of the grid, m there, and its slope beyond, for hazards of 2 ** (level / _LEVELS_AN_OCTAVE).

    m is taken as straight within a cell; ∫ m(t - x) dF(x) over a cell is then exact by the integral of survival. The
    newest cell holds m(t) itself, for which the equation is solved.
    """
    life, times = _Life(2 ** (level / _LEVELS_AN_OCTAVE)), _grid()
    losses = [0.0]
    for k in range(1, len(times)):
        alive, lived = zip(*(life.until(times[k] - time) for time in times[: k + 1]), strict=True)
        total = 1.0 - alive[0]
        for j in range(k):
            width = times[j + 1] - times[j]
            chance = alive[j + 1] - alive[j]  # of a loss that leaves between times[j] and times[j + 1]
            tilt = alive[j + 1] - (lived[j] - lived[j + 1]) / width  # of it, the share that falls to the cell's end
            if j < k - 1:
                total += losses[j] * (chance - tilt) + losses[j + 1] * tilt
            else:
                losses.append((total + losses[j] * (chance - tilt)) / (1.0 - tilt))
    return times, tuple(losses), 1.0 / life.mean_hours


@cache
def _grid() -> tuple[float, ...]:
    cells = math.ceil(math.log(_HORIZON_HOURS / _FIRST_HOURS, _GROWTH))
    return (0.0, *(_FIRST_HOURS * _GROWTH**cell for cell in range(cells + 1)))

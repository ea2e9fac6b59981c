"""What is believed of each zone: how long it has been up or down, and how much calmer or wilder it is than the pool.

A zone loses machines at ``frailty × pooled hazard at its age``, and comes back likewise. The frailty is learnt from the
zone's own events by a gamma prior around what is known beforehand (Vaupel, Manton and Stallard, Demography 16, 1979):
the posterior mean is (prior + events) / (prior / known + events expected at the ages seen).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from tradewind.planning.spot.hazards import LOSSES, RETURNS

Table = tuple[tuple[float, float], ...]

# Weight of the prior, in events: a zone counts as like the pool until it has shown about as many of its own.
PRIOR = 6.0
# Age of a zone at first sight, hours: it is met in the middle of a run, and long runs are met more often.
FIRST_AGE = 2.0
# Frailties are told in steps of 1.4, so that zones that hardly differ share what is reckoned for them.
STRIDE = math.log(1.4)
WILDEST = 7  # steps to either side: a tenth to ten times the pool
AHEAD = 2.0  # hours over which the hazard of the present age is averaged when zones are compared


def cumulative(table: Table) -> Callable[[float], float]:
    """The function from an age in hours to the events expected up to it."""
    starts, rates = [age for age, _ in table], [rate for _, rate in table]
    before = [0.0]
    for rate, (begin, end) in zip(rates, pairwise(starts), strict=False):
        before.append(before[-1] + rate * (end - begin))
    last = len(starts) - 1

    def events(age: float) -> float:
        piece = last
        while starts[piece] > age:
            piece -= 1
        return before[piece] + rates[piece] * (age - starts[piece])

    return events


losses, returns = cumulative(LOSSES), cumulative(RETURNS)


def level_of(multiplier: float) -> int:
    """A multiplier as whole steps."""
    return min(WILDEST, max(-WILDEST, round(math.log(multiplier) / STRIDE)))


_MULTIPLIERS = {level: math.exp(level * STRIDE) for level in range(-WILDEST, WILDEST + 1)}


def multiplier_of(level: int) -> float:
    """The inverse of :func:`level_of`, to a step."""
    return _MULTIPLIERS[level]


class Frailty:
    """How much oftener something happens in a zone than in the pool; ``level`` as of :func:`level_of`."""

    __slots__ = ("_events", "_expected", "_prior", "_until", "level")

    def __init__(self, known: float) -> None:
        self._events, self._expected, self._prior = PRIOR, 0.0, PRIOR / known
        self._settle()

    def see(self, expected: float, happened: bool) -> None:
        """So many events were to be expected of the pool, and one happened or none."""
        self._expected += expected
        if happened:
            self._events += 1
        if happened or self._expected > self._until:
            self._settle()

    def _settle(self) -> None:
        """The level, and how many events may be expected in vain before it falls."""
        self.level = level_of(self._events / (self._prior + self._expected))
        falls = self._events * math.exp((0.5 - self.level) * STRIDE) - self._prior
        self._until = falls if self.level > -WILDEST else math.inf


class Zone:
    """One zone as it has shown itself so far.

    Attributes:
        up: whether it could be had when it was last seen; None: never seen.
        age: hours that it has been so.
    """

    __slots__ = ("_back", "_loss", "age", "up")

    def __init__(self, hazard: float) -> None:
        self.up: bool | None = None
        self.age = FIRST_AGE
        self._loss, self._back = Frailty(hazard), Frailty(1.0)

    @property
    def loss(self) -> int:
        """Level of being lost."""
        return self._loss.level

    @property
    def back(self) -> int:
        """Level of coming back."""
        return self._back.level

    def see(self, up: bool | None, hours: float) -> None:
        """What the zone is, ``hours`` after the last sight; None: nobody looked."""
        was, age = self.up, self.age
        if was is None:
            self.up = up
            return
        self.age = age + hours
        if up is None:
            return
        if was:
            self._loss.see(losses(age + hours) - losses(age), not up)
        else:
            self._back.see(returns(age + hours) - returns(age), up)
        if up is not was:
            self.up, self.age = up, hours / 2  # it turned somewhere between the two sights

    @property
    def hazard(self) -> float:
        """Losses an hour to expect over the next hours of a machine of the zone's present age."""
        age = self.age if self.up else FIRST_AGE
        return (losses(age + AHEAD) - losses(age)) / AHEAD * multiplier_of(self.loss)


class Beliefs:
    """The zones of one job, learnt from the history that every decision brings along."""

    def __init__(self, hazards: Sequence[float], step: float) -> None:
        self.zones = [Zone(hazard) for hazard in hazards]
        self._step = step
        self._read = 0

    def learn(self, history: Sequence[Sequence[bool | None]]) -> None:
        """Read on in the history: rows of one sight of every zone, the present one last."""
        for row in history[self._read :]:
            for zone, up in zip(self.zones, row, strict=True):
                zone.see(up, self._step)
        self._read = len(history)

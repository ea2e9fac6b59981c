"""Axes: where a value stands between the ends of a scale, and which round values are marked on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MARGIN = 1.12  # by which a scale goes on beyond the outermost values
_ROUND = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))  # of each power of ten; the first series that is not too dense


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic scale from ``low`` to ``high``, both positive; ``ticks`` are values with their labels."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """Where ``value`` stands, 0 at the low end and 1 at the high one; what lies outside stands at the end."""
        inside = min(max(value, self.low), self.high)
        return math.log(inside / self.low) / math.log(self.high / self.low)

    def holds(self, value: float) -> bool:
        """Whether ``value`` lies on the scale."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Ruler:
    """An even scale from ``low`` to a ``high`` above it; ``ticks`` are values with their labels."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """Where ``value`` stands, 0 at the low end and 1 at the high one; what lies outside stands at the end."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)


def ruler(low: float, high: float, most: int, told: Callable[[float], str]) -> Ruler:
    """An even scale that holds ``low`` to ``high``, with about ``most`` ticks; one value alone gets room around it."""
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    return Ruler(low, high, tuple((value, told(value)) for value in even_values(low, high, most)))


def axis(values: Iterable[float], most: int, told: Callable[[float], str]) -> Axis | None:
    """An axis that holds all positive ``values``, with at most ``most`` ticks; None without a positive one."""
    positive = [value for value in values if 0 < value < math.inf]
    if not positive:
        return None
    low, high = min(positive) / MARGIN, max(positive) * MARGIN
    return Axis(low, high, tuple((value, told(value)) for value in _round_values(low, high, most)))


def _round_values(low: float, high: float, most: int) -> list[float]:
    """Round values between ``low`` and ``high``: of powers of ten, or evenly spaced where those are too few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for series in _ROUND:
        found = [part * 10.0**power for power in powers for part in series if low <= part * 10.0**power <= high]
        if len(found) <= most:
            return found if len(found) > 2 else even_values(low, high, most)
    return found[:: -(-len(found) // most)]


def even_values(low: float, high: float, most: int) -> list[float]:
    """At most about ``most`` round values between ``low`` and ``high``, the same step apart."""
    rough = (high - low) / most
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(part * size for part in (1.0, 2.0, 5.0, 10.0) if part * size >= rough)
    return [step * times for times in range(math.ceil(low / step), math.floor(high / step) + 1)]

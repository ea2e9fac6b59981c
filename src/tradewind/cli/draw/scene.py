"""Scene: what the picture of a plan shows, whoever draws it: ways over time and cost, and the two limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tradewind.cli.draw.axes import Axis, axis
from tradewind.cli.draw.choices import Choice
from tradewind.cli.draw.figures import short_money

Plan = dict[str, Any]
FEWEST = 2  # ways that can be compared
REACH = 2.5  # times beyond the outermost choice and limit other ways are shown; the rest is counted
UNITS = (("d", 24.0, 96.0), ("h", 1.0, 1.0), ("min", 1 / 60, 1 / 60), ("s", 1 / 3600, 0.0))  # its hours, and from where


@dataclass(frozen=True, slots=True)
class Mark:
    """One way with a letter: its time in the scene's unit, and its money."""

    x: float
    y: float
    letter: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """Both axes, with time on ``x`` in ``unit`` and money on ``y`` in ``currency``, and what lies on them.

    Attributes:
        dots: other ways as (time, money); ``outside`` counts those that lie beyond the axes.
        deadline, budget: the limits, on ``x`` and ``y``; None where there is none.
    """

    x: Axis
    y: Axis
    unit: str
    currency: str
    marks: tuple[Mark, ...]
    dots: tuple[tuple[float, float], ...]
    outside: int
    deadline: float | None
    budget: float | None

    def limits(self) -> tuple[tuple[str, float | None], ...]:
        """Both limits by name, as far as they can be seen."""
        seen = (("deadline", self.x, self.deadline), ("budget", self.y, self.budget))
        return tuple((name, at if at is not None and axis.holds(at) else None) for name, axis, at in seen)


def scene(plan: Plan, shown: Sequence[Choice], most: tuple[int, int]) -> Scene | None:
    """The scene with at most so many ticks on ``x`` and ``y``; None where there is nothing to compare."""
    shown = [each for each in shown if each.way["hours"] is not None]
    lettered = {(each.way["hours"], each.way["rank_cost"]) for each in shown}
    ways = [(hours, cost) for hours, cost, *_ in plan["points"] if (hours, cost) not in lettered]
    if len(shown) + len(ways) < FEWEST:
        return None
    near = sorted(lettered) or _unbeaten(ways)
    unit, size = _unit([hours for hours, _ in near])
    marks = tuple(Mark(each.way["hours"] / size, each.way["rank_cost"], each.letter, each.chosen) for each in shown)
    points = [(hours / size, cost) for hours, cost in ways]
    limits, currency = plan["limits"], plan["points_currency"]
    deadline = _positive(limits["deadline_hours"], size)
    budget = _positive(limits["budget"] and float(limits["budget"]["amount"]))
    times = _reached([hours / size for hours, _ in near], [time for time, _ in points], deadline)
    sums = _reached([cost for _, cost in near], [cost for _, cost in points], budget)
    x, y = axis(times, most[0], "{:,g}".format), axis(sums, most[1], lambda at: short_money(at, currency))
    if x is None or y is None:  # all is free
        return None
    dots = tuple(point for point in points if x.holds(point[0]) and y.holds(point[1]))
    return Scene(x, y, unit, currency, marks, dots, len(points) - len(dots), deadline, budget)


def _unit(hours: Sequence[float]) -> tuple[str, float]:
    """The unit in which the longest is told, and its hours."""
    return next((name, size) for name, size, least in UNITS if max(hours) >= least)


def _unbeaten(ways: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of ways as (hours, cost) those that no other beats in both."""
    kept, fastest = list[tuple[float, float]](), float("inf")
    for hours, cost in sorted(ways, key=lambda way: (way[1], way[0])):
        if hours < fastest:
            fastest = hours
            kept.append((hours, cost))
    return kept


def _positive(limit: float | None, size: float = 1.0) -> float | None:
    return limit / size if limit and limit > 0 else None


def _reached(marked: Sequence[float], others: Sequence[float], limit: float | None) -> list[float]:
    """The values that an axis has to hold: every mark, and the limit and the others as far as they are near those."""
    low, high = min(marked) / REACH, max(marked) * REACH
    return [*marked, *(value for value in (*others, *([limit] if limit else [])) if low <= value <= high)]

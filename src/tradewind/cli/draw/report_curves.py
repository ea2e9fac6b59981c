"""What a job measured while it trained, as charts over steps and over time. Pure.

Of many samples that fall together a point holds the lowest, the mean and the highest. What a later attempt did again
is set apart, and so are the times without training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tradewind.cli.draw.axes import Axis, Ruler, axis, ruler
from tradewind.cli.draw.figures import MANY, count, scaled
from tradewind.cli.draw.report_times_svg import time_ruler

Measure = dict[str, Any]
Point = list[float]
FAMILIES = ("loss", "acc")  # by which measures of evaluations join those of steps
STEEP = 50.0  # times the lowest, from where a scale of positive values is logarithmic
TICKS = 5
PAUSE = 0.004  # of the whole time: shorter ones are not shown
LINES = 4  # in one chart; further measures have charts of their own


@dataclass(frozen=True, slots=True)
class Place:
    """One point of a line: where across, and the lowest, mean and highest value there."""

    x: float
    low: float
    mean: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """One measure; ``pieces`` are stretches of its line, and ``repeated`` those that a later attempt did again."""

    name: str
    evaluated: bool
    pieces: tuple[tuple[Place, ...], ...]
    repeated: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over steps or over seconds; ``gaps`` are repeated steps, or times without training."""

    family: str
    by: str
    x: Ruler
    y: Axis | Ruler
    logarithmic: bool
    lines: tuple[Line, ...]
    gaps: tuple[tuple[float, float], ...]


def families(measures: list[Measure]) -> dict[str, list[Measure]]:
    """Measures that share a chart, by the name of the first of them; those without a value have none."""
    grouped: dict[str, list[Measure]] = {}
    for measure in measures:
        if not measure["samples"]:
            continue
        kind = next((each for each in FAMILIES if each in measure["name"].lower()), None)
        key = next((name for name, group in grouped.items() if kind and kind in name and len(group) < LINES), None)
        grouped.setdefault(key or measure["name"], []).append(measure)
    return grouped


def chart(family: str, measures: list[Measure], attempts: list[dict[str, Any]], by: str) -> Chart:
    """The chart of measures with at least one sample each; ``by`` is ``step`` or ``time``."""
    resumed = {each["attempt"]: each["resumed_step"] or 0 for each in attempts}
    lines = tuple(_line(each, resumed, by) for each in measures)
    places = [place for line in lines for piece in (*line.pieces, *line.repeated) for place in piece]
    low, high = min(place.low for place in places), max(place.high for place in places)
    told: Callable[[float], str] = _percent if _share(family, low, high) else _value
    steep = low > 0 and high / low >= STEEP
    rising = axis((low, high), TICKS, told) if steep else None
    y = rising or ruler(low, high, TICKS, told)
    first, last = min(place.x for place in places), max(place.x for place in places)
    across = ruler(first, last, TICKS, _whole) if by == "step" else time_ruler(min(first, 0.0), max(last, 0.001))
    spans = [_spans(measure, 2) for measure in measures if not measure["evaluated"]]
    gaps = tuple(_repeated(attempts)) if by == "step" else tuple(_pauses(spans[0], across)) if spans else ()
    return Chart(family, by, across, y, rising is not None, lines, gaps)


def _line(measure: Measure, resumed: dict[int, int], by: str) -> Line:
    kept, repeated = list[tuple[Place, ...]](), list[tuple[Place, ...]]()
    for told in measure["attempts"]:
        later = [step for attempt, step in resumed.items() if attempt > told["attempt"]]
        begun_again = min(later, default=None)
        points = told["points"]
        again = [each for each in points if begun_again is not None and each[1] > begun_again]
        kept += _stretches((each for each in points if each not in again), by)
        repeated += _stretches(again, by)
    return Line(measure["name"], measure["evaluated"], tuple(kept), tuple(repeated))


def _stretches(points: Iterable[Point], by: str) -> Iterator[tuple[Place, ...]]:
    """The points in a row, broken where a line would lead backwards."""
    at, row = 0 if by == "step" else 2, list[Place]()
    for point in points:
        place = Place((point[at] + point[at + 1]) / 2, *point[4:7])
        if row and place.x < row[-1].x:
            yield tuple(row)
            row = []
        row.append(place)
    if row:
        yield tuple(row)


def _spans(measure: Measure, at: int) -> list[tuple[float, float]]:
    return [(told["points"][0][at], told["points"][-1][at + 1]) for told in measure["attempts"] if told["points"]]


def _pauses(spans: list[tuple[float, float]], across: Ruler) -> Iterator[tuple[float, float]]:
    for (_, end), (start, _) in pairwise(spans):
        if start - end > PAUSE * (across.high - across.low):
            yield end, start


def _repeated(attempts: list[dict[str, Any]]) -> Iterator[tuple[float, float]]:
    for each in attempts:
        if each["repeated_steps"]:
            begun = each["resumed_step"] or 0
            yield begun, begun + each["repeated_steps"]


def _share(family: str, low: float, high: float) -> bool:
    return "acc" in family.lower() and low >= 0 and high <= 1


def _value(value: float) -> str:
    return scaled(value) if abs(value) >= MANY else f"{value:,.4g}"


def _percent(value: float) -> str:
    return f"{100 * value:.4g} %"


def _whole(value: float) -> str:
    return count(round(value))

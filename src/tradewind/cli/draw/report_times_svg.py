"""The times of a job as a picture: a lane for what it did, one for its checkpoints, one for each rented offer."""

from __future__ import annotations

from collections.abc import Iterator

from tradewind.cli.draw.axes import Ruler, ruler
from tradewind.cli.draw.figures import count
from tradewind.cli.draw.fluid_svg import bar, dot, letters, line, picture
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.pen import Pen, width_of
from tradewind.cli.draw.report_times import Bar, Lane, Mark, Times

TOP, LANE, BELOW = 20, 42, 24  # above the first lane, each lane, and below the last
LETTER, THICK = 12, 16  # from the top of a lane to the foot of its label, and of its bars
TICKS = 7
SIGNS = {"notice": "▼", "taken": "✕", "refused": "!"}
LONGEST = 46  # columns of a label
ROOM = 0.03  # of the width that a bar needs for its label
UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0))
# How thick a bar is, of a whole one, and where it begins: what a bar means is told by its shape, not by colour alone.
SHAPES = {"waiting": (0.2, 0.4), "asked": (0.2, 0.4), "starting": (0.5, 0.25), "releasing": (0.5, 0.25)}


def time_ruler(low: float, high: float) -> Ruler:
    """An even scale of seconds, its ticks in the unit that suits their span."""
    unit, size = next((each for each in UNITS if high - low >= 2 * each[1]), UNITS[-1])
    scale = ruler(low / size, high / size, TICKS, lambda value: f"{value:,.6g} {unit}")
    return Ruler(scale.low * size, scale.high * size, tuple((value * size, told) for value, told in scale.ticks))


def times_svg(pen: Pen, told: Times) -> Markup:
    """The picture; the tables beside it tell the same."""
    scale = time_ruler(0.0, told.seconds)
    height = TOP + LANE * len(told.lanes) + BELOW
    described = pen.say("report-times-described", lanes=count(len(told.lanes)))
    lanes = (part for row, lane in enumerate(told.lanes) for part in _lane(lane, scale, TOP + LANE * row))
    return picture(pen.say("report-times"), described, height, *_grid(scale, height),
                   *_deadline(pen, told, scale, height), *lanes)  # fmt: skip


def _grid(scale: Ruler, height: float) -> Iterator[Markup]:
    for value, label in scale.ticks:
        yield line(scale.at(value), TOP, scale.at(value), height - BELOW, "grid")
        yield letters(scale.at(value), height - 6, label)


def _deadline(pen: Pen, told: Times, scale: Ruler, height: float) -> Iterator[Markup]:
    if told.deadline is not None:
        x = scale.at(told.deadline)
        yield line(x, TOP - 6, x, height - BELOW, "limit")
        yield letters(x, TOP - 8, pen.say("axis-deadline"), "limit", "start" if x < 0.15 else "end")


def _lane(lane: Lane, scale: Ruler, top: float) -> Iterator[Markup]:
    foot = top + LETTER + 6
    yield letters(0.0, top + LETTER, _short(lane.label), "lane", "start")
    yield line(0.0, foot + THICK / 2, 1.0, foot + THICK / 2, "grid")
    for each in lane.bars:
        yield from _bar(each, scale, foot)
    for mark in lane.marks:
        yield _mark(mark, scale.at(mark.at), foot)


def _bar(each: Bar, scale: Ruler, foot: float) -> Iterator[Markup]:
    thick, begins = SHAPES.get(each.kind, (1.0, 0.0))
    start, end = scale.at(each.start), scale.at(each.end)
    yield bar(start, end, foot + begins * THICK, thick * THICK, f"bar {each.kind}", each.told)
    if each.label and end - start >= ROOM:
        yield letters((start + end) / 2, foot + THICK - 4, each.label, "inside", "middle")


def _mark(mark: Mark, x: float, foot: float) -> Markup:
    """A ring for what is saved, filled where it is whole; a triangle for a notice, a cross for a loss."""
    if mark.kind.startswith("saved"):
        return dot(x, foot + THICK / 2, 4, mark.kind, mark.told)
    drawn = letters(x, foot + THICK - 3, SIGNS[mark.kind], f"sign {mark.kind}", "middle")
    return element("g", element("title", mark.told), drawn)


def _short(label: str) -> str:
    """A label that fits the narrowest picture."""
    if width_of(label) <= LONGEST:
        return label
    kept = label
    while width_of(kept) > LONGEST - 1:
        kept = kept[:-1]
    return kept.rstrip() + "…"

"""A chart as a picture: lines with the band that their samples lie in, evaluations as points, gaps shaded."""

from __future__ import annotations

from collections.abc import Iterator

from tradewind.cli.draw.figures import count
from tradewind.cli.draw.fluid_svg import bar, dot, letters, line, path, picture, plot
from tradewind.cli.draw.markup import Markup
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.report_curves import Chart, Place

TOP, HEIGHT, BELOW = 18, 180, 22
GUTTER, MARGIN = 0.14, 0.015  # shares of the width: for values on the left, and for what is drawn at the last step
FEW = 40  # points of an evaluation that are drawn one by one
Spot = tuple[float, float]


def chart_svg(pen: Pen, told: Chart, title: str) -> Markup:
    """The picture; its caption tells its ends."""
    points = sum(len(piece) for line in told.lines for piece in (*line.pieces, *line.repeated))
    described = pen.say("report-chart-described", lines=count(len(told.lines)), points=count(points))
    return picture(
        title, described, TOP + HEIGHT + BELOW, *_gaps(told), *_grid(told),
        plot(TOP, HEIGHT, *_paths(told)), *_points(told), *_labels(told),
    )  # fmt: skip


def _down(told: Chart, value: float) -> float:
    return HEIGHT * (1 - told.y.at(value))


def _across(told: Chart, value: float) -> float:
    return GUTTER + (1 - GUTTER - MARGIN) * told.x.at(value)


def _gaps(told: Chart) -> Iterator[Markup]:
    for start, end in told.gaps:
        yield bar(_across(told, start), _across(told, end), TOP, HEIGHT, "gap")


def _grid(told: Chart) -> Iterator[Markup]:
    for value, _ in told.y.ticks:
        yield line(GUTTER, TOP + _down(told, value), 1.0, TOP + _down(told, value), "grid")
    yield line(GUTTER, TOP + HEIGHT, 1.0, TOP + HEIGHT, "axis")


def _labels(told: Chart) -> Iterator[Markup]:
    for value, label in told.y.ticks:
        yield letters(GUTTER - 0.015, TOP + _down(told, value) + 4, label, None, "end")
    for value, label in told.x.ticks:
        yield letters(_across(told, value), TOP + HEIGHT + 16, label)


def _paths(told: Chart) -> Iterator[Markup]:
    for index, each in enumerate(told.lines):
        bands = [_around(told, piece) for piece in each.pieces if any(place.low < place.high for place in piece)]
        if bands:
            yield path(bands, f"band line-{index}", closed=True)
        if each.repeated:
            yield path((_spots(told, piece) for piece in each.repeated), f"line line-{index} repeated")
        yield path((_spots(told, piece) for piece in each.pieces), f"line line-{index}")


def _around(told: Chart, piece: tuple[Place, ...]) -> list[Spot]:
    """Along the highest values and back along the lowest."""
    upper = [(_across(told, place.x), _down(told, place.high)) for place in piece]
    return upper + [(_across(told, place.x), _down(told, place.low)) for place in reversed(piece)]


def _spots(told: Chart, piece: tuple[Place, ...]) -> list[Spot]:
    return [(_across(told, place.x), _down(told, place.mean)) for place in piece]


def _points(told: Chart) -> Iterator[Markup]:
    """Evaluations one by one where they are few, and whatever is a single point."""
    for index, each in enumerate(told.lines):
        few = each.evaluated and sum(map(len, each.pieces)) <= FEW
        for piece in each.pieces:
            if few or len(piece) == 1:
                for x, y in _spots(told, piece):
                    yield dot(x, TOP + y, 3.5, f"point line-{index}")

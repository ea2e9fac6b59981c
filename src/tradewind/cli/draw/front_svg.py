"""The front as SVG, in the page's own colours: letters in circles, other ways as dots, limits as broken lines."""

from __future__ import annotations

from collections.abc import Iterator

from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.scene import Mark, Scene

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 86, 16, 26, 52  # margins
RADIUS = 11
TICKS = (9, 6)  # at most so many on each axis
Spot = tuple[float, float]


def front_svg(pen: Pen, scene: Scene) -> Markup:
    """The picture; every way with a letter stands in the table beside it, so that nothing is told by sight alone."""
    label = pen.say("front-described", count=len(scene.marks))
    return element(
        "svg", element("title", pen.say("head-front")), element("desc", label), *_axes(pen, scene), *_dots(scene),
        *_limits(pen, scene), *_marks(scene),
        viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label, class_="scaled",
    )  # fmt: skip


def _axes(pen: Pen, scene: Scene) -> Iterator[Markup]:
    bottom = HEIGHT - BOTTOM
    for value, told in scene.y.ticks:
        y = _y(scene, value)
        yield _line(LEFT, y, WIDTH - RIGHT, y, "grid")
        yield _text(LEFT - 8, y + 4, told, "end")
    for value, told in scene.x.ticks:
        x = _x(scene, value)
        yield _line(x, TOP, x, bottom, "grid")
        yield _text(x, bottom + 18, told, "middle")
    yield _line(LEFT, bottom, WIDTH - RIGHT, bottom, "axis")
    yield _line(LEFT, TOP, LEFT, bottom, "axis")
    yield _text(WIDTH - RIGHT, HEIGHT - 8, pen.say("axis-time", unit=scene.unit), "end")
    yield _text(6, TOP - 8, pen.say("axis-cost", currency=scene.currency), "start")


def _dots(scene: Scene) -> Iterator[Markup]:
    for x, y in scene.dots:
        yield element("circle", cx=_told(_x(scene, x)), cy=_told(_y(scene, y)), r=2.5, class_="dot")


def _limits(pen: Pen, scene: Scene) -> Iterator[Markup]:
    deadline, budget = (limit for _, limit in scene.limits())
    if deadline is not None:
        x = _x(scene, deadline)
        yield _line(x, TOP, x, HEIGHT - BOTTOM, "limit")
        yield _text(x, TOP - 8, pen.say("axis-deadline"), "start" if x < WIDTH / 2 else "end", "limit")
    if budget is not None:
        y = _y(scene, budget)
        yield _line(LEFT, y, WIDTH - RIGHT, y, "limit")
        yield _text(LEFT + 6, y + 16, pen.say("axis-budget"), "start", "limit")


def _marks(scene: Scene) -> Iterator[Markup]:
    """Letters, the chosen one last so that it lies on top; where two would overlap one moves aside."""
    taken: list[Spot] = []
    spots = {mark.letter: _free(_x(scene, mark.x), _y(scene, mark.y), taken)
             for mark in sorted(scene.marks, key=lambda mark: not mark.chosen)}  # fmt: skip
    for mark in sorted(scene.marks, key=lambda mark: mark.chosen):
        yield _mark(mark, *spots[mark.letter])


def _free(x: float, y: float, taken: list[Spot]) -> Spot:
    """The spot at (x, y), or the nearest to its right that no circle covers."""
    while any(abs(x - left) < 2 * RADIUS and abs(y - top) < 2 * RADIUS for left, top in taken):
        x += RADIUS
    taken.append((x, y))
    return x, y


def _mark(mark: Mark, x: float, y: float) -> Markup:
    circle = element("circle", cx=_told(x), cy=_told(y), r=RADIUS)
    return element("g", circle, _text(x, y + 4, mark.letter, "middle"), class_="chosen" if mark.chosen else "unbeaten")


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return element("line", x1=_told(x1), y1=_told(y1), x2=_told(x2), y2=_told(y2), class_=kind)


def _text(x: float, y: float, told: str, anchor: str, kind: str | None = None) -> Markup:
    return element("text", told, x=_told(x), y=_told(y), text_anchor=anchor, class_=kind)


def _x(scene: Scene, value: float) -> float:
    return LEFT + scene.x.at(value) * (WIDTH - LEFT - RIGHT)


def _y(scene: Scene, value: float) -> float:
    return HEIGHT - BOTTOM - scene.y.at(value) * (HEIGHT - TOP - BOTTOM)


def _told(value: float) -> str:
    return f"{value:.1f}"

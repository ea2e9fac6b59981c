"""Every term of a size with its formula, its numbers and where they come from."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw.figures import MANY, count, number, scaled
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import DIM, gap, head


def explained(pen: Pen, terms: list[dict[str, Any]]) -> list[RenderableType]:
    """A heading, then each term: its value, the formula, the numbers put into it, the source."""
    told: list[RenderableType] = [gap(), head(pen, "head-explain")]
    for term in terms:
        told += _term(pen, term)
    return told


def _term(pen: Pen, term: dict[str, Any]) -> list[RenderableType]:
    title = Text(pen.say(f"term-{term['term']}").removeprefix("term-"), "bold")
    title.append(f" = {_figure(term['value'])} {term['unit']}".rstrip(), "")
    numbers = " · ".join(f"{name} = {_figure(value)}" for name, value in term["numbers"].items())
    source = pen.say("source-of", source=term["source"]) if term["source"] else ""
    lines = [Text(term["formula"]), Text(numbers, DIM), Text(source, DIM)]
    return [Padding(title, (0, 0, 0, 2)), *(Padding(line, (0, 0, 0, 4)) for line in lines if line.plain)]


def _figure(value: Any) -> str:
    """Whole numbers whole, large ones with a prefix."""
    if not isinstance(value, int | float):
        return str(value)
    if abs(value) >= MANY:
        return scaled(value)
    return count(value) if value == int(value) else number(value)

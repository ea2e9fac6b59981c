"""What the catalog's answers come from: what is shipped, what was refreshed, one's own files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, instant
from tradewind.cli.draw.offers import warnings
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import DIM, WARN, bullets, gap, head, stack, table

Held = dict[str, Any]
_CLOUDS = (
    Column("col-cloud"), Column("col-machines", right=True), Column("col-prices", right=True), Column("col-newest"),
    Column("col-refreshed", drop=1),
)  # fmt: skip
_OWN = (Column("col-name"), Column("col-prices", right=True), Column("col-path", drop=1))


def held(pen: Pen, listed: Held) -> RenderableType:
    """Clouds with what is known of each, own files, and what is missing."""
    rows = [
        [each["cloud"], count(each["machines"]), count(each["prices"]), each["newest"] or UNKNOWN,
         instant(each["refreshed_at"], pen.zone) if each["refreshed_at"] else pen.say("as-shipped")]
        for each in listed["clouds"]
    ]  # fmt: skip
    parts: list[RenderableType] = [head(pen, "head-catalog", listed["snapshot"]["date"]), table(pen, _CLOUDS, rows)]
    parts.append(bullets(_missing(pen, listed["snapshot"])))
    if listed["own"]:
        own = [[each["name"], count(each["prices"]), each["path"]] for each in listed["own"]]
        parts += [gap(), head(pen, "head-own"), table(pen, _OWN, own)]
    parts += [Text(line, WARN) for line in warnings(pen, listed)]
    return stack(*parts, gap(), Text(pen.say("catalog-licence"), DIM))


def _missing(pen: Pen, snapshot: dict[str, Any]) -> Iterator[str]:
    yield pen.say("catalog-size", **{key: count(snapshot[key]) for key in ("machines", "prices", "offers")})
    yield pen.say("catalog-unpriced", count=count(snapshot["unpriced"]))
    yield pen.say("catalog-left-out", count=count(snapshot["left_out"]))

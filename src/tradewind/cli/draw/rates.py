"""Exchange rates: value, date, where from. Plain text."""

from __future__ import annotations

from typing import Any

from tradewind.cli.draw.pen import Column, Pen, aligned, wrapped

_COLUMNS = (
    Column("col-rate"), Column("col-rate-value", right=True), Column("col-listed"), Column("col-rate-from", drop=1),
    Column("col-source", drop=2),
)  # fmt: skip


def rates(pen: Pen, told: list[dict[str, Any]]) -> str:
    """One line a rate, those that win first."""
    rows = [
        [f"{each['base']} → {each['quote']}", each["value"], each["as_of"], pen.say(f"rate-{each['from']}"),
         each["source"]]
        for each in told
    ]  # fmt: skip
    return "\n\n".join([aligned(pen, list(_COLUMNS), rows), wrapped(pen.say("rates-legend"), pen.width)])

"""Machines side by side: hardware in one table, then each one's ways of buying, then renting against owning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, money, number, share
from tradewind.cli.draw.offers import hardware, paid
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import DIM, HEAD, bullets, gap, head, stack, table

Compared = dict[str, Any]
MONTH = 730  # hours
_HARDWARE = (
    Column("col-machine"), Column("col-gpu"), Column("col-memory", right=True), Column("col-cpus", right=True, drop=1),
    Column("col-ram", right=True, drop=2), Column("col-network", right=True, drop=3), Column("col-rdma", drop=4),
    Column("col-nvlink", drop=5),
)  # fmt: skip
_WAYS = (
    Column("col-way"), Column("col-price-hour", right=True), Column("col-month", right=True, drop=2),
    Column("col-break-even"), Column("col-listed", drop=1), Column("col-source", drop=3),
)  # fmt: skip
_OWNING = (
    Column("col-gpu"), Column("col-own-hour", right=True), Column("col-rented-hour", right=True),
    Column("col-even", right=True),
)  # fmt: skip


def compared(pen: Pen, told: Compared) -> RenderableType:
    """The whole comparison."""
    parts: list[RenderableType] = [
        head(pen, "head-machines"),
        table(pen, _HARDWARE, [hardware(pen, each["machine"]) for each in told["columns"]]),
    ]
    nowhere = pen.say("no-ways-there", region=told["region"]) if told["region"] else pen.say("no-ways")
    for column in told["columns"]:
        parts += [gap(), _title(pen, column)]
        rows = [_way(pen, way) for way in column["ways"]]
        parts.append(table(pen, _WAYS, rows) if rows else Text("  " + nowhere, DIM))
    hours = number(told["hours_per_month"])
    below = [pen.say("compare-legend"), pen.say("month-legend", hours=hours)]
    below += [pen.say("rate-used", **rate) for rate in told["rates"]]
    parts += [gap(), bullets(below)]
    owned = [column["rent_or_buy"] for column in told["columns"] if column["rent_or_buy"]]
    return stack(*parts, *(_owning(pen, owned) if owned else ()))


def _title(pen: Pen, column: dict[str, Any]) -> Text:
    machine = column["machine"]
    of = pen.say("largest-of", asked=column["asked"], count=column["largest_of"]) if column["largest_of"] > 1 else ""
    note = " · ".join(filter(None, (column["region"], of)))
    return Text.assemble((f"{machine['cloud']} {machine['instance_type']}", HEAD), ("  " + note, DIM))


def _way(pen: Pen, way: dict[str, Any]) -> list[str]:
    bought = ", ".join(filter(None, (pen.say(f"purchase-{way['purchase']}"), paid(pen, way["payment"]))))
    estimate = way["kind"] == "estimate"
    date = "date-dated" if estimate else f"date-{way['price_status']}"
    return [
        pen.say("way-estimated", way=bought) if estimate else bought, _between(way["low"], way["high"], money),
        _between(way["month"]["low"], way["month"]["high"], _round), _even(pen, way["break_even_hours"]),
        pen.say(date, as_of=way["as_of"] or UNKNOWN), way["source"],
    ]  # fmt: skip


def _between(low: dict[str, str], high: dict[str, str], told: Callable[[dict[str, str]], str]) -> str:
    return told(low) if low == high else f"{told(low)}–{told(high)}"


def _round(value: dict[str, str]) -> str:
    """A month's sum without its cents."""
    return money(value).partition(".")[0]


def _even(pen: Pen, hours: list[int] | None) -> str:
    if hours is None:
        return ""
    if hours[0] > MONTH:
        return pen.say("break-even-never")
    return pen.say("break-even", hours="–".join(str(each) for each in dict.fromkeys(hours)))


def _owning(pen: Pen, owned: list[dict[str, Any]]) -> Iterator[RenderableType]:
    yield gap()
    yield head(pen, "head-rent-or-buy", pen.say("rent-or-buy-note", price=money(owned[0]["card_price"])))
    rows = [
        [each["gpu"], money(each["own_hour"]), money(each["rented_hour"]),
         pen.say("even-never") if each["even_utilisation"] is None else
         pen.say("even-at", share=share(each["even_utilisation"]), hours=each["even_hours_per_month"])]
        for each in owned
    ]  # fmt: skip
    yield table(pen, _OWNING, rows)
    watts = pen.say(
        "input-watts", watts=", ".join(dict.fromkeys(f"{count(each['watts'])} W ({each['gpu']})" for each in owned))
    )
    yield bullets([watts, *(_input(pen, each) for each in owned[0]["inputs"])])


def _input(pen: Pen, each: dict[str, Any]) -> str:
    unit = each["unit"].replace("/month", "/" + pen.say("unit-month"))
    told = pen.say(f"input-{each['name']}", value=f"{each['value']:g}", unit=unit)
    return f"{told} ({pen.say('input-' + each['source'], why=pen.say('input-why-' + each['name']))})"

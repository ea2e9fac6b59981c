"""Money: by lease, in total, and what on-demand would have cost."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.app.interface import open_count
from tradewind.cli.draw.figures import instant, moment, money, moneys, span
from tradewind.cli.draw.jobs import offer_text
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import DIM, GOOD, HEAD, WARN, facts, gap, head, stack, table

_LINES = (
    Column("col-lease"), Column("col-offer", drop=2), Column("col-from", drop=3),
    Column("col-took", right=True, drop=1), Column("col-money", right=True),
)  # fmt: skip


def cost(pen: Pen, told: dict[str, Any]) -> RenderableType:
    """Every job's money, and how many leases are still paid for."""
    parts: list[RenderableType] = []
    for job in told["jobs"]:
        parts += [job_money(pen, job), gap()]
    if not parts:
        parts = [Text(pen.say("no-costs"))]
    return stack(*parts, open_leases(pen, told["open_leases"]))


def job_money(pen: Pen, job: dict[str, Any]) -> RenderableType:
    """One job's lines and sums."""
    note = job["job"] + (" · " + pen.say("rehearsal-money") if job["rehearsal"] else "")
    rows = [_line(pen, line) for line in job["lines"]]
    return stack(
        head(pen, "head-money", note),
        table(pen, _LINES, rows) if rows else Text("  " + pen.say("no-lines"), DIM),
        facts(pen, sums(pen, job)),
    )


def _line(pen: Pen, line: dict[str, Any]) -> list[str | Text]:
    took = (moment(line["to"]) - moment(line["from"])).total_seconds() if line["to"] and line["from"] else None
    return [line["lease"], offer_text(line["offer"]), instant(line["from"], pen.zone), span(took), money(line["money"])]


def sums(pen: Pen, job: dict[str, Any]) -> list[tuple[str, str | Text]]:
    """Labels and sums: the total, converted where it must be, beside on-demand, and the time lost."""
    total = Text(moneys(job["total"]), HEAD) if job["total"] else Text(pen.say("no-price"), DIM)
    rows: list[tuple[str, str | Text]] = [("fact-total", total)]
    converted = job["total_in"]
    if converted and converted.get("rate") is not None:
        rows.append(("fact-total-in", pen.say("converted", money=money(converted["money"]), rate=converted["rate"],
                                              date=converted["rate_date"])))  # fmt: skip
    if job["on_demand_total"]:
        rows.append(("fact-on-demand", moneys(job["on_demand_total"])))
    if job["saved"]:
        rows.append(("fact-saved", Text(moneys(job["saved"]), GOOD)))
    if job["lost_seconds"]:
        rows.append(("fact-lost", span(job["lost_seconds"])))
    return rows


def still_open(pen: Pen, listed: dict[str, Any]) -> Text:
    """:func:`open_leases` of what is listed; where nothing but networks is left, that these go by themselves."""
    number = open_count(listed)
    if number and all(each["kind"] == "network" for each in listed["leases"]):
        return Text(pen.say("open-leases-networks", count=number))
    return open_leases(pen, number)


def open_leases(pen: Pen, number: int | None) -> Text:
    """Exactly ``open leases: none``, or how many there are and what to do; unknown is never none."""
    if number is None:
        return Text(pen.say("open-leases-unknown"), WARN)
    return Text(pen.say("open-leases-none")) if number == 0 else Text(pen.say("open-leases", count=number), WARN)

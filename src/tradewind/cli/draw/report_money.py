"""Money, and the prediction beside what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tradewind.cli.draw.cost import sums
from tradewind.cli.draw.ending import compared, foreseen, sides, stand_in, time_scale
from tradewind.cli.draw.figures import UNKNOWN, count, instant, moment, money, number, span
from tradewind.cli.draw.jobs import offer_text
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.offers import named
from tradewind.cli.draw.page_parts import pairs, section, table
from tradewind.cli.draw.pen import Pen

Report = dict[str, Any]
LINES = 60  # leases that are told one by one


def money_section(pen: Pen, report: Report) -> Markup:
    """A line for each lease, the sums, and whether any of it was spent."""
    cost, show = report["cost"], report["show"]
    heads = ("col-lease", "col-offer", "col-from", "col-took", "col-money")
    shown = cost["lines"][:LINES]
    left = len(cost["lines"]) - len(shown)
    said = pen.say("report-no-money-spent") if show["rehearsal"] else None
    return section(
        pen.say("head-money"), element("p", said, class_="said") if said else None,
        table(pen, heads, [_line(each) for each in shown], "money") if shown else
        element("p", pen.say("report-nothing-rented"), class_="note"),
        element("p", pen.say("report-more-lines", count=count(left)), class_="note") if left else None,
        pairs((pen.say(code), str(told)) for code, told in sums(pen, cost)),
    )  # fmt: skip


def _line(line: dict[str, Any]) -> Markup:
    took = (moment(line["to"]) - moment(line["from"])).total_seconds() if line["to"] and line["from"] else None
    numbers = (span(took), money(line["money"]))
    return element(
        "tr", element("th", line["lease"], scope="row"), element("td", offer_text(line["offer"])),
        element("td", instant(line["from"])), *(element("td", told, class_="number") for told in numbers),
    )  # fmt: skip


def outcome_section(pen: Pen, show: dict[str, Any]) -> Iterator[Markup]:
    """Two columns: predicted and measured, or the planned offer and this computer; and what a trace came to."""
    if not show["predicted"]:
        return
    heads = ("report-col-figure", *sides(show))
    rows = [
        element("tr", element("th", pen.say(code), scope="row"),
                *(element("td", cell, class_="number") for cell in cells))
        for code, *cells in compared(pen, show)
    ]  # fmt: skip
    scale = time_scale(show) if show["rehearsal"] else None
    notes = [pen.say("time-scale", scale=number(scale))] if scale else []
    notes += [pen.say("setup-not-rehearsed")] if show["rehearsal"] else []
    notes += filter(None, (stand_in(pen, show), foreseen(pen, show)))
    yield section(pen.say("head-comparison"), table(pen, heads, rows, "figures"),
                  *(element("p", each, class_="note") for each in notes))  # fmt: skip
    if show.get("trace"):
        yield _trace(pen, show, show["trace"])


def _trace(pen: Pen, show: dict[str, Any], trace: dict[str, Any]) -> Markup:
    window = pen.say("trace-window", name=trace["name"], begins=number(trace["begins_hours"]),
                     of=number(trace["of_hours"]), seed=str(trace["seed"]))  # fmt: skip
    late = trace["deadline_hours"] is not None and trace["hours"] > trace["deadline_hours"]
    here = {**trace, "cost": (show["actual"] or {}).get("cost"), "missed": late}
    runs = [("here", here), *((name, trace[name]) for name in ("predicted", "on_demand_only") if trace[name])]
    rows = [_run(pen, name, told, trace["deadline_hours"]) for name, told in runs]
    heads = ("report-col-run", "col-cost", "col-planned-hours", "col-preemptions", "col-in-time")
    zones = [pen.say("trace-zone", zone=each["zone"], offer=named(each["offer"])) for each in trace["zones"]]
    return section(pen.say("head-trace"), element("p", window), table(pen, heads, rows, "figures"),
                   *(element("p", each, class_="note") for each in zones))  # fmt: skip


def _run(pen: Pen, name: str, told: dict[str, Any], deadline: float | None) -> Markup:
    verdict = UNKNOWN if deadline is None else pen.say("was-late" if told["missed"] else "was-in-time")
    cells = (money(told["cost"]), span(told["hours"] * 3600), count(told["preemptions"]), verdict)
    return element("tr", element("th", pen.say(f"trace-{name}"), scope="row"),
                   *(element("td", each, class_="number") for each in cells))  # fmt: skip

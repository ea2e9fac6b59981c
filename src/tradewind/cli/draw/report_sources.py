"""Where the figures of a report come from: each with its kind (measured, listed, estimated …), its source, its date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tradewind.cli.draw.ending import time_scale
from tradewind.cli.draw.figures import UNKNOWN, count, hours, mass, money, money_spread, number, scaled, spread
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.page_parts import section, table
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.report_head import losses

Report = dict[str, Any]
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Source:
    """One figure: the code of its name, its value, the code of its kind, where it comes from, and of when it is."""

    code: str
    value: str
    kind: str
    source: str
    date: str


def sources_section(pen: Pen, report: Report) -> Markup:
    """The table of all figures with their sources."""
    heads = ("report-col-figure", "report-col-value", "report-col-kind", "report-col-source", "report-col-date")
    rows = [
        element("tr", element("th", pen.say(each.code), scope="row"), element("td", each.value),
                element("td", element("span", pen.say(f"report-kind-{each.kind}"), class_=f"kind {each.kind}")),
                element("td", each.source), element("td", each.date, class_="date"))
        for each in sources(pen, report)
    ]  # fmt: skip
    note = element("p", pen.say("report-sources-mean"), class_="note")
    return section(pen.say("report-sources"), note, table(pen, heads, rows, "sources"))


def sources(pen: Pen, report: Report) -> Iterator[Source]:
    """Every figure that the report rests on; what is not known is told as unknown."""
    chosen = (report["show"]["plan"] or {}).get("chosen")
    if chosen:
        yield from _predicted(pen, chosen, report["show"]["plan"]["catalog_date"])
    yield from _measured(pen, report)
    yield from _money(pen, report)


def _predicted(pen: Pen, chosen: dict[str, Any], catalog: str) -> Iterator[Source]:
    fit = chosen["fit"]
    by_model = pen.say("report-by-model")
    if fit:
        step = {key: fit["step_seconds"][key] * 1e3 for key in ("value", "low", "high")}
        yield _of(pen, "report-planned-step", spread(step, "ms"), fit["step_seconds"], by_model)
        yield _of(pen, "report-planned-memory", spread(fit["peak_memory_gib"]["device"], "GiB"),
                  fit["peak_memory_gib"]["device"], by_model)  # fmt: skip
    if chosen["hours"]:
        yield _of(pen, "report-planned-time", hours(chosen["hours"]), chosen["hours"], pen.say("report-by-plan"))
    if chosen["cost"]:
        yield _of(pen, "report-planned-cost", money_spread(chosen["cost"]), chosen["cost"], pen.say("report-by-plan"))
    life = chosen.get("interruption")
    if life:
        yield Source("report-spot-life", f"{number(life['mean_life_hours'])} h", _kind_of(life["source"]),
                     pen.say("report-by-traces"), life["as_of"] or UNKNOWN)  # fmt: skip
    if chosen["carbon_g"] is not None:
        yield Source("fact-carbon", mass(chosen["carbon_g"]), "estimated", pen.say("report-by-power"), catalog)


def _of(pen: Pen, code: str, value: str, told: dict[str, Any], source: str) -> Source:
    """A figure of the plan, which says of itself what kind it is."""
    ranged = pen.say("report-range", level=f"{100 * told['level']:.0f} %") if told["low"] != told["high"] else ""
    whole = " · ".join(filter(None, (source, ranged)))
    return Source(code, value, _kind_of(told["source"]), whole, told["as_of"] or UNKNOWN)


def _kind_of(source: str) -> str:
    return source if source in ("measured", "listed", "assumed") else "estimated"


def _measured(pen: Pen, report: Report) -> Iterator[Source]:
    """What was seen of the run itself."""
    show, series = report["show"], report["series"]
    day = _day(report)
    seconds = show["measured_step_seconds"]
    steps = (show["progress"] or {}).get("step")
    where = pen.say("report-seen-here" if show["rehearsal"] else "report-seen-there")
    yield Source("report-seen-step", UNKNOWN if seconds is None else f"{number(seconds * 1e3)} ms",
                 "unknown" if seconds is None else "measured", where, day)  # fmt: skip
    if steps is not None:
        yield Source("report-seen-steps", count(steps), "told", pen.say("report-by-job"), day)
    for name, value in sorted(show["metrics"].items()):
        yield Source(name, number(value, 4), "told", pen.say("report-by-job"), day)
    lost = losses(show).seconds
    yield Source("fact-lost", UNKNOWN if lost is None else f"{number(lost)} s",
                 "unknown" if lost is None else "measured", pen.say("report-by-history"), day)  # fmt: skip
    used = series["used"]
    if used["rss_bytes"] is not None:
        yield Source("report-seen-ram", scaled(used["rss_bytes"], "B"), "measured", pen.say("report-by-agent"), day)
    if used["cpu_percent"] is not None:
        yield Source(
            "report-seen-cpu", number(used["cpu_percent"] / 100, 1), "measured", pen.say("report-by-agent"), day
        )
    gpu = used["gpu_memory_mb"]
    yield Source("report-seen-gpu-memory", UNKNOWN if gpu is None else scaled(gpu * MEGABYTE, "B"),
                 "unknown" if gpu is None else "told", pen.say("report-by-job" if gpu is not None else "report-no-gpu"),
                 UNKNOWN if gpu is None else day)  # fmt: skip


def _day(report: Report) -> str:
    """The day, by UTC, on which the run ended, or at which it is looked at."""
    return str(report["show"]["ended_at"] or report["made_at"])[:10]


def _money(pen: Pen, report: Report) -> Iterator[Source]:
    show, cost = report["show"], report["cost"]
    offer = show["offer"] or {}
    if offer.get("price_per_hour"):
        yield Source("fact-price", pen.say("per-hour", money=money(offer["price_per_hour"])), "listed",
                     offer["source"] or UNKNOWN, offer["as_of"] or UNKNOWN)  # fmt: skip
    scale = time_scale(show) if show["rehearsal"] else None
    if scale is not None:
        yield Source("report-time-scale", f"× {scale:.4g}", "computed", pen.say("report-by-scale"), UNKNOWN)
    if show["cost"]:
        code = "report-billed-rehearsed" if show["rehearsal"] else "report-billed"
        yield Source(code, money(show["cost"]), "computed", pen.say("report-by-bill"),
                     _day(report))  # fmt: skip
    converted = cost["total_in"]
    if converted and converted.get("rate") is not None:
        yield Source("report-rate", str(converted["rate"]), "listed", pen.say("report-by-rates"),
                     converted["rate_date"] or UNKNOWN)  # fmt: skip

"""The report of a job as one page that needs nothing else: what it was, what happened, what it came to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tradewind.cli.draw import report_history
from tradewind.cli.draw.choices import choices, unbeaten
from tradewind.cli.draw.figures import count, instant, number
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.page_parts import document, section
from tradewind.cli.draw.page_style import STYLE
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_page import assumed, choices_table, front_figure
from tradewind.cli.draw.report_curves import chart, families
from tradewind.cli.draw.report_curves_svg import chart_svg
from tradewind.cli.draw.report_head import answers, header, job_section
from tradewind.cli.draw.report_memory import memory_of, memory_section
from tradewind.cli.draw.report_money import money_section, outcome_section
from tradewind.cli.draw.report_sources import sources_section
from tradewind.cli.draw.report_style import REPORT_STYLE
from tradewind.cli.draw.report_times import Times, times
from tradewind.cli.draw.report_times_svg import times_svg

Report = dict[str, Any]
Measure = dict[str, Any]


def report_page(pen: Pen, report: Report) -> str:
    """The page of the answer of ``ControlPlane.report``."""
    title = pen.say("report-title", name=report["show"]["name"])
    made = element("footer", pen.say("report-made", at=instant(report["made_at"])))
    return document(pen, title, STYLE + REPORT_STYLE, header(pen, report), answers(pen, report),
                    *_sections(pen, report), made)  # fmt: skip


def _sections(pen: Pen, report: Report) -> Iterator[Markup]:
    show = report["show"]
    yield _times(pen, report, times(pen, show, report["made_at"]))
    yield _training(pen, report)
    yield from outcome_section(pen, show)
    yield money_section(pen, report)
    yield from _front(pen, show["plan"])
    memory = memory_of(show["plan"], report["series"]["used"], show["rehearsal"])
    if memory:
        yield memory_section(pen, memory, show["plan"]["chosen"]["fit"]["gpu"])
    yield from report_history.decisions_section(pen, show)
    yield from report_history.checkpoints_section(pen, show)
    yield sources_section(pen, report)
    yield from assumed(pen, show["plan"]) if show["plan"] else ()
    yield job_section(pen, report)
    yield from report_history.log_section(pen, show)
    yield from report_history.events_section(pen, show)


def _times(pen: Pen, report: Report, told: Times) -> Markup:
    notes = [pen.say("report-times-from", at=instant(report["show"]["submitted_at"]))]
    if told.beyond:
        notes.append(pen.say("report-deadline-beyond", at=instant(report["show"]["deadline"])))
    figure = element("figure", times_svg(pen, told), element("figcaption", _legend(pen, told)),
                     element("figcaption", " ".join(notes)))  # fmt: skip
    return section(pen.say("report-times"), figure, report_history.attempts_table(pen, report["show"]))


def _legend(pen: Pen, told: Times) -> Markup:
    """What the bars and signs of this picture mean, and none that is not in it."""
    kinds = dict.fromkeys(bar.kind for lane in told.lanes for bar in lane.bars)
    signs = dict.fromkeys(mark.kind for lane in told.lanes for mark in lane.marks)
    keys = [element("span", element("span", class_=f"key {kind}", aria_hidden="true"), pen.say(f"report-phase-{kind}"))
            for kind in kinds]  # fmt: skip
    keys += [element("span", f"{_SIGNS[kind]} {pen.say('report-sign-' + kind.replace(' ', '-'))}") for kind in signs]
    return element("span", *keys, class_="legend")


_SIGNS = {
    "notice": "▼",
    "taken": "✕",
    "refused": "!",
    "saved complete": "●",
    "saved torn": "○",
    "saved unverified": "◌",
}


def _training(pen: Pen, report: Report) -> Markup:
    """Charts of all that was measured, over steps and over time; or that nothing was."""
    series, attempts = report["series"], report["show"]["attempts"]
    if not any(each["samples"] for each in series["measures"]):
        code = "report-nothing-told" if series["journals"] else "report-no-journal"
        return section(pen.say("report-training-head"), element("p", pen.say(code), class_="note"))
    charts = [
        _chart(pen, family, measures, attempts, by)
        for family, measures in families(series["measures"]).items() for by in ("step", "time")
    ]  # fmt: skip
    notes = [element("p", each, class_="note") for each in _remarks(pen, report)]
    return section(pen.say("report-training-head"), element("div", *charts, class_="charts"), *notes)


def _chart(pen: Pen, family: str, measures: list[Measure], attempts: list[dict[str, Any]], by: str) -> Markup:
    told = chart(family, measures, attempts, by)
    name = _called(pen, family)
    title = pen.say(f"report-over-{by}", name=name)
    keys = [element("span", element("span", class_=f"stroke line-{index}", aria_hidden="true"),
                    _ends(pen, measure)) for index, measure in enumerate(measures)]  # fmt: skip
    notes = [pen.say("report-logarithmic")] if told.logarithmic else []
    notes += [pen.say(f"report-gap-{by}")] if told.gaps else []
    return element(
        "figure", element("h3", title), chart_svg(pen, told, title),
        element("figcaption", element("span", *keys, class_="legend"), " ".join(notes)),
    )  # fmt: skip


def _called(pen: Pen, name: str) -> str:
    """The name of a measure; of one that every job may tell, in the reader's language."""
    return pen.say(f"report-measure-{name}") if name in ("loss", "accuracy", "samples_per_second") else name


def _ends(pen: Pen, measure: Measure) -> str:
    """The lowest, highest and last value of a measure."""
    points = [point for told in measure["attempts"] for point in told["points"]]
    low, high = min(point[4] for point in points), max(point[6] for point in points)
    return pen.say("report-ends", name=_called(pen, measure["name"]), low=number(low), high=number(high),
                   last=number(points[-1][5]))  # fmt: skip


def _remarks(pen: Pen, report: Report) -> Iterator[str]:
    """How many samples the lines stand for, what was no number, which attempts left no journal."""
    series = report["series"]
    samples = max(each["samples"] for each in series["measures"])
    points = max(sum(len(told["points"]) for told in each["attempts"]) for each in series["measures"])
    code = "report-thinned" if points < samples else "report-every-sample"
    yield pen.say(code, samples=count(samples), points=count(points))
    for each in series["measures"]:
        if each["blanks"]:
            yield pen.say("report-blanks", name=_called(pen, each["name"]), count=count(each["blanks"]),
                          step=count(each["blank_step"]))  # fmt: skip
    missing = len(report["show"]["attempts"]) - series["journals"]
    if missing > 0:
        yield pen.say("report-journals-missing", count=count(missing))


def _front(pen: Pen, plan: dict[str, Any] | None) -> Iterator[Markup]:
    """What else there was when it was planned, with the chosen way."""
    if not plan or not plan.get("front"):
        return
    shown, _ = choices(plan)
    figure = front_figure(pen, plan, shown)
    if figure:
        means = element("p", f"{pen.say('report-front-means')} · {pen.say(unbeaten(plan))}", class_="note")
        yield section(pen.say("head-front"), means, figure, choices_table(pen, shown))

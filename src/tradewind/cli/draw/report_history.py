"""What happened to a job, in tables: attempts, decisions with reasons, checkpoints, events, and its last lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from tradewind.cli.draw.figures import UNKNOWN, count, moment, scaled, span
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.page_parts import section, table
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.report_times import kept_state
from tradewind.cli.draw.timeline import label

Show = dict[str, Any]
FEW = 12  # attempts and checkpoints: the time line shows them all
MOST = 60  # rows of a table; of more the first and the last are told, and how many lie between
TOLD_ELSEWHERE = ("checkpoint-stored", "job-decided", "job-state", "time-scale")
GOOD = ("complete", "succeeded")  # states that need no second look


def attempts_table(pen: Pen, show: Show) -> Markup | None:
    """A row for each attempt; none before the first."""
    heads = ("col-attempt", "col-outcome", "col-took", "col-resumed-at", "col-checkpoint", "col-repeated", "col-lost")
    rows = [_attempt(pen, each) for each in show["attempts"]]
    return _long(pen, heads, rows, "attempts", FEW) if rows else None


def _attempt(pen: Pen, attempt: dict[str, Any]) -> Markup:
    took = (moment(attempt["to"]) - moment(attempt["from"])).total_seconds() if attempt["to"] else None
    numbers = (span(took), count(attempt["resumed_step"]), count(attempt["last_checkpoint_step"]),
               count(attempt["repeated_steps"]), span(attempt["lost_seconds"]))  # fmt: skip
    return element(
        "tr", element("th", count(attempt["attempt"]), scope="row"),
        element("td", pen.say(f"outcome-{attempt['outcome'] or 'going-on'}")),
        *(element("td", each, class_="number") for each in numbers),
    )  # fmt: skip


def decisions_section(pen: Pen, show: Show) -> Iterator[Markup]:
    """When, what, why; the same again and again is one row."""
    made = [list(group) for _, group in groupby(show["decisions"], key=_alike)]
    rows = [
        element("tr", element("th", _since(show, group[0]["at"]), scope="row"),
                element("td", _decided(pen, group[0]) + (f" ×{len(group)}" if len(group) > 1 else "")),
                element("td", pen.reason(group[0]["why"], "why-") if group[0]["why"] else UNKNOWN))
        for group in made
    ]  # fmt: skip
    if rows:
        heads = ("report-col-since", "report-col-decision", "col-why")
        yield section(pen.say("head-decisions"), _long(pen, heads, rows, "timed"))


def _alike(decision: dict[str, Any]) -> tuple[object, ...]:
    return tuple(decision.get(name) for name in ("action", "pool", "code", "why" if "code" not in decision else "code"))


def _decided(pen: Pen, decision: dict[str, Any]) -> str:
    if decision.get("pool"):
        return pen.say(f"{decision['action']}-pool", pool=decision["pool"])
    return pen.reason(decision["action"], "action-")


def checkpoints_section(pen: Pen, show: Show) -> Iterator[Markup]:
    """Every checkpoint with its state."""
    heads = ("col-step", "report-col-since", "col-size", "col-checkpoint-state")
    rows = [
        element("tr", element("th", count(each["step"]), scope="row"), element("td", _since(show, each["at"])),
                element("td", scaled(each["bytes"], "B"), class_="number"),
                element("td", _state(pen, kept_state(each))))
        for each in show["checkpoints"]
    ]  # fmt: skip
    if rows:
        yield section(pen.say("head-checkpoints"), element("p", pen.say("report-checkpoints-mean"), class_="note"),
                      _long(pen, heads, rows, "checkpoints", FEW))  # fmt: skip


def _state(pen: Pen, state: str) -> Markup:
    mark = "✓ " if state in GOOD else "✗ " if state == "torn" else "? "
    return element("span", mark + pen.say(f"checkpoint-{state}"), class_="good" if state in GOOD else "warn")


def events_section(pen: Pen, show: Show) -> Iterator[Markup]:
    """The events that no other part tells, folded until they are asked for; times since the submit."""
    told = (event for event in show["events"] if event["kind"] not in TOLD_ELSEWHERE)
    events = sorted(told, key=lambda event: moment(event["at"]))
    rows = [_event(pen, show, each) for each in events]
    if rows:
        summary = element("summary", pen.say("report-events-of", count=count(len(rows))))
        heads = ("report-col-since", "col-event", "report-col-of", "col-why")
        yield section(pen.say("head-events"), element("details", summary, _long(pen, heads, rows, "events")))


def _event(pen: Pen, show: Show, event: dict[str, Any]) -> Markup:
    return element(
        "tr", element("td", _since(show, event["at"]), class_="number"),
        element("th", pen.reason(event["kind"], "event-"), scope="row"),
        element("td", str(event["what"])), element("td", _why(pen, event)),
    )  # fmt: skip


def _since(show: Show, at: str) -> str:
    """``+23 s``: after the submit."""
    return f"+{span(max((moment(at) - moment(show['submitted_at'])).total_seconds(), 0.0))}"


def _why(pen: Pen, event: dict[str, Any]) -> str:
    """The reason of an event as a sentence, whatever kind of reason it is; what has no words is told as it is."""
    why = event["why"] or ""
    if event["kind"] == "lease-notice":
        return label(pen, why)
    told = (pen.reason(why, prefix) for prefix in ("why-", "reason-", "report-by-"))
    return next((each for each in told if each != why), why)


def log_section(pen: Pen, show: Show) -> Iterator[Markup]:
    """The last lines of a job that failed; of one with secrets none, for those might be among them."""
    attempts = show["attempts"]
    if show["state"] != "FAILED" or not attempts or not attempts[-1]["log_tail"]:
        return
    if show["workload"].get("secrets"):
        told = element("p", pen.say("report-log-kept-back", job=show["job"]), class_="note")
    else:
        tail = attempts[-1]["log_tail"]
        told = element("pre", "\n".join(tail if isinstance(tail, list) else str(tail).splitlines()))
    yield section(pen.say("head-log-tail"), told)


def _long(pen: Pen, heads: Sequence[str], rows: list[Markup], kind: str, most: int = MOST) -> Markup:
    """A table of which the middle is left out when it is too long."""
    if len(rows) <= most:
        return table(pen, heads, rows, kind)
    half = most // 2
    gap = element(
        "td", pen.say("report-rows-between", count=count(len(rows) - most)), colspan=len(heads), class_="note"
    )
    return table(pen, heads, [*rows[:half], element("tr", gap), *rows[-half:]], kind)

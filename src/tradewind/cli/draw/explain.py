"""One job or lease explained: a sentence first, then what it rests on."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw.deciding import replayed
from tradewind.cli.draw.figures import moment
from tradewind.cli.draw.jobs import STATE_STYLES
from tradewind.cli.draw.leases import STYLES, one_line
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.service import supervisor
from tradewind.cli.draw.strokes import DIM, HEAD, WARN, facts, gap, head, stack, table
from tradewind.cli.draw.times import away, due, when

Explained = dict[str, Any]
_EVENTS = (Column("col-at"), Column("col-ago", right=True, drop=2), Column("col-event"), Column("col-why", drop=1))
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_TOLD_ELSEWHERE = {"id", "plan", "workload", "state", "wake_at"}
LONGEST = 240  # letters of one stored value; ``--json`` has the whole


def sentence(pen: Pen, told: Explained, now: datetime) -> str:
    """Why it stands where it does, in one sentence."""
    given = {name: when(pen, text, now) if _INSTANT.fullmatch(text) else text for name, text in told["facts"].items()}
    given |= {"wake": due(pen, told["next_wake"], now)}
    if "reason" in given:
        given["reason"] = pen.reason(given["reason"], "reason-")
    if "why" in given:
        given["why"] = pen.reason(given["why"], "why-")
    return pen.say(f"explain-{told['code']}", **given)


def explain(pen: Pen, told: Explained, now: datetime) -> RenderableType:
    """The page of one row."""
    row = told["row"]
    kind = told["code"].partition("-")[0]
    style = (STATE_STYLES if kind == "job" else STYLES).get(row["state"], "")
    title = Text.assemble((row["id"], HEAD), "  ", (pen.say(f"{_label(kind)}-{row['state']}"), style))
    return stack(
        title,
        Padding(Text(sentence(pen, told, now)), (0, 0, 0, 2)),
        facts(pen, _next(pen, told, now)),
        *_leases(pen, told),
        *replayed(pen, told),
        *_events(pen, told, now),
        gap(), head(pen, "head-row", pen.say("names-only") if kind == "job" else ""),
        facts(pen, _row(pen, row, now)),
    )  # fmt: skip


def _label(kind: str) -> str:
    return "state" if kind == "job" else kind


def _next(pen: Pen, told: Explained, now: datetime) -> list[tuple[str, str | Text]]:
    if told["next_wake"] is None:
        return [("fact-next-look", pen.say("no-next-look"))]
    held = told["supervisor"]
    who = supervisor(pen, held, now) if held else Text(pen.say("nobody-supervises"), WARN)
    return [("fact-next-look", due(pen, told["next_wake"], now)), ("fact-supervisor", who)]


def _leases(pen: Pen, told: Explained) -> tuple[RenderableType, ...]:
    if not told["leases"]:
        return ()
    lines = [Padding(one_line(pen, each), (0, 0, 0, 2)) for each in told["leases"]]
    return (gap(), head(pen, "head-open-leases"), *lines)


def _events(pen: Pen, told: Explained, now: datetime) -> tuple[RenderableType, ...]:
    events = [event for event in told["events"] if event["kind"] != "job-decided"]  # told by themselves
    if not events:
        return ()
    count = told["events_in_all"]
    note = pen.say("last-of", shown=len(events), count=count) if count > len(events) else ""
    rows = [_event(pen, each, told["row"]["id"], now) for each in events]
    return gap(), head(pen, "head-events", note), table(pen, _EVENTS, rows)


def _event(pen: Pen, event: dict[str, Any], id_: str, now: datetime) -> list[str | Text]:
    change = f" {event['from'] or ''}→{event['to']}" if event["to"] else ""
    whose = "" if event["what"] == id_ else f" {event['what']}"
    return [
        f"{moment(event['at']).astimezone(pen.zone):%Y-%m-%d %H:%M:%S}", Text(away(pen, event["at"], now), DIM),
        Text.assemble(pen.reason(event["kind"], "event-"), (whose, DIM), change),
        pen.reason(event["why"], "reason-") if event["why"] else "",
    ]  # fmt: skip


def _row(pen: Pen, row: dict[str, Any], now: datetime) -> list[tuple[str, str | Text]]:
    told = ((name, value) for name, value in row.items() if name not in _TOLD_ELSEWHERE)
    return [(name, _value(pen, value, now)) for name, value in told if value not in (None, [], {}, "")]


def _value(pen: Pen, value: Any, now: datetime) -> str:
    if isinstance(value, str):
        return when(pen, value, now) if _INSTANT.fullmatch(value) else value
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

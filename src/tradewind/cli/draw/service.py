"""The supervisor: who it is, and what keeps it alive."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import DIM, GOOD, WARN, facts, gap, stack
from tradewind.cli.draw.times import when

Told = dict[str, Any]


def supervisor(pen: Pen, held: Told, now: datetime) -> str:
    """``pid 4711 on ada, since …``."""
    since = held.get("since")
    return pen.say("supervised-by", pid=held["pid"] or "?", host=held["host"],
                   since=when(pen, since, now) if since else "")  # fmt: skip


def status(pen: Pen, told: Told, now: datetime) -> RenderableType:
    """Who supervises this home, and whether a service is installed for it."""
    held, service = told["supervisor"], told["service"]
    return facts(pen, [
        ("fact-home", told["home"]),
        ("fact-supervisor", supervisor(pen, held, now) if held else Text(pen.say("nobody-needed"), DIM)),
        ("fact-service", _service(pen, service)),
    ])  # fmt: skip


def _service(pen: Pen, service: Told) -> Text:
    if not service["installed"]:
        return Text(pen.say("service-absent"), WARN)
    told = Text(pen.say(f"service-{service['state'] or 'unknown'}"), GOOD if service["state"] == "active" else WARN)
    told.append(f"\n{service['path']}", DIM)
    return told if service["current"] else told.append("\n" + pen.say("service-outdated"), WARN)


def changed(pen: Pen, told: Told) -> RenderableType:
    """What was installed or taken away, and what is left to be typed."""
    commands = [Text(f"  {command}", no_wrap=True, overflow="ignore") for command in told["to_type"]]
    return stack(
        Text(pen.say("service-installed" if told["installed"] else "service-removed", path=told["path"]), GOOD),
        *((gap(), Text(pen.say("type-these")), *commands) if commands else ()),
    )

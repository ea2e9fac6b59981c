"""Outputs of a job: where they lie, or where they were copied to."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import count
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import DIM, GOOD, WARN, bullets, stack

MOST = 20  # names that are listed


def fetched(pen: Pen, told: dict[str, Any]) -> RenderableType:
    """How many files, where, and their names; and that there may be more to come."""
    names, more = [each["name"] for each in told["files"][:MOST]], len(told["files"]) - MOST
    code = "outputs-copied" if told["to"] else "outputs-lie"
    return stack(
        Text(pen.say(code, files=count(len(told["files"])), path=told["to"] or told["path"]), GOOD),
        bullets(names),
        Text("  " + pen.say("files-more", count=count(more)), DIM) if more > 0 else None,
        Text(pen.say("outputs-so-far"), WARN) if told["running"] else None,
    )

"""Instants beside how far away they are: ``2026-11-22 03:14 UTC (in 11 h 55 min)``."""

from __future__ import annotations

from datetime import datetime

from tradewind.cli.draw.figures import UNKNOWN, instant, moment, span
from tradewind.cli.draw.pen import Pen

NOW_SECONDS = 1.0  # nearer than this is now


def away(pen: Pen, text: str | None, now: datetime) -> str:
    """``in 38 s``, ``5 min 02 s ago``, ``now``."""
    if text is None:
        return UNKNOWN
    seconds = (moment(text) - now).total_seconds()
    if abs(seconds) < NOW_SECONDS:
        return pen.say("time-now")
    return pen.say("time-in" if seconds > 0 else "time-ago", span=span(abs(seconds)))


def due(pen: Pen, text: str | None, now: datetime) -> str:
    """When something is to be done: what is overdue is done now."""
    if text is not None and moment(text) <= now:
        return pen.say("time-now")
    return away(pen, text, now)


def when(pen: Pen, text: str | None, now: datetime) -> str:
    """The instant, and how far away it is."""
    return UNKNOWN if text is None else f"{instant(text, pen.zone)} ({away(pen, text, now)})"

"""The live line of a running job: how far, how good, how fast, how long, how much."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from tradewind.cli.draw.figures import moment, money, number, share, span
from tradewind.cli.draw.jobs import STATE_STYLES, briefly, steps
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import DIM, HEAD

BAR = 10  # columns of the bar
BAR_FROM = 115  # columns of a terminal that has room for the bar beside every part of the line


def live(pen: Pen, job: dict[str, Any], now: datetime) -> Text:
    """One line; parts that are not known yet are left out, and the least important go on a narrow terminal."""
    progress = job["progress"] or {}
    told = Text().append(pen.say(f"state-{job['state']}"), STATE_STYLES.get(job["state"], HEAD))
    parts = [
        briefly(pen, job),
        _done(job) if progress else "",
        _figure(pen, "live-loss", progress.get("loss")),
        _accuracy(pen, progress.get("accuracy")),
        pen.say("live-money", money=money(job["cost"])) if job["cost"] else "",
        _left(pen, job, now),
        _figure(pen, "live-rate", progress.get("samples_per_second")),
        "" if progress or not job["why"] else pen.reason(job["why"], "why-"),
    ]
    for part in filter(None, parts):
        if told.cell_len + cell_len(part) + 3 > pen.width:
            break
        told.append(" · ", DIM).append(part)
    return told


def bar(pen: Pen, job: dict[str, Any], now: datetime) -> Text:
    """The live line behind a bar, for terminals that redraw."""
    progress = job["progress"] or {}
    total = progress.get("total_steps")
    if not total or pen.width < BAR_FROM:
        return live(pen, job, now)
    done = min(1.0, progress["step"] / total)
    full = int(done * BAR)
    drawn = Text.assemble(("━" * full, "green"), ("━" * (BAR - full), "bright_black"), "  ")
    return drawn.append_text(live(Pen(pen.lang, pen.width - BAR - 2), job, now))


def _done(job: dict[str, Any]) -> str:
    progress = job["progress"]
    total = progress["total_steps"]
    return steps(job) + (f" ({share(progress['step'] / total)})" if total else "")


def _figure(pen: Pen, code: str, value: float | None) -> str:
    return "" if value is None else pen.say(code, value=number(value))


def _accuracy(pen: Pen, value: float | None) -> str:
    return "" if value is None else pen.say("live-accuracy", value=share(value, 1))


def _left(pen: Pen, job: dict[str, Any], now: datetime) -> str:
    if not job["eta"] or job["state"] != "RUNNING":
        return ""
    return pen.say("live-left", left=span(max(0.0, (moment(job["eta"]) - now).total_seconds())))

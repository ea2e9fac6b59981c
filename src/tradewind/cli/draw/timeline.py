"""A preemption as a small timeline: notice, checkpoint, node gone, next lease, resumed, training again.

So is a change of machine that was decided, without a notice. Read from the show object alone. Sources, by moment:
``lease-notice`` and ``notice-seen`` events, ``job-switching`` and ``job-leaving``; the job's checkpoints;
``run-ended``; the leases' changes to RELEASED and RUNNING; the next attempt's ``resumed_step``; ``training-again``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.text import Text

from tradewind.cli.draw.figures import count, moment, number
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import DIM, WARN

Show = dict[str, Any]
Event = dict[str, Any]
_BY_TRACE = re.compile(r"trace (?P<place>.+) at \+(?P<hours>[\d.]+) h$")
NOTICES = ("lease-notice", "notice-seen", "notice", "reclaim")


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened around the end of an attempt: its code, and seconds since the interruption began."""

    attempt: int
    code: str
    at: datetime
    seconds: float
    facts: tuple[tuple[str, str], ...] = ()


def moments(show: Show) -> list[Moment]:
    """All moments of all interruptions, in order; empty for a job that was never interrupted."""
    attempts = sorted(show["attempts"], key=lambda each: each["attempt"])
    told: list[Moment] = []
    for index, attempt in enumerate(attempts):
        after = attempts[index + 1] if index + 1 < len(attempts) else None
        notice = _notice(show, attempt)
        if notice or attempt["outcome"] == "interrupted":
            told += sorted(_of(show, attempt, after, notice), key=lambda each: each.at)
    return told


def _of(show: Show, attempt: dict[str, Any], after: dict[str, Any] | None, notice: Event | None) -> Iterator[Moment]:
    going = None if notice else left(show, attempt)
    first = notice or going
    start = moment(first["at"] if first else attempt["to"])

    def at(code: str, text: str, **facts: str) -> Moment:
        when = moment(text)
        return Moment(attempt["attempt"], code, when, (when - start).total_seconds(), tuple(facts.items()))

    if going:
        yield at("leaving", going["at"])
    else:
        yield at("notice" if notice else "lost", notice["at"] if notice else attempt["to"], why=_why(notice))
    saved = _saved(show, attempt, start)
    if first and saved:
        yield at("saved", saved["at"], step=count(saved["step"]))
    stopped = _told(show, "run-ended", attempt)
    if stopped:
        yield at("stopped", stopped["at"])
    kept = _kept(show, attempt) if attempt["to"] else None  # until then a newer one may come
    if kept:
        yield at("kept", stopped["at"] if stopped else attempt["to"], clock=kept["at"], step=_step(kept["step"]))
    gone = _change(show, attempt["leases"], "RELEASED")
    if gone:
        yield at("gone", gone["at"], lease=str(gone["what"]), why=str(gone["why"] or ""))
    if after:
        yield from _next(show, after, at)


def _next(show: Show, after: dict[str, Any], at: Any) -> Iterator[Moment]:
    running = _change(show, after["leases"], "RUNNING")
    if running:
        yield at("next-lease", running["at"], lease=str(running["what"]))
    resumed = _told(show, "resumed", after)
    if resumed or after["resumed_step"] is not None:
        when = resumed["at"] if resumed else (running["at"] if running else after["from"])
        step = after["resumed_step"]
        if resumed and not resumed.get("data", {}).get("verified", True):
            yield at("resumed-unverified", when, clock=resumed["data"]["saved_at"], step=_step(step))
        else:
            yield at("resumed" if step is not None else "from-start", when, step=count(step),
                     repeated=count(after["repeated_steps"] or 0))  # fmt: skip
    again = _told(show, "training-again", after)
    if again:
        yield at("training-again", again["at"], seconds=number(after["lost_seconds"]))


def _notice(show: Show, attempt: dict[str, Any]) -> Event | None:
    found = (
        event for event in show["events"]
        if event["kind"] in NOTICES and (event["what"] in attempt["leases"] or _within(event, attempt))
    )  # fmt: skip
    return min(found, key=lambda event: moment(event["at"]), default=None)


def left(show: Show, attempt: dict[str, Any]) -> Event | None:
    """Where it began that an attempt left its machine by a decision; None for one that did not."""
    if attempt["outcome"] != "interrupted" or _notice(show, attempt) or not _told(show, "job-leaving", attempt):
        return None
    return _told(show, "job-switching", attempt) or _told(show, "job-leaving", attempt)


def _saved(show: Show, attempt: dict[str, Any], start: datetime) -> dict[str, Any] | None:
    """The newest complete checkpoint written since the notice and before the attempt was over."""
    found = [each for each in _whole(show, attempt, verified=True) if moment(each["at"]) >= start]
    return max(found, key=lambda each: int(each["step"]), default=None)


def _kept(show: Show, attempt: dict[str, Any]) -> dict[str, Any] | None:
    """Of a script that does not say what is whole: the newest of its attempt, also from before the notice."""
    return max(_whole(show, attempt, verified=False), key=lambda each: moment(each["at"]), default=None)


def _whole(show: Show, attempt: dict[str, Any], *, verified: bool) -> list[dict[str, Any]]:
    return [
        each for each in show["checkpoints"]
        if each["state"] == "complete" and each.get("verified", True) is verified and _within(each, attempt)
    ]  # fmt: skip


def _step(step: int | None) -> str:
    return "" if step is None else count(step)


def _change(show: Show, leases: list[str], to: str) -> Event | None:
    return next((event for event in show["events"] if event["what"] in leases and event["to"] == to), None)


def _told(show: Show, kind: str, attempt: dict[str, Any]) -> Event | None:
    return next((event for event in show["events"] if event["kind"] == kind and _within(event, attempt)), None)


def _within(event: Event, attempt: dict[str, Any]) -> bool:
    at = moment(event["at"])
    return at >= moment(attempt["from"]) and (attempt["to"] is None or at <= moment(attempt["to"]))


def _why(notice: Event | None) -> str:
    return str(notice["why"] or "") if notice else ""


def heading(pen: Pen, first: Moment) -> Text:
    """The line above a timeline; an injected preemption is labelled so, and one by a trace with its place there."""
    if first.code == "leaving":
        return Text(pen.say("timeline-left", attempt=first.attempt), f"bold {WARN}")
    why = label(pen, dict(first.facts).get("why", ""))
    return Text.assemble((pen.say("timeline", attempt=first.attempt), f"bold {WARN}"), ("  " + why, WARN))


def label(pen: Pen, why: str) -> str:
    """Why a machine was to be taken: injected, by a trace, or what its cloud says."""
    replayed = _BY_TRACE.match(why)
    if replayed:
        return pen.say("timeline-trace", place=replayed["place"], hours=replayed["hours"])
    return pen.say("timeline-injected" if why.startswith("injected") else "timeline-real", why=_point(why))


def _point(why: str) -> str:
    return why.removeprefix("injected").strip().removeprefix("at").strip()


def line(pen: Pen, told: Moment) -> Text:
    """``+0.4 s  checkpoint of step 110 saved``."""
    known = {name: value for name, value in told.facts if name != "why"}
    if "clock" in known:
        known["clock"] = f"{moment(known['clock']).astimezone(pen.zone):%H:%M:%S}"
    return Text.assemble((f"  {told.seconds:+8.1f} s  ", DIM), pen.say(f"moment-{told.code}", **known))

"""The times of a job as lanes of bars and marks: what it did, its checkpoints, and what was rented for it. Pure.

All times are seconds since the submit, as they were lived through here. Read from the show object alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tradewind.cli.draw.figures import count, moment, span
from tradewind.cli.draw.offers import purchase
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.timeline import NOTICES

Show = dict[str, Any]
Event = dict[str, Any]
PHASES = {
    "QUEUED": "waiting", "PLANNED": "waiting", "ACQUIRING": "waiting", "WAITING": "waiting", "INTERRUPTED": "waiting",
    "PREPARING": "starting", "RUNNING": "training", "FINISHING": "ending", "STOPPING": "ending",
}  # fmt: skip
HELD = {
    "REQUESTED": "asked", "PENDING": "asked", "UNKNOWN": "asked", "RUNNING": "rented", "SUSPECT": "silent",
    "RELEASING": "releasing",
}  # fmt: skip
TAKEN = ("reclaimed", "vanished")  # ends that nobody wished for
NEAR = 1.6  # times the job's span within which its deadline is in the picture
LANES = 12  # of rented things; what comes after shares one
FINEST, COARSE = 800, 120  # bars, and marks, that fall together at so many places across are drawn once


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that lasted; ``label`` stands in it where there is room."""

    start: float
    end: float
    kind: str
    told: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened."""

    at: float
    kind: str
    told: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of the picture."""

    label: str
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Times:
    """The whole, from 0 to ``seconds``; ``deadline`` None where none is to be shown, ``beyond``: it is too far away."""

    seconds: float
    lanes: tuple[Lane, ...]
    deadline: float | None
    beyond: bool


def times(pen: Pen, show: Show, now: str) -> Times:
    """The lanes of a job; of one that goes on as far as ``now``."""
    zero = moment(show["submitted_at"]).timestamp()

    def since(text: str) -> float:
        return moment(text).timestamp() - zero

    events = sorted(show["events"], key=lambda each: moment(each["at"]))
    end = max(since(show["ended_at"] or now), 0.001)
    deadline = since(show["deadline"]) if show["deadline"] else None
    near = deadline is not None and 0 < deadline <= NEAR * end
    lanes = [
        Lane(pen.say("report-lane-job"), tuple(_bars(pen, _phases(events, since, end)))),
        *_checkpoints(pen, show, since, end), *_rented(pen, events, since, end),
    ]  # fmt: skip
    length = max(end, (deadline or 0.0) * 1.03) if near else end
    return Times(length, tuple(lanes), deadline if near else None, deadline is not None and not near)


@dataclass(slots=True)
class _Phase:
    start: float
    end: float
    kind: str
    attempt: int = 0


def _phases(events: list[Event], since: Any, end: float) -> Iterator[_Phase]:
    """What the job did, one after the other; a run begins by starting, until its first step."""
    states = [event for event in events if event["kind"] in ("job-state", "job-submitted")]
    attempt = 0
    for event, after in zip(states, [*states[1:], None], strict=False):
        kind = PHASES.get(event["to"])
        start, stop = since(event["at"]), since(after["at"]) if after else end
        if kind == "training":
            attempt += 1
            begun = _first(events, ("training-started",), attempt) or _first(events, ("run-started",), attempt)
            over = _first(events, ("run-ended",), attempt)
            first = min(max(since(begun["at"]), start), stop) if begun else start
            last = min(max(since(over["at"]), first), stop) if over else stop
            yield _Phase(start, first, "starting")
            yield _Phase(first, last, "training", attempt)
            yield _Phase(last, stop, "ending")
        elif kind:
            yield _Phase(start, stop, kind)


def _bars(pen: Pen, phases: Iterable[_Phase]) -> Iterator[Bar]:
    """A bar for each phase that took time, and one for those of a kind that follow each other."""
    joined: list[_Phase] = []
    for phase in phases:
        if joined and joined[-1].kind == phase.kind and not phase.attempt:
            joined[-1].end = phase.end
        elif phase.end > phase.start:
            joined.append(phase)
    for each in joined:
        what = pen.say(f"report-phase-{each.kind}")
        told = pen.say("report-attempt-of", what=what, attempt=each.attempt) if each.attempt else what
        yield Bar(each.start, each.end, each.kind, f"{told}: {span(each.end - each.start)}",
                  count(each.attempt) if each.attempt else "")  # fmt: skip


def _first(events: Iterable[Event], kinds: tuple[str, ...], attempt: int) -> Event | None:
    return next((each for each in events if each["kind"] in kinds and each["data"].get("attempt") == attempt), None)


def _checkpoints(pen: Pen, show: Show, since: Any, end: float) -> Iterator[Lane]:
    marks = [_saved(pen, since(each["at"]), kept_state(each), each["step"]) for each in show["checkpoints"]]
    if marks:
        yield Lane(pen.say("head-checkpoints"), (), _seen(marks, end))


def kept_state(checkpoint: dict[str, Any]) -> str:
    """``complete``, ``torn``, or ``unverified``: of a script that does not say what is whole."""
    unverified = checkpoint["state"] == "complete" and not checkpoint.get("verified", True)
    return "unverified" if unverified else str(checkpoint["state"])


def _saved(pen: Pen, at: float, state: str, step: int | None) -> Mark:
    word = pen.say(f"checkpoint-{state}")
    told = pen.say("report-checkpoint-at", step="" if step is None else count(step), state=word)
    return Mark(at, f"saved {state}", told)


def _seen(marks: Iterable[Mark], end: float) -> tuple[Mark, ...]:
    """Without those that would cover each other."""
    return tuple({(mark.kind, round(COARSE * mark.at / end)): mark for mark in marks}.values())


@dataclass(slots=True)
class _Lease:
    label: str
    bars: list[Bar]
    marks: list[Mark]


def _rented(pen: Pen, events: list[Event], since: Any, end: float) -> list[Lane]:
    """A lane for each offer that was rented, and a further one where two machines of it were held at once."""
    lanes: dict[str, list[list[_Lease]]] = defaultdict(list)
    for lease in _leases(pen, events, since, end):
        key = lease.label if lease.label in lanes or len(lanes) < LANES else pen.say("report-lane-others")
        free = next((lane for lane in lanes[key] if lane[-1].bars[-1].end <= lease.bars[0].start), None)
        if free is None:
            lanes[key].append([lease])
        else:
            free.append(lease)
    return [
        Lane(label if index == 0 else pen.say("report-lane-beside", offer=label),
             tuple(_apart([bar for lease in lane for bar in lease.bars], end)),
             _seen((mark for lease in lane for mark in lease.marks), end))
        for label, rows in lanes.items() for index, lane in enumerate(rows[:LANES])
    ]  # fmt: skip


def _apart(bars: list[Bar], end: float) -> Iterable[Bar]:
    """Without those that would cover each other exactly."""
    return {(bar.kind, *(round(FINEST * at / end) for at in (bar.start, bar.end))): bar for bar in bars}.values()


def _leases(pen: Pen, events: list[Event], since: Any, end: float) -> Iterator[_Lease]:
    """Every lease that was ever asked for, in that order."""
    by_lease: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event["kind"].startswith("lease-"):
            by_lease[event["what"]].append(event)
    for name, told in by_lease.items():
        offer = next((each["data"]["offer"] for each in told if each["data"].get("offer")), None)
        bars = list(_held(pen, name, [each for each in told if each["to"]], since, end))
        if offer and bars:
            yield _Lease(_label(pen, offer), bars, list(_marks(pen, name, told, since)))


def _held(pen: Pen, name: str, changes: list[Event], since: Any, end: float) -> Iterator[Bar]:
    for event, after in zip(changes, [*changes[1:], None], strict=False):
        kind = HELD.get(event["to"])
        if kind:
            start, stop = since(event["at"]), since(after["at"]) if after else end
            told = pen.say(f"lease-{event['to']}")
            yield Bar(start, max(start, stop), kind, f"{name}: {told}, {span(stop - start)}")


def _marks(pen: Pen, name: str, told: list[Event], since: Any) -> Iterator[Mark]:
    for event in told:
        if event["kind"] in NOTICES:
            yield Mark(since(event["at"]), "notice", f"{name}: {pen.say('moment-notice')}")
        elif event["kind"] == "lease-releasing" and event["why"] in TAKEN:
            yield Mark(since(event["at"]), "taken", f"{name}: {pen.reason(event['why'], 'why-')}")
        elif event["kind"] == "lease-refused":
            yield Mark(since(event["at"]), "refused", f"{name}: {pen.say('lease-REFUSED')}")


def _label(pen: Pen, offer: dict[str, Any]) -> str:
    return " · ".join((f"{offer['cloud']} {offer['instance_type']}", purchase(pen, offer),
                       str(offer["zone"] or offer["region"])))  # fmt: skip

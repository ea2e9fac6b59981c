"""What a job told while it trained, thinned for pictures: every measure by step and time, and what it used at most.

Read from the journals that came home. Of many samples that fall together the lowest and the highest stay, so that a
spike is never averaged away; the answer has a bound whatever a job writes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tradewind.domain.records import Attempt, Event, Job
from tradewind.wire import events as told
from tradewind.wire import journal as wire

POINTS = 480  # of one measure, over all attempts, at least, where there are more samples; at most twice as many
MEASURES = 12  # that are told of a job's own naming
OF_STEPS = {"loss": "loss", "accuracy": "accuracy", "samples_s": "samples_per_second"}  # field → name of the measure
_NAMELESS = {"v", "t", "type", "step", "epoch"}  # fields of an eval event that measure nothing
LARGEST = 1 << 62  # step that is believed
CHUNK = 1 << 20  # bytes of a journal read at a time


class Sample(NamedTuple):
    """One value at a step, ``seconds`` after the submit."""

    step: int
    seconds: float
    value: float


@dataclass
class Measure:
    """What was told of one name; ``blanks`` are values that were no finite numbers, the first at ``blank_step``."""

    evaluated: bool
    samples: dict[int, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    blanks: int = 0
    blank_step: int | None = None


@dataclass
class Heard:
    """All that the journals of a job hold for its report."""

    measures: dict[str, Measure] = field(default_factory=dict)
    journals: int = 0
    rss_bytes: float | None = None
    cpu_percent: float | None = None


def told_of(job: Job, attempts: Sequence[Attempt], events: Sequence[Event], folder: Path) -> dict[str, Any]:
    """``{"measures": [measure], "journals", "used"}`` of a job whose files lie in ``folder``.

    A measure is ``{"name", "evaluated", "samples", "blanks", "blank_step", "attempts": [{"attempt", "points"}]}``; a
    point is ``[first step, last step, first second, last second, lowest, mean, highest]``, seconds since the submit.
    ``journals`` counts the attempts whose journal is here; ``used`` is ``{"rss_bytes", "cpu_percent"}`` at most, and
    ``{"gpu", "gpu_memory_mb"}`` of its fullest GPU; null what was not told.
    """
    heard = Heard()
    for attempt in attempts:
        _read(heard, attempt.attempt, folder / "journals", _skew(attempt.attempt, events), job.submitted_at.timestamp())
    measures = job.measures
    return {
        "measures": [_told(name, each) for name, each in _shown(heard.measures)], "journals": heard.journals,
        "used": {"rss_bytes": heard.rss_bytes, "cpu_percent": heard.cpu_percent, "gpu": measures.get("gpu"),
                 "gpu_memory_mb": measures.get("gpu_mem_mb")},
    }  # fmt: skip


def _skew(attempt: int, events: Sequence[Event]) -> float | None:
    """When an attempt's agent started, by our clock: what its journal says of that is by the node's."""
    started = (each for each in events if each.kind == "agent-started" and each.data.get("attempt") == attempt)
    return next((each.at.timestamp() for each in started), None)


def _read(heard: Heard, attempt: int, folder: Path, started: float | None, submitted: float) -> None:
    ahead, heard.journals = 0.0, heard.journals + (folder / f"attempt-{attempt}.jsonl").exists()
    for record in _records(folder / f"attempt-{attempt}.jsonl"):
        kind, at = record.get("type"), _number(record.get("at"))
        if kind == wire.AGENT_STARTED:
            if started is not None and at is not None:
                ahead, started = at - started, None
        elif kind == wire.SAMPLE:
            heard.rss_bytes = _most(heard.rss_bytes, record.get("rss_bytes"))
            heard.cpu_percent = _most(heard.cpu_percent, record.get("cpu_percent"))
        elif kind == wire.JOB and isinstance(record.get("event"), dict):
            _event(heard, attempt, record["event"], at, ahead + submitted)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The journal's records, a piece of the file at a time; none where there is no journal."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        rest = b""
        while chunk := file.read(CHUNK):
            records, taken = wire.read_lines(rest + chunk)
            rest = (rest + chunk)[taken:]
            yield from records


def _event(heard: Heard, attempt: int, event: dict[str, Any], at: float | None, zero: float) -> None:
    step, when = event.get("step"), _number(event.get("t")) or at
    if not isinstance(step, int) or abs(step) > LARGEST or when is None:
        return
    if event.get("type") == told.STEP:
        values = {name: event[key] for key, name in OF_STEPS.items() if key in event}
    elif event.get("type") == told.EVAL:
        values = {key: value for key, value in event.items() if key not in _NAMELESS and _measures(value)}
    else:
        return
    for name, value in values.items():
        measure = heard.measures.setdefault(name, Measure(event["type"] == told.EVAL))
        known = _number(value)
        if known is None:
            measure.blanks += 1
            measure.blank_step = step if measure.blank_step is None else measure.blank_step
        else:
            measure.samples[attempt].append(Sample(step, when - zero, known))


def _measures(value: Any) -> bool:
    """Whether a field of an eval event is a number, or was one that a line of JSON cannot hold."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        told = float(value)
    except OverflowError:  # more digits than any float has
        return None
    return told if math.isfinite(told) else None


def _most(known: float | None, seen: Any) -> float | None:
    told = [each for each in (known, _number(seen)) if each is not None]
    return max(told, default=None)


def _shown(measures: dict[str, Measure]) -> list[tuple[str, Measure]]:
    """Those of steps, then as many of evaluations as are told, by name."""
    steps = [(name, measures[name]) for name in OF_STEPS.values() if name in measures]
    others = sorted((name, each) for name, each in measures.items() if name not in OF_STEPS.values())
    return steps + others[:MEASURES]


def _told(name: str, measure: Measure) -> dict[str, Any]:
    count = sum(map(len, measure.samples.values()))
    size = max(count // POINTS, 1)
    return {
        "name": name, "evaluated": measure.evaluated, "samples": count, "blanks": measure.blanks,
        "blank_step": measure.blank_step,
        "attempts": [
            {"attempt": attempt, "points": [_point(found[at : at + size]) for at in range(0, len(found), size)]}
            for attempt, found in sorted(measure.samples.items())
        ],
    }  # fmt: skip


def _point(samples: Sequence[Sample]) -> list[float]:
    steps, values = [each.step for each in samples], [each.value for each in samples]
    return [
        min(steps), max(steps), round(samples[0].seconds, 3), round(samples[-1].seconds, 3), min(values),
        math.fsum(value / len(values) for value in values), max(values),
    ]  # fmt: skip

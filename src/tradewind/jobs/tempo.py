"""The tempo: planned seconds that one real second stands for, by which the schedule runs. Pure.

A real run has the tempo 1. A rehearsal runs through hours of the market in minutes: by its trace's speed where a trace
is replayed, else by the time scale. Its deadline, its decisions and its trace are in planned time; money never is: that
goes by the time scale alone. While a tempo has still to be measured it is 1, and what passed until then stays so
(``measures.tempo``: ``value`` from ``at`` on, when ``elapsed`` planned seconds were over).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tradewind.domain.records import Job

LONGEST = timedelta(days=36_500)  # where a second of the plan takes hours here, dates stay in range


def tempo(job: Job) -> float:
    """Planned seconds that one real second stands for at present; above 0."""
    given = _given(job)
    if given is not None:
        return given
    measured = job.measures.get("tempo")
    return float(measured["value"]) if measured else 1.0


def elapsed(job: Job, at: datetime) -> timedelta:
    """Planned time from the submit to an instant."""
    given, measured = _given(job), job.measures.get("tempo")
    if given is not None or measured is None:
        return (at - job.submitted_at) * (given or 1.0)
    since = at.timestamp() - float(measured["at"])
    if since < 0:
        return at - job.submitted_at
    return timedelta(seconds=float(measured["elapsed"]) + since * float(measured["value"]))


def real(job: Job, planned: timedelta) -> timedelta:
    """How long a planned span takes here, at the present tempo; at most ``LONGEST``."""
    seconds = planned.total_seconds() / tempo(job)
    return timedelta(seconds=max(min(seconds, LONGEST.total_seconds()), -LONGEST.total_seconds()))


def deadline_at(job: Job) -> datetime | None:
    """The real instant at which the planned deadline falls, by the present tempo; None without a deadline."""
    given = job.settings.get("deadline")
    if not given:
        return None
    span = datetime.fromisoformat(given) - job.submitted_at
    measured = job.measures.get("tempo")
    if _given(job) is not None or measured is None:
        return job.submitted_at + real(job, span)
    left = span - timedelta(seconds=float(measured["elapsed"]))
    return datetime.fromtimestamp(float(measured["at"]), job.submitted_at.tzinfo) + real(job, left)


def hours_left(job: Job, now: datetime) -> float | None:
    """Planned hours until the deadline, below 0 after it; None without one."""
    given = job.settings.get("deadline")
    if not given:
        return None
    return (datetime.fromisoformat(given) - job.submitted_at - elapsed(job, now)) / timedelta(hours=1)


def with_tempo(job: Job, now: datetime) -> Job:
    """The job with its tempo set, once its time scale is measured; it is not set again."""
    scale = job.measures.get("time_scale")
    if _given(job) is not None or scale is None or "tempo" in job.measures:
        return job
    told = {"value": float(scale), "at": now.timestamp(), "elapsed": elapsed(job, now).total_seconds()}
    return replace(job, measures={**job.measures, "tempo": told})


def _given(job: Job) -> float | None:
    """The tempo that was fixed at submit; None: it is measured during the run."""
    if not job.rehearsal:
        return 1.0
    trace = job.settings.get("trace")
    speed = trace.get("speed", "auto") if trace else "auto"
    scale = job.settings.get("time_scale", 1)
    given = scale if speed == "auto" else speed
    return None if given == "auto" else float(given)

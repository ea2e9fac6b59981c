"""The time scale of a rehearsal: planned-offer seconds that one real second stands for. Pure."""

from __future__ import annotations

from dataclasses import replace

from tradewind.domain.records import Job
from tradewind.jobs.room import Note

ENOUGH_SECONDS = 1.0  # of training, before a measured step time is believed
ENOUGH_STEPS = 5


def measured_step_seconds(job: Job) -> float | None:
    """Seconds that a step takes here, over all attempts; None before enough of them were seen."""
    measures = job.measures
    seconds = float(measures.get("train_s", 0.0)) + float(measures.get("attempt_train_s") or 0.0)
    steps = int(measures.get("steps", 0)) + int(measures.get("attempt_steps") or 0)
    if seconds < ENOUGH_SECONDS or steps < ENOUGH_STEPS:
        return None
    return seconds / steps


def with_time_scale(job: Job, *, last: bool = False) -> tuple[Job, tuple[Note, ...]]:
    """The job with its time scale set, once it can be; measured again over everything at the ``last``.

    ``settings.time_scale`` is a number, or ``auto``: predicted ÷ measured seconds a step.
    """
    predicted = job.settings.get("predicted_step_seconds")
    if job.settings.get("time_scale") != "auto" or not predicted:
        return job, ()
    if "time_scale" in job.measures and not last:
        return job, ()
    measured = measured_step_seconds(job)
    if measured is None:
        return job, ()
    scale = round(float(predicted) / measured, 6)
    if scale == job.measures.get("time_scale"):
        return job, ()
    note = Note("time-scale", None, {"value": scale, "predicted_step_s": predicted, "measured_step_s": measured})
    return replace(job, measures={**job.measures, "time_scale": scale}), (note,)


def closed_attempt(job: Job) -> Job:
    """The job with the current attempt's training added to the sum, ready for the next attempt."""
    measures = dict(job.measures)
    for total, current in (("train_s", "attempt_train_s"), ("steps", "attempt_steps")):
        measures[total] = measures.get(total, 0) + (measures.pop(current, None) or 0)
    if "ended" in measures and "run_since" in measures:
        measures["run_s"] = measures.get("run_s", 0.0) + max(measures["ended"]["at"] - measures["run_since"], 0.0)
    for name in ("first_step_at", "first_step", "ended", "outputs", "noticed", "taken_at", "to_keep", "kept_open",
                 "run_since"):  # fmt: skip
        measures.pop(name, None)
    return replace(job, measures=measures)

"""STOPPING: the job is asked to checkpoint and end, then its leases are released."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import timedelta

from tradewind.domain.records import Job
from tradewind.domain.states import EndReason, JobState, LeaseState, Outcome
from tradewind.jobs.finishing import close, release_all, still_open
from tradewind.jobs.hearing import hear
from tradewind.jobs.limits import GRACE_SECONDS, MARGIN_SECONDS
from tradewind.jobs.room import Note, Room, Sight, Step, instance_of
from tradewind.jobs.running import fetch
from tradewind.ports.transport import Unreachable
from tradewind.wire.spec import Command


def begin_stopping(room: Room, sight: Sight) -> Step:
    """Take note of the wish to stop."""
    now = room.clock.now()
    job = replace(sight.job, state=JobState.STOPPING, state_since=now, wake_at=now, why="stopped by the user")
    return Step(job, (Note("job-stopping"),))


def step_stopping(room: Room, sight: Sight) -> Step:
    """Ask the job to end while its node answers; then release, then close."""
    now, attempt, lease = room.clock.now(), sight.attempt, sight.lease
    waited = (now - sight.job.state_since).total_seconds()
    if attempt and lease and lease.state is LeaseState.RUNNING and attempt.outcome is None and lease.wanted:
        if waited < GRACE_SECONDS + MARGIN_SECONDS and "run-started" in _heard_of(sight):
            try:
                return _ask(room, sight)
            except Unreachable:
                return Step(replace(sight.job, wake_at=now + timedelta(seconds=1)))
        return _stopped(room, sight, Step(sight.job))
    if still_open(sight):
        return release_all(sight, EndReason.STOPPED, now)
    return close(room, sight, JobState.STOPPED, now)


def _heard_of(sight: Sight) -> tuple[str, ...]:
    """Whether an agent was ever started for the attempt: before that there is nobody to ask."""
    attempt = sight.attempt
    return ("run-started",) if attempt and attempt.journal_offset > 0 else ()


def _ask(room: Room, sight: Sight) -> Step:
    attempt, lease = sight.attempt, sight.lease
    assert attempt is not None and lease is not None
    room.transport(lease).command(instance_of(lease), Command("stop", GRACE_SECONDS).to_json(), "stop")
    look = hear(room, sight, attempt, lease)
    reading = look.reading
    wake_at = room.clock.now() + room.hear_again(lease)
    step = Step(replace(reading.job, wake_at=wake_at), tuple(reading.notes), (attempt, reading.attempt),
                tuple(reading.checkpoints))  # fmt: skip
    ended = "ended" in reading.job.measures
    if ended and ("outputs" in reading.job.measures or not reading.job.workload.get("outputs")):
        return _stopped(room, sight, step)
    return step


def _stopped(room: Room, sight: Sight, step: Step) -> Step:
    now, lease = room.clock.now(), sight.lease
    current = step.attempt[1] if step.attempt else sight.attempt
    assert current is not None and lease is not None and sight.attempt is not None
    ended = step.job.measures.get("ended") or {}
    job: Job = step.job
    notes: tuple[Note, ...] = ()
    with contextlib.suppress(Unreachable):  # stopped all the same
        job, notes = fetch(room, step.job, lease)
    closed = replace(current, ended_at=now, outcome=Outcome.STOPPED, exit_code=ended.get("exit"))
    job = replace(job, exit_code=ended.get("exit"), wake_at=now)
    return replace(step, job=job, notes=(*step.notes, *notes), attempt=(sight.attempt, closed))

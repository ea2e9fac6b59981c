"""STOPPING: the job is asked to checkpoint and end, then its leases are released."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import timedelta

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import EndReason, JobState, LeaseState, Outcome
from tradewind.jobs.finishing import close, release_all, still_open
from tradewind.jobs.hearing import hear
from tradewind.jobs.keeping import KEPT_OPEN, given_up, held_open, left_open_s
from tradewind.jobs.limits import GRACE_SECONDS, MARGIN_SECONDS
from tradewind.jobs.room import Note, Room, Sight, Step, instance_of
from tradewind.jobs.running import fetch
from tradewind.ports.transport import Unreachable
from tradewind.wire.spec import Command

_BY_THE_USER = "stopped by the user"


def begin_stopping(room: Room, sight: Sight) -> Step:
    """Take note of the wish to stop."""
    now = room.clock.now()
    job = replace(sight.job, state=JobState.STOPPING, state_since=now, wake_at=now, why=_BY_THE_USER)
    return Step(job, (Note("job-stopping"),))


def step_stopping(room: Room, sight: Sight) -> Step:
    """Ask the job to end while its node answers; then release, then close."""
    now, attempt, lease = room.clock.now(), sight.attempt, sight.lease
    if attempt and lease and lease.state is LeaseState.RUNNING and attempt.outcome is None and lease.wanted:
        if attempt.journal_offset > 0 and now - sight.job.state_since < _patience(room, sight, lease):
            try:
                return _ask(room, sight, attempt, lease)
            except Unreachable:
                return Step(replace(sight.job, wake_at=now + timedelta(seconds=1)))
        return _stopped(room, sight, Step(sight.job))
    if still_open(sight):
        return release_all(sight, EndReason.STOPPED, now)
    return close(room, sight, JobState.STOPPED, now)


def _patience(room: Room, sight: Sight, lease: Lease) -> timedelta:
    """How long to wait: for the job to obey, and for its last checkpoint to come home where it has to travel."""
    seconds = GRACE_SECONDS + MARGIN_SECONDS
    open_s = left_open_s(lease, room.caps(lease)) if KEPT_OPEN in sight.job.measures else 0.0
    return timedelta(seconds=seconds + open_s)


def _ask(room: Room, sight: Sight, attempt: Attempt, lease: Lease) -> Step:
    room.transport(lease).command(instance_of(lease), Command("stop", GRACE_SECONDS).to_json(), "stop")
    reading, now = hear(room, sight, attempt, lease).reading, room.clock.now()
    step = Step(replace(reading.job, wake_at=now + room.hear_again(lease)), tuple(reading.notes),
                (attempt, reading.attempt), tuple(reading.checkpoints))  # fmt: skip
    ended = "ended" in reading.job.measures
    if ended and ("outputs" in reading.job.measures or not reading.job.workload.get("outputs")):
        return held_open(step, lease, room.caps(lease), now) or _stopped(room, sight, step)
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
    job = replace(job, exit_code=ended.get("exit"), wake_at=now, why=_BY_THE_USER)
    notes = (*step.notes, *notes, *given_up(step.job))
    return replace(step, job=job, notes=notes, attempt=(sight.attempt, closed))

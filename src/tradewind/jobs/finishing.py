"""FINISHING: the outcome stands; leases are released and seen gone, the books are closed, then the job ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, JobState
from tradewind.jobs.measure import with_time_scale
from tradewind.jobs.room import Note, Room, Sight, Step
from tradewind.leasing.intent import let_go
from tradewind.store import records

_ENDS = {"succeeded": JobState.SUCCEEDED, "failed": JobState.FAILED, "expired": JobState.EXPIRED}
_WAIT = timedelta(seconds=30)  # a lease wakes the job when it changes


def step_finishing(room: Room, sight: Sight) -> Step:
    """Let the leases go, wait for them, close."""
    now = room.clock.now()
    outcome = sight.job.outcome or "failed"
    if still_open(sight):
        return release_all(sight, _reason(sight.job), now)
    return close(room, sight, _ENDS[outcome], now)


def _reason(job: Job) -> EndReason:
    if job.outcome != "expired":
        return EndReason.DONE
    return EndReason.BUDGET if job.measures.get("limit") == "budget" else EndReason.EXPIRED


def still_open(sight: Sight) -> list[Lease]:
    """The job's leases that are not closed."""
    return [lease for lease in sight.leases if lease.state not in LEASE_CLOSED]


def release_all(sight: Sight, reason: EndReason, now: datetime) -> Step:
    """Have every lease end; look again when they have."""

    def release(db: Connection) -> None:
        for lease in still_open(sight):
            let_go(db, lease, reason, now)

    return Step(replace(sight.job, wake_at=now + _WAIT), also=(release,))


def close(room: Room, sight: Sight, state: JobState, now: datetime) -> Step:
    """The end: the time scale over everything, what was planned and not reached, the attempt's end."""
    job, scale = with_time_scale(sight.job, last=True)
    ended = replace(job, state=state, state_since=now, ended_at=now, wake_at=None)
    room.secrets.forget(job.id)
    attempt = sight.attempt
    closed = (attempt, replace(attempt, ended_at=attempt.ended_at or now)) if attempt else None
    return Step(ended, (*scale, *_not_reached(room, job), Note("job-closed", job.why)), closed)


def _not_reached(room: Room, job: Job) -> tuple[Note, ...]:
    """Injected preemptions whose point was never come to."""
    planned = [str(each) for each in job.settings.get("preempt_at", [])]
    if not planned:
        return ()
    with room.db.read() as db:
        happened = {event.cause for event in records.events(db, job=job.id) if event.kind == "lease-notice"}
    return tuple(
        Note("preemption-not-reached", f"injected at {point}", {"at": point})
        for point in planned
        if f"injected at {point}" not in happened
    )

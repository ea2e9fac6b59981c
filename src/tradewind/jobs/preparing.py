"""PREPARING: the agent and the work are put on the node. Repeating it starts nothing twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tradewind.domain.errors import BadInput
from tradewind.domain.states import JobState, LeaseState
from tradewind.jobs.contact import NO_SPACE, SECRETS_MISSING, out_of_contact, why_silent
from tradewind.jobs.interrupted import interrupt
from tradewind.jobs.parcel import fence, parcel_of, secrets_lacking
from tradewind.jobs.room import Note, Room, Sight, Step, instance_of, lost
from tradewind.jobs.verdict import finishing
from tradewind.ports.transport import Unreachable

_AGAIN = timedelta(seconds=1)
_SECRETS_WITHIN = timedelta(minutes=10)  # then the machine is let go, and the job waits without one


def step_preparing(room: Room, sight: Sight) -> Step:
    """Start the agent with the attempt's parcel."""
    job, attempt, lease, now = sight.job, sight.attempt, sight.lease, room.clock.now()
    if attempt is None or lease is None:
        raise RuntimeError(f"{job.id} prepares without a lease")
    if lost(lease):
        return interrupt(room, sight, lease.end_reason.value if lease.end_reason else "lost")
    if lease.state is LeaseState.SUSPECT:
        return Step(out_of_contact(replace(job, wake_at=now + _AGAIN, why=None), [lease]))
    try:
        outranked = fence(room, job, lease)
        if outranked is not None:
            raised = Step(replace(job, epoch=outranked), (Note("epoch-raised", None, {"epoch": outranked}),))
            return interrupt(room, sight, "a later attempt was begun before", raised)
        room.transport(lease).start(instance_of(lease), parcel_of(room, job, attempt, lease))
    except Unreachable as fault:
        return _not_started(room, sight, fault, now)
    except (BadInput, ValueError) as fault:
        return Step(finishing(job, "failed", str(fault), now), (Note("job-unprepared", str(fault)),))
    now = room.clock.now()
    running = replace(job, state=JobState.RUNNING, state_since=now, wake_at=now, last_error=None, why=None)
    return Step(running, (Note("job-running", None, {"attempt": attempt.attempt, "lease": lease.id}),))


def _not_started(room: Room, sight: Sight, fault: Unreachable, now: datetime) -> Step:
    """Again soon: a node that is silent comes back, or is lost; a full disk is not emptied by waiting.

    Secrets were lost with the process that had them. One that was started meanwhile needs none, so it was tried.
    """
    job = sight.job
    if fault.code == NO_SPACE:
        return Step(finishing(job, "failed", str(fault), now), (Note("job-unprepared", str(fault)),))
    lacking = secrets_lacking(room, job) if fault.code == SECRETS_MISSING else None
    if lacking is not None and now - job.state_since >= _SECRETS_WITHIN:
        return interrupt(room, sight, lacking)
    return Step(replace(job, wake_at=now + _AGAIN, last_error=str(fault), why=lacking or why_silent(fault)))

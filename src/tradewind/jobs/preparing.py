"""PREPARING: the agent and the work are put on the node. Repeating it starts nothing twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tradewind.domain.errors import BadInput
from tradewind.domain.states import JobState, LeaseState
from tradewind.jobs.interrupted import interrupt
from tradewind.jobs.parcel import fence, parcel_of
from tradewind.jobs.room import Note, Room, Sight, Step, instance_of, lost
from tradewind.jobs.verdict import finishing
from tradewind.ports.transport import Unreachable

_AGAIN = timedelta(seconds=1)


def step_preparing(room: Room, sight: Sight) -> Step:
    """Start the agent with the attempt's parcel."""
    job, attempt, lease, now = sight.job, sight.attempt, sight.lease, room.clock.now()
    if attempt is None or lease is None:
        raise RuntimeError(f"{job.id} prepares without a lease")
    if lost(lease):
        return interrupt(room, sight, lease.end_reason.value if lease.end_reason else "lost")
    if lease.state is LeaseState.SUSPECT:
        return Step(replace(job, wake_at=now + _AGAIN))
    try:
        outranked = fence(room, job, lease)
        if outranked is not None:
            raised = Step(replace(job, epoch=outranked), (Note("epoch-raised", None, {"epoch": outranked}),))
            return interrupt(room, sight, "a later attempt was begun before", raised)
        room.transport(lease).start(instance_of(lease), parcel_of(room, job, attempt, lease))
    except Unreachable as fault:
        return Step(replace(job, wake_at=now + _AGAIN, last_error=str(fault)))
    except (BadInput, ValueError) as fault:
        return Step(finishing(job, "failed", str(fault), now), (Note("job-unprepared", str(fault)),))
    now = room.clock.now()
    running = replace(job, state=JobState.RUNNING, state_since=now, wake_at=now, last_error=None)
    return Step(running, (Note("job-running", None, {"attempt": attempt.attempt, "lease": lease.id}),))

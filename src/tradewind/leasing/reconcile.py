"""One claimed lease, one step: the state says which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import LeaseState
from tradewind.leasing.launch import step_intended, step_requested
from tradewind.leasing.release import step_releasing
from tradewind.leasing.room import ACTOR, Room, Step
from tradewind.leasing.unknown import step_unknown
from tradewind.leasing.watch import step_watch
from tradewind.store import queue, records, schema
from tradewind.store.queue import Claim

STEPS: dict[LeaseState, Callable[[Room, Claim[Lease]], Step]] = {
    LeaseState.INTENDED: step_intended,
    LeaseState.REQUESTED: step_requested,
    LeaseState.UNKNOWN: step_unknown,
    LeaseState.PENDING: step_watch,
    LeaseState.RUNNING: step_watch,
    LeaseState.SUSPECT: step_watch,
    LeaseState.RELEASING: step_releasing,
}
_AFTER_FAULT = timedelta(seconds=5)


def reconcile(room: Room, held: Claim[Lease]) -> Lease:
    """Take one step and write it down; the lease as written.

    Raises:
        records.Stale: the claim ran out meanwhile; what was seen is dropped.
    """
    step = STEPS[held.record.state](room, held)
    now = room.clock.now()
    with room.db.write() as db:
        queue.finish_lease(db, step.held, step.lease, now)
        moved = step.lease.state if step.lease.state != step.held.record.state else None
        for place, note in enumerate(step.notes, start=1):
            new = moved if place == len(step.notes) else None  # the last note of a step tells of the new state
            old = step.held.record.state if new else None
            records.append_event(db, now, ACTOR, note.kind, step.lease.id, job=step.lease.job, old=old, new=new,
                                 cause=note.cause, data=note.data)  # fmt: skip
        for twin in step.surplus:
            records.insert(db, twin)
            records.append_event(db, now, ACTOR, "lease-surplus", twin.id, job=twin.job, new=twin.state)
        if step.lease.state != held.record.state:
            records.wake(db, schema.job, step.lease.job, now)
    return step.lease


def put_off(room: Room, held: Claim[Lease], why: str) -> None:
    """A step broke: say so on the row and look again soon. A launch that broke is met as REQUESTED, thus UNKNOWN."""
    now = room.clock.now()
    with room.db.write() as db:
        current = records.lease(db, held.record.id)
        if current is not None:
            later = replace(current, last_error=why, wake_at=now + _AFTER_FAULT)
            queue.finish_lease(db, Claim(current, held.token, held.version), later, now)

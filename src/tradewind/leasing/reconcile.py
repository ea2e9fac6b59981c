"""One claimed lease, one step: the state says which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from tradewind.domain.records import Lease
from tradewind.domain.states import LEASE_CLOSED, LeaseState
from tradewind.leasing import budget, retry
from tradewind.leasing.found import accepted_data
from tradewind.leasing.launch import step_intended, step_requested
from tradewind.leasing.release import alert, step_releasing
from tradewind.leasing.room import ACTOR, Note, Room, Step
from tradewind.leasing.unknown import step_unknown
from tradewind.leasing.watch import step_watch, suspected
from tradewind.ports.compute import CloudFault
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
_AFTER_BREAKING = timedelta(seconds=5)


def reconcile(room: Room, held: Claim[Lease]) -> Lease:
    """Take one step and write it down; the lease as written.

    Raises:
        records.Stale: the claim ran out meanwhile; what was seen is dropped.
    """
    try:
        step = STEPS[held.record.state](room, held)
    except CloudFault as fault:
        step = _unanswered(room, held, fault)
    now = room.clock.now()
    with room.db.write() as db:
        return _write(db, held, step, now)


def _unanswered(room: Room, held: Claim[Lease], fault: CloudFault) -> Step:
    """A look that failed tells nothing of the lease: look again later. There is no last try."""
    lease, now = held.record, room.clock.now()
    faults = lease.faults + 1
    wake_at = now + retry.after(fault, faults, room.draw())
    later = replace(lease, faults=faults, fault_kind=fault.kind, last_error=str(fault), wake_at=wake_at)
    if lease.state is LeaseState.RELEASING:
        return Step(held, later, alert(lease, later, str(fault), now - lease.state_since))
    refused = (Note("lease-auth", str(fault)),) if fault.kind == "auth" and lease.fault_kind != "auth" else ()
    later, silent = suspected(later, room.accounts[lease.account].compute.caps, now)
    return Step(held, later, (*refused, *silent))


def _write(db: Connection, held: Claim[Lease], step: Step, now: datetime) -> Lease:
    old, lease = step.held.record, step.lease
    if lease.state != held.record.state:
        records.wake(db, schema.job, lease.job, now)  # rows are locked in one order everywhere: job, budget, lease
    if lease.faults and lease.faults == old.faults:
        lease = replace(lease, faults=0, fault_kind=None)  # the cloud answered
    if lease.state in LEASE_CLOSED:
        budget.settle(db, lease, budget.scale_of(db, lease.job))
        lease = replace(lease, hold=0)
    queue.finish_lease(db, step.held, lease, now)
    moved = lease.state if lease.state != old.state else None
    for place, note in enumerate(step.notes, start=1):
        new = moved if place == len(step.notes) else None  # the last note of a step tells of the new state
        records.append_event(db, now, ACTOR, note.kind, lease.id, job=lease.job, old=old.state if new else None,
                             new=new, cause=note.cause, data=note.data)  # fmt: skip
    for twin in step.surplus:
        write_found(db, twin, "lease-surplus", now)
    return lease


def write_found(db: Connection, lease: Lease, kind: str, now: datetime) -> None:
    """Write down a thing that was found without a row; from here on it is paid for, and watched or ended."""
    records.insert(db, lease)
    records.append_event(db, now, ACTOR, kind, lease.id, job=lease.job, new=lease.state,
                         cause=lease.end_reason.value if lease.end_reason else None,
                         data={"cloud_id": lease.cloud_id, "kind": lease.kind})  # fmt: skip
    if lease.paid_from is not None:
        records.append_event(db, now, ACTOR, "lease-accepted", lease.id, job=lease.job, cause="found",
                             data=accepted_data(lease))  # fmt: skip


def put_off(room: Room, held: Claim[Lease], why: str) -> None:
    """A step broke: say so on the row and look again soon. A launch that broke is met as REQUESTED, thus UNKNOWN."""
    now = room.clock.now()
    with room.db.write() as db:
        current = records.lease(db, held.record.id)
        if current is not None:
            later = replace(current, last_error=why, wake_at=now + _AFTER_BREAKING)
            queue.finish_lease(db, Claim(current, held.token, held.version), later, now)

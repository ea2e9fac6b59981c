"""RELEASING: ended again and again until a complete list shows it gone and nothing of it is left."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import LeaseState
from tradewind.leasing.room import Note, Room, Step
from tradewind.ports.compute import CloudFault, InstanceState, Query
from tradewind.store.queue import Claim

ALERT_TRIES = 3
_LONGEST_PAUSE = 60.0


def step_releasing(room: Room, held: Claim[Lease]) -> Step:
    """Ask for the end, then believe only the list."""
    lease = held.record
    compute = room.accounts[lease.account].compute
    ids = (lease.cloud_id or "",)
    query = Query(owner=room.owner, lease=lease.id, ids=ids)
    try:
        compute.end(ids)
        listing = compute.find(Query(owner=room.owner, ids=ids))
        left = compute.leftovers(query)
    except CloudFault as fault:
        return _again(room, held, str(fault))
    if not listing.complete:
        return _again(room, held, "the list was not complete")
    if left or any(each.state is not InstanceState.GONE for each in listing.instances):
        return _again(room, held, "still there: " + ", ".join(f"{each.kind} {each.id}" for each in left))
    now = room.clock.now()
    released = replace(lease, state=LeaseState.RELEASED, state_since=now, paid_to=lease.paid_to or now, wake_at=None,
                       last_error=None)  # fmt: skip
    paid_to = released.paid_to.isoformat() if released.paid_to else None
    why = lease.end_reason.value if lease.end_reason else None
    return Step(held, released, (Note("lease-released", why, {"paid_to": paid_to}),))


def _again(room: Room, held: Claim[Lease], why: str) -> Step:
    lease, caps = held.record, room.accounts[held.record.account].compute.caps
    tries = lease.looks + 1  # of this state; there is no last try
    pause = min(caps.beat_s * 2.0 ** min(tries, 10), _LONGEST_PAUSE)
    later = replace(lease, looks=tries, last_error=why, wake_at=room.clock.now() + timedelta(seconds=pause))
    notes = (Note("lease-not-ending", why, {"tries": tries}),) if tries == ALERT_TRIES else ()
    return Step(held, later, notes)

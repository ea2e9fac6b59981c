"""RELEASING: ended again and again until a complete list shows it gone and nothing of it is left."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import LeaseState
from tradewind.leasing.found import tagged
from tradewind.leasing.room import Note, Room, Step
from tradewind.ports.compute import Capabilities, HardEnd, InstanceState, Listing, Query
from tradewind.store.queue import Claim

ALERT_LOOKS = 3
ALERT_AFTER = timedelta(minutes=10)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0


def step_releasing(room: Room, held: Claim[Lease]) -> Step:
    """Ask for the end, then believe only the list."""
    lease = held.record
    compute = room.accounts[lease.account].compute
    ids = (lease.cloud_id or "",)
    compute.end(ids)
    listing = compute.find(Query(owner=room.owner, ids=ids))
    left = compute.leftovers(Query(owner=room.owner, lease=tagged(lease.id), ids=ids))
    if not listing.complete:
        return _again(room, held, "the list was not complete")
    if not listing.instances and _may_lag(lease, compute.caps, room.clock.now()):
        return _again(room, held, "the list may not show it yet")
    there = [each for each in listing.instances if each.state is not InstanceState.GONE]
    if left and not there:
        compute.end([each.id for each in left])  # what a cloud left of a machine is ended by its own name
    if there or left:
        names = [f"instance {each.id}" for each in there] + [f"{each.kind} {each.id}" for each in left]
        return _again(room, held, "still there: " + ", ".join(names))
    now = room.clock.now()
    ended = next((each.ended_at for each in listing.instances if each.ended_at), None)
    paid_to = lease.paid_to or ended or _gone_by(lease, listing)
    if lease.paid_from is not None:
        paid_to = max(paid_to, lease.paid_from)
    released = replace(lease, state=LeaseState.RELEASED, state_since=now, paid_to=paid_to, wake_at=None,
                       last_error=None)  # fmt: skip
    why = lease.end_reason.value if lease.end_reason else None
    return Step(held, released, (Note("lease-released", why, {"paid_to": paid_to.isoformat()}),))


def _may_lag(lease: Lease, caps: Capabilities, now: datetime) -> bool:
    """Whether nobody met it, and its launch is so young that a list may not tell of it yet, nor an end find it."""
    if lease.requested_at is None or lease.contact_at is not None:
        return False
    return 0 <= (now - lease.requested_at).total_seconds() < caps.list_lag_s


def _gone_by(lease: Lease, listing: Listing) -> datetime:
    """When at the latest a machine ended that is missing from the list, by the cloud's clock as its launch was."""
    if lease.hard_end_by == HardEnd.SERVER_SIDE:
        return min(listing.seen_at, lease.hard_end)  # its cloud ends it then, seen or not
    return listing.seen_at


def _again(room: Room, held: Claim[Lease], why: str) -> Step:
    """It is still there: look again, less and less often; there is no last look."""
    lease, caps = held.record, room.accounts[held.record.account].compute.caps
    looks = lease.looks + 1
    first = _FIRST_PAUSE_S if caps.boot_beat_s is not None else caps.beat_s
    pause = min(first * 2.0 ** min(looks, 10), _LONGEST_PAUSE_S)
    now = room.clock.now()
    later = replace(lease, looks=looks, last_error=why, wake_at=now + timedelta(seconds=pause))
    return Step(held, later, alert(lease, later, why, now - lease.state_since))


def alert(old: Lease, new: Lease, why: str, waited: timedelta) -> tuple[Note, ...]:
    """An event once a lease does not end: after three looks or faults, or ten minutes."""
    before, tried = old.looks + old.faults, new.looks + new.faults
    due = tried >= ALERT_LOOKS or waited >= ALERT_AFTER
    told = before >= ALERT_LOOKS
    return (Note("lease-not-ending", why, {"tries": tried}),) if due and not told else ()

"""UNKNOWN: found by its token, or proved absent by three complete looks over long enough. Never resent."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import EndReason, LeaseState
from tradewind.leasing.found import accepted_data, beside
from tradewind.leasing.room import Note, Room, Step
from tradewind.ports.compute import Capabilities, Instance, Listing, Query
from tradewind.store.queue import Claim

LOOKS = 3


def step_unknown(room: Room, held: Claim[Lease]) -> Step:
    """Look for the lease by its token."""
    compute = room.accounts[held.record.account].compute
    listing = compute.find(Query(owner=room.owner, token=held.record.token))
    return decide(held, listing, compute.caps, room.clock.now())


def decide(held: Claim[Lease], listing: Listing, caps: Capabilities, now: datetime) -> Step:
    """What a look says: adopt the oldest, hand the others over as surplus, or count towards absence."""
    lease = held.record
    found = sorted(listing.instances, key=lambda each: (each.launched_at, each.id))
    if found:
        return _adopt(held, found, now)
    if not listing.complete:
        return Step(held, replace(lease, wake_at=now + timedelta(seconds=caps.beat_s)))
    since = lease.looked_since or now
    looked = replace(lease, looks=lease.looks + 1, looked_since=since)
    long_enough = absence_seconds(caps)
    if looked.looks >= LOOKS and (now - since).total_seconds() >= long_enough:
        absent = replace(looked, state=LeaseState.REFUSED, state_since=now, wake_at=None)
        return Step(held, absent, (Note("lease-refused", "proved absent", {"looks": looked.looks}),))
    pause = min(max(long_enough / (LOOKS - 1), 0.2), 60.0)
    return Step(held, replace(looked, wake_at=now + timedelta(seconds=pause)))


def absence_seconds(caps: Capabilities) -> float:
    """Over how long three complete looks prove absence."""
    return max(caps.absence_s, LOOKS * caps.list_lag_s)


def _adopt(held: Claim[Lease], found: list[Instance], now: datetime) -> Step:
    lease, oldest = held.record, found[0]
    state = LeaseState.PENDING if lease.wanted else LeaseState.RELEASING
    mine = replace(lease, state=state, state_since=now, wake_at=now, cloud_id=oldest.id, paid_from=oldest.launched_at,
                   looks=0, looked_since=None, last_error=None)  # fmt: skip
    twins = tuple(beside(mine, twin, EndReason.SURPLUS, now) for twin in found[1:])
    return Step(held, mine, (Note("lease-accepted", "found by its token", accepted_data(mine)),), twins)

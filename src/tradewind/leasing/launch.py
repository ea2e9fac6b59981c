"""INTENDED and REQUESTED: the order is sent once, after the fact that it may be sent is committed.

An order that lacks something (an image, a subnet, a price asked live) is furnished first, over the network it needs:
the row is REQUESTED with ``sent`` at ``no`` meanwhile, and the whole order is committed before it is sent.

A REQUESTED row is met again in two ways: its launch never left (``sent`` is ``no``: the same bytes are sent again),
or the worker that sent it is gone before it wrote the answer (``sent`` is ``maybe``: nothing is assumed, nothing
resent).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import LeaseState
from tradewind.leasing import networks, retry
from tradewind.leasing.found import accepted_data
from tradewind.leasing.room import ACTOR, Note, Room, Step
from tradewind.ports.compute import REFUSALS, Accepted, CloudFault, Order, read_order
from tradewind.store import records
from tradewind.store.queue import CLAIM_SECONDS, Claim

RESEND_FOR = timedelta(minutes=30)  # a token older than this is not resent: clouds forget it
_STILL_MINE_S = CLAIM_SECONDS * 2 / 3  # a worker that slept longer than this may have lost its claim: it sends nothing
_MADE_SOON = timedelta(seconds=1)  # until a network that is being made is looked at again


def step_intended(room: Room, held: Claim[Lease]) -> Step:
    """Send the order, or close a lease that is no longer wanted and was never sent."""
    lease, now = held.record, room.clock.now()
    if not lease.wanted:
        return Step(held, replace(lease, state=LeaseState.RELEASED, state_since=now, wake_at=None),
                    (Note("lease-released", "never sent"),))  # fmt: skip
    return _furnish(room, held)


def step_requested(room: Room, held: Claim[Lease]) -> Step:
    """Send again what never left; otherwise the lease is UNKNOWN."""
    lease, now = held.record, room.clock.now()
    if lease.sent != "no":
        return Step(held, to_unknown(lease, now, "the answer was never written down"),
                    (Note("lease-unknown", "the answer was never written down"),))  # fmt: skip
    if not lease.wanted or now - lease.created_at > RESEND_FOR:
        return Step(held, _refused(lease, now, lease.last_error or "not sent in time"), (Note("lease-refused"),))
    return _furnish(room, held)


def _furnish(room: Room, held: Claim[Lease]) -> Step:
    """Send the order once it is whole."""
    lease, account, order = held.record, room.accounts[held.record.account], read_order(held.record.order)
    if account.furnish is None or order.furnished:
        return _send(room, held, order)
    held = _committed(room, held, replace(lease, state=LeaseState.REQUESTED))
    asked = held.record
    try:
        if account.site is not None:
            network = networks.ready(room, account.site, lease.offer)
            if network is None:
                return Step(held, replace(asked, wake_at=room.clock.now() + _MADE_SOON))
            order = replace(order, network=network)
        order = replace(account.furnish(order), furnished=True)
    except CloudFault as fault:
        return _unsent(room, held, asked, fault)
    return _send(room, held, order)


def _send(room: Room, held: Claim[Lease], order: Order) -> Step:
    lease, now, began = held.record, room.clock.now(), room.clock.monotonic()
    asked = replace(lease, state=LeaseState.REQUESTED, requested_at=now, sent="maybe", tries=lease.tries + 1,
                    order=order.to_json())  # fmt: skip
    held = _committed(room, held, asked)
    asked = held.record
    try:
        if room.clock.monotonic() - began > _STILL_MINE_S:
            raise CloudFault("unavailable", "this worker was away too long to send it", sent="no")
        accepted = room.accounts[lease.account].compute.launch(order)
    except CloudFault as fault:
        return _failed(room, held, asked, fault)
    return take(held, asked, accepted, room.clock.now())


def _committed(room: Room, held: Claim[Lease], asked: Lease) -> Claim[Lease]:
    """The claim after its row was written as asked for; written down before anything is asked."""
    lease, now = held.record, room.clock.now()
    if asked == lease:
        return held
    if lease.state is LeaseState.INTENDED:
        asked = replace(asked, state_since=now)
    with room.db.write() as db:
        records.update_lease(db, lease, asked, held.token)
        if asked.tries > lease.tries or asked.state is not lease.state:
            records.append_event(db, now, ACTOR, "lease-requested", lease.id, job=lease.job, old=lease.state,
                                 new=asked.state, data={"try": asked.tries})  # fmt: skip
    return Claim(asked, held.token, held.version + 1)


def take(held: Claim[Lease], lease: Lease, accepted: Accepted, now: datetime) -> Step:
    """The cloud has it: PENDING, paid from when the cloud says."""
    pending = replace(
        lease, state=LeaseState.PENDING, state_since=now, wake_at=now, cloud_id=accepted.ids[0],
        paid_from=accepted.at, looks=0, looked_since=None, last_error=None,
    )  # fmt: skip
    return Step(held, pending, (Note("lease-accepted", None, accepted_data(pending)),))


def _failed(room: Room, held: Claim[Lease], asked: Lease, fault: CloudFault) -> Step:
    if fault.sent == "no" or (fault.kind == "throttle" and fault.sent == "yes"):
        return _unsent(room, held, asked, fault)
    lease, now = replace(asked, faults=asked.faults + 1, fault_kind=fault.kind), room.clock.now()
    if fault.sent == "maybe" or fault.kind not in REFUSALS:
        return Step(held, to_unknown(lease, now, str(fault)), (Note("lease-unknown", str(fault)),))
    return Step(held, _refused(lease, now, str(fault)), (Note("lease-refused", str(fault), {"kind": fault.kind}),))


def _unsent(room: Room, held: Claim[Lease], asked: Lease, fault: CloudFault) -> Step:
    """Nothing left, or nothing of it was taken: again soon, or refused where that would end the same."""
    lease, now = replace(asked, faults=asked.faults + 1, fault_kind=fault.kind), room.clock.now()
    if fault.kind in REFUSALS:  # what is busy frees its job to look elsewhere meanwhile
        return Step(held, _refused(lease, now, str(fault)), (Note("lease-refused", str(fault), {"kind": fault.kind}),))
    wake_at = now + retry.after(fault, lease.faults, room.draw())
    waiting = replace(lease, sent="no", last_error=str(fault), wake_at=wake_at)
    return Step(held, waiting, (Note("lease-delayed", str(fault), {"kind": fault.kind}),))


def to_unknown(lease: Lease, now: datetime, why: str) -> Lease:
    """The lease as UNKNOWN, to be looked for soon."""
    return replace(lease, state=LeaseState.UNKNOWN, state_since=now, wake_at=now, looks=0, last_error=why)


def _refused(lease: Lease, now: datetime, why: str) -> Lease:
    return replace(lease, state=LeaseState.REFUSED, state_since=now, wake_at=None, last_error=why)

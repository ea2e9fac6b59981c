"""PENDING, RUNNING and SUSPECT: compare what the cloud lists with what is wanted, once a beat."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import EndReason, LeaseState
from tradewind.leasing.room import Account, Note, Room, Step
from tradewind.ports.compute import Capabilities, Instance, InstanceState, Listing, Query
from tradewind.ports.transport import Unreachable
from tradewind.store.queue import Claim

_GONE = (InstanceState.GONE, InstanceState.FAILED, InstanceState.TERMINATING)
SILENT_BEATS = 3
SUSPECT_FOR = timedelta(minutes=20)
HEAR_OUT = timedelta(seconds=30)  # for a machine that ended by itself; its job's letting go ends the wait


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at a lease's machine: the cloud's listing, and whether the machine answered."""

    listing: Listing
    reachable: bool

    @property
    def instance(self) -> Instance | None:
        """The machine, when it is listed."""
        return self.listing.instances[0] if self.listing.instances else None


def step_watch(room: Room, held: Claim[Lease]) -> Step:
    """Look, and decide."""
    account = room.accounts[held.record.account]
    lease = held.record
    listing = account.compute.find(Query(owner=room.owner, ids=(lease.cloud_id or "",)))
    seen = Seen(listing, bool(listing.instances) and _reachable(account, listing.instances[0]))
    return decide(held, seen, account.compute.caps, room.clock.now())


def _reachable(account: Account, instance: Instance) -> bool:
    if instance.state is not InstanceState.RUNNING:
        return False
    try:
        account.transport.reach(instance)
    except Unreachable:
        return False
    return True


def decide(held: Claim[Lease], seen: Seen, caps: Capabilities, now: datetime) -> Step:
    """The next value of a watched lease."""
    lease = replace(held.record, wake_at=now + timedelta(seconds=caps.beat_s))
    ending = _ending(lease, seen, caps, now)
    if ending is not None:
        return _release(held, lease, ending, seen.instance, now)
    if seen.instance is None:
        return Step(held, replace(lease, looks=lease.looks + 1) if seen.listing.complete else lease)
    lease, notes = _noticed(replace(lease, looks=0), seen.instance)
    if seen.reachable:
        return _heard(held, lease, seen.instance, notes, now)
    silent_since = lease.contact_at or lease.state_since
    if lease.state is LeaseState.RUNNING and (now - silent_since).total_seconds() > SILENT_BEATS * caps.beat_s:
        suspect = replace(lease, state=LeaseState.SUSPECT, state_since=now)
        return Step(held, suspect, (*notes, Note("lease-suspect", "it does not answer; the cloud says it runs")))
    return Step(held, lease, notes)


def _ending(lease: Lease, seen: Seen, caps: Capabilities, now: datetime) -> EndReason | None:
    """Why the lease is to end now, or None."""
    if not lease.wanted:
        return lease.end_reason or EndReason.DONE
    if now >= lease.hard_end:
        return _at_hard_end(lease)
    instance = seen.instance
    if instance is not None and instance.state in _GONE:
        return _taken(lease, instance)
    if instance is None:  # missing once may be a list that lags; twice it is gone
        return EndReason.VANISHED if seen.listing.complete and lease.looks >= 1 else None
    if lease.state is LeaseState.PENDING and not seen.reachable:
        return EndReason.BOOT_TIMEOUT if (now - lease.state_since).total_seconds() > caps.boot_s else None
    if lease.state is LeaseState.SUSPECT and now - lease.state_since > SUSPECT_FOR:
        return EndReason.VANISHED
    return None


def _at_hard_end(lease: Lease) -> EndReason:
    return EndReason.BUDGET if lease.limit == "budget" else EndReason.EXPIRED


def _taken(lease: Lease, instance: Instance) -> EndReason:
    if instance.why == "expired":
        return _at_hard_end(lease)
    if instance.why == "ours":  # its agent ended it: the job is done, and nobody came
        return EndReason.DONE
    if instance.why == "reclaimed" or lease.reclaim_at is not None:
        return EndReason.RECLAIMED
    return EndReason.REFUSED_LATE if instance.why in ("capacity", "quota") else EndReason.VANISHED


def _release(held: Claim[Lease], lease: Lease, why: EndReason, instance: Instance | None, now: datetime) -> Step:
    ended = instance.ended_at if instance else None
    unheard = ended is not None and lease.wanted  # it costs nothing any more, and its job may still read its last words
    releasing = replace(
        lease, state=LeaseState.RELEASING, state_since=now, wanted=False, end_reason=lease.end_reason or why,
        paid_to=ended, wake_at=now + HEAR_OUT if unheard else now,
    )  # fmt: skip
    data = {"paid_to": ended.isoformat() if ended else None}
    return Step(held, releasing, (Note("lease-releasing", (lease.end_reason or why).value, data),))


def _noticed(lease: Lease, instance: Instance) -> tuple[Lease, tuple[Note, ...]]:
    if instance.reclaim_at is None or lease.reclaim_at is not None:
        return lease, ()
    data = {"deadline": instance.reclaim_at.isoformat()}
    return replace(lease, reclaim_at=instance.reclaim_at), (Note("lease-notice", instance.tags.get("reclaim"), data),)


def _heard(held: Claim[Lease], lease: Lease, instance: Instance, notes: tuple[Note, ...], now: datetime) -> Step:
    node = {"address": instance.address, "pgid": instance.pgid}
    heard = replace(lease, contact_at=now, node=node)
    if lease.state is not LeaseState.RUNNING:
        heard = replace(heard, state=LeaseState.RUNNING, state_since=now)
        notes = (*notes, Note("lease-running", None, {"address": instance.address}))
    return Step(held, heard, notes)

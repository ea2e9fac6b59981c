"""PENDING, RUNNING and SUSPECT: compare what the cloud lists with what is wanted, once a beat.

A machine that is out of contact is SUSPECT, whether it does not answer or its place cannot be listed, and still paid.
How long a listed machine may be silent before it is given up, its cloud says; of a place that cannot be listed nobody
knows anything, so nothing there is given up before its hard end.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tradewind.domain.records import Lease
from tradewind.domain.states import EndReason, LeaseState
from tradewind.leasing import networks
from tradewind.leasing.room import Account, Note, Room, Step
from tradewind.ports.compute import Capabilities, CloudFault, Instance, InstanceState, Listing, Query, read_order
from tradewind.ports.transport import Unreachable
from tradewind.store.queue import Claim

_GONE = (InstanceState.GONE, InstanceState.FAILED, InstanceState.TERMINATING)
SILENT_BEATS = 3
BOOT_TIMEOUT = EndReason.BOOT_TIMEOUT
_LINES, _CHARACTERS = 5, 600  # of what a console said
_SOONEST_S = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """One look at a lease's machine: the cloud's listing, and whether the machine answered.

    ``empty``: it answered that nothing of the lease is on it any more: it was started anew.
    """

    listing: Listing
    reachable: bool
    empty: bool = False

    @property
    def instance(self) -> Instance | None:
        """The machine, when it is listed."""
        return self.listing.instances[0] if self.listing.instances else None


def step_watch(room: Room, held: Claim[Lease]) -> Step:
    """Look, and decide."""
    account = room.accounts[held.record.account]
    lease = networks.tended(room, held.record)
    listing = account.compute.find(Query(owner=room.owner, ids=(lease.cloud_id or "",)))
    if networks.unfinished(lease, listing):
        with suppress(CloudFault):  # what hinders it is tried again at each look, until its time to boot is over
            account.compute.launch(read_order(lease.order))  # it goes on where it was cut off
    seen = _met(account, listing)
    return _diagnosed(account, decide(held, seen, account.compute.caps, room.clock.now(), lease))


def _diagnosed(account: Account, step: Step) -> Step:
    """With the last words of a machine that is given up because it never answered."""
    lease = step.lease
    if account.console is None or lease.state is not LeaseState.RELEASING or lease.end_reason is not BOOT_TIMEOUT:
        return step
    try:
        said = account.console(lease.cloud_id or "")
    except CloudFault as fault:
        said = f"the console is not told: {fault}"
    tail = " / ".join((said or "nothing").strip().splitlines()[-_LINES:])
    return replace(step, notes=(Note("boot-console", tail[-_CHARACTERS:]), *step.notes))


def _met(account: Account, listing: Listing) -> Seen:
    instance = listing.instances[0] if listing.instances else None
    if instance is None or instance.state is not InstanceState.RUNNING:
        return Seen(listing, reachable=False)
    try:
        account.transport.reach(instance)
    except Unreachable as fault:
        return Seen(listing, reachable=False, empty=fault.code == "gone")
    return Seen(listing, reachable=True)


def decide(held: Claim[Lease], seen: Seen, caps: Capabilities, now: datetime, tended: Lease | None = None) -> Step:
    """The next value of a watched lease; ``tended``: as it is now where that is not as it was claimed."""
    lease = tended or held.record
    lease = replace(lease, wake_at=now + timedelta(seconds=_beat_s(lease, caps, now)))
    ending = _ending(lease, seen, caps, now)
    if ending is not None:
        return _release(held, lease, ending, seen, caps, now)
    if seen.instance is None and seen.listing.complete:
        young = lease.state is LeaseState.PENDING and (now - lease.state_since).total_seconds() < caps.list_lag_s
        return Step(held, lease if young else replace(lease, looks=lease.looks + 1))  # lists lag a launch
    if seen.instance is None:
        lease, notes = suspected(replace(lease, last_error=seen.listing.why or lease.last_error), caps, now)
        return Step(held, lease, notes)
    lease, notes = _noticed(replace(lease, looks=0), seen.instance)
    if seen.reachable:
        return _heard(held, lease, seen.instance, notes, now)
    lease, silent = suspected(lease, caps, now)
    return Step(held, lease, (*notes, *silent))


def _beat_s(lease: Lease, caps: Capabilities, now: datetime) -> float:
    """Until the next look: at what boots, paid and of no use yet, after a quarter of the time it has taken so far."""
    if lease.state is not LeaseState.PENDING or caps.boot_beat_s is None:
        return caps.beat_s
    return min(max((now - lease.state_since).total_seconds() / 4, _SOONEST_S), caps.boot_beat_s)


def suspected(lease: Lease, caps: Capabilities, now: datetime) -> tuple[Lease, tuple[Note, ...]]:
    """The lease after a look that heard nothing of its machine: SUSPECT once that has lasted three beats."""
    since = lease.contact_at or lease.state_since
    if lease.state is not LeaseState.RUNNING or (now - since).total_seconds() <= SILENT_BEATS * caps.beat_s:
        return lease, ()
    why = f"no contact since {since:%Y-%m-%dT%H:%M:%SZ}" + (f": {lease.last_error}" if lease.last_error else "")
    return replace(lease, state=LeaseState.SUSPECT, state_since=now), (Note("lease-suspect", why),)


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
        return _missing(lease) if seen.listing.complete and lease.looks >= 1 else None
    if lease.state is LeaseState.PENDING and not seen.reachable:
        return BOOT_TIMEOUT if (now - lease.state_since).total_seconds() > caps.boot_s else None
    silent_s = (now - lease.state_since).total_seconds()
    if lease.state is LeaseState.SUSPECT and (seen.empty or silent_s > caps.silence_s):
        return EndReason.VANISHED
    return None


def _missing(lease: Lease) -> EndReason:
    """Why a machine is not listed any more, where its cloud forgets what has ended."""
    return EndReason.RECLAIMED if lease.reclaim_at is not None else EndReason.VANISHED


def _at_hard_end(lease: Lease) -> EndReason:
    if lease.limit == networks.IDLE:
        return EndReason.DONE
    return EndReason.BUDGET if lease.limit == "budget" else EndReason.EXPIRED


def _taken(lease: Lease, instance: Instance) -> EndReason:
    if instance.why == "expired":
        return _at_hard_end(lease)
    if instance.why == "ours":  # its agent ended it: the job is done, and nobody came
        return EndReason.DONE
    if instance.why == "reclaimed" or lease.reclaim_at is not None:
        return EndReason.RECLAIMED
    return EndReason.REFUSED_LATE if instance.why in ("capacity", "quota") else EndReason.VANISHED


def _release(held: Claim[Lease], lease: Lease, why: EndReason, seen: Seen, caps: Capabilities, now: datetime) -> Step:
    """Let it go: at once, or after its job may have heard it out, of what ended by itself and costs nothing: as it is
    told, or, past the hard end, where nobody tells anything just now. The job's letting go ends that wait.
    """
    ended = seen.instance.ended_at if seen.instance else None
    unheard = lease.wanted and (ended is not None or not seen.listing.complete)
    wake_at = now + timedelta(seconds=caps.hear_out_s) if unheard else now
    releasing = replace(
        lease, state=LeaseState.RELEASING, state_since=now, wanted=False, end_reason=lease.end_reason or why,
        paid_to=ended, wake_at=wake_at,
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
    heard = replace(lease, contact_at=now, node=node, last_error=None)
    if lease.state is LeaseState.RUNNING:
        return Step(held, heard, notes)
    told = Note("lease-running", None, {"address": instance.address})
    if lease.state is LeaseState.SUSPECT:
        silent = now - (lease.contact_at or lease.state_since)
        told = Note("lease-contact", f"silent for {silent.total_seconds():.0f} s")
    return Step(held, replace(heard, state=LeaseState.RUNNING, state_since=now), (*notes, told))

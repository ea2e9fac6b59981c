"""The sweep: everything of ours that the accounts list, held against the rows.

What has no row is adopted: a row is made from its tags. Only what is surplus, what came after its lease was given up
(tombstoned) and what outlived its hard end is ended. Others' things are never touched, nor what is only half tagged.
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED, EndReason
from tradewind.leasing import networks, tags
from tradewind.leasing.found import adopted, beside, left_behind
from tradewind.leasing.intent import let_go
from tradewind.leasing.reconcile import write_found
from tradewind.leasing.room import ACTOR, Account, Room
from tradewind.leasing.unknown import absence_seconds
from tradewind.ports.compute import CloudFault, Compute, Instance, InstanceState, Leftover, Listing, Query
from tradewind.store import queue, records, schema

NAMED_WITHIN = timedelta(days=90)  # an account that rows of this long name is asked for, configured or not
AT_ONCE = 16  # accounts asked side by side
Listed = tuple[Listing, tuple[Leftover, ...] | None]


@dataclass(frozen=True, slots=True)
class Checked:
    """One place that was listed; ``complete`` is False when it could not be, and then what is there is unknown."""

    account: str
    cloud: str
    region: str | None
    complete: bool
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Stray:
    """A thing of ours that no open row explains.

    ``why``: ``no-row``; ``surplus`` (its lease has another machine, or its job goes on without it); ``tombstoned`` (its
    lease, in ``lease``, was closed); ``expired``. ``rows`` counts the closed rows that it had.
    """

    account: str
    instance: Instance
    why: str
    told: tags.Tags
    lease: Lease | None
    rows: int


@dataclass(frozen=True, slots=True)
class Remnant:
    """A leftover that no open row explains, and no machine of its lease that is listed; ``lease`` its closed row.

    ``rows`` counts the closed rows that it had itself.
    """

    account: str
    left: Leftover
    lease: Lease | None
    rows: int


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep saw. ``orphans`` are open rows that no live job stands behind."""

    checked: tuple[Checked, ...]
    strays: tuple[Stray, ...]
    remnants: tuple[Remnant, ...]
    orphans: tuple[Lease, ...]

    @property
    def whole(self) -> bool:
        """Whether every place was listed: otherwise it is soon time to look again."""
        return all(each.complete for each in self.checked)


def look(room: Room, spared: Collection[str] = ()) -> Swept:
    """List every account but those ``spared``, which were listed lately; nothing is written or ended."""
    checked: list[Checked] = []
    strays: dict[str, Stray] = {}  # by id: two accounts may rent the same machines
    remnants: dict[str, Remnant] = {}
    for name, account, (listing, told) in _listings(room, spared):
        complete, left = listing.complete and told is not None, told or ()
        checked.append(Checked(name, account.compute.name, None, complete, listing.seen_at))
        for stray in _strays(room, name, listing.instances, {each.lease for each in left}):
            strays.setdefault(stray.instance.id, stray)
        if listing.complete:
            listed = {said.lease for each in listing.instances if (said := tags.read(each.tags))}
            remnants |= {each.left.id: each for each in _remnants(room, name, left, listed)}
    now = room.clock.now()
    with room.db.read() as db:
        named = records.accounts_named(db, now - NAMED_WITHIN)
        orphans = tuple(lease for lease in records.leases(db, open_only=True) if _orphaned(db, lease))
    known = room.retired().union(room.accounts)
    checked += [Checked(name, name, None, complete=False, seen_at=now) for name in named if name not in known]
    return Swept(tuple(checked), tuple(strays.values()), tuple(remnants.values()), orphans)


def _listings(room: Room, spared: Collection[str]) -> list[tuple[str, Account, Listed]]:
    """What every account lists, asked side by side: those that do not answer cost one time-out, not their sum."""
    accounts = [(name, room.accounts[name]) for name in room.accounts if name not in spared]
    with ThreadPoolExecutor(AT_ONCE, "look") as threads:
        told = threads.map(lambda each: _listed(room, each[1].compute), accounts)
        return [(name, account, listed) for (name, account), listed in zip(accounts, told, strict=True)]


def _listed(room: Room, compute: Compute) -> Listed:
    """What is there, as far as it is told, and what lies around; None: that is not told."""
    try:
        listing = compute.find(Query(owner=room.owner))
    except CloudFault:
        listing = Listing((), complete=False, seen_at=room.clock.now())
    try:
        return listing, compute.leftovers(Query(owner=room.owner))
    except CloudFault:
        return listing, None


def keep(room: Room, spared: Collection[str] = ()) -> Swept:
    """Look, write down what has no row, and set what is surplus, tombstoned or expired on its way out."""
    swept = look(room, spared)
    for stray in swept.strays:
        _settle(room, stray)
    for remnant in swept.remnants:
        compute = room.accounts[remnant.account].compute
        row = left_behind(remnant.lease, remnant.left, remnant.account, compute, room.clock.now(), remnant.rows)
        _write_down(room, row, "lease-orphaned")
    return swept


def end_orphans(room: Room) -> tuple[Lease, ...]:
    """Keep, then let everything go that no live job stands behind; the rows that are now on their way out."""
    keep(room)
    now = room.clock.now()
    with room.db.write() as db:
        for lease in records.leases(db, open_only=True):
            if _orphaned(db, lease):
                let_go(db, lease, EndReason.ORPHAN, now)
        return tuple(lease for lease in records.leases(db, open_only=True) if not lease.wanted)


def watched(room: Room, every: timedelta) -> bool:
    """Whether a refused order may still turn up in a list: two sweeps that are ``every`` apart must have looked.

    A cloud may answer an error and make the machine all the same, and list it late.
    """
    now = room.clock.now()
    with room.db.read() as db:
        refused = records.leases_refused(db, now - NAMED_WITHIN)
    return any(
        lease.requested_at is not None and now < lease.state_since + _may_turn_up(room, lease, every)
        for lease in refused
    )


def _may_turn_up(room: Room, lease: Lease, every: timedelta) -> timedelta:
    account = room.accounts.get(lease.account)
    if account is None:
        return 2 * every
    caps = account.compute.caps
    return timedelta(seconds=absence_seconds(caps)) + 2 * max(every, timedelta(seconds=caps.sweep_s))


def _orphaned(db: Connection, lease: Lease) -> bool:
    if lease.kind == networks.KIND:
        return lease.wanted and not networks.used(db, lease)
    job = records.job(db, lease.job)
    return lease.wanted and (job is None or job.state in JOB_ENDED)


def _remnants(room: Room, account: str, left: tuple[Leftover, ...], listed: set[str]) -> list[Remnant]:
    found = []
    with room.db.read() as db:
        for each in left:
            rows = records.leases_of_instance(db, each.id)
            lease = records.lease(db, each.lease)
            is_open = (lease is not None and lease.state not in LEASE_CLOSED) or any(
                row.state not in LEASE_CLOSED for row in rows
            )
            if not is_open and each.lease not in listed:
                found.append(Remnant(account, each, lease, len(rows)))
    return found


def _strays(room: Room, account: str, instances: tuple[Instance, ...], left: set[str]) -> list[Stray]:
    now, found = room.clock.now(), []
    with room.db.read() as db:
        for instance in instances:
            told = tags.read(instance.tags)
            if told is None or told.owner != room.owner:
                continue
            if told.account != account and told.account in room.accounts:
                continue  # that account tells of it
            lease = records.lease(db, told.lease)
            rows = records.leases_of_instance(db, instance.id)
            why = _why(instance, told, lease, rows, told.lease in left, now)
            if why is None:
                continue
            job = records.job(db, told.job)
            if why == "no-row" and job is not None and job.state not in JOB_ENDED:
                why = "surplus"  # the job goes on from its store with what it rents itself
            found.append(Stray(account, instance, why, told, lease, len(rows)))
    return found


def _why(
    instance: Instance, told: tags.Tags, lease: Lease | None, rows: list[Lease], leaves: bool, now: datetime
) -> str | None:
    """Why an instance is a stray, or None.

    ``lease`` is the row its tags name, ``rows`` those of its own id; ``leaves``: something of its lease lies around.
    """
    if any(row.state not in LEASE_CLOSED for row in rows):
        return None
    gone = instance.state is InstanceState.GONE
    if rows and not leaves and (gone or instance.state is InstanceState.TERMINATING):
        return None  # it is written down, and going or gone
    if lease is None:
        if gone and not leaves:
            return None
        return "expired" if told.expires <= now else "no-row"
    if lease.state in LEASE_CLOSED:
        return "tombstoned"
    return "surplus" if lease.cloud_id is not None else None  # without an id it is being looked for by its token


_REASONS = {"surplus": EndReason.SURPLUS, "tombstoned": EndReason.ORPHAN, "expired": EndReason.EXPIRED}


def _settle(room: Room, stray: Stray) -> None:
    """Give a stray its row. Two sweeps may see the same one: the second writes nothing."""
    now = room.clock.now()
    compute = room.accounts[stray.account].compute
    row = stray.lease or adopted(stray.told, stray.instance, compute, stray.account, now)
    kind = "lease-adopted"
    if stray.why != "no-row":
        kind = "lease-surplus" if stray.why == "surplus" else "lease-orphaned"
        row = beside(row, stray.instance, _REASONS[stray.why], now, stray.rows)
    _write_down(room, row, kind, lost=stray.lease is None)


def _write_down(room: Room, row: Lease, kind: str, *, lost: bool = False) -> None:
    """Add a row that was found, unless another sweep was first; ``lost``: its lease is not known to this store."""
    now = room.clock.now()
    try:
        with room.db.write() as db:
            known = records.leases_of_instance(db, row.cloud_id or "")
            if any(each.state not in LEASE_CLOSED for each in known) or records.lease(db, row.id) is not None:
                return
            job = records.job(db, row.job)
            write_found(db, replace(row, budget=job.settings.get("budget") if job else None), kind, now)
            if job is not None and lost and job.epoch <= row.epoch:
                _outrank(db, job, row, now)
    except IntegrityError:
        return  # written at the same time


def _outrank(db: Connection, job: Job, row: Lease, now: datetime) -> None:
    """A machine from a later attempt than this store knows of: no attempt to come may have its epoch."""
    records.update_job(db, job, replace(job, epoch=row.epoch + 1))
    queue.take_back(db, schema.job, job.id)  # whoever is at it began from the lower epoch
    records.append_event(db, now, ACTOR, "epoch-raised", job.id, job=job.id, cause=f"{row.id} has epoch {row.epoch}",
                         data={"epoch": row.epoch + 1})  # fmt: skip

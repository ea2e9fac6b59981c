"""The sweep: everything of ours that the accounts list, held against the rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tradewind.domain.states import LEASE_CLOSED
from tradewind.leasing.room import ACTOR, Room
from tradewind.ports.compute import CloudFault, Instance, InstanceState, Query
from tradewind.store import records


@dataclass(frozen=True, slots=True)
class Checked:
    """One place that was listed; ``complete`` is False when it could not be."""

    account: str
    complete: bool
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Stray:
    """A running thing of ours that no open lease explains: ``no-row``, or the row is ``closed``."""

    account: str
    instance: Instance
    why: str


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep saw and did."""

    checked: tuple[Checked, ...]
    strays: tuple[Stray, ...]
    ended: tuple[str, ...]


def sweep(room: Room, *, end: bool) -> Swept:
    """List every account; with ``end``, end what no open lease explains. Others' things are never touched."""
    checked = []
    strays: dict[str, Stray] = {}  # by id: two accounts may rent the same machines
    for name, account in room.accounts.items():
        try:
            listing = account.compute.find(Query(owner=room.owner))
        except CloudFault:
            checked.append(Checked(name, complete=False, seen_at=room.clock.now()))
            continue
        checked.append(Checked(name, listing.complete, listing.seen_at))
        strays |= {each.instance.id: each for each in _unexplained(room, name, listing.instances)}
    ended = [_end(room, stray) for stray in strays.values()] if end else []
    return Swept(tuple(checked), tuple(strays.values()), tuple(ended))


def end_closed(room: Room) -> None:
    """End what is listed although its lease was closed: a late answer to a token that was given up, or a late end."""
    for stray in sweep(room, end=False).strays:
        if stray.why == "closed":
            _end(room, stray)


def _unexplained(room: Room, account: str, instances: tuple[Instance, ...]) -> list[Stray]:
    strays = []
    with room.db.read() as db:
        for instance in instances:
            lease = records.lease(db, instance.lease)
            if lease is not None and lease.state not in LEASE_CLOSED:
                continue
            if instance.state is not InstanceState.GONE or lease is not None:
                strays.append(Stray(account, instance, "closed" if lease else "no-row"))
    return strays


def _end(room: Room, stray: Stray) -> str:
    now = room.clock.now()
    with room.db.write() as db:
        records.append_event(db, now, ACTOR, "stray-ending", stray.instance.id, cause=stray.why,
                             data={"lease": stray.instance.lease, "account": stray.account})  # fmt: skip
    room.accounts[stray.account].compute.end((stray.instance.id,))
    return stray.instance.id

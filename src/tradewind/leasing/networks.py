"""Networks: leases like others, intended with the first machine that needs one, and let go when none has for an hour.

One network an account. Its hard end is an hour after its last use, and moves on while a machine uses it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.domain.records import Lease
from tradewind.domain.states import LEASE_CLOSED, LeaseState
from tradewind.leasing import tags
from tradewind.leasing.room import ACTOR, Room, Site
from tradewind.ports.compute import REFUSALS, CloudFault, FaultKind, HardEnd, InstanceState, Listing, Order
from tradewind.store import records

KIND, IDLE = "network", "idle"
IDLE_FOR = timedelta(hours=1)
_SUFFIX = ":network"


def account_of(account: str) -> str:
    """The account that rents the network of another account's machines."""
    return account + _SUFFIX


def require(db: Connection, site: Site, offer: Mapping[str, Any], owner: str, now: datetime) -> None:
    """See that a network is there or intended, in the caller's transaction.

    Its id follows from the account and the networks before it: of two who intend one at once the second one fails.
    """
    rows = records.leases_of_account(db, site.account)
    if any(each.wanted and each.state not in LEASE_CLOSED for each in rows):
        return
    token = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{owner} {site.account} {len(rows)}"))
    id_ = f"network-{token[:13]}"
    place = {"cloud": offer["cloud"], "region": offer["region"], "zone": None, "instance_type": site.kind,
             "purchase": "on_demand", "price_per_hour": None}  # fmt: skip
    hard_end = now + IDLE_FOR
    order = Order(
        token=token, lease=id_, owner=owner, cloud=offer["cloud"], region=offer["region"], zone=None,
        instance_type=site.kind, purchase="on_demand", hard_end=hard_end.isoformat(),
        tags=tags.write(tags.Tags(owner, id_, token, hard_end, "", 0, site.account, None)),
    )  # fmt: skip
    lease = Lease(
        id=id_, token=token, kind=KIND, state=LeaseState.INTENDED, job="", epoch=0, account=site.account, offer=place,
        order=order.to_json(), wanted=True, created_at=now, state_since=now, hard_end=hard_end,
        hard_end_by=HardEnd.CONTROL_PLANE.value, wake_at=now, limit=IDLE,
    )  # fmt: skip
    records.insert(db, lease)
    records.append_event(db, now, ACTOR, "lease-intended", id_, new=LeaseState.INTENDED,
                         data={"offer": place, "token": token, "hard_end": hard_end.isoformat()})  # fmt: skip


def ready(room: Room, site: Site, offer: Mapping[str, Any]) -> str | None:
    """The cloud's id of the network that machines of a site may use now; None while it is being made.

    Raises:
        CloudFault: why it was refused.
    """
    now = room.clock.now()
    with room.db.write() as db:
        rows = records.leases_of_account(db, site.account)
        there = [each for each in rows if each.wanted and each.state not in LEASE_CLOSED]
        kind = _refusal(rows)
        if not there and kind is None:
            require(db, site, offer, room.owner, now)  # it was let go since it was asked for, or never arrived
    up = [each for each in there if each.state in (LeaseState.RUNNING, LeaseState.SUSPECT)]
    if up:
        return up[0].cloud_id or ""
    if there or kind is None:
        return None
    raise CloudFault(kind, f"network: {rows[-1].last_error}", sent="no")


def _refusal(rows: Sequence[Lease]) -> FaultKind | None:
    """Why the cloud refused the last one; None when it did not."""
    last = rows[-1] if rows else None
    if last is None or last.state is not LeaseState.REFUSED:
        return None
    return next((each for each in REFUSALS if each == last.fault_kind), None)


def used(db: Connection, lease: Lease) -> bool:
    """Whether a machine needs this network: one that is open, in any state."""
    machines = records.leases_of_account(db, lease.account.removesuffix(_SUFFIX), open_only=True)
    return any(each.kind != KIND for each in machines)


def unfinished(lease: Lease, listing: Listing) -> bool:
    """Whether this is a network of which a part is there: whoever made it was cut off, and its launch goes on from it.

    It is found by its tags, so that nothing is made twice; a machine's launch is never sent again.
    """
    begun = any(each.state is InstanceState.PENDING for each in listing.instances)
    return lease.kind == KIND and lease.wanted and lease.state is LeaseState.PENDING and bool(lease.order) and begun


def tended(room: Room, lease: Lease) -> Lease:
    """A network's lease with its hard end moved on, when a machine uses it; any other as it is."""
    if lease.kind != KIND:
        return lease
    with room.db.read() as db:
        in_use = used(db, lease)
    return replace(lease, hard_end=room.clock.now() + IDLE_FOR) if in_use else lease

"""Intent: a lease is written down, with its token and the exact order, before anything is asked for."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.domain.ids import CHANCE_BITS, new_id
from tradewind.domain.records import Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, LeaseState
from tradewind.leasing import budget, networks, tags
from tradewind.leasing.room import ACTOR, Site
from tradewind.ports.compute import Disk, HardEnd, Order
from tradewind.store import records, schema


@dataclass(frozen=True, slots=True)
class Wish:
    """What a job wants rented.

    Attributes:
        account: key of the account that rents it.
        offer: the offer as JSON, with ``billing``: ``granularity_s``, ``minimum_s``, ``on_demand_price_per_hour``.
        lifetime: from now to the hard end; ``limit`` says what set it.
        budget: who pays; ``hold`` is what is held of it until the lease is closed, in millionths.
        disk_gb: of the disk that it boots from, where the job asks for a size.
        site: the network that it needs, which is intended with it where there is none.
    """

    job: str
    epoch: int
    account: str
    offer: dict[str, Any]
    lifetime: timedelta
    hard_end_by: HardEnd
    limit: str = "max-lifetime"
    budget: str | None = None
    hold: int = 0
    site: Site | None = None
    disk_gb: int | None = None


def intend(db: Connection, wish: Wish, owner: str, now: datetime) -> Lease:
    """The new lease, INTENDED, written with its event and its hold in the caller's transaction.

    Raises:
        budget.OverBudget: the hold does not fit any more; the caller's transaction must not be committed.
    """
    id_ = new_id("lease", now, secrets.randbits(CHANCE_BITS))
    token = str(uuid.uuid4())
    hard_end = now + wish.lifetime
    offer = wish.offer
    price = offer.get("price_per_hour") or {}
    order = Order(
        token=token, lease=id_, owner=owner, cloud=offer["cloud"], region=offer["region"], zone=offer["zone"],
        instance_type=offer["instance_type"], purchase=offer["purchase"], hard_end=hard_end.isoformat(),
        tags=tags.write(tags.Tags(owner, id_, token, hard_end, wish.job, wish.epoch, wish.account,
                                  offer.get("price_per_hour"))),
        gpus=float(offer.get("gpus") or 0), price=price.get("amount"), currency=price.get("currency"),
        price_status=offer.get("price_status"), price_cap=offer.get("billing", {}).get("price_cap"),
        disks=(Disk(wish.disk_gb),) if wish.disk_gb else (),
    )  # fmt: skip
    lease = Lease(
        id=id_, token=token, kind="instance", state=LeaseState.INTENDED, job=wish.job, epoch=wish.epoch,
        account=wish.account, offer=offer, order=order.to_json(), wanted=True, created_at=now, state_since=now,
        hard_end=hard_end, hard_end_by=wish.hard_end_by.value, wake_at=now, limit=wish.limit, budget=wish.budget,
        hold=wish.hold if wish.budget else 0,
    )  # fmt: skip
    if wish.site is not None:
        networks.require(db, wish.site, offer, owner, now)
    budget.take(db, wish.budget, lease.hold)
    records.insert(db, lease)
    records.append_event(db, now, ACTOR, "lease-intended", id_, job=wish.job, new=LeaseState.INTENDED,
                         data={"offer": offer, "token": token, "hard_end": hard_end.isoformat(), "limit": wish.limit,
                               "hold": lease.hold})  # fmt: skip
    return lease


def let_go(db: Connection, lease: Lease, reason: EndReason, now: datetime) -> None:
    """Have a lease ended, for this reason unless one stands already; committed before anything is ended."""
    if lease.wanted and lease.state not in LEASE_CLOSED:
        records.append_event(db, now, ACTOR, "lease-unwanted", lease.id, job=lease.job, cause=reason.value)
    records.update_lease(db, lease, replace(lease, wanted=False, end_reason=lease.end_reason or reason))
    if lease.wake_at is not None:
        records.wake(db, schema.lease, lease.id, now)

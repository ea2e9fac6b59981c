"""Rows for what was found without one: adopted from its tags, or a surplus thing on its way out."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import replace
from datetime import datetime
from typing import Any

from tradewind.domain.records import Lease
from tradewind.domain.states import EndReason, LeaseState
from tradewind.leasing import networks
from tradewind.leasing.tags import Tags
from tradewind.ports.compute import Compute, HardEnd, Instance, Leftover


def accepted_data(lease: Lease) -> dict[str, object]:
    """What the ledger needs to know of a lease that a cloud has, all of it in the event."""
    billing = lease.offer.get("billing", {})
    return {
        "cloud_id": lease.cloud_id, "paid_from": lease.paid_from.isoformat() if lease.paid_from else None,
        "offer": lease.offer, "price_per_hour": lease.offer.get("price_per_hour"),
        "granularity_s": billing.get("granularity_s", 1.0), "minimum_s": billing.get("minimum_s", 0.0),
        "on_demand_price_per_hour": billing.get("on_demand_price_per_hour"),
    }  # fmt: skip


def beside(lease: Lease, instance: Instance, reason: EndReason, now: datetime, before: int = 0) -> Lease:
    """The row of a machine that was made beside a lease's own, RELEASING; ``before`` counts the rows that it had.

    Its id and token follow from the machine, so that two who find it at once cannot both write it down.
    """
    return replace(
        lease, id=_beside_id(lease.id, instance.id, before), token=_beside_token(lease.id, instance.id, before),
        state=LeaseState.RELEASING, wanted=False, end_reason=reason, cloud_id=instance.id, state_since=now,
        created_at=now, wake_at=now, paid_from=_paid_from(lease, instance), paid_to=instance.ended_at, looks=0,
        looked_since=None, node=None, contact_at=None, last_error=None, faults=0, fault_kind=None, hold=0,
    )  # fmt: skip


def _paid_from(lease: Lease, instance: Instance) -> datetime:
    """A machine that its lease was thought rid of is paid on from there; any other from its launch."""
    if lease.cloud_id == instance.id and lease.paid_to is not None:
        return max(lease.paid_to, instance.launched_at)
    return instance.launched_at


def tagged(lease: str) -> str:
    """The lease that the tags of a row's things name: of a row beside another one the other."""
    return lease.split("+", maxsplit=1)[0]


def _beside_id(lease: str, cloud_id: str, before: int) -> str:
    return f"{tagged(lease)}+{hashlib.sha256(f'{cloud_id} {before}'.encode()).hexdigest()[:8]}"


def _beside_token(lease: str, cloud_id: str, before: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{tagged(lease)} {cloud_id} {before}"))


def left_behind(
    lease: Lease | None, left: Leftover, account: str, compute: Compute, now: datetime, before: int
) -> Lease:
    """The row of a leftover, RELEASING; ``lease`` is the closed row of whose machine it was, if that is known."""
    id_, token = _beside_id(left.lease, left.id, before), _beside_token(left.lease, left.id, before)
    offer = {"cloud": compute.name, "region": None, "zone": None, "instance_type": None, "purchase": None}
    return Lease(
        id=id_, token=token, kind=left.kind, state=LeaseState.RELEASING, job=lease.job if lease else "",
        epoch=lease.epoch if lease else 0, account=account, offer=offer, order="", wanted=False, created_at=now,
        state_since=now, hard_end=now, hard_end_by=compute.caps.hard_end.value, wake_at=now, sent="maybe",
        cloud_id=left.id, end_reason=EndReason.ORPHAN,
    )  # fmt: skip


def adopted(told: Tags, instance: Instance, compute: Compute, account: str, now: datetime) -> Lease:
    """The row of a machine that has none, from its tags: PENDING until it answers, its hard end kept."""
    kind = networks.KIND if compute.caps.hard_end is HardEnd.CONTROL_PLANE else "instance"
    offer: dict[str, Any] = {
        "cloud": compute.name, "region": instance.region, "zone": instance.zone,
        "instance_type": instance.instance_type, "purchase": instance.purchase, "gpus": None, "gpu": None,
        "price_per_hour": told.price_per_hour,
    }  # fmt: skip
    return Lease(
        id=told.lease, token=told.token, kind=kind, state=LeaseState.PENDING, job=told.job, epoch=told.epoch,
        account=account, offer=offer, order="", wanted=True, created_at=now, state_since=now, hard_end=told.expires,
        hard_end_by=compute.caps.hard_end.value, wake_at=now, sent="maybe", cloud_id=instance.id,
        paid_from=instance.launched_at, paid_to=instance.ended_at,
    )  # fmt: skip

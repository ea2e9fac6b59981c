"""Leases as ``leases`` and ``sweep`` tell them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tradewind.app.accounts import REHEARSAL, kind_of, region_of
from tradewind.app.views.jobs import time_scale
from tradewind.app.views.values import instant, money_json
from tradewind.domain.money import Money
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED, LeaseState
from tradewind.leasing import networks
from tradewind.leasing.release import ALERT_AFTER, ALERT_LOOKS
from tradewind.leasing.sweep import Checked, Remnant, Stray


def lease_json(lease: Lease, job: Job | None, cost: Money | None, now: datetime) -> dict[str, Any]:
    """One element of ``leases --json``."""
    offer = lease.offer
    node = {**lease.node, "contact": instant(lease.contact_at)} if lease.node else None
    return {
        "lease": lease.id, "kind": lease.kind, "state": lease.state.value,
        "end_reason": lease.end_reason.value if lease.end_reason else None, "job": lease.job or None,
        "cloud": offer["cloud"], "region": offer["region"], "zone": offer["zone"],
        "instance_type": offer["instance_type"], "purchase": offer["purchase"], "cloud_id": lease.cloud_id,
        "price_per_hour": offer.get("price_per_hour"), "requested_at": instant(lease.requested_at),
        "paid_from": instant(lease.paid_from), "paid_to": instant(lease.paid_to),
        "hard_end": instant(lease.hard_end), "hard_end_by": lease.hard_end_by,
        "reclaim_at": instant(lease.reclaim_at), "cost_so_far": money_json(cost), "node": node,
        "why_open": why_open(lease, job, now), "time_scale": time_scale(job) if job else 1,
        "rehearsal": job.rehearsal if job else kind_of(lease.account) == REHEARSAL, "account": lease.account,
        "limit": lease.limit, "faults": lease.faults, "fault_kind": lease.fault_kind,
    }  # fmt: skip


def why_open(lease: Lease, job: Job | None, now: datetime) -> str | None:
    """Why a lease is open, as a coded reason (the words' ``open-…``); the worst that is known of it comes first."""
    if lease.state in LEASE_CLOSED:
        return None
    if lease.faults and lease.fault_kind == "auth":
        return f"auth account={lease.account}"
    if lease.state is LeaseState.RELEASING:
        reason = lease.end_reason.value if lease.end_reason else "done"
        return f"not-ending tries={tries(lease)} reason={reason}" if not_ending(lease, now) else f"ending {reason=!s}"
    if lease.state in (LeaseState.UNKNOWN, LeaseState.SUSPECT):
        return lease.state.value.lower()
    if lease.kind == networks.KIND:
        return "network"
    if job is None:
        return f"no-job job={lease.job}" if lease.job else "nobody"
    return f"{'job-ended' if job.state in JOB_ENDED else 'job'} job={job.id} state={job.state.value}"


def tries(lease: Lease) -> int:
    """How often the end of a lease was asked for and not seen."""
    return lease.looks + lease.faults


def not_ending(lease: Lease, now: datetime) -> bool:
    """Whether a lease should long have ended."""
    ending = lease.state is LeaseState.RELEASING
    return ending and (tries(lease) >= ALERT_LOOKS or now - lease.state_since >= ALERT_AFTER)


def stray_json(stray: Stray) -> dict[str, Any]:
    """A thing of ours that no open row explains, as a lease: what its tags and its cloud do not tell is null."""
    instance, told = stray.instance, stray.told
    return {
        "lease": told.lease, "kind": kind_of_thing(stray.account), "state": LeaseState.UNKNOWN.value,
        "end_reason": None, "job": told.job or None,
        "cloud": stray.lease.offer["cloud"] if stray.lease else kind_of(stray.account),
        "region": instance.region, "zone": instance.zone, "instance_type": instance.instance_type,
        "purchase": instance.purchase, "cloud_id": instance.id, "price_per_hour": told.price_per_hour,
        "requested_at": None, "paid_from": instant(instance.launched_at), "paid_to": instant(instance.ended_at),
        "hard_end": instant(told.expires), "hard_end_by": None, "reclaim_at": instant(instance.reclaim_at),
        "cost_so_far": None, "node": {"address": instance.address, "contact": None, "pgid": instance.pgid},
        "why_open": f"stray-{stray.why}", "time_scale": None, "rehearsal": None, "account": stray.account,
        "limit": None, "faults": 0, "fault_kind": None,
    }  # fmt: skip


def kind_of_thing(account: str) -> str:
    """What an account rents: machines, or networks."""
    return "network" if account.endswith(networks.account_of("")) else "instance"


def remnant_json(remnant: Remnant) -> dict[str, Any]:
    """A leftover that no open row explains, as a lease: its cloud tells no more than its kind and its lease."""
    unknown = (
        "end_reason", "region", "zone", "instance_type", "purchase", "price_per_hour", "requested_at", "paid_from",
        "paid_to", "hard_end", "hard_end_by", "reclaim_at", "cost_so_far", "node", "time_scale", "rehearsal", "limit",
        "fault_kind",
    )  # fmt: skip
    lease = remnant.lease
    return dict.fromkeys(unknown) | {
        "lease": remnant.left.lease, "kind": remnant.left.kind, "state": LeaseState.UNKNOWN.value,
        "job": lease.job if lease else None, "cloud": lease.offer["cloud"] if lease else kind_of(remnant.account),
        "cloud_id": remnant.left.id, "why_open": "stray-left-behind", "account": remnant.account, "faults": 0,
    }  # fmt: skip


def checked_json(each: Checked) -> dict[str, Any]:
    """One place that was looked at."""
    return {
        "cloud": each.cloud, "account": each.account, "region": each.region or region_of(each.account),
        "complete": each.complete, "seen_at": instant(each.seen_at),
    }  # fmt: skip

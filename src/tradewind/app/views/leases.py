"""Leases as ``leases`` and ``sweep`` tell them."""

from __future__ import annotations

from typing import Any

from tradewind.app.views.book import Book, instant, money_json
from tradewind.app.views.jobs import time_scale
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import LEASE_CLOSED
from tradewind.leasing.sweep import Stray, Swept


def lease_json(lease: Lease, job: Job | None, book: Book | None) -> dict[str, Any]:
    """One element of ``leases --json``."""
    offer = lease.offer
    costs = [line.money for line in book.usage if line.lease == lease.id and line.money] if book else []
    node = {**lease.node, "contact": instant(lease.contact_at)} if lease.node else None
    return {
        "lease": lease.id, "kind": lease.kind, "state": lease.state.value,
        "end_reason": lease.end_reason.value if lease.end_reason else None, "job": lease.job,
        "cloud": offer["cloud"], "region": offer["region"], "zone": offer["zone"],
        "instance_type": offer["instance_type"], "purchase": offer["purchase"], "cloud_id": lease.cloud_id,
        "price_per_hour": offer.get("price_per_hour"), "requested_at": instant(lease.requested_at),
        "paid_from": instant(lease.paid_from), "paid_to": instant(lease.paid_to),
        "hard_end": instant(lease.hard_end), "hard_end_by": lease.hard_end_by,
        "reclaim_at": instant(lease.reclaim_at), "cost_so_far": money_json(costs[0]) if costs else None,
        "node": node, "why_open": _why_open(lease, job), "time_scale": time_scale(job) if job else 1,
        "rehearsal": job.rehearsal if job else False, "account": lease.account,
    }  # fmt: skip


def _why_open(lease: Lease, job: Job | None) -> str | None:
    if lease.state in LEASE_CLOSED:
        return None
    if not lease.wanted:
        return f"being released: {lease.end_reason.value if lease.end_reason else 'no longer wanted'}"
    return f"{lease.job} is {job.state.value}" if job else f"{lease.job} is not known here"


def stray_json(stray: Stray) -> dict[str, Any]:
    """A thing of ours without an open row, as a lease: what is not known of it is null."""
    instance = stray.instance
    why = "no row explains it" if stray.why == "no-row" else "its lease was closed"
    return {
        "lease": instance.lease, "kind": "instance", "state": "UNKNOWN", "end_reason": None,
        "job": instance.tags.get("tradewind:job"), "cloud": stray.account, "region": None, "zone": None,
        "instance_type": None, "purchase": None, "cloud_id": instance.id, "price_per_hour": None,
        "requested_at": None, "paid_from": instant(instance.launched_at), "paid_to": instant(instance.ended_at),
        "hard_end": instance.tags.get("tradewind:expires"), "hard_end_by": None,
        "reclaim_at": instant(instance.reclaim_at), "cost_so_far": None,
        "node": {"address": instance.address, "contact": None, "pgid": instance.pgid}, "why_open": why,
        "time_scale": None, "rehearsal": None, "account": stray.account,
    }  # fmt: skip


def sweep_json(swept: Swept) -> dict[str, Any]:
    """The object of ``sweep --json``."""
    return {
        "checked": [
            {"cloud": each.account, "account": each.account, "region": None, "complete": each.complete,
             "seen_at": instant(each.seen_at)}
            for each in swept.checked
        ],
        "found": [stray_json(each) for each in swept.strays],
        "ended": list(swept.ended),
    }  # fmt: skip

"""The pools that a job may rent in, as its plan chose them; the first is the chosen one. Pure.

A pool names the ``account`` that rents there, where it is not the job's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tradewind.domain.records import Job, Lease

PoolJson = dict[str, Any]
_SAME = ("cloud", "region", "zone", "instance_type", "purchase")


def pools_of(job: Job) -> list[PoolJson]:
    """The pools, each with its offer; of a job without a plan the one offer that it was submitted with."""
    return job.settings.get("pools") or [{"offer": job.settings["offer"]}]


def account_of(job: Job, pool: PoolJson) -> str:
    """The account that rents in a pool."""
    return str(pool.get("account", job.account))


def steered(job: Job) -> bool:
    """Whether there is anything to decide: several pools, so that the policy is asked."""
    return len(pools_of(job)) > 1


def pool_index(job: Job, lease: Lease) -> int | None:
    """The pool of which a lease is; None for one that the job's plan does not know, as an adopted one."""
    return next((place for place, pool in enumerate(pools_of(job)) if _same(pool["offer"], lease.offer)), None)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in _SAME)


def notice_seconds(job: Job, lease: Lease) -> float:
    """The warning before a reclaim where the lease is."""
    place = pool_index(job, lease)
    own = pools_of(job)[place].get("notice_s") if place is not None else None
    return float(job.settings["notice_s"] if own is None else own)


def name_of(pool: PoolJson) -> str:
    """``aws us-east-2a p3.2xlarge spot``."""
    offer = pool["offer"]
    parts = (offer["cloud"], offer.get("zone") or offer.get("region"), offer.get("instance_type"), offer["purchase"])
    return " ".join(str(part).replace("_", "-") for part in parts if part)


def placed(job: Job, pool: int) -> Job:
    """The job with the pool noted in which it rents now, for those who tell of it."""
    return replace(job, measures={**job.measures, "pool": pool}) if steered(job) else job


def offer_of(job: Job) -> dict[str, Any]:
    """The offer on which the job is, was, or will be first."""
    found: dict[str, Any] = pools_of(job)[int(job.measures.get("pool", 0))]["offer"]
    return found

"""Limits: how long the next lease may live, and when a running job has to stop so that its limit holds. Pure.

Every limit becomes the hard end of a lease, so that it holds without us: the budget, ``schedule.max_duration``, the
longest lifetime, and the deadline of a job that may pass its budget until then. The job is asked to checkpoint before.
The hard end of a lease stays as it was granted: when its limit was raised meanwhile, or money came free beside it, the
job checkpoints at that end as well, and goes on with another lease instead of expiring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tradewind.domain.records import Budget, Job, Lease
from tradewind.jobs.tempo import deadline_at
from tradewind.leasing.budget import affordable, cost_of, paid, time_scale

GRACE_SECONDS = 30.0  # between asking a job to stop and killing it
MARGIN_SECONDS = 10.0  # for the last reading and the outputs
_WORTH_RENTING = timedelta(seconds=10)  # a budget that pays for less is used up
_WORTH_FOLLOWING = 3 * timedelta(seconds=GRACE_SECONDS + MARGIN_SECONDS)  # less would end before it began


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the next lease may be: its lifetime, what set it, and what it may cost in millionths."""

    lifetime: timedelta
    limit: str
    hold: int


def allowance(
    job: Job, leases: Sequence[Lease], budget: Budget | None, now: datetime, offer: dict[str, Any] | None = None
) -> Allowance:
    """The allowance of a job's next lease, of ``offer`` (None: the one that was planned first); a lifetime of nothing
    when a limit is reached.
    """
    offer, scale = offer or job.settings["offer"], time_scale(job)
    whole = timedelta(seconds=float(job.settings["max_lifetime_s"]))
    spans = [(whole, "max-lifetime")]
    if job.workload.get("schedule", {}).get("max_duration"):
        used = sum((paid(lease, now) for lease in leases), timedelta(0))
        spans.append((whole - used, "max-duration"))
    deadline = deadline_at(job)
    if deadline is not None and (now >= deadline or job.settings.get("until_deadline")):
        spans.append((deadline - now, "deadline"))
    left = budget.left if budget else None
    pays = affordable(offer, left, scale) if left is not None else None
    if pays is not None:
        spans.append((pays if pays >= _WORTH_RENTING else timedelta(0), "budget"))
    lifetime, limit = min(spans)
    hold = cost_of(offer, lifetime, scale)
    return Allowance(max(lifetime, timedelta(0)), limit, hold if left is None else min(hold, max(left, 0)))


def reached(job: Job, lease: Lease, budget: Budget | None, now: datetime) -> str | None:
    """The limit for which a running job is to stop now, early enough to checkpoint; None: it may go on."""
    if lease.paid_from is None:
        return None
    ends = [(lease.hard_end, lease.limit)]
    if budget is not None and budget.cap is not None:
        pays = affordable(lease.offer, budget.cap - budget.spent, time_scale(job))
        if pays is not None:
            ends.append((lease.paid_from + pays, "budget"))
    end, limit = min(ends)
    lead = min(timedelta(seconds=GRACE_SECONDS + MARGIN_SECONDS), (end - lease.paid_from) / 4)
    return limit if now >= end - lead else None


def continues(job: Job, lease: Lease, leases: Sequence[Lease], budget: Budget | None, now: datetime) -> bool:
    """Whether another lease may follow one that has come to its limit: the limit itself lies further away.

    Its ``hold`` counts as used up, for until its hard end it may be.
    """
    if lease.limit == "max-lifetime":  # as long as one lease may live, unless that was raised since
        raised = float(job.settings["max_lifetime_s"]) - (lease.hard_end - lease.created_at).total_seconds()
        if raised < _WORTH_FOLLOWING.total_seconds():
            return False
    return allowance(job, leases, budget, max(now, lease.hard_end), lease.offer).lifetime >= _WORTH_FOLLOWING

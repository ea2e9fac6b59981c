"""Extending a job that lives: another budget, another deadline; the policy reads them at its next decision, at once.

What was granted stays as it was: a machine keeps its hard end, and the money that is held until then. When it comes to
that end, the job checkpoints there and goes on with another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.app.finding import find_job
from tradewind.app.views.values import instant
from tradewind.catalog import rates
from tradewind.domain.billing import millionths
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money
from tradewind.domain.records import Budget, Job, Lease
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED, JobState
from tradewind.jobs.tempo import deadline_at, elapsed, real
from tradewind.leasing.budget import cost_of, paid, time_scale
from tradewind.store import budgets, records, schema

_OVER = (JobState.FINISHING, JobState.STOPPING)


@dataclass(frozen=True, slots=True)
class Limits:
    """What is asked for; None: it stays. ``deadline`` is an instant, or planned seconds since the submit."""

    budget: Money | None = None
    deadline: float | datetime | None = None


def extend(db: Connection, name: str, limits: Limits, table: rates.Table, actor: str, now: datetime) -> str:
    """Set the limits in the caller's transaction, with their event; the job's id.

    Raises:
        NotFound: as ``finding.find_job``.
        BadInput: ``extend-nothing``, ``extend-ended``, ``deadline-over``, ``budget-not-limiting``, ``budget-too-small``
            (budget, spent, held), ``limit-not-convertible``, ``extend-no-price``, ``extend-mixed-currencies``.
    """
    job = find_job(db, name)
    if limits.budget is None and limits.deadline is None:
        raise BadInput("extend-nothing", job=job.id)
    if job.state in JOB_ENDED or job.state in _OVER:
        raise BadInput("extend-ended", job=job.id, state=job.state.value)
    told: dict[str, Any] = {}
    extended = job
    if limits.deadline is not None:
        extended, told["deadline"] = _later(extended, limits.deadline, now)
    if limits.budget is not None:
        extended, told["budget"] = _paid(db, extended, limits.budget, table, now)
    records.update_job(db, job, extended)
    records.append_event(db, now, actor, "job-extended", job.id, job=job.id, data=told)
    records.wake(db, schema.job, job.id, now)
    return job.id


def _later(job: Job, deadline: float | datetime, now: datetime) -> tuple[Job, dict[str, str | None]]:
    """The job with its deadline moved; the lifetime of its next lease moves along where that bound it."""
    at = deadline if isinstance(deadline, datetime) else job.submitted_at + timedelta(seconds=deadline)
    if at - job.submitted_at <= elapsed(job, now):
        over = job.submitted_at + elapsed(job, now)
        raise BadInput("deadline-over", deadline=instant(at), now=instant(over))
    before = job.settings.get("deadline")
    settings = {**job.settings, "deadline": at.isoformat()}
    if not job.workload.get("schedule", {}).get("max_duration"):
        left = real(job, at - job.submitted_at - elapsed(job, now)).total_seconds()
        longer = (at - datetime.fromisoformat(before)).total_seconds() if before else 0.0
        lifetime = float(job.settings["max_lifetime_s"])
        settings["max_lifetime_s"] = max(
            lifetime, left, lifetime + real(job, timedelta(seconds=longer)).total_seconds()
        )
    moved = replace(job, settings=settings)
    return moved, {"from": instant(datetime.fromisoformat(before)) if before else None, "to": instant(at)}


def _paid(db: Connection, job: Job, limit: Money, table: rates.Table, now: datetime) -> tuple[Job, dict[str, Any]]:
    """The job with its budget set; what it has cost, and what its machines may cost until their hard end, fits in."""
    price = job.settings["offer"].get("price_per_hour")
    if not price:
        raise BadInput("extend-no-price", job=job.id)
    if job.settings.get("until_deadline"):
        raise BadInput("budget-not-limiting", job=job.id)
    found = rates.converted(limit, price["currency"], table)
    if found is None:
        raise BadInput("limit-not-convertible", money=limit, currency=price["currency"])
    cap, name = millionths(found[0]), job.settings.get("budget")
    known = budgets.budget(db, name) if name else None
    if known is None:
        known = _opened(db, job, price["currency"], now)
    if cap < known.held + known.spent:
        raise BadInput("budget-too-small", budget=limit, spent=_money(known.spent, known.currency),
                       held=_money(known.held, known.currency))  # fmt: skip
    budgets.set_cap(db, known.id, cap)
    before = None if known.cap is None else _money(known.cap, known.currency).to_json()
    return replace(job, settings={**job.settings, "budget": known.id}), {"from": before, "to": found[0].to_json()}


def _opened(db: Connection, job: Job, currency: str, now: datetime) -> Budget:
    """A budget for a job that had none: what it has spent is booked, what its machines may still cost is held."""
    leases, scale = records.leases(db, job=job.id), time_scale(job)
    if any((each.offer.get("price_per_hour") or {}).get("currency", currency) != currency for each in leases):
        raise BadInput("extend-mixed-currencies", job=job.id, currency=currency)
    spent = sum(cost_of(each.offer, paid(each, now), scale) for each in leases if each.state in LEASE_CLOSED)
    held = 0
    for lease in leases:
        if lease.state not in LEASE_CLOSED:
            hold = cost_of(lease.offer, lease.hard_end - (lease.paid_from or now), scale)
            records.update_lease(db, lease, replace(lease, budget=job.id, hold=hold))
            held += hold
    opened = Budget(job.id, currency, None, held, spent)
    budgets.open_budget(db, opened)
    return opened


def _money(amount: int, currency: str) -> Money:
    return Money(Decimal(amount) / 1_000_000, currency)


def limits_of(job: Job, leases: Sequence[Lease], budget: Budget | None) -> dict[str, Any]:
    """``limits`` of the show object: what binds the job, and the hard end that its machine was granted and keeps."""
    live = [each for each in leases if each.state not in LEASE_CLOSED and each.wanted]
    newest = live[-1] if live else None
    return {
        "deadline": instant(deadline_at(job)), "budget": _budget_json(budget), "lease": newest.id if newest else None,
        "hard_end": instant(newest.hard_end) if newest else None, "hard_end_by": newest.limit if newest else None,
    }  # fmt: skip


def _budget_json(budget: Budget | None) -> dict[str, Any] | None:
    if budget is None:
        return None
    amounts = {"limit": budget.cap, "spent": budget.spent, "held": budget.held}
    return {name: None if each is None else _money(each, budget.currency).to_json() for name, each in amounts.items()}

"""What a lease may cost is held before it is asked for, and settled when it is closed. Amounts in millionths."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.domain.billing import billed_on, millionths, money_for
from tradewind.domain.money import Money
from tradewind.domain.records import Job, Lease
from tradewind.store import budgets, records


class OverBudget(Exception):
    """The budget does not hold what the lease may cost; nothing was written."""


def cost_of(offer: dict[str, Any], span: timedelta, scale: float = 1.0) -> int:
    """What ``span`` of an offer costs its budget; 0 without a price. ``scale``: billed seconds for one real second."""
    price = _price(offer)
    if price is None:
        return 0
    seconds = billed_on(offer, max(span.total_seconds(), 0.0) * scale)
    return millionths(money_for(price, seconds))


def _price(offer: dict[str, Any]) -> Money | None:
    """An hour in the budget's currency, at the dated rate with which the job was submitted; None without a price."""
    price, rate = offer.get("price_per_hour"), (offer.get("billing") or {}).get("rate")
    if not price or not rate:
        return Money.from_json(price) if price else None
    return Money(Decimal(price["amount"]) * Decimal(rate["value"]), rate["quote"])


def affordable(offer: dict[str, Any], amount: int, scale: float = 1.0) -> timedelta | None:
    """For how long an amount pays an offer; None without a price."""
    price = _price(offer)
    if price is None or not price.amount:
        return None
    billing = offer.get("billing") or {}
    granularity, minimum = float(billing.get("granularity_s") or 1.0), float(billing.get("minimum_s") or 0.0)
    per_second = float(price.amount) * 1e6 / 3600
    whole = int(max(amount, 0) / per_second / granularity) * granularity  # seconds of a granule begun are paid whole
    return timedelta(microseconds=int(whole / scale * 1e6) if whole >= minimum else 0)


def take(db: Connection, budget: str | None, amount: int) -> None:
    """Hold an amount for a lease that is being intended.

    Raises:
        OverBudget: it does not fit under the cap any more.
    """
    if budget is not None and not budgets.hold(db, budget, amount):
        raise OverBudget(budget)


def settle(db: Connection, lease: Lease, scale: float) -> None:
    """Give back what a closed lease held and book what it cost."""
    if lease.budget is None:
        return
    spent = 0
    if lease.paid_from is not None and lease.paid_to is not None:
        spent = cost_of(lease.offer, lease.paid_to - lease.paid_from, scale)
    budgets.settle(db, lease.budget, lease.hold, spent)


def time_scale(job: Job) -> float:
    """Billed seconds for one real second: 1 outside rehearsals, and until a rehearsal has measured it."""
    given = job.settings.get("time_scale", 1)
    return float(job.measures.get("time_scale") or (1.0 if given == "auto" else given))


def scale_of(db: Connection, job: str) -> float:
    """The time scale of a job by its id; 1 for one that the store does not know."""
    known = records.job(db, job)
    return time_scale(known) if known else 1.0


def paid(lease: Lease, now: datetime) -> timedelta:
    """For how long a lease has been paid."""
    return (lease.paid_to or now) - lease.paid_from if lease.paid_from else timedelta(0)

"""A job's book: what its leases cost, from events alone, in the currency in which the job is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tradewind.catalog.rates import rate as rate_of
from tradewind.domain.money import Money, Rate
from tradewind.domain.records import Event, Job, Usage
from tradewind.ledger.cost import JobCost, costs
from tradewind.ledger.usage import usage

CURRENCIES = ("USD", "CNY", "EUR")


@dataclass(frozen=True, slots=True)
class Book:
    """The usage of one job up to an instant. ``costs`` is None before anything was accepted."""

    job: Job
    usage: tuple[Usage, ...]
    costs: JobCost | None
    now: datetime

    def cost(self) -> Money | None:
        """The whole cost in the job's currency; None without a price, or without a rate that it needs."""
        if not self.job.settings["offer"].get("price_per_hour"):
            return None
        if self.costs is None or not self.costs.lines:
            currency = currency_of(self.job)
            return Money.from_json({"amount": "0", "currency": currency}) if currency else None
        return self.costs.total_in.money if self.costs.total_in else None

    def hours(self, scale: float) -> float:
        """Hours used: real hours of the leases × the time scale, before the offer's rounding up."""
        used = ((line.ended_at or self.now) - line.started_at for line in self.usage)
        return sum(each.total_seconds() for each in used) * scale / 3600


def book_of(job: Job, events: Sequence[Event], now: datetime, currency: str | None = None) -> Book:
    """The book of one job from its own events; totals in ``currency``, or in the job's own."""
    wanted = currency or currency_of(job)
    told = costs(events, now, lambda _: wanted, rates_to(wanted) if wanted else ())
    return Book(job, tuple(usage(events, now)), told[0] if told else None, now)


def currency_of(job: Job) -> str | None:
    """Of ``budget.limit``, else of the offer; None when nothing has a price."""
    limit = job.workload.get("budget", {}).get("limit")
    if limit:
        return str(limit).split()[-1]
    price = job.settings["offer"].get("price_per_hour")
    return price["currency"] if price else None


def rates_to(currency: str) -> tuple[Rate, ...]:
    """The known rates into one currency."""
    found = (rate_of(each, currency) for each in CURRENCIES if each != currency)
    return tuple(rate for rate in found if rate is not None)

"""Cost: usage by job, summed by currency and in one, beside what on-demand would have cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from tradewind.domain.money import Money, Rate, total
from tradewind.domain.records import Event, Usage
from tradewind.ledger.usage import PricedAt, usage


@dataclass(frozen=True, slots=True)
class TotalIn:
    """A total in one currency, with the dated rates that it took: none when all was paid in it."""

    money: Money
    rates: tuple[Rate, ...]

    def to_json(self) -> dict[str, Any]:
        """``total_in`` of ``cost --json``; of several rates the oldest is told."""
        rate = min(self.rates, key=lambda rate: rate.as_of, default=None)
        return {
            "money": self.money.to_json(),
            "rate": str(rate.value) if rate else None,
            "rate_date": rate.as_of if rate else None,
        }


@dataclass(frozen=True, slots=True)
class JobCost:
    """What a job cost. None: not known, because of a missing price or rate; ``total`` holds what is known."""

    job: str
    lines: tuple[Usage, ...]
    total: tuple[Money, ...]
    total_in: TotalIn | None
    on_demand_total: Money | None
    saved: Money | None

    def to_json(self) -> dict[str, Any]:
        """The money of one element of ``jobs`` in ``cost --json``."""
        return {
            "job": self.job,
            "lines": [_line(each) for each in self.lines],
            "total": [each.to_json() for each in self.total],
            "total_in": self.total_in.to_json() if self.total_in else None,
            "on_demand_total": self.on_demand_total.to_json() if self.on_demand_total else None,
            "saved": self.saved.to_json() if self.saved else None,
        }


def costs(
    events: Iterable[Event], now: datetime, currency_of: Callable[[str], str | None], rates: Sequence[Rate] = ()
) -> list[JobCost]:
    """The cost of every job with a lease, in the order of their first leases.

    ``currency_of`` a job (by id) is that of its budget or chosen offer; None: that of its first priced line.
    """
    history = list(events)
    paid, instead = usage(history, now), usage(history, now, PricedAt.ON_DEMAND)
    jobs = dict.fromkeys(line.job for line in paid)
    return [
        _job_cost(
            job,
            tuple(line for line in paid if line.job == job),
            [line for line in instead if line.job == job],
            currency_of(job),
            rates,
        )
        for job in jobs
    ]


def total_in(moneys: Sequence[Money], currency: str, rates: Sequence[Rate]) -> TotalIn | None:
    """The sum in ``currency``; None when there is nothing to sum or a rate is missing."""
    whole, used = Money(Decimal(0), currency), list[Rate]()
    for money in moneys:
        if money.currency == currency:
            whole += money
            continue
        rate = next((rate for rate in rates if {rate.base, rate.quote} == {money.currency, currency}), None)
        if rate is None:
            return None
        whole += money.converted(rate)
        used += [rate] if rate not in used else []
    return TotalIn(whole, tuple(used)) if moneys else None


def _job_cost(
    job: str, lines: tuple[Usage, ...], instead: Sequence[Usage], currency: str | None, rates: Sequence[Rate]
) -> JobCost:
    sums = total(line.money for line in lines if line.money)
    currency = currency or next((line.money.currency for line in lines if line.money), None)
    whole = total_in(sums, currency, rates) if currency else None
    on_demand = _on_demand(lines, instead, currency, rates) if currency else None
    saved = on_demand - whole.money if on_demand and whole else None
    return JobCost(job, lines, sums, whole, on_demand, saved)


def _on_demand(lines: Sequence[Usage], instead: Sequence[Usage], currency: str, rates: Sequence[Rate]) -> Money | None:
    """The same billed seconds at on-demand prices; None when a lease that cost money has no such price."""
    priced = [other.money for line, other in zip(lines, instead, strict=True) if line.money]
    known = [money for money in priced if money]
    if len(known) < len(priced):
        return None
    whole = total_in(total(known), currency, rates)
    return whole.money if whole else None


def _line(line: Usage) -> dict[str, Any]:
    return {
        "lease": line.lease,
        "offer": line.offer,
        "from": line.started_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "to": line.ended_at.strftime("%Y-%m-%dT%H:%M:%SZ") if line.ended_at else None,
        "money": line.money.to_json() if line.money else None,
    }

"""Usage: what each lease cost, from the history alone.

Events read, by kind; all others are passed over:

    lease-accepted   paid_from, offer, price_per_hour, on_demand_price_per_hour, granularity_s, minimum_s
    lease-released   paid_to        lease-refused   paid_to        the money clock stops
    lease-releasing  paid_to        it stopped already, where the cloud told when the machine ended
    time-scale       value          of a job: seconds billed for each real second of its leases; the latest counts

Instants are ISO 8601 text, prices Money as JSON or None. A repeated event changes nothing, nor does the order in which
events are given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from tradewind.domain.billing import billed_seconds, money_for
from tradewind.domain.money import Money
from tradewind.domain.records import Event, Usage

OPENED = "lease-accepted"
ENDED = "lease-releasing"
CLOSED = frozenset({"lease-released", "lease-refused"})
SCALED = "time-scale"


class PricedAt(StrEnum):
    """Which price of the accepting event a lease is billed at."""

    PAID = "price_per_hour"
    ON_DEMAND = "on_demand_price_per_hour"


@dataclass(slots=True)
class _History:
    """The events that matter: the first opening and the first closing of each lease, the last scale of each job."""

    opened: dict[str, Event]
    closed: dict[str, Event]
    scale: dict[str | None, float]


def usage(events: Iterable[Event], now: datetime, priced_at: PricedAt = PricedAt.PAID) -> list[Usage]:
    """One line for each lease that was accepted, in the order of acceptance; open leases are billed up to ``now``.

    Billed seconds are real seconds × the job's time scale, rounded up to the granularity, and at least the minimum.
    Money is to a millionth; None where the lease has no such price.
    """
    history = _read(events)
    return [_line(history, event, now, priced_at) for event in history.opened.values()]


def _read(events: Iterable[Event]) -> _History:
    history = _History({}, {}, {})
    for event in sorted(events, key=lambda event: (event.at, event.id)):
        if event.kind == OPENED:
            history.opened.setdefault(event.what, event)
        elif event.kind in CLOSED or (event.kind == ENDED and event.data.get("paid_to")):
            history.closed.setdefault(event.what, event)
        elif event.kind == SCALED:
            history.scale[event.job] = float(event.data["value"])
    return history


def _line(history: _History, opened: Event, now: datetime, priced_at: PricedAt) -> Usage:
    data, closed = opened.data, history.closed.get(opened.what)
    start = _instant(data.get("paid_from"), opened.at)
    end = _instant(closed.data.get("paid_to"), closed.at) if closed else None
    real = ((end or max(now, start)) - start).total_seconds()
    seconds = billed_seconds(
        max(0.0, real) * history.scale.get(opened.job, 1.0),
        float(data.get("granularity_s") or 1.0),
        float(data.get("minimum_s") or 0.0),
    )
    price = Money.from_json(data[priced_at]) if data.get(priced_at) else None
    return Usage(
        lease=opened.what,
        job=opened.job or "",
        offer=data.get("offer") or {},
        started_at=start,
        ended_at=end,
        billed_seconds=seconds,
        unit_price=price,
        money=price and money_for(price, seconds),
    )


def _instant(value: Any, otherwise: datetime) -> datetime:
    return datetime.fromisoformat(value) if value else otherwise

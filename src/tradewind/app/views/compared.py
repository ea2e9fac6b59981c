"""Machines side by side as JSON: ways of buying, what a month costs, and renting against owning."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any

from tradewind.app.queries import CompareQuery
from tradewind.app.views.catalog import machine_json
from tradewind.app.views.values import rate_json
from tradewind.catalog.compare import HOURS_A_MONTH, Column, Way, compare
from tradewind.catalog.places import require_region
from tradewind.catalog.rates import Table, converted, rate, require_currency
from tradewind.catalog.rent_or_buy import MONEY_IN, Card, rent_or_buy
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.gpus import data_sheet
from tradewind.domain.money import Money, parse_money
from tradewind.domain.offer import PriceStatus, Purchase

Answer = dict[str, Any]
BY_USE = (Purchase.ON_DEMAND.value, Purchase.SPOT.value, Purchase.CAPACITY_BLOCK.value)


def compared(snapshot: Snapshot, query: CompareQuery, today: date, table: Table) -> Answer:
    """``{"columns", "rates", "hours_per_month", "region"}``; with a card's price, ``rent_or_buy`` in columns.

    Raises:
        BadInput: ``machine-unknown``, ``currency-unknown``, ``region-unknown``; ``rent-or-buy-unusable`` (why).
    """
    currency = require_currency(query.currency, table) if query.currency else None
    region = require_region(snapshot, query.region) if query.region else None
    found = compare(snapshot, query.names, today, currency, region, table)
    owning = _Owning(query, table) if query.card_price else None
    return {
        "columns": [
            {"asked": each.asked, "largest_of": each.largest_of, "machine": machine_json(each.machine),
             "region": each.region, "ways": [_way(way, query.hours_per_month) for way in each.ways],
             "rent_or_buy": owning.against(each) if owning else None}
            for each in found.columns
        ],
        "rates": [rate_json(each) for each in found.rates], "hours_per_month": query.hours_per_month,
        "region": region,
    }  # fmt: skip


def _way(way: Way, hours: float) -> Answer:
    """A way of buying, with what ``hours`` of use a month cost; a commitment is owed for all hours, used or not."""
    owed = Decimal(str(hours)) if way.purchase in BY_USE else HOURS_A_MONTH
    even = way.break_even_hours
    return {
        "purchase": way.purchase, "payment": way.payment, "low": way.low.to_json(), "high": way.high.to_json(),
        "month": {"low": (way.low * owed).to_json(), "high": (way.high * owed).to_json()}, "kind": way.kind,
        "price_status": way.status.value if way.status else None, "as_of": way.as_of, "source": way.source,
        "own": way.own, "break_even_hours": None if even is None else [int(each) for each in even],
    }  # fmt: skip


class _Owning:
    """Owning a card of the price asked with, against renting it."""

    def __init__(self, query: CompareQuery, table: Table) -> None:
        assert query.card_price is not None
        self._price = parse_money(query.card_price)
        require_currency(self._price.currency, table)
        self._watts = query.card_watts
        self._given = {name: Decimal(str(value)) for name, value in query.inputs.items()}
        self._table = table
        known = rate(MONEY_IN, self._price.currency, table)
        self._rate = known.value if known else None

    def against(self, column: Column) -> Answer | None:
        """What an hour costs either way, per GPU; null where no on-demand price or no power of the GPU is known."""
        machine, rent, watts = column.machine, self._rent(column), self._power(column)
        if rent is None or watts is None:
            return None
        found = rent_or_buy(Card(self._price, watts), rent, self._given, self._rate)
        return {
            "gpu": machine.gpu, "card_price": self._price.to_json(), "watts": float(watts),
            "own_hour": found.own_hour.to_json(), "rented_hour": found.rented_hour.to_json(),
            "even_utilisation": None if found.even_utilisation is None else float(found.even_utilisation),
            "even_hours_per_month": None if found.even_hours_a_month is None else int(found.even_hours_a_month),
            "inputs": [asdict(each) | {"value": float(each.value)} for each in found.inputs],
        }  # fmt: skip

    def _rent(self, column: Column) -> Money | None:
        """One GPU for an hour, on demand, in the card's currency."""
        usable = [way for way in column.ways
                  if way.purchase == Purchase.ON_DEMAND and way.status is not PriceStatus.EXPIRED]  # fmt: skip
        if not usable or not column.machine.gpus:
            return None
        each = Money(usable[0].low.amount / column.machine.gpus, usable[0].low.currency)
        there = converted(each, self._price.currency, self._table)
        return there[0] if there else None

    def _power(self, column: Column) -> Decimal | None:
        if self._watts is not None:
            return Decimal(str(self._watts))
        sheet = data_sheet(column.machine.gpu, column.machine.form)
        return Decimal(str(sheet.tdp_w)) if sheet and sheet.tdp_w else None

"""Dated exchange rates: given ones, their inverses, and those through one currency between."""

from __future__ import annotations

import csv
from decimal import Decimal
from functools import cache
from pathlib import Path

from tradewind.domain.money import Rate

_FILE = Path(__file__).parent / "data" / "exchange_rates.csv"
_PLACES = Decimal("0.00000001")  # of derived rates: finer than any listed one


def rate(base: str, quote: str) -> Rate | None:
    """How many units of ``quote`` one unit of ``base`` costs, with date and source; None when nobody says.

    A rate made of two others carries the older date and both sources.
    """
    if base == quote:
        return Rate(base, quote, Decimal(1), "", "the same currency")
    table = _given()
    if found := _direct(base, quote):
        return found
    for middle in sorted({each.base for each in table} | {each.quote for each in table}):
        first, second = _direct(base, middle), _direct(middle, quote)
        if first and second:
            value = (first.value * second.value).quantize(_PLACES)
            return Rate(base, quote, value, min(first.as_of, second.as_of), f"{first.source}; through {middle}")
    return None


def _direct(base: str, quote: str) -> Rate | None:
    for given in _given():
        if (given.base, given.quote) == (base, quote):
            return given
        if (given.base, given.quote) == (quote, base):
            return Rate(base, quote, (1 / given.value).quantize(_PLACES), given.as_of, f"{given.source}; inverted")
    return None


@cache
def _given() -> tuple[Rate, ...]:
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return tuple(
            Rate(row["base"], row["quote"], Decimal(row["value"]), row["as_of"], row["source"])
            for row in csv.DictReader(lines)
        )

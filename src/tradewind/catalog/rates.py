"""Dated exchange rates: given ones, their inverses, and those through one currency between."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from functools import cache
from pathlib import Path

from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money, Rate

_FILE = Path(__file__).parent / "data" / "exchange_rates.csv"
_PLACES = Decimal("0.00000001")  # of derived rates: finer than any listed one

Table = tuple[Rate, ...]


@cache
def given() -> Table:
    """The shipped rates."""
    return read_rates(_FILE.read_text(encoding="utf-8"))


def read_rates(text: str) -> Table:
    """Rates in CSV text with the columns base, quote, value, as_of, source. Put before :func:`given`, they win.

    Raises:
        ValueError, KeyError, ArithmeticError: the text is not of that shape.
    """
    return tuple(
        Rate(row["base"], row["quote"], Decimal(row["value"]), row["as_of"], row["source"])
        for row in csv.DictReader(io.StringIO(text))
    )


def rates_csv(table: Table) -> str:
    """The inverse of :func:`read_rates`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("base", "quote", "value", "as_of", "source"))
    writer.writerows((each.base, each.quote, each.value, each.as_of, each.source) for each in table)
    return text.getvalue()


def crossed(told: Table, currencies_: tuple[str, ...]) -> Table:
    """Every pair of the currencies by the rates told alone, so that none is found through an older rate."""
    pairs = ((base, quote) for base in currencies_ for quote in currencies_ if base < quote)
    return tuple(found for base, quote in pairs if (found := rate(base, quote, told)))


def currencies(table: Table | None = None) -> tuple[str, ...]:
    """The currencies that the rates speak of, in alphabetical order."""
    return tuple(sorted({name for each in _table(table) for name in (each.base, each.quote)}))


def require_currency(name: str, table: Table | None = None) -> str:
    """The currency that ``name`` means, whatever its case.

    Raises:
        BadInput: ``currency-unknown`` (name, nearest: all of them, there are few).
    """
    word = name.strip().upper()
    if word in currencies(table):
        return word
    raise BadInput("currency-unknown", name=name, nearest=", ".join(currencies(table)))


def rate(base: str, quote: str, table: Table | None = None) -> Rate | None:
    """How many units of ``quote`` one unit of ``base`` costs, with date and source; None when nobody says.

    A rate made of two others carries the older date and both sources. Without a table the shipped rates answer.
    """
    if base == quote:
        return Rate(base, quote, Decimal(1), "", "the same currency")
    table = _table(table)
    if found := _direct(base, quote, table):
        return found
    for middle in sorted({each.base for each in table} | {each.quote for each in table}):
        first, second = _direct(base, middle, table), _direct(middle, quote, table)
        if first and second:
            value = (first.value * second.value).quantize(_PLACES)
            return Rate(base, quote, value, min(first.as_of, second.as_of), f"{first.source}; through {middle}")
    return None


def converted(money: Money, currency: str, table: Table | None = None) -> tuple[Money, Rate] | None:
    """The sum in another currency and the dated rate it was converted by; None when nobody says the rate."""
    known = rate(money.currency, currency, table)
    return (Money(money.amount * known.value, currency).rounded(), known) if known else None


def _table(table: Table | None) -> Table:
    return given() if table is None else table


def _direct(base: str, quote: str, table: Table) -> Rate | None:
    for listed in table:
        if (listed.base, listed.quote) == (base, quote):
            return listed
        if (listed.base, listed.quote) == (quote, base):
            return Rate(base, quote, (1 / listed.value).quantize(_PLACES), listed.as_of, f"{listed.source}; inverted")
    return None

"""Money: a Decimal with a currency. Two currencies are never added; converting needs a dated rate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

from tradewind.domain.errors import BadInput

_TEXT = re.compile(r"^\s*(?:(?P<a>[\d.,]+)\s*(?P<b>[A-Za-z]{3})|(?P<c>[A-Za-z]{3})\s*(?P<d>[\d.,]+))\s*$")
_SYMBOLS = {"CNY": "¥", "USD": "$", "EUR": "€"}
SMALLEST = Decimal("0.000001")  # amounts are kept to a millionth, so that parts sum exactly to their total


@dataclass(frozen=True, slots=True)
class Rate:
    """One unit of ``base`` costs ``value`` units of ``quote`` on ``as_of`` (a date as known, ISO)."""

    base: str
    quote: str
    value: Decimal
    as_of: str
    source: str


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount in one currency (ISO 4217 code)."""

    amount: Decimal
    currency: str

    def __add__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.amount + other.amount, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.amount - other.amount, self.currency)

    def __mul__(self, factor: Decimal | int | float) -> Money:
        return Money(self.amount * Decimal(str(factor)), self.currency)

    def __lt__(self, other: Money) -> bool:
        self._same(other)
        return self.amount < other.amount

    def __le__(self, other: Money) -> bool:
        self._same(other)
        return self.amount <= other.amount

    def _same(self, other: Money) -> None:
        if self.currency != other.currency:
            raise ValueError(f"{self.currency} and {other.currency} need a dated rate to be added or compared")

    def rounded(self) -> Money:
        """The amount to a millionth, half to even."""
        return Money(self.amount.quantize(SMALLEST, rounding=ROUND_HALF_EVEN), self.currency)

    def converted(self, rate: Rate) -> Money:
        """The amount in the rate's other currency.

        Raises:
            ValueError: the rate does not speak of this currency.
        """
        if rate.base == self.currency:
            return Money(self.amount * rate.value, rate.quote).rounded()
        if rate.quote == self.currency:
            return Money(self.amount / rate.value, rate.base).rounded()
        raise ValueError(f"a rate {rate.base}/{rate.quote} does not convert {self.currency}")

    def to_json(self) -> dict[str, str]:
        """``{"amount": "12.34", "currency": "CNY"}``: the amount is plain decimal text, at least two places."""
        amount = self.amount.quantize(SMALLEST, rounding=ROUND_HALF_EVEN).normalize()
        if amount.as_tuple().exponent not in range(-6, -1):
            amount = amount.quantize(Decimal("0.01"))
        return {"amount": format(amount, "f"), "currency": self.currency}

    @classmethod
    def from_json(cls, value: dict[str, str]) -> Money:
        """The inverse of :meth:`to_json`."""
        return cls(Decimal(value["amount"]), value["currency"])

    def __str__(self) -> str:
        """For people: two decimals, more below one so that small sums are not shown as zero."""
        symbol = _SYMBOLS.get(self.currency, self.currency + " ")
        size = abs(self.amount)
        places = "0.01" if size >= 1 or size == 0 else "0.0001" if size >= Decimal("0.001") else "0.000001"
        return f"{symbol}{self.amount.quantize(Decimal(places), rounding=ROUND_HALF_UP):,f}"


def parse_money(text: str) -> Money:
    """``"30 CNY"``, ``"CNY 30"`` or ``"1,200.50 USD"`` as Money.

    Raises:
        BadInput: not a positive amount with a three-letter currency.
    """
    match = _TEXT.match(text)
    if match:
        number = (match["a"] or match["d"]).replace(",", "")
        currency = (match["b"] or match["c"]).upper()
        try:
            amount = Decimal(number)
        except InvalidOperation:
            amount = Decimal(0)
        if amount > 0:
            return Money(amount, currency)
    raise BadInput("money-unreadable", text=text)


def total(items: Iterable[Money]) -> tuple[Money, ...]:
    """The sums by currency, in alphabetical order; empty for nothing."""
    sums: dict[str, Decimal] = {}
    for item in items:
        sums[item.currency] = sums.get(item.currency, Decimal(0)) + item.amount
    return tuple(Money(sums[currency], currency) for currency in sorted(sums))

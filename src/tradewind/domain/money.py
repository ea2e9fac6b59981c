"""Money: a Decimal with a currency. Two currencies are never added; converting needs a dated rate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

from tradewind.domain.currencies_data import CURRENCIES, MEANT
from tradewind.domain.errors import BadInput

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+"  # a comma between thousands only: 1,5 is no number here
_TEXT = re.compile(rf"^\s*(?:(?P<a>{_NUMBER})\s*(?P<b>[A-Za-z]{{3}})|(?P<c>[A-Za-z]{{3}})\s*(?P<d>{_NUMBER}))\s*$")
_SYMBOLS = {"CNY": "¥", "USD": "$", "EUR": "€"}
LARGEST = Decimal(10) ** 12  # of a sum that somebody types: more is a slip of the pen
_WIDE = Context(prec=80)  # digits: a sum of absurd size is told, not refused
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
        return Money(self.amount.quantize(SMALLEST, ROUND_HALF_EVEN, _WIDE), self.currency)

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
        amount = self.amount.quantize(SMALLEST, ROUND_HALF_EVEN, _WIDE).normalize(_WIDE)
        if amount.as_tuple().exponent not in range(-6, -1):
            amount = amount.quantize(Decimal("0.01"), ROUND_HALF_EVEN, _WIDE)
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
        return f"{symbol}{self.amount.quantize(Decimal(places), ROUND_HALF_UP, _WIDE):,f}"


def parse_money(text: str) -> Money:
    """``"30 CNY"``, ``"CNY 30"`` or ``"1,200.50 USD"`` as Money.

    Raises:
        BadInput: ``money-unreadable`` (text, nearest): no amount with a three-letter currency; ``money-out-of-range``
            (text, most); ``currency-none`` (text, name, nearest): there is no such currency.
    """
    match = _TEXT.match(text)
    if match is None:
        raise BadInput("money-unreadable", text=text, nearest=_nearest(text))
    number = match["a"] or match["d"]
    currency = _known((match["b"] or match["c"]).upper(), number, text)
    amount = Decimal(number.replace(",", ""))
    if not SMALLEST <= amount <= LARGEST:
        raise BadInput("money-out-of-range", text=text, most=f"{LARGEST:,}")
    return Money(amount, currency)


def _known(currency: str, number: str, text: str) -> str:
    """The currency, if there is one of that code."""
    if currency in CURRENCIES:
        return currency
    from difflib import get_close_matches

    near = [MEANT[currency]] if currency in MEANT else get_close_matches(currency, _SYMBOLS, 1, 0.6)
    near = near or get_close_matches(currency, sorted(CURRENCIES), 1, 0.6)
    raise BadInput("currency-none", text=text, name=currency, nearest="".join(f"{number} {each}" for each in near))


def _nearest(text: str) -> str:
    """``300 CNY`` for ``300 元`` or ``¥300``; empty for no idea."""
    number = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    if number is None or "-" in text:
        return ""
    currency = (text[: number.start()] + text[number.end() :]).strip().upper()
    return f"{number[0]} {MEANT[currency]}" if currency in MEANT else ""


def total(items: Iterable[Money]) -> tuple[Money, ...]:
    """The sums by currency, in alphabetical order; empty for nothing."""
    sums: dict[str, Decimal] = {}
    for item in items:
        sums[item.currency] = sums.get(item.currency, Decimal(0)) + item.amount
    return tuple(Money(sums[currency], currency) for currency in sorted(sums))

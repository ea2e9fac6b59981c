"""Converting money between currencies by dated rates, directly or over one currency between."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tradewind.domain.money import Money, Rate


class Exchange:
    """Factors between currencies made from dated rates."""

    def __init__(self, rates: Sequence[Rate]) -> None:
        self.rates = tuple(rates)
        self._pairs = {(rate.base, rate.quote): rate.value for rate in rates}
        self._pairs |= {(rate.quote, rate.base): 1 / rate.value for rate in rates}

    def factor(self, source: str, target: str) -> Decimal | None:
        """Units of ``target`` for one of ``source``; None when no rates lead there."""
        if source == target:
            return Decimal(1)
        if direct := self._pairs.get((source, target)):
            return direct
        middles = sorted(quote for base, quote in self._pairs if base == source)
        steps = ((self._pairs[source, middle], self._pairs.get((middle, target))) for middle in middles)
        return next((first * second for first, second in steps if second), None)

    def convert(self, money: Money, target: str) -> Money | None:
        """The same sum in ``target``, to a millionth; None when no rates lead there."""
        factor = self.factor(money.currency, target)
        return None if factor is None else Money(money.amount * factor, target).rounded()

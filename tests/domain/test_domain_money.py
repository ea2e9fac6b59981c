"""Money: which texts are sums, what others may have meant, and that no sum is too large to be told."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tradewind.domain.currencies_data import CURRENCIES, MEANT
from tradewind.domain.errors import BadInput
from tradewind.domain.money import LARGEST, Money, parse_money


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("30 CNY", "30", "CNY"),
        ("cny30.50", "30.50", "CNY"),
        (" 1,200.50 usd ", "1200.50", "USD"),
        ("1,000,000 EUR", "1000000", "EUR"),
        (".5 USD", "0.5", "USD"),
        ("0.000001 USD", "0.000001", "USD"),
    ],
)
def test_sums(text: str, amount: str, currency: str) -> None:
    assert parse_money(text) == Money(Decimal(amount), currency)


@pytest.mark.parametrize(
    ("text", "code", "nearest"),
    [
        ("1,5 EUR", "money-unreadable", ""),  # fifteen to some, one and a half to others
        ("12,00 CNY", "money-unreadable", ""),
        ("300", "money-unreadable", ""),
        ("-300 元", "money-unreadable", ""),
        ("nan USD", "money-unreadable", ""),
        ("300 CNY/h", "money-unreadable", ""),
        ("¥300", "money-unreadable", "300 CNY"),
        ("$4.50", "money-unreadable", "4.50 USD"),
        ("300 rmb", "currency-none", "300 CNY"),
        ("300 EUX", "currency-none", "300 EUR"),
        ("300 QQQ", "currency-none", ""),
        ("0 CNY", "money-out-of-range", None),
        (f"{LARGEST + 1} CNY", "money-out-of-range", None),
    ],
)
def test_what_is_no_sum_is_refused_with_what_was_meant(text: str, code: str, nearest: str | None) -> None:
    with pytest.raises(BadInput) as caught:
        parse_money(text)
    assert (caught.value.code, caught.value.facts.get("nearest")) == (code, nearest)
    if nearest:
        assert parse_money(nearest).amount > 0


def test_every_guess_is_a_currency() -> None:
    assert set(MEANT.values()) <= CURRENCIES
    assert {"CNY", "USD", "EUR"} <= CURRENCIES and len(CURRENCIES) > 150


def test_a_sum_of_absurd_size_is_told_exactly() -> None:
    absurd = Money(Decimal(10) ** 40, "CNY") * Decimal("1.5")
    assert absurd.rounded() == absurd
    assert absurd.to_json() == {"amount": "15" + "0" * 39 + ".00", "currency": "CNY"}
    assert str(absurd).startswith("¥15,000,000,000,")

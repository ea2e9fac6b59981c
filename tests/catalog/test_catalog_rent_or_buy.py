"""Renting against buying: stated inputs in, what an hour costs either way out."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind import words
from tradewind.catalog.rent_or_buy import INPUTS, Card, rent_or_buy
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money

CARD = Card(Money(Decimal(87600), "CNY"), Decimal(400))
PLAIN = {"server_share": Decimal(0), "host_watts": Decimal(0), "pue": Decimal(1), "electricity": Decimal(1),
         "hosting": Decimal(0), "years": Decimal(5), "utilisation": Decimal(1)}  # fmt: skip


def test_a_card_costs_its_price_over_its_hours_and_its_power() -> None:
    told = rent_or_buy(CARD, Money(Decimal("4.4"), "CNY"), PLAIN)
    assert told.own_hour == Money(Decimal("2.4"), "CNY").rounded(), "2 an hour over five years, and 0.4 kWh at 1"
    assert told.even_utilisation == Decimal("0.5"), "2 for every hour against 4 saved in each hour of use"
    assert told.even_hours_a_month == 365


def test_every_input_is_told_with_where_it_comes_from() -> None:
    told = rent_or_buy(CARD, Money(Decimal(20), "CNY"), {"pue": Decimal("1.2")})
    assert [each.name for each in told.inputs] == [each.name for each in INPUTS]
    by_name = {each.name: each for each in told.inputs}
    assert (by_name["pue"].value, by_name["pue"].source) == (Decimal("1.2"), "given")
    assert {each.source for each in told.inputs if each.name != "pue"} == {"assumed"}


def test_what_is_assumed_of_money_is_converted_and_says_so() -> None:
    dollars = Card(Money(Decimal(12000), "USD"), Decimal(400))
    told = rent_or_buy(dollars, Money(Decimal(2), "USD"), rate=Decimal("0.125"))
    power = next(each for each in told.inputs if each.name == "electricity")
    assert (power.value, power.unit, power.source) == (Decimal("0.0875"), "USD/kWh", "converted")
    given = rent_or_buy(dollars, Money(Decimal(2), "USD"), {"electricity": Decimal("0.1")}, rate=None)
    assert next(each.source for each in given.inputs if each.name == "electricity") == "given"
    with pytest.raises(BadInput) as caught:
        rent_or_buy(dollars, Money(Decimal(2), "USD"), rate=None)
    assert (caught.value.code, caught.value.facts["why"]) == ("rent-or-buy-unusable", "no-rate")


@given(st.decimals("0.5", "100", places=2), st.decimals("0.05", "1", places=2))
def test_at_the_even_point_both_cost_the_same(rent: Decimal, used: Decimal) -> None:
    told = rent_or_buy(CARD, Money(rent, "CNY"), PLAIN | {"utilisation": used})
    if told.even_utilisation is None:
        assert told.own_hour.amount > rent
    else:
        even = rent_or_buy(CARD, Money(rent, "CNY"), PLAIN | {"utilisation": told.even_utilisation})
        assert even.own_hour.amount == pytest.approx(rent, rel=Decimal("0.01"))
        assert (told.own_hour.amount <= rent) == (used >= told.even_utilisation) or even.own_hour.amount == (
            pytest.approx(told.own_hour.amount, rel=Decimal("0.01"))
        )


def test_rent_below_the_price_of_power_is_never_beaten() -> None:
    told = rent_or_buy(CARD, Money(Decimal("0.3"), "CNY"), PLAIN)
    assert (told.even_utilisation, told.even_hours_a_month) == (None, None)


@pytest.mark.parametrize(("given", "why"), [
    ({"utilisation": Decimal(0)}, "utilisation"), ({"utilisation": Decimal("1.1")}, "utilisation"),
    ({"years": Decimal(0)}, "years"), ({"pue": Decimal("0.9")}, "pue"), ({"electricity": Decimal(-1)}, "negative"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(given: dict[str, Decimal], why: str) -> None:
    with pytest.raises(BadInput) as caught:
        rent_or_buy(CARD, Money(Decimal(1), "CNY"), given)
    assert (caught.value.code, caught.value.facts["why"]) == ("rent-or-buy-unusable", why)
    assert all(words.known(f"unusable-{why}", lang) for lang in words.LANGUAGES)


@pytest.mark.parametrize(("card", "why"), [
    (Card(Money(Decimal(0), "CNY"), Decimal(400)), "price"), (Card(CARD.price, Decimal(0)), "power"),
])  # fmt: skip
def test_a_card_without_price_or_power_is_refused(card: Card, why: str) -> None:
    with pytest.raises(BadInput) as caught:
        rent_or_buy(card, Money(Decimal(1), "CNY"))
    assert caught.value.facts["why"] == why


def test_every_input_has_words() -> None:
    for each in INPUTS:
        for lang in words.LANGUAGES:
            assert words.known(f"input-{each.name}", lang)
            assert words.known(f"input-why-{each.name}", lang)


def test_an_input_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        rent_or_buy(CARD, Money(Decimal(1), "CNY"), {"colour": Decimal(1)})


def test_two_currencies_are_refused() -> None:
    with pytest.raises(ValueError, match="CNY"):
        rent_or_buy(CARD, Money(Decimal(1), "USD"))

"""Rent a GPU or buy it: what an hour of one's own costs, from stated inputs, and how much use makes it the cheaper one.

Straight-line depreciation, no interest, no resale: what a longer reckoning would add is named in nobody's price list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money

HOURS_A_YEAR = Decimal(8760)


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the reckoning. ``source``: ``converted`` is assumed in another
    currency; why each value is assumed, ``words`` says."""

    name: str
    value: Decimal
    unit: str
    source: Literal["assumed", "converted", "given"] = "assumed"


INPUTS = (
    Input("server_share", Decimal("0.5"), "1"),  # of the card's price: chassis, processors, network
    Input("host_watts", Decimal(150), "W"),  # of processors, memory and fans, for each card
    Input("pue", Decimal("1.5"), "1"),  # a machine room of moderate size; large sites state 1.1 to 1.3
    Input("electricity", Decimal("0.7"), "CNY/kWh"),
    Input("hosting", Decimal(0), "CNY/month"),  # room, network and staff are there anyway
    Input("years", Decimal(4), "a"),  # written off evenly, worth nothing afterwards
    Input("utilisation", Decimal("0.5"), "1"),  # of all hours: half of the time a job runs on it
)
MONEY_IN = "CNY"  # the currency of what is assumed


@dataclass(frozen=True, slots=True)
class Card:
    """What is bought. ``watts`` is the card's power under load: its data sheet's TDP, unless one knows better."""

    price: Money
    watts: Decimal


@dataclass(frozen=True, slots=True)
class RentOrBuy:
    """What an hour of use costs either way, per GPU, in the currency of the card's price.

    Attributes:
        own_hour: all cost of owning, divided by the hours used.
        rented_hour: as given.
        even_utilisation: share of all hours in use from which owning costs less; None: it never does.
        even_hours_a_month: the same in hours.
        inputs: every input that went in, sums of money in the currency of the card's price.
    """

    own_hour: Money
    rented_hour: Money
    even_utilisation: Decimal | None
    even_hours_a_month: Decimal | None
    inputs: tuple[Input, ...]


def rent_or_buy(
    card: Card, rented_hour: Money, given: Mapping[str, Decimal] | None = None, rate: Decimal | None = Decimal(1)
) -> RentOrBuy:
    """Compare owning a card with renting one for ``rented_hour``, both in one currency.

    Power is paid for while the card is in use; the purchase and the hosting for every hour, used or not.

    Args:
        given: values by the names of :data:`INPUTS` that replace the assumed ones.
        rate: how much of that currency one unit of :data:`MONEY_IN` is; None: nobody knows.

    Raises:
        BadInput: ``rent-or-buy-unusable`` (why): a value that makes no sense, or a price of power that is neither given
            nor known in the currency.
        ValueError: two currencies, or a name that is none; a fault of the caller.
    """
    if card.price.currency != rented_hour.currency:
        raise ValueError(f"the card is priced in {card.price.currency}, the rent in {rented_hour.currency}")
    values = _inputs(card.price.currency, given or {}, rate)
    number = {each.name: each.value for each in values}
    _require_sane(card, number)
    every_hour = (
        card.price.amount * (1 + number["server_share"]) / (number["years"] * HOURS_A_YEAR)
        + number["hosting"] * 12 / HOURS_A_YEAR
    )
    used_hour = (card.watts + number["host_watts"]) / 1000 * number["pue"] * number["electricity"]
    own = every_hour / number["utilisation"] + used_hour
    margin = rented_hour.amount - used_hour
    even = every_hour / margin if margin > 0 and every_hour <= margin else None
    return RentOrBuy(
        Money(own, card.price.currency).rounded(), rented_hour, even and even.quantize(Decimal("0.0001")),
        even and (even * HOURS_A_YEAR / 12).quantize(Decimal(1)), values,
    )  # fmt: skip


def _inputs(currency: str, given: Mapping[str, Decimal], rate: Decimal | None) -> tuple[Input, ...]:
    """Every input: the given one, else the assumed one, in the currency where it is a sum of money."""
    if unknown := given.keys() - {each.name for each in INPUTS}:
        raise ValueError(f"no such input: {', '.join(sorted(unknown))}")
    return tuple(_input(each, currency, given.get(each.name), rate) for each in INPUTS)


def _input(assumed: Input, currency: str, given: Decimal | None, rate: Decimal | None) -> Input:
    unit = assumed.unit.replace(MONEY_IN, currency)
    if given is not None:
        return Input(assumed.name, given, unit, "given")
    if unit == assumed.unit or assumed.value == 0:
        return replace(assumed, unit=unit)
    if rate is None:
        raise BadInput("rent-or-buy-unusable", why="no-rate")
    return Input(assumed.name, assumed.value * rate, unit, "converted")


def _require_sane(card: Card, number: Mapping[str, Decimal]) -> None:
    above_zero = {"price": card.price.amount, "power": card.watts, "years": number["years"],
                  "utilisation": number["utilisation"]}  # fmt: skip
    wrong = [name for name, value in above_zero.items() if value <= 0]
    wrong += ["utilisation"] if number["utilisation"] > 1 else []
    wrong += ["pue"] if number["pue"] < 1 else []
    wrong += ["negative"] if min(number.values()) < 0 else []
    if wrong:
        raise BadInput("rent-or-buy-unusable", why=wrong[0])

"""Rent a GPU or buy it: what an hour of one's own costs, from stated inputs, and how much use makes it the cheaper one.

Straight-line depreciation, no interest, no resale: what a longer reckoning would add is named in nobody's price list.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tradewind.domain.money import Money

HOURS_A_YEAR = Decimal(8760)


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the reckoning: its value when none is given, and where that comes from."""

    name: str
    value: Decimal
    unit: str
    source: str


INPUTS = (
    Input("server_share", Decimal("0.5"), "of the card's price", "assumed: chassis, processors, network of a card"),
    Input("host_watts", Decimal(150), "W", "assumed: the share of processors, memory and fans for each card"),
    Input("pue", Decimal("1.5"), "", "assumed: a machine room of moderate size; large sites state 1.1 to 1.3"),
    Input("electricity", Decimal("0.7"), "currency per kWh", "assumed: in CNY; state your own for any other currency"),
    Input("hosting", Decimal(0), "currency per card and month", "assumed: room, network and staff are there anyway"),
    Input("years", Decimal(4), "a", "assumed: written off evenly, worth nothing afterwards"),
    Input("utilisation", Decimal("0.5"), "of all hours", "assumed: half of the time a job runs on it"),
)  # fmt: skip


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
        inputs: every input that went in, with its source: ``given`` where it was.
    """

    own_hour: Money
    rented_hour: Money
    even_utilisation: Decimal | None
    even_hours_a_month: Decimal | None
    inputs: tuple[Input, ...]


def rent_or_buy(card: Card, rented_hour: Money, given: dict[str, Decimal] | None = None) -> RentOrBuy:
    """Compare owning a card with renting one for ``rented_hour``, both in one currency.

    Power is paid for while the card is in use; the purchase and the hosting for every hour, used or not.

    Args:
        given: values by the names of :data:`INPUTS` that replace the assumed ones.

    Raises:
        ValueError: two currencies, a name that is none, or a value that makes no sense.
    """
    values = _checked(card, rented_hour, given or {})
    number = {each.name: each.value for each in values}
    every_hour = (
        card.price.amount * (1 + number["server_share"]) / (number["years"] * HOURS_A_YEAR)
        + number["hosting"] * 12 / HOURS_A_YEAR
    )
    used_hour = (card.watts + number["host_watts"]) / 1000 * number["pue"] * number["electricity"]
    own = every_hour / number["utilisation"] + used_hour
    margin = rented_hour.amount - used_hour
    even = every_hour / margin if margin > 0 and every_hour <= margin else None
    currency = card.price.currency
    return RentOrBuy(
        Money(own, currency).rounded(), rented_hour, even and even.quantize(Decimal("0.0001")),
        even and (even * HOURS_A_YEAR / 12).quantize(Decimal(1)), values,
    )  # fmt: skip


def _checked(card: Card, rented_hour: Money, given: dict[str, Decimal]) -> tuple[Input, ...]:
    if card.price.currency != rented_hour.currency:
        raise ValueError(f"the card is priced in {card.price.currency}, the rent in {rented_hour.currency}")
    if unknown := given.keys() - {each.name for each in INPUTS}:
        raise ValueError(f"no such input: {', '.join(sorted(unknown))}")
    used = tuple(
        Input(each.name, given[each.name], each.unit, "given") if each.name in given else each for each in INPUTS
    )
    number = {each.name: each.value for each in used}
    if min(card.price.amount, card.watts, number["years"], number["utilisation"]) <= 0 or number["utilisation"] > 1:
        raise ValueError("price, power and years are above zero, utilisation is above 0 and at most 1")
    if number["pue"] < 1 or min(number.values()) < 0:
        raise ValueError("pue is at least 1, and nothing is negative")
    return used

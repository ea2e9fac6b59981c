"""Machines side by side: what each costs by every way of buying, and from how many hours a month a commitment pays.

names ─▶ one machine each ─▶ the place where it is cheapest on demand ─▶ listed ways ─┬─▶ Column
                                                       published discounts, as estimates ─┘
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from tradewind.catalog.discounts import Discount, discounts
from tradewind.catalog.families import Machine, PriceLine, machines_named, prices_of, require_machines
from tradewind.catalog.rates import Table, converted
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import PriceStatus, Purchase

HOURS_A_MONTH = Decimal(730)  # 8,760 a year, as the clouds count


@dataclass(frozen=True, slots=True)
class Way:
    """One way of buying the machine in the column's place, per hour.

    Attributes:
        purchase, payment: in the catalog's words, or the cloud's own (``savings_plan``).
        low, high: the same where a price is listed; the range of the published discount where it is estimated.
        break_even_hours: for a commitment, the hours of use a month from which it costs less than on demand, for the
            low and the high price; above :data:`HOURS_A_MONTH` it never does. None for what is paid by use.
    """

    purchase: str
    payment: str | None
    low: Money
    high: Money
    kind: Literal["listed", "estimate"]
    status: PriceStatus | None
    as_of: str | None
    source: str
    own: bool
    break_even_hours: tuple[Decimal, Decimal] | None


@dataclass(frozen=True, slots=True)
class Column:
    """One machine of a comparison.

    Attributes:
        asked: the name it was asked for by; ``largest_of`` is how many machines that name meant.
        region: where the prices hold: the one asked for, else the cheapest on demand; None without any price.
        ways: by purchase and payment; empty when no price is known.
    """

    asked: str
    largest_of: int
    machine: Machine
    region: str | None
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Columns in the order asked for, and every rate that a price was converted by."""

    columns: tuple[Column, ...]
    rates: tuple[Rate, ...]


def compare(
    snapshot: Snapshot, names: Sequence[str], today: date, currency: str | None = None, region: str | None = None,
    table: Table | None = None,
) -> Comparison:  # fmt: skip
    """The machines named, side by side; of a family the one with the most GPUs, those with a price first.

    Args:
        currency: of all prices; without, each stays in its own. A price without a rate stays in its own too.
        region: where prices are to hold; a machine that is not sold there has no ways.

    Raises:
        BadInput: ``machine-unknown`` (name, nearest).
    """
    rates: dict[tuple[str, str], Rate] = {}

    def shown(money: Money) -> Money:
        there = converted(money, currency, table) if currency and currency != money.currency else None
        if there is None:
            return money
        rates[money.currency, there[0].currency] = there[1]
        return there[0]

    columns = []
    for name in names:
        meant = require_machines(snapshot, name)
        machine, lines = _chosen(snapshot, meant, today)
        place = region or _cheapest_region(lines, table)
        listed = [line for line in lines if line.region == place]
        one = len(machines_named(snapshot, name)) > 0
        columns.append(Column(name, 1 if one else len(meant), machine, place if listed else None,
                              _ways(machine, listed, shown)))  # fmt: skip
    return Comparison(tuple(columns), tuple(rates.values()))


def _chosen(snapshot: Snapshot, meant: Sequence[Machine], today: date) -> tuple[Machine, list[PriceLine]]:
    largest = sorted(meant, key=lambda each: (-(each.gpus or 0), each.cpus or 0, each.instance_type))
    priced = ((each, lines) for each in largest if (lines := prices_of(snapshot, each, today)))
    return next(priced, (largest[0], []))


def _cheapest_region(lines: Sequence[PriceLine], table: Table | None) -> str | None:
    """Where it is cheapest on demand; where it is sold at all, if nowhere on demand."""

    def cost(line: PriceLine) -> tuple[Decimal, str]:
        there = converted(line.price_per_hour, "USD", table)  # any one currency gives the same order
        return there[0].amount if there else Decimal("Infinity"), line.region

    on_demand = [line for line in lines if line.purchase is Purchase.ON_DEMAND]
    best = min(on_demand or lines, key=cost, default=None)
    return best.region if best else None


def _ways(machine: Machine, listed: Sequence[PriceLine], shown: Callable[[Money], Money]) -> tuple[Way, ...]:
    """The lowest listed price of each way of buying, and of those not listed what a published discount promises."""
    lowest: dict[tuple[str, str], PriceLine] = {}
    for line in listed:
        key = line.purchase.value, line.payment or ""
        rival = lowest.setdefault(key, line)
        if (not line.own, line.price_per_hour.amount) < (not rival.own, rival.price_per_hour.amount):
            lowest[key] = line
    on_demand = lowest.get((Purchase.ON_DEMAND.value, ""))
    ways = [_listed(line, on_demand, shown) for line in lowest.values()]
    if on_demand:
        known = {purchase for purchase, _ in lowest}
        ways += [
            _estimated(each, on_demand, shown)
            for each in discounts(machine.cloud, machine.instance_type, on_demand.price_per_hour.currency)
            if each.purchase not in known
        ]
    return tuple(sorted(ways, key=lambda way: (_ORDER.get(way.purchase, len(_ORDER)), way.purchase, way.payment or "")))


def _listed(line: PriceLine, on_demand: PriceLine | None, shown: Callable[[Money], Money]) -> Way:
    price = shown(line.price_per_hour)
    pays = None
    if on_demand and on_demand.price_per_hour.currency == line.price_per_hour.currency:
        share = line.price_per_hour.amount / on_demand.price_per_hour.amount
        pays = _break_even(line.purchase.value, share, share)
    return Way(line.purchase.value, line.payment, price, price, "listed", line.status, line.as_of, line.source,
               line.own, pays)  # fmt: skip


def _estimated(discount: Discount, on_demand: PriceLine, shown: Callable[[Money], Money]) -> Way:
    low, high = 1 - discount.saved_high, 1 - discount.saved_low
    full = on_demand.price_per_hour
    return Way(discount.purchase, discount.payment, shown(full * low), shown(full * high), "estimate", None,
               discount.as_of, discount.source, False, _break_even(discount.purchase, low, high))  # fmt: skip


def _break_even(purchase: str, low: Decimal, high: Decimal) -> tuple[Decimal, Decimal] | None:
    """Hours a month at which on-demand use costs as much as the commitment, from its share of the on-demand price."""
    if not purchase.startswith(("reserved", "subscription", "savings_plan")):
        return None
    return (low * HOURS_A_MONTH).quantize(Decimal(1)), (high * HOURS_A_MONTH).quantize(Decimal(1))


_ORDER = {each.value: place for place, each in enumerate(Purchase)}

"""What CVM tells, as values. Pure: answers in, machines and prices out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from tradewind.clouds.answers import Odd, amount, pick, price, text
from tradewind.domain.market import ListedMachine, ListedPrice
from tradewind.domain.offer import Purchase

CLOUD = "tencent"

# Purchase → (how instances are charged, the field of ``Price`` that is asked, the hours that it is spread over). List
# prices, except that the discount of spot and of a term is the price.
READINGS = {
    Purchase.ON_DEMAND: ("POSTPAID_BY_HOUR", "UnitPrice", 1),
    Purchase.SPOT: ("SPOTPAID", "UnitPriceDiscount", 1),
    Purchase.SUBSCRIPTION_MONTH: ("PREPAID", "DiscountPrice", 730),
    Purchase.SUBSCRIPTION_YEAR: ("PREPAID", "DiscountPriceOneYear", 8760),
}


def accelerated(row: Any) -> bool:
    """Whether a row of DescribeZoneInstanceConfigInfos has a GPU or a share of one.

    Raises:
        Odd: it does not tell.
    """
    return bool(_gpus(row))


def to_machine(row: Any) -> ListedMachine:
    """A row as a machine. CVM tells how many GPUs, shares of one too, and not which.

    Raises:
        Odd: something is missing.
    """
    return ListedMachine(
        cloud=CLOUD,
        instance_type=text(row, "InstanceType"),
        gpu=None,
        gpus=_gpus(row),
        cpus=int(amount(row, "Cpu")),
        memory_gib=float(amount(row, "Memory")),
        network_gbps=float(amount(row, "InstanceBandwidth")) or None if row.get("InstanceBandwidth") else None,
    )


def unpriced(row: Any, purchase: Purchase) -> bool:
    """Whether a row leaves out what it costs, bought this way: it is null, or 0 as for what is not listed."""
    told = row.get("Price")
    return told is None or (isinstance(told, Mapping) and told.get(READINGS[purchase][1]) in (None, 0))


def to_price(row: Any, region: str, purchase: Purchase, currency: str, as_of: str) -> ListedPrice:
    """The price of a row in its zone; of prices that fall with the hours used, the first hours'.

    Raises:
        Odd: it has none.
    """
    _, field, hours = READINGS[purchase]
    told = pick(row, "Price")
    if hours == 1 and text(told, "ChargeUnit") != "HOUR":
        raise Odd(f"ChargeUnit is {told['ChargeUnit']!r}")
    return ListedPrice(
        cloud=CLOUD, region=region, zone=text(row, "Zone"), instance_type=text(row, "InstanceType"), purchase=purchase,
        payment="all upfront" if hours > 1 else None, currency=currency,
        price_per_hour=price(amount(told, field) / hours), as_of=as_of,
        source=f"CVM 2017-03-12 DescribeZoneInstanceConfigInfos, {field}",
    )  # fmt: skip


def _gpus(row: Any) -> Decimal:
    """Physical GPUs; ``Gpu`` is the older field, which knows no shares."""
    told = "GpuCount" if isinstance(row, Mapping) and row.get("GpuCount") is not None else "Gpu"
    count = amount(row, told)
    return Decimal(int(count)) if count == int(count) else count.normalize()


def by_place(prices: Iterable[ListedPrice], unlike: Collection[str]) -> tuple[ListedPrice, ...]:
    """The region's price where all of its zones that sell a machine agree, the zones' prices where they differ.

    ``unlike`` are the types that another zone lists without a price: whether that one agrees is not known.
    """
    by_type: dict[str, list[ListedPrice]] = {}
    for each in prices:
        by_type.setdefault(each.instance_type, []).append(each)
    placed: list[ListedPrice] = []
    for name, same in by_type.items():
        agreed = name not in unlike and len({each.price_per_hour for each in same}) == 1
        placed += [replace(same[0], zone=None)] if agreed else same
    return tuple(placed)

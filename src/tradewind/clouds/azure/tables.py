"""What the Azure Retail Prices API tells, read into our values. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tradewind.clouds.answers import Odd, amount, price, text
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase

RETAIL_PRICES = "Azure Retail Prices API 2023-01-01-preview"

_TERMS = {"1 Year": (Purchase.RESERVED_1Y, 8760), "3 Years": (Purchase.RESERVED_3Y, 26280)}  # hours that a term has
_NOT_OURS = ("Windows", "Dedicated Host", "Cloud Services", "CloudServices")  # in the product's name


def to_prices(item: Mapping[str, Any], at: datetime) -> Iterator[ListedPrice]:
    """The price of one item if it is a Linux machine's and holds at ``at``: on demand, spot or a reservation's.

    A reservation is told as the price of the whole term; paid by the month it costs the same.

    Raises:
        Odd: not of the published shape, or without a price.
    """
    product, sku, kind = text(item, "productName"), text(item, "skuName"), text(item, "type")
    if kind == "DevTestConsumption" or "Low Priority" in sku or any(each in product for each in _NOT_OURS):
        return
    if not _holds(item, at):
        return
    if amount(item, "tierMinimumUnits"):
        raise Odd("the price begins at a higher use only")
    purchase, payment, hours = _purchase(kind, sku, item)
    if text(item, "unitOfMeasure") != "1 Hour":
        raise Odd(f"the unit is {item['unitOfMeasure']!r}")
    yield ListedPrice(
        "azure", text(item, "armRegionName"), None, text(item, "armSkuName"), purchase, payment,
        text(item, "currencyCode"), price(amount(item, "retailPrice") / hours), at.date().isoformat(), RETAIL_PRICES,
    )  # fmt: skip


def name_of(item: object) -> str:
    """What to call an item that is odd."""
    return f"{item.get('armSkuName')} in {item.get('armRegionName')}" if isinstance(item, Mapping) else repr(item)[:40]


def _purchase(kind: str, sku: str, item: Mapping[str, Any]) -> tuple[Purchase, str | None, int]:
    """How the price is paid, and for how many hours."""
    if kind == "Consumption":
        return (Purchase.SPOT if sku.endswith(" Spot") else Purchase.ON_DEMAND), None, 1
    if kind == "Reservation":
        term = text(item, "reservationTerm")
        if term in _TERMS:
            purchase, hours = _TERMS[term]
            return purchase, "monthly", hours
        raise Odd(f"the reservation is for {term!r}")
    raise Odd(f"the type is {kind!r}")


def _holds(item: Mapping[str, Any], at: datetime) -> bool:
    """Prices are published ahead, and remain with an end when they are replaced."""
    end = item.get("effectiveEndDate")
    return _instant(text(item, "effectiveStartDate")) <= at and (end is None or at < _instant(str(end)))


def _instant(words: str) -> datetime:
    try:
        at = datetime.fromisoformat(words)
    except ValueError:
        raise Odd(f"the date is {words!r}") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)

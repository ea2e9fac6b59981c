"""The Azure Retail Prices API: its documented filter grammar is what requests are checked by, and is evaluated.

Source: learn.microsoft.com, "Azure Retail Prices overview" (read 2026-11): filters, ``meterRegion``, ``currencyCode``,
``NextPageLink``; values are compared with their case since 2023-01-01-preview.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

from lab.stub import Heard, Objection, Reply

FILTERS = {
    "armRegionName", "location", "meterId", "meterName", "productId", "skuId", "productName", "skuName", "serviceName",
    "serviceId", "serviceFamily", "priceType", "armSkuName",
}  # fmt: skip
CURRENCIES = {"USD", "AUD", "BRL", "CAD", "CHF", "CNY", "DKK", "EUR", "GBP", "INR", "JPY", "KRW", "NOK", "NZD", "SEK"}
PARAMETERS = {"api-version", "currencyCode", "meterRegion", "$filter", "$skip"}

_WORD = r"'((?:[^']|'')*)'"
_EQUALS = re.compile(rf"(\w+) eq {_WORD}")
_CONTAINS = re.compile(rf"contains\((\w+), ?{_WORD}\)")


class RetailPrices:
    """The items of a price list in pages. ``answer`` is what a stub answers by."""

    def __init__(self, items: list[dict[str, Any]], page_size: int = 1000) -> None:
        self.items = items
        self.page_size = page_size

    def answer(self, heard: Heard) -> Reply:
        query = self._checked(heard)
        kept = [item for item in self.items if all(_matches(item, term) for term in _terms(query["$filter"]))]
        skip = int(query.get("$skip", 0))
        items = kept[skip : skip + self.page_size]
        more = skip + len(items) < len(kept)
        body = {
            "BillingCurrency": "USD", "CustomerEntityId": "Default", "CustomerEntityType": "Retail", "Items": items,
            "NextPageLink": self._link(query, skip + len(items)) if more else None, "Count": len(items),
        }  # fmt: skip
        return Reply(body=json.dumps(body).encode())

    @staticmethod
    def _link(query: dict[str, str], skip: int) -> str:
        """As the service words it: its own host, not the one that was asked."""
        asked = "&".join(f"{name}={quote(query[name])}" for name in query if name != "$skip")
        return f"https://prices.azure.com:443/api/retail/prices?{asked}&$skip={skip}"

    @staticmethod
    def _checked(heard: Heard) -> dict[str, str]:
        query = heard.query
        if (heard.method, heard.path) != ("GET", "/api/retail/prices"):
            raise Objection("no such resource")
        if unknown := set(query) - PARAMETERS:
            raise Objection(f"unknown parameters {unknown}")
        if query.get("api-version") != "2023-01-01-preview":
            raise Objection("api-version")
        if query.get("currencyCode", "'USD'").strip("'") not in CURRENCIES:
            raise Objection("currencyCode")
        if query.get("meterRegion", "'primary'") != "'primary'":
            raise Objection("meterRegion")
        if not query.get("$skip", "0").isdigit():
            raise Objection("$skip")
        if "authorization" in heard.headers:
            raise Objection("the price list asks for no account")
        return query


def _terms(words: str) -> list[tuple[str, str, str]]:
    """Operator, field and value of each term."""
    terms = []
    for term in re.split(r" and (?=(?:[^']*'[^']*')*[^']*$)", words):
        if found := _EQUALS.fullmatch(term):
            terms.append(("eq", found[1], found[2]))
        elif found := _CONTAINS.fullmatch(term):
            terms.append(("contains", found[1], found[2]))
        else:
            raise Objection(f"not a filter: {term}")
    if unknown := {field for _, field, _ in terms} - FILTERS:
        raise Objection(f"cannot filter by {unknown}")
    return terms


def _matches(item: dict[str, Any], term: tuple[str, str, str]) -> bool:
    operator, field, value = term
    held = str(item["type" if field == "priceType" else field])
    return held == value if operator == "eq" else value in held


def item(size: str, region: str, usd: float, **other: Any) -> dict[str, Any]:
    """One item as the service words it: on demand under Linux unless told otherwise."""
    name = size.removeprefix("Standard_").replace("_", " ")
    return {
        "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": usd, "unitPrice": usd, "armRegionName": region,
        "location": "US East", "effectiveStartDate": "2023-02-01T00:00:00Z", "meterId": f"meter-{size}-{region}",
        "meterName": name, "productId": "DZH318Z0BQ4B", "skuId": f"DZH318Z0BQ4B/{size}",
        "productName": f"Virtual Machines {name.split()[0]} Series", "skuName": name, "serviceName": "Virtual Machines",
        "serviceId": "DZH313Z7MMC8", "serviceFamily": "Compute", "unitOfMeasure": "1 Hour", "type": "Consumption",
        "isPrimaryMeterRegion": True, "armSkuName": size, **other,
    }  # fmt: skip

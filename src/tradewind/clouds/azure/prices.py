"""What Azure sells and at which prices: the Retail Prices API, which asks for no account.

It tells no hardware: that is asked of a subscription, where AZURE_SUBSCRIPTION_ID names one. Azure China is another
price list, not asked here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from tradewind.clouds import web
from tradewind.clouds.answers import Odd, answered_at, filled, listed, published, read_rows, text
from tradewind.clouds.azure import tables
from tradewind.clouds.azure.machines import Inventory
from tradewind.clouds.azure.management import Management
from tradewind.domain.market import SpotPoint
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page, Prices

ENDPOINT = "https://prices.azure.com"
_PATH = "/api/retail/prices"
_VERSION = "2023-01-01-preview"
_INTERFACE = "Retail Prices"
_MACHINES = "machines"
_PARTS = {"on_demand_and_spot": "Consumption", "reserved": "Reservation"}


def connect() -> Prices:
    """The public price list in US dollars, the currency in which Azure sets its prices; and what a subscription sees.

    Its credentials are looked for when it is asked: that they are missing keeps no price away.
    """
    subscription = os.environ.get("AZURE_SUBSCRIPTION_ID")
    return AzurePrices(inventory=Inventory(Management(subscription)) if subscription else None)


class AzurePrices:
    """The Prices port by one GET a page. Sizes with GPUs are the N family: NC, ND, NG, NV."""

    name = "azure"
    calls_per_second = 2.0  # no limit is published

    def __init__(self, endpoint: str = ENDPOINT, inventory: Inventory | None = None) -> None:
        self._endpoint = endpoint
        self._inventory = inventory

    def parts(self) -> tuple[str, ...]:
        """The machines, where there is a subscription; then the prices in two parts, over all regions."""
        return (_MACHINES, *_PARTS) if self._inventory else tuple(_PARTS)

    def page(self, part: str, cursor: str | None) -> Page:
        """The machines of a region; or a thousand prices at most, where the cursor is how many to skip."""
        if part == _MACHINES:
            return self._machines(cursor)
        answer = web.get(self._address(part, cursor), {"Accept": "application/json"})
        if answer.status != 200:
            raise web.refusal(answer, _words(answer))
        with published(_INTERFACE):
            at = answered_at(answer.headers)
            prices, odd = read_rows(
                filled(listed(answer.body, "Items"), cursor), lambda item: tables.to_prices(item, at), tables.name_of
            )
            following = answer.body.get("NextPageLink")
            return Page((), prices, _skip(str(following), cursor) if following else None, odd)

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Nothing: the price list tells what holds today."""
        yield from ()

    def _machines(self, cursor: str | None) -> Page:
        if self._inventory is None:  # a refresh that was cut off began with one
            raise CloudFault("auth", "AZURE_SUBSCRIPTION_ID is not set", sent="no")
        return self._inventory.page(cursor)

    def _address(self, part: str, cursor: str | None) -> str:
        wanted = (
            f"serviceName eq 'Virtual Machines' and priceType eq '{_PARTS[part]}' "
            "and contains(armSkuName, 'Standard_N')"
        )
        question = {"api-version": _VERSION, "currencyCode": "'USD'", "meterRegion": "'primary'", "$filter": wanted}
        if cursor:
            question["$skip"] = cursor
        return f"{self._endpoint}{_PATH}?{urlencode(question, quote_via=quote, safe='$')}"


def _skip(link: str, cursor: str | None) -> str:
    """How many items the next page leaves out. Only that is taken from the link: what to ask, and whom, is ours."""
    skip = parse_qs(urlsplit(link).query).get("$skip", [""])[0]
    if not skip.isdigit() or int(skip) <= int(cursor or 0):
        raise Odd(f"NextPageLink leads from item {cursor or 0} to {skip!r}")
    return skip


def _words(answer: web.Answer) -> str:
    try:
        return text(answer.body, "Error", "Message")
    except Odd:
        return f"status {answer.status} without a reason"

"""What Azure sells and at which prices: the Retail Prices API, which asks for no account.

It tells no hardware: the machines stay those of the catalog. Azure China is another price list, not asked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from tradewind.clouds import web
from tradewind.clouds.answers import Odd, answered_at, filled, listed, published, read_rows, text
from tradewind.clouds.azure import tables
from tradewind.domain.market import SpotPoint
from tradewind.ports.prices import Page, Prices

ENDPOINT = "https://prices.azure.com"
_PATH = "/api/retail/prices"
_VERSION = "2023-01-01-preview"
_INTERFACE = "Retail Prices"
_PARTS = {"on_demand_and_spot": "Consumption", "reserved": "Reservation"}


def connect() -> Prices:
    """The public price list in US dollars, the currency in which Azure sets its prices."""
    return AzurePrices()


class AzurePrices:
    """The Prices port by one GET a page. Sizes with GPUs are the N family: NC, ND, NG, NV."""

    name = "azure"
    calls_per_second = 2.0  # no limit is published

    def __init__(self, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    def parts(self) -> tuple[str, ...]:
        """Two, over all regions."""
        return tuple(_PARTS)

    def page(self, part: str, cursor: str | None) -> Page:
        """A thousand items at most; the cursor is how many to skip."""
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

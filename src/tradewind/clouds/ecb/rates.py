"""Exchange rates: the European Central Bank's daily reference rates, which ask for no account.

One GET of the series EXR in SDMX-JSON 1.0: of each currency the newest observation, euro to currency.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tradewind.clouds import web
from tradewind.domain.money import Rate
from tradewind.ports.compute import CloudFault

ENDPOINT = "https://data-api.ecb.europa.eu"
CURRENCIES = ("CNY", "USD")  # against the euro
SOURCE = "European Central Bank, euro reference rates (EXR)"
_INTERFACE = "EXR"


class EcbRates:
    """The Rates port."""

    def __init__(self, endpoint: str = ENDPOINT) -> None:
        self._endpoint = endpoint

    def rates(self) -> tuple[Rate, ...]:
        """Euro to each of :data:`CURRENCIES`, of the last day that was published.

        Raises:
            CloudFault: as ``ports.prices.Prices.page``.
        """
        path = f"/service/data/EXR/D.{'+'.join(CURRENCIES)}.EUR.SP00.A?lastNObservations=1&format=jsondata"
        answer = web.get(self._endpoint + path, {"Accept": "application/json"})
        if answer.status != 200:
            raise web.refusal(answer, "the series EXR was not told")
        try:
            return read(answer.body)
        except (LookupError, TypeError, ValueError, ArithmeticError, StopIteration) as odd:
            raise CloudFault("invalid", f"{_INTERFACE}: {odd!r}", sent="yes") from odd


def read(body: Any) -> tuple[Rate, ...]:
    """The newest rate of each currency in an answer.

    Raises:
        LookupError, TypeError, ValueError, ArithmeticError, StopIteration: it is not of the published shape.
    """
    dimensions = body["structure"]["dimensions"]
    place, names = next(
        (number, [each["id"] for each in dimension["values"]])
        for number, dimension in enumerate(dimensions["series"])
        if dimension["id"] == "CURRENCY"
    )
    days = [each["id"] for each in dimensions["observation"][0]["values"]]
    told = []
    for key, series in body["dataSets"][0]["series"].items():
        newest = max(series["observations"], key=int)
        value = Decimal(str(series["observations"][newest][0]))
        if not value.is_finite() or value <= 0:
            raise ValueError(f"a rate of {value}")
        told.append(Rate("EUR", names[int(key.split(":")[place])], value, days[int(newest)], SOURCE))
    if {each.quote for each in told} != set(CURRENCIES):
        raise ValueError(f"rates of {sorted(each.quote for each in told)}")
    return tuple(sorted(told, key=lambda each: each.quote))


def connect() -> EcbRates:
    """The bank's own interface."""
    return EcbRates()

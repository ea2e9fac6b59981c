"""Exchange rates of this home: which are in force, and asking for today's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tradewind.app.market import OWN_RATES, REFRESHED_RATES, rates_in, rates_of
from tradewind.app.overlays import keep
from tradewind.app.settings import Settings
from tradewind.app.views.values import rate_json
from tradewind.catalog import rates
from tradewind.domain.errors import CloudRefused
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Rates

CURRENCIES = ("CNY", "EUR", "USD")
MOST = Decimal("1.5")  # that a rate may have moved since the one in force; more is another unit


def in_force(settings: Settings) -> list[dict[str, Any]]:
    """The rates as JSON, each with where it comes from; the first that speaks of two currencies holds."""
    places = (("own", rates_in(settings, OWN_RATES)), ("refreshed", rates_in(settings, REFRESHED_RATES)),
              ("shipped", rates.given()))  # fmt: skip
    return [rate_json(each) | {"from": place} for place, table in places for each in table]


def asked_for(settings: Settings, source: Rates) -> None:
    """Ask for today's rates and keep them.

    Raises:
        CloudRefused: ``rates-not-answered``, ``rates-implausible``; what was kept before stays.
        Unavailable: ``catalog-not-kept``.
    """
    try:
        told = rates.crossed(source.rates(), CURRENCIES)
    except CloudFault as fault:
        raise CloudRefused("rates-not-answered", words=fault.words) from fault
    before = rates_of(settings)
    for each in told:
        known = rates.rate(each.base, each.quote, before)
        if known and not 1 / MOST < each.value / known.value < MOST:
            raise CloudRefused("rates-implausible", pair=f"{each.base}/{each.quote}", told=each.value,
                               known=known.value, known_as_of=known.as_of)  # fmt: skip
    keep(settings.catalog / REFRESHED_RATES, rates.rates_csv(told))

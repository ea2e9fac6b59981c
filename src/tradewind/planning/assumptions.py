"""What a plan takes for granted, as ``code key=value …``: the sentences are in ``words``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tradewind.domain.money import Rate
from tradewind.domain.offer import PriceStatus, Purchase
from tradewind.planning.ask import Ask
from tradewind.planning.market import LOSS_SPREAD, mean_life_hours
from tradewind.planning.outlook import POWER_SHARE
from tradewind.planning.pricing import Pricing
from tradewind.planning.way import Way


def assumptions(ask: Ask, chosen: Way, shown: Sequence[Way], pricing: Pricing, rates: Sequence[Rate]) -> list[str]:
    """The assumptions behind the chosen way and the others shown."""
    setup = chosen.terms.setup_hours
    told = [f"setup-hours value={setup.value:.2f} low={setup.low:.2f} high={setup.high:.2f}"]
    told.append("egress-not-counted" if ask.fetched_gb is None else f"egress-assumed gb={ask.fetched_gb:.3g}")
    if ask.resources.disk_gb is None:
        told.append(f"disk-assumed gb={ask.disk_gb:g}")
    told += _by_cloud("storage-tariff-unknown", (way for way in shown if pricing.storage(way.offer, 1.0) is None))
    if ask.fetched_gb is not None:
        told += _by_cloud("egress-tariff-unknown", (way for way in shown if pricing.egress(way.offer) is None))
    told += _by_cloud("quota-unknown", (way for way in shown if way.terms.quota == "unknown"))
    told += _prices(chosen)
    if any(way.offer.purchase is Purchase.SPOT for way in shown):
        told.append(f"spot-hazards mean_life_hours={mean_life_hours(ask.resources.nodes):.2f} spread={_span()}")
        told.append(f"spot-restarts losses={chosen.course.losses:.2f} at_once=yes")
    if chosen.offer.carbon_g_per_kwh is not None:
        told.append(f"gpu-power share={POWER_SHARE}")
    currencies = {way.offer.price_per_hour.currency for way in shown if way.offer.price_per_hour}
    used = (rate for rate in rates if len(currencies) > 1 and {rate.base, rate.quote} & currencies)
    told += [f"exchange-rate pair={each.base}/{each.quote} value={each.value} as_of={each.as_of}" for each in used]
    return told


def _prices(chosen: Way) -> list[str]:
    """How the listed price of the chosen offer is believed, by its age."""
    offer, bounds = chosen.offer, chosen.offer.price_bounds()
    if bounds is None or offer.price_status is PriceStatus.FRESH:
        return []
    return [f"price-range status={offer.price_status.value} as_of={offer.as_of} low={bounds[0]} high={bounds[1]}"]


def _by_cloud(code: str, ways: Iterable[Way]) -> list[str]:
    return [f"{code} cloud={cloud}" for cloud in sorted({way.offer.cloud for way in ways})]


def _span() -> str:
    return f"{LOSS_SPREAD[0]:g}..{LOSS_SPREAD[1]:g}"

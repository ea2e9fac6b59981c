"""The search for a plan: every offer, with the fit on it, against every constraint; the cheapest way that is left."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache

from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import Plan
from tradewind.planning.ask import Ask, Terms
from tradewind.planning.assumptions import assumptions
from tradewind.planning.choice import alternatives, fallbacks
from tradewind.planning.constraints import limit_checks, offer_checks, wish_checks
from tradewind.planning.exchange import Exchange
from tradewind.planning.pricing import Pricing, TariffOf
from tradewind.planning.sieve import Sieve
from tradewind.planning.way import FitOf, TermsOf, Way
from tradewind.planning.ways import Ways


def plan(
    ask: Ask,
    offers: Sequence[Offer],
    fit_of: FitOf,
    *,
    now: datetime,
    catalog_date: str,
    rates: Sequence[Rate] = (),
    tariff_of: TariffOf = lambda cloud, region: None,
    egress_of: TariffOf = lambda cloud, region: None,
    terms_of: TermsOf = lambda cloud: Terms(),
) -> Plan:
    """The cheapest way to do what is asked within all its limits, by the upper end of the price's range.

    The same inputs give the same plan, whatever the order of the offers.

    Args:
        fit_of: the fit on all GPUs of ``ask.resources.nodes`` machines of an offer, or a code why there is none; it is
            asked once for every offer that gets so far, and should give the same object for like hardware.
        now: when the job would be submitted; deadlines count from it.
        tariff_of, egress_of: price of one GB-month of SSD disk, and of one GB sent out, by cloud and region.
        terms_of: how a cloud bills and starts.
    """
    currency = ranking_currency(ask, offers)
    pricing = Pricing(ask, now, Exchange(rates), cache(tariff_of), cache(egress_of))
    sieve = Sieve(
        Ways(pricing, currency, fit_of, terms_of),
        offer_checks(pricing.exchange, currency),
        wish_checks(ask),
        limit_checks(ask, now),
    )
    ranked = sieve.pass_through(offers)
    if not ranked:
        rejected, changes = sieve.rejected(), sieve.changes(offers)
        name = _plan_id(ask, now, catalog_date, (*map(repr, rejected), *map(repr, changes)))
        return Plan(name, catalog_date, None, (), (), rejected, (), changes)
    others, front = fallbacks(ranked), alternatives(ranked)
    shown = [ranked[0], *others, *(way for way, _ in front)]
    rejected = sieve.rejected()
    return Plan(
        plan_id=_plan_id(ask, now, catalog_date, (*map(repr, shown), *map(repr, rejected))),
        catalog_date=catalog_date,
        chosen=pricing.placed(ranked[0]),
        fallbacks=tuple(pricing.placed(way) for way in others),
        alternatives=tuple(pricing.placed(way, beaten=beaten) for way, beaten in front),
        rejected=rejected,
        assumptions=tuple(assumptions(ask, ranked[0], shown, pricing, rates)),
        changes=None,
        on_demand_price_per_hour=on_demand_price(ranked[0], offers),
    )


def ranking_currency(ask: Ask, offers: Iterable[Offer]) -> str:
    """The currency in which ways are compared: the budget's, else USD where anything is priced so, else the first."""
    if ask.budget.limit is not None:
        return ask.budget.limit.currency
    seen = {offer.price_per_hour.currency for offer in offers if offer.price_per_hour}
    return "USD" if "USD" in seen or not seen else min(seen)


def on_demand_price(chosen: Way, offers: Iterable[Offer]) -> Money | None:
    """What the chosen machine costs an hour on demand, in its zone or else its region; None when nobody lists it."""
    wanted = chosen.offer
    if wanted.purchase is Purchase.ON_DEMAND:
        return wanted.price_per_hour
    priced = [
        (offer.zone != wanted.zone, offer.price_per_hour.currency, offer.price_per_hour.amount, offer.price_per_hour)
        for offer in offers
        if offer.instance_type == wanted.instance_type
        and offer.purchase is Purchase.ON_DEMAND
        and (offer.cloud, offer.region) == (wanted.cloud, wanted.region)
        and offer.price_per_hour is not None
        and offer.price_status is not PriceStatus.EXPIRED
    ]
    return min(priced, key=lambda each: each[:3])[3] if priced else None


def _plan_id(ask: Ask, now: datetime, catalog_date: str, answer: Iterable[str]) -> str:
    """A name that the same question and answer always get."""
    text = "\n".join((repr(ask), now.isoformat(), catalog_date, *answer))
    return f"plan-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

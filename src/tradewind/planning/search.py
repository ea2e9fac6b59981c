"""The search for a plan: every offer, with the fits on it, against every constraint; the best way that is left."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.plan import FrontPoint, Objective, Plan, PlanLimits
from tradewind.planning.ask import Ask, Refusal, Terms
from tradewind.planning.assumptions import assumptions
from tradewind.planning.changes import infeasible
from tradewind.planning.choice import alternatives, fallbacks, points, unbeaten, unbeaten_in_carbon
from tradewind.planning.constraints import Limits
from tradewind.planning.exchange import Exchange
from tradewind.planning.fits import Fits
from tradewind.planning.interruption import ASSUMED
from tradewind.planning.nearness import Nearness, TariffOf
from tradewind.planning.placing import Placing
from tradewind.planning.pricing import Pricing
from tradewind.planning.refusals import Refusals
from tradewind.planning.supply import Supply
from tradewind.planning.survey import Survey
from tradewind.planning.walk import Surveyor
from tradewind.planning.way import FitOf, InterruptionOf, TermsOf, Way, order_by


def plan(
    ask: Ask,
    offers: Sequence[Offer] | Supply,
    fit_of: FitOf | None,
    *,
    now: datetime,
    catalog_date: str,
    objective: Objective = "cost",
    rates: Sequence[Rate] = (),
    tariff_of: TariffOf = lambda cloud, region: None,
    egress_of: TariffOf = lambda cloud, region: None,
    across_of: TariffOf = lambda cloud, region: None,
    terms_of: TermsOf = lambda cloud: Terms(),
    interruption_of: InterruptionOf = lambda offer: ASSUMED,
    refusals: Sequence[Refusal] = (),
    full_fit_of: FitOf | None = None,
) -> Plan:
    """The best way, by the objective, to do what is asked within all its limits.

    Costs are compared at the upper end of the price's range. The same inputs give the same plan, whatever the order of
    the offers.

    Args:
        fit_of: the fit on all GPUs of so many machines of an offer, or a code why there is none; asked once for every
            kind of machine that gets so far. None: nothing is known of the model, and every machine wished for does.
        now: when the job would be submitted; deadlines count from it.
        tariff_of, egress_of, across_of: price of one GB-month of SSD disk, of one GB sent out, and of one sent to
            another region of the same cloud; by cloud and region.
        terms_of: how a cloud bills and starts.
        interruption_of: how a spot offer's hazards compare with the pooled ones.
        refusals: of the last 24 hours; older ones do not count.
        full_fit_of: as ``fit_of`` with full activation checkpointing, where the job file rules that out.
    """
    supply = offers if isinstance(offers, Supply) else Supply(offers)
    currency = ranking_currency(ask, supply)
    exchange = Exchange(rates)
    nearness = Nearness(ask.datasets, exchange, cache(egress_of), cache(across_of))
    pricing = Pricing(ask, now, exchange, cache(tariff_of), nearness, currency)
    surveyor = Surveyor(supply, pricing, currency, terms_of, interruption_of, Refusals(refusals, now))
    fits = Fits(fit_of)
    found = surveyor.survey(ask, fits)
    empty = Plan(
        plan_id="", catalog_date=catalog_date, objective=objective, chosen=None, fallbacks=(), alternatives=(),
        rejected=found.rejected(), assumptions=(), infeasible=None, currency=currency, controls=ask.controls,
        limits=PlanLimits(ask.deadline_hours(now), ask.budget.limit, ask.max_duration_hours),
    )  # fmt: skip
    if found.ways:
        answer = _answer(empty, surveyor, ask, found, rates)
    else:
        full = None if full_fit_of is None else Fits(full_fit_of)
        shown = tuple(points((), found.over, ())) if _timed(found.over) else ()
        answer = replace(empty, infeasible=infeasible(surveyor, ask, fits, full), points=shown)
    return replace(answer, plan_id=_plan_id(ask, now, answer))


def _answer(empty: Plan, surveyor: Surveyor, ask: Ask, found: Survey, rates: Sequence[Rate]) -> Plan:
    """The plan when something satisfies the constraints."""
    ranked = sorted(found.ways, key=order_by(empty.objective))
    placing = Placing(surveyor.pricing, Limits.of(ask, surveyor.pricing.now, surveyor.currency))
    front = unbeaten_in_carbon(found.ways) if empty.objective == "carbon" else unbeaten(found.ways)
    others, beside = fallbacks(ranked), alternatives(ranked, front)
    shown = [ranked[0], *others, *(way for way, _ in beside)]
    timed = _timed(found.ways)
    return replace(
        empty,
        chosen=placing.placed(ranked[0]),
        fallbacks=tuple(placing.placed(way) for way in others),
        alternatives=tuple(placing.placed(way, beaten=beaten) for way, beaten in beside),
        assumptions=tuple(assumptions(ask, shown, surveyor, rates, empty.objective)),
        front=tuple(_front_point(way, placing, ranked[0]) for way in front) if timed else (),
        points=tuple(points(found.ways, found.over, front)) if timed else (),
        on_demand_price_per_hour=on_demand_price(ranked[0], surveyor.supply),
    )


def _timed(ways: Sequence[Way]) -> bool:
    """Whether the length of the work is known, so that there are hours and costs to draw."""
    return bool(ways) and ways[0].work is not None


def _front_point(way: Way, placing: Placing, chosen: Way) -> FrontPoint:
    offer, carbon = way.offer, None if way.carbon is None else round(way.carbon, 3)
    return FrontPoint(
        offer.cloud, offer.instance_type, offer.region, offer.zone, offer.purchase.value, offer.gpu,
        float(offer.gpus) * way.nodes, way.nodes, way.hours, placing.cost(way), round(way.cost, 6), carbon,
        way is chosen,
    )  # fmt: skip


def ranking_currency(ask: Ask, supply: Supply) -> str:
    """The currency in which ways are compared: the budget's, else USD where anything is priced so, else the first."""
    if ask.budget.limit is not None:
        return ask.budget.limit.currency
    seen = supply.currencies
    return "USD" if "USD" in seen or not seen else min(seen)


def on_demand_price(chosen: Way, supply: Supply) -> Money | None:
    """What the chosen machine costs an hour on demand, in its zone or else its region; None when nobody lists it."""
    wanted = chosen.offer
    if wanted.purchase is Purchase.ON_DEMAND:
        return wanted.price_per_hour
    priced = [
        (offer.zone != wanted.zone, offer.price_per_hour.currency, offer.price_per_hour.amount, offer.price_per_hour)
        for offer in supply.offers_of(wanted.cloud, wanted.instance_type)
        if offer.purchase is Purchase.ON_DEMAND and offer.region == wanted.region and offer.price_per_hour is not None
    ]
    return min(priced, key=lambda each: each[:3])[3] if priced else None


def _plan_id(ask: Ask, now: datetime, answer: Plan) -> str:
    """A name that the same question and answer always get."""
    told: Iterable[object] = (
        ask, now.isoformat(), answer.catalog_date, answer.objective, answer.chosen, answer.fallbacks,
        answer.alternatives, answer.rejected, answer.infeasible,
    )  # fmt: skip
    text = "\n".join(map(repr, told))
    return f"plan-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

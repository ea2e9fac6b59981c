"""Pools of a job: where its plan would rent it, in order, with what the policy must know of each place.

account       that rents there
offer         as JSON, with ``billing`` (its ``price_cap``: text of the most that a spot machine may cost an hour;
              ``rate``: what its currency is worth in the chosen offer's, in which a budget is held); ``purchase``,
              ``nodes``
price         of a node and hour, a number in the chosen offer's currency; 0 of what is free
rank_price    the same at the upper end of what it may be, by which plans rank and the policy chooses
step_seconds  predicted there, null where the file does not say what a step is
notice_s      before a machine is taken; ``hazard``: multiplier on the pooled hazards of loss
zone          of the trace that is replayed, the one that stands for this pool; null without a trace, or on demand
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tradewind.app.clouds.furnishing import TOLERATED
from tradewind.app.interruptions import interruption_of
from tradewind.app.machines import offers as machines
from tradewind.app.views.values import rate_json
from tradewind.catalog import rates
from tradewind.catalog.terms import terms as terms_of_cloud
from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer, PriceStatus, Purchase, spread
from tradewind.domain.trace import SpotTrace

LOCAL_NOTICE_S = 30.0  # of a machine whose cloud tells no notice
Pool = dict[str, Any]


def pools_of(plan: dict[str, Any], trace: SpotTrace | None, table: rates.Table | None) -> list[Pool]:
    """The chosen way first, then the fallbacks that have a price.

    With a trace its zones stand for the spot pools in their order, and spot pools beyond its zones are left out:
    nothing is known of them. A job that begins on a machine that is free goes to no other: nobody was asked for money.
    ``table`` are the exchange rates; None: the shipped ones. A pool in a currency without a rate is left out.
    """
    free = _free(plan["chosen"])
    currency = (plan["chosen"]["offer"]["price_per_hour"] or {}).get("currency")
    zones = iter(trace.zones if trace else ())
    pools = []
    for way in (plan["chosen"], *plan["fallbacks"]):
        rate = _rate(way["offer"], currency, table)
        price = 0.0 if free and _free(way) else _price(way["offer"], rate)
        if way is not plan["chosen"] and price is None:
            continue
        zone = next(zones, None) if _spot(way) else None
        if zone or not (trace and _spot(way)):
            pools.append(_pool(way, plan, price, zone, rate))
    return pools


def rehearsed_pool(pool: Pool) -> Pool:
    """The pool as a rehearsal rents it: one lease stands for all its machines, at the price of them together."""
    offer, billing, nodes = pool["offer"], pool["offer"]["billing"], pool["nodes"]
    on_demand = _times(billing["on_demand_price_per_hour"], nodes)
    together = {**billing, "price_cap": None, "on_demand_price_per_hour": on_demand}
    return {**pool, "offer": {**offer, "price_per_hour": _times(offer["price_per_hour"], nodes), "billing": together}}


def _times(price: dict[str, str] | None, nodes: int) -> dict[str, str] | None:
    return (Money.from_json(price) * nodes).to_json() if price else None


def lone_pool(offer: Offer) -> Pool:
    """The pool of a job that is run on a machine without a plan."""
    price = float(offer.price_per_hour.amount) if offer.price_per_hour else 0.0
    return _pool({"offer": offer.to_json(), "nodes": 1, "fit": None}, {}, price, None, None)


def _free(way: dict[str, Any]) -> bool:
    return bool(way["offer"]["price_status"] == PriceStatus.FREE.value)


def _spot(way: dict[str, Any]) -> bool:
    return bool(way["offer"]["purchase"] == Purchase.SPOT.value)


def _pool(way: dict[str, Any], plan: dict[str, Any], price: float | None, zone: str | None, rate: Rate | None) -> Pool:
    offer, spot = way["offer"], _spot(way)
    _, upper = spread(PriceStatus(offer["price_status"]), Purchase(offer["purchase"]))
    terms = machines.TERMS if offer["cloud"] == machines.CLOUD else terms_of_cloud(offer["cloud"])
    price_cap = _price_cap(way, plan["chosen"], plan.get("on_demand_price_per_hour")) if spot and plan else None
    billing = {
        "price_cap": None if price_cap is None else str(price_cap),
        "rate": None if rate is None or rate.base == rate.quote else rate_json(rate),
        "granularity_s": terms.granularity_s if terms else 1.0, "minimum_s": terms.minimum_s if terms else 60.0,
        "on_demand_price_per_hour": plan.get("on_demand_price_per_hour") if spot else offer["price_per_hour"],
    }  # fmt: skip
    return {
        "offer": {**offer, "billing": billing}, "purchase": offer["purchase"], "nodes": way["nodes"], "price": price,
        "rank_price": None if price is None else price * float(upper),
        "step_seconds": way["fit"]["step_seconds"]["value"] if way["fit"] else None,
        "notice_s": terms.notice_s if terms else LOCAL_NOTICE_S,
        "hazard": interruption_of(Offer.from_json(offer)).multiplier if spot else 1.0, "zone": zone,
    }  # fmt: skip


def _price_cap(way: dict[str, Any], chosen: dict[str, Any], on_demand: dict[str, str] | None) -> Decimal | None:
    """What a spot machine may cost an hour at most, in its own currency; None where its price is unknown.

    The upper end of its price, and what that may rise by while it is rented; never more than on demand, where that is
    known: the plan tells it for the machine that it chose.
    """
    offer = way["offer"]
    if not offer["price_per_hour"]:
        return None
    price = Money.from_json(offer["price_per_hour"])
    _, upper = spread(PriceStatus(offer["price_status"]), Purchase.SPOT)
    most = price.amount * upper * TOLERATED
    same = all(offer[name] == chosen["offer"][name] for name in ("cloud", "region", "instance_type"))
    if same and on_demand and on_demand["currency"] == price.currency:
        most = max(min(most, Money.from_json(on_demand).amount), price.amount)
    return Money(most, price.currency).rounded().amount


def _rate(offer: dict[str, Any], currency: str | None, table: rates.Table | None) -> Rate | None:
    """What the offer's currency is worth in that one; None where it cannot be told."""
    price = offer["price_per_hour"]
    return rates.rate(price["currency"], currency, table) if price and currency else None


def _price(offer: dict[str, Any], rate: Rate | None) -> float | None:
    """An hour of the offer at that rate."""
    return float(Money.from_json(offer["price_per_hour"]).amount * rate.value) if rate else None

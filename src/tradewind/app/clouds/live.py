"""Live prices: what the ways of a plan cost now is asked before money is spent, and planned with, until it holds.

plan ─▶ quote what it chose, its fallbacks and alternatives, side by side ─▶ plan again with the answers ─▶ … all asked
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

from tradewind.app.clouds.furnishing import quoted
from tradewind.app.clouds.providers import Providers
from tradewind.app.clouds.within import Key, Within, key_of
from tradewind.app.machines.offers import CLOUD as MACHINES
from tradewind.domain.errors import TradewindError
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Order

ANSWER_SECONDS = 8.0  # for which the answers of one round are waited for
ASK_SECONDS = 40.0  # after which a plan makes do with what was asked
AT_ONCE = 8
Json = dict[str, Any]
Quote = Callable[[Offer], Money | None]


def quoting(providers: Providers) -> Quote:
    """What clouds say that an offer costs now; a cloud that cannot be asked tells nothing."""

    def quote(offer: Offer) -> Money | None:
        place = offer.cloud, offer.region, offer.zone, offer.instance_type, offer.purchase.value
        try:
            return quoted(providers.get(offer.cloud).cloud(offer.region), Order("", "", "", *place, hard_end=""))
        except TradewindError:
            return None

    return quote


def live_plan(make: Callable[[Within], Json], within: Within, quote: Quote, clock: Clock) -> Json:
    """The plan whose chosen way costs what it says today.

    Args:
        make: the plan within bounds, as JSON.
        quote: what an offer costs an hour now; None where that is not told.
    """
    deadline = clock.monotonic() + ASK_SECONDS
    while True:
        plan = make(within)
        unasked = _unasked(plan, within)
        if within.asked_only or not unasked:
            return plan
        within = replace(within, live=(*within.live, *quotes(unasked, quote).items()))
        within = replace(within, asked_only=clock.monotonic() >= deadline)


def _unasked(plan: Json, within: Within) -> list[Offer]:
    """Offers of clouds that the plan may come to and whose price was not asked; none once all it rents on was."""
    asked, ways = {key for key, _ in within.live}, [plan["chosen"], *plan["fallbacks"]]
    needed, others = (_offers(each, asked) for each in (ways, plan["alternatives"]))
    return [*{key_of(each): each for each in (*needed, *others)}.values()] if needed else []


def _offers(ways: Iterable[Json | None], asked: set[Key]) -> list[Offer]:
    offers = [Offer.from_json(way["offer"]) for way in ways if way]
    return [each for each in offers if each.cloud != MACHINES and key_of(each) not in asked]


def quotes(offers: Iterable[Offer], quote: Quote) -> Mapping[Key, Money | None]:
    """What each offer costs now; one that is not answered in time is not told. Its question ends by its own limit."""
    threads = ThreadPoolExecutor(AT_ONCE, "quote")
    asked = {key_of(each): threads.submit(quote, each) for each in offers}
    wait(asked.values(), ANSWER_SECONDS)
    threads.shutdown(wait=False, cancel_futures=True)
    return {key: told.result() if told.done() and not told.cancelled() else None for key, told in asked.items()}

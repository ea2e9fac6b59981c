"""The search once more, as simply as can be: every offer by itself, nothing shared, nothing grouped. For comparison."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tradewind.domain.fit import Fit
from tradewind.domain.gpus import data_sheet
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.residency import allowed
from tradewind.planning.ask import SETUP_HOURS, SETUP_P99_HOURS, Ask
from tradewind.planning.interruption import expected_losses

RESUME, WAIT, POWER = 0.05, 0.2, 0.7  # hours after a loss, hours until another machine, share of a GPU's power
USD_CNY = 7.1
FitOf = Callable[[Offer, int], Fit | str]


@dataclass(frozen=True)
class Tried:
    """One offer on one number of machines; ``need``: of a deadline that it could keep from the start."""

    offer: Offer
    nodes: int
    work: float
    hours: float
    cost: float
    carbon: float | None
    need: float
    price: float  # of the work alone
    paid: float
    seconds: float


def tried(ask: Ask, offers: Sequence[Offer], fit_of: FitOf, disk_hour: float) -> list[Tried]:
    """All that keeps every limit. ``disk_hour``: of a machine, USD."""
    assert ask.total_steps
    currency = ranking_currency(ask, offers)
    wished = [(offer, nodes, fit) for offer in offers if usable(offer) and wanted(ask, offer)
              for nodes, fit in fits(ask, offer, fit_of)]  # fmt: skip
    deadline = ask.schedule.deadline_seconds and ask.schedule.deadline_seconds / 3600
    found = []
    for offer, nodes, fit in wished:
        work, setup = fit.step_seconds.value * ask.total_steps / 3600, SETUP_HOURS.value
        losses = expected_losses(work, nodes) if offer.purchase is Purchase.SPOT else 0.0
        paid = work + setup + losses * (setup + RESUME)
        seconds = max(60.0, math.ceil(round(round(paid, 6) * 3600, 6)))  # as clouds bill it
        rent = upper(offer, currency) * nodes
        sheet = data_sheet(offer.gpu)
        assert sheet is not None and sheet.tdp_w is not None
        grid = offer.carbon_g_per_kwh
        grams = None if grid is None else sheet.tdp_w / 1000 * POWER * float(offer.gpus) * nodes * paid * grid
        disk = disk_hour * nodes * paid * (USD_CNY if currency == "CNY" else 1)
        found.append(Tried(offer, nodes, work, paid + losses * WAIT, rent * seconds / 3600 + disk, grams,
                           work + SETUP_P99_HOURS, rent * work, paid, seconds))  # fmt: skip
    if deadline is not None and ask.budget.purchase != "spot":
        saved = (rescued(each, found, deadline, upper(each.offer, currency)) for each in found)
        found = [each for each in saved if each is not None]
    limit = float(ask.budget.limit.amount) if ask.budget.limit else math.inf
    return [each for each in found if each.hours <= (deadline or math.inf) and each.cost + 1e-5 <= limit]


def rescued(spot: Tried, found: Sequence[Tried], deadline: float, price: float) -> Tried | None:
    """A spot way with the share that its last resort is expected to have; None when nothing could save its deadline."""
    if spot.offer.purchase is not Purchase.SPOT:
        return spot
    resorts = [each.price for each in found if each.offer.purchase is Purchase.ON_DEMAND
               and each.work <= spot.work * (1 + 1e-9) and each.need <= deadline]  # fmt: skip
    if not resorts:
        return None
    setup = SETUP_HOURS.value
    lost = spot.hours - spot.work - setup
    over = spot.work + 2 * lost + 2 * setup - deadline
    share = min(1.0, max(0.0, over / (2 * lost))) / 4 if lost > 0 else 0.0
    own = price * spot.nodes * (spot.seconds / 3600 - (spot.paid - spot.work))
    cost = spot.cost + share * max(0.0, min(resorts) - own)
    return replace(spot, cost=cost)


def usable(offer: Offer) -> bool:
    priced = offer.price_per_hour is not None and offer.price_status not in {PriceStatus.UNKNOWN, PriceStatus.EXPIRED}
    known = offer.gpu_known and data_sheet(offer.gpu) is not None and offer.gpus > 0
    return priced and known and offer.purchase in {Purchase.SPOT, Purchase.ON_DEMAND}


def wanted(ask: Ask, offer: Offer) -> bool:
    place, budget = ask.placement, ask.budget
    return (
        budget.purchase in {"auto", offer.purchase.value}
        and (not place.clouds or offer.cloud in place.clouds)
        and (not place.regions or offer.region in place.regions)
        and (place.residency is None or offer.country in allowed(place.residency))
        and (ask.resources.cpus is None or (offer.cpus or 0) >= ask.resources.cpus)
    )


def fits(ask: Ask, offer: Offer, fit_of: FitOf) -> list[tuple[int, Fit]]:
    """On which numbers of machines the offer holds the work."""
    want, gpus = ask.resources, int(offer.gpus)
    wish = want.accelerators
    if wish and wish.gpu not in {None, offer.gpu}:
        return []
    if not want.nodes_open:
        counts = [want.nodes]
    elif wish:
        counts = [n for n in range(1, 65) if n & (n - 1) == 0 or n * gpus in {wish.low, wish.high}]
    else:
        counts = [1, 2, 4, 8]
    if want.nodes_open and offer.network_gbps is None:
        counts = [1] if 1 in counts else []
    if wish:
        counts = [n for n in counts if wish.low <= n * gpus <= wish.high]
    answers = [(n, fit) for n in counts if isinstance(fit := fit_of(offer, n), Fit) and fit.fits]
    return answers[:1] if want.nodes_open and wish is None else answers


def upper(offer: Offer, currency: str) -> float:
    """The upper end of an hour's price of one machine."""
    bounds = offer.price_bounds()
    assert bounds is not None
    amount, given = float(bounds[1].amount), bounds[1].currency
    return amount * {("USD", "CNY"): USD_CNY, ("CNY", "USD"): 1 / USD_CNY}.get((given, currency), 1.0)


def ranking_currency(ask: Ask, offers: Sequence[Offer]) -> str:
    if ask.budget.limit:
        return ask.budget.limit.currency
    seen = {offer.price_per_hour.currency for offer in offers if offer.price_per_hour}
    return "USD" if "USD" in seen or not seen else min(seen)

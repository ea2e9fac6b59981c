"""What a plan refuses, in the order in which it is counted; each offer counts once, for the first that it breaks.

    offer   no-gpu  gpu-unknown  no-data-sheet  price-unknown  price-expired  rate-unknown  purchase
    wishes  purchase  cloud  region  residency  accelerators  other-vendor  other-processor  cpus
    fit     architecture-unsupported  precision-unsupported  batch-indivisible  …  too-little-memory
    limits  over-deadline  over-max-duration  over-budget

Wishes and limits name the key of the job file that would lift them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from tradewind.domain.gpus import data_sheet
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.residency import allowed
from tradewind.domain.workload import Accelerators
from tradewind.planning.ask import Ask
from tradewind.planning.exchange import Exchange
from tradewind.planning.way import Way

T = TypeVar("T")

# Ways are compared in floats and paid in exact millionths: sums of rounded parts differ by less than this.
ROUNDING = 1e-5

PLANNED = frozenset({Purchase.ON_DEMAND, Purchase.SPOT})  # the others are bound to a term or a booked window


@dataclass(frozen=True, slots=True)
class Check(Generic[T]):
    """One constraint: when a ``T`` breaks it, the key of the job file that lifts it, and to which value for a way.

    ``admitting`` is None for a way that no value would admit, because something about its offer is not known.
    ``excess`` says of a way how far over the limit it is; the least excess is the nearest miss.
    """

    code: str
    broken: Callable[[T], bool]
    key: str = ""
    admitting: Callable[[Way], str | None] = str
    excess: Callable[[Way], float] | None = None
    words: str = "{:g}"  # how an excess is told


def offer_checks(exchange: Exchange, currency: str) -> tuple[Check[Offer], ...]:
    """What makes an offer unusable for anyone."""
    return (
        Check("no-gpu", lambda offer: offer.gpus <= 0),
        Check("gpu-unknown", lambda offer: not offer.gpu_known),
        Check("no-data-sheet", lambda offer: data_sheet(offer.gpu) is None),
        Check("price-unknown", lambda offer: offer.price_per_hour is None or offer.price_status is PriceStatus.UNKNOWN),
        Check("price-expired", lambda offer: offer.price_status is PriceStatus.EXPIRED),
        Check("rate-unknown", lambda offer: not _convertible(offer, exchange, currency)),
        Check("purchase", lambda offer: offer.purchase not in PLANNED),
    )


def wish_checks(ask: Ask) -> tuple[Check[Offer], ...]:
    """What this workload does not want; only wishes that it states."""
    place, want, kinds = ask.placement, ask.resources, _purchases(ask)
    checks: list[Check[Offer]] = [
        Check("purchase", lambda offer: offer.purchase not in kinds, "budget.purchase", lambda _: "auto")
    ]
    if place.clouds:
        checks.append(_place_check("cloud", "placement.clouds", lambda offer: offer.cloud, place.clouds))
    if place.regions:
        checks.append(_place_check("region", "placement.regions", lambda offer: offer.region, place.regions))
    if place.residency:
        lands = allowed(place.residency)
        checks.append(_place_check("residency", "placement.residency", lambda offer: offer.country, lands))
    if want.accelerators:
        checks.append(_accelerator_check(want.accelerators, want.nodes))
    else:
        checks += [_vendor_check(), _processor_check()]
    if want.cpus is not None:
        checks.append(_cpu_check(want.cpus))
    return tuple(checks)


def limit_checks(ask: Ask, now: datetime) -> tuple[Check[Way], ...]:
    """Time, by the expected hours, and money: the budget's currency is the one in which ways are ranked."""
    checks: list[Check[Way]] = []
    deadline, longest = ask.deadline_hours(now), ask.schedule.max_duration_seconds
    if deadline is not None:
        checks.append(_hours_check("over-deadline", "schedule.deadline", deadline, "late"))
    if longest is not None:
        checks.append(_hours_check("over-max-duration", "schedule.max_duration", longest / 3600, "too long"))
    if ask.budget.limit is not None:
        checks.append(_budget_check(float(ask.budget.limit.amount), ask.budget.limit.currency))
    return tuple(checks)


def _place_check(code: str, key: str, where: Callable[[Offer], str | None], wanted: Iterable[str]) -> Check[Offer]:
    names = frozenset(wanted)
    return Check(code, lambda offer: where(offer) not in names, key, lambda way: where(way.offer))


def _hours_check(code: str, key: str, most: float, word: str) -> Check[Way]:
    return Check(
        code,
        lambda way: way.hours > most,
        key,
        lambda way: f"{math.ceil(way.hours * 10 - 1e-9) / 10:g}h",
        lambda way: way.hours - most,
        f"{{:.1f}} h {word}",
    )


def _budget_check(limit: float, currency: str) -> Check[Way]:
    return Check(
        "over-budget",
        lambda way: way.rank_cost + ROUNDING > limit,
        "budget.limit",
        lambda way: f"{_round_up(way.rank_cost + ROUNDING)} {currency}",
        lambda way: way.rank_cost - limit,
        f"{{:.2f}} {currency} over",
    )


def _round_up(amount: float) -> str:
    """The next whole unit from 10 up, the next hundredth below."""
    return str(math.ceil(amount)) if amount >= 10 else f"{math.ceil(amount * 100) / 100:.2f}"


def _accelerator_check(wish: Accelerators, nodes: int) -> Check[Offer]:
    def broken(offer: Offer) -> bool:
        return (wish.gpu is not None and offer.gpu != wish.gpu) or not wish.low <= offer.gpus * nodes <= wish.high

    return Check(
        "accelerators",
        broken,
        "resources.accelerators",
        lambda way: f"{way.offer.gpu}:{math.ceil(way.offer.gpus * nodes)}",
    )


def _vendor_check() -> Check[Offer]:
    """Scripts written for CUDA do not run elsewhere as they are: other vendors only where a GPU is named."""

    def broken(offer: Offer) -> bool:
        sheet = data_sheet(offer.gpu)
        return sheet is not None and sheet.vendor != "NVIDIA"

    return Check(
        "other-vendor",
        broken,
        "resources.accelerators",
        lambda way: f"{way.offer.gpu}:{math.ceil(way.offer.gpus)}",
    )


def _processor_check() -> Check[Offer]:
    """Wheels and containers are built for x86-64 first: Arm only where its GPU is named."""
    return Check(
        "other-processor",
        lambda offer: offer.arch == "arm64",
        "resources.accelerators",
        lambda way: f"{way.offer.gpu}:{math.ceil(way.offer.gpus)}",
    )


def _cpu_check(cpus: int) -> Check[Offer]:
    def admitting(way: Way) -> str | None:
        return None if way.offer.cpus is None else str(way.offer.cpus)

    return Check("cpus", lambda offer: (offer.cpus or 0) < cpus, "resources.cpus", admitting)


def _purchases(ask: Ask) -> frozenset[Purchase]:
    wish = ask.budget.purchase
    return PLANNED if wish == "auto" else frozenset({Purchase(wish)})


def _convertible(offer: Offer, exchange: Exchange, currency: str) -> bool:
    price = offer.price_per_hour
    return price is None or price.currency == currency or exchange.factor(price.currency, currency) is not None

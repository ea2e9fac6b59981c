"""The user's machines beside the catalog's offers: those that a question asks for, each in its place in the answer."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tradewind.catalog import rates
from tradewind.catalog.query import SORTS, Query
from tradewind.catalog.search import COMPARED_IN
from tradewind.domain.gpus import Gpu, data_sheet
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus

Verdicts = dict[str, bool | None]  # by filter: whether an offer keeps it; None: that is not known


@dataclass(frozen=True, slots=True)
class Own:
    """The user's offers that a question asks for; ``dropped`` counts by filter those that an unknown value kept out."""

    offers: list[Offer]
    dropped: dict[str, int]


def own(offers: Iterable[Offer], query: Query, table: rates.Table) -> Own:
    """Of the user's offers those that match, in the question's order."""
    if query.tier == "specialist":
        return Own([], {})
    found, dropped = list[Offer](), Counter[str]()
    for offer in offers:
        verdicts = _verdicts(offer, query, table)
        if False in verdicts.values():
            continue
        unknown = [name for name, kept in verdicts.items() if kept is None]
        dropped.update(unknown)
        if not unknown:
            found.append(offer)
    return Own(sorted(found, key=_order(query, table)), dict(dropped))


def merged(mine: Sequence[Offer], listed: Sequence[Offer], query: Query, table: rates.Table) -> list[Offer]:
    """Both in one list, in the question's order, cut to its limit; of equals the user's come first."""
    whole = list(heapq.merge(mine, listed, key=_order(query, table)))
    return whole if query.limit is None else whole[: query.limit]


def _verdicts(offer: Offer, query: Query, table: rates.Table) -> Verdicts:
    low, high = query.gpus or (0, 10**6)
    sheet = data_sheet(offer.gpu, offer.form) if offer.gpu_known else None
    memory = sheet.memory_gib if sheet else offer.gpu_memory_gib
    gpus = (query.gpu,) if isinstance(query.gpu, str) else query.gpu
    checks: dict[str, tuple[Any, Callable[[Any], bool | None]]] = {
        "gpu": (gpus, lambda wanted: offer.gpu in wanted),
        "form": (query.form, lambda wanted: None if offer.form is None else offer.form == wanted),
        "cloud": (query.clouds, lambda wanted: offer.cloud in wanted),
        "region": (query.regions, lambda wanted: offer.region in wanted),
        "purchase": (query.purchases, lambda wanted: offer.purchase in wanted),
        "country": (query.countries, lambda wanted: None if offer.country is None else offer.country in wanted),
        "memory": (query.min_gpu_memory_gib, lambda least: None if memory is None else memory >= least),
        "price": (query.max_price, lambda most: _at_most(offer, offer.price_per_hour, most, table)),
        "price-per-gpu": (query.max_price_per_gpu, lambda most: _at_most(offer, offer.price_per_gpu_hour, most, table)),
        "rdma": (query.rdma or query.min_rdma_gbps, lambda _: None),
        "nvlink": (query.nvlink, lambda _: None),
        "carbon": (query.max_carbon_g_per_kwh, lambda _: None),
        "cuda": (query.cuda, lambda wanted: _runs(sheet, wanted)),
    }
    verdicts = {name: judge(wanted) for name, (wanted, judge) in checks.items() if wanted is not None}
    return {"gpus": low <= offer.gpus <= high, **verdicts}


def _at_most(offer: Offer, price: Money | None, most: Money, table: rates.Table) -> bool | None:
    if price is None:
        return True if offer.free else None
    known = rates.converted(price, most.currency, table)
    return known[0] <= most if known else None


def _runs(sheet: Gpu | None, cuda: str) -> bool | None:
    """As the catalog judges it: a bare major version means any of its minor ones."""
    if sheet is None or sheet.min_cuda is None:
        return None
    major, _, minor = cuda.partition(".")
    first = tuple(int(part) for part in sheet.min_cuda.split("."))
    return first <= (int(major), int(minor or 999)) and int(major) <= (sheet.last_cuda_major or int(major))


def _order(query: Query, table: rates.Table) -> Callable[[Offer], tuple[float, ...]]:
    """What sorts offers as the catalog does: what is unknown last."""
    if query.sort in ("price_per_gpu", "price"):
        return lambda offer: _price(offer, table, whole=query.sort == "price")
    values: dict[str, Callable[[Offer], float | None]] = {
        "gpu_memory": lambda offer: offer.gpu_memory_gib, "gpus": lambda offer: float(offer.gpus),
        "cpus": lambda offer: offer.cpus, "memory": lambda offer: offer.memory_gib,
        "network": lambda offer: offer.network_gbps, "carbon": lambda offer: offer.carbon_g_per_kwh,
        "as_of": lambda offer: float((offer.as_of or "0").replace("-", "").ljust(8, "0")),
    }  # fmt: skip
    value, sign = values.get(query.sort), -1.0 if SORTS[query.sort][1] else 1.0  # of a distance nothing is known here

    def key(offer: Offer) -> tuple[float, ...]:
        told = value(offer) if value else None
        return (1.0,) if told is None else (0.0, sign * told)

    return key


def _price(offer: Offer, table: rates.Table, *, whole: bool) -> tuple[float, ...]:
    """By the upper end of the price, of the machine or of one GPU; then what is expired, then what has no price."""
    bounds = offer.price_bounds()
    if bounds is None:
        return (0.0, 0.0) if offer.free else (2.0,)
    known = rates.converted(bounds[1], COMPARED_IN, table)
    if known is None:
        return (2.0,)
    each = 1.0 if whole else float(offer.gpus) or 1.0
    return (1.0 if offer.price_status is PriceStatus.EXPIRED else 0.0, float(known[0].amount) / each)

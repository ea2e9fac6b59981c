"""A question about the market in, offers out: cheapest first, with the status of every price.

Query ─▶ rows of the index ─▶ Offer with price status ─▶ sorted by the upper end of the price of one GPU-hour
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from tradewind.catalog.rates import rate
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import price_status
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase, spread

UNKNOWN_REGION = "unknown"  # of a machine for which no price, and so no place, is sourced
COMPARED_IN = "USD"  # sorting needs one currency; any gives the same order

_USABLE, _EXPIRED, _UNPRICED = range(3)  # the order of the three groups in an answer
_PURCHASES = {each.value: each for each in Purchase}
_decimal = cache(Decimal)  # a few thousand distinct texts stand in many more rows


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for; None does not restrict.

    Attributes:
        gpu: canonical id, or a cloud's own label where that is all that is known.
        form: ``SXM`` or ``PCIe``; machines whose form is not known do not match.
        gpus: least and most GPUs of one machine, both counted in.
        countries: ISO 3166-1 alpha-2; a machine whose country is not known does not match.
        limit: at most so many offers.
    """

    gpu: str | None = None
    form: str | None = None
    gpus: tuple[Decimal | int, Decimal | int] | None = None
    clouds: Collection[str] | None = None
    regions: Collection[str] | None = None
    purchases: Collection[Purchase] | None = None
    countries: Collection[str] | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the market the snapshot knows.

    Attributes:
        machines: instance types; ``unpriced`` of them have no price in any place.
        left_out: types that no search returns, since their number of GPUs is not sourced.
        prices: price rows; ``offers`` of them are offers, the others are other ways to pay the same.
    """

    machines: int
    unpriced: int
    left_out: int
    prices: int
    offers: int


def search(snapshot: Snapshot, query: Query, today: date) -> list[Offer]:
    """Offers that match, by the upper end of their price of one GPU-hour; then expired prices; then unpriced machines.

    A machine without any price is one offer: region ``unknown``, on demand, price unknown. Of the ways to pay a
    reservation, the one without money up front is offered, else the lowest.
    """
    conditions, values = _conditions(query)
    question = f"{_OFFERS} WHERE m.gpus IS NOT NULL{''.join(f' AND {each}' for each in conditions)}"
    status = cache(lambda as_of: price_status(as_of, today))
    sources = {None: None, **dict(snapshot.rows("SELECT id, source FROM source"))}
    offers = [_offer(row, sources, status) for row in snapshot.rows(question, values)]
    offers.sort(key=_rank)
    return offers[: query.limit]


def coverage(snapshot: Snapshot) -> Coverage:
    """The counts of what the snapshot holds."""
    return Coverage(*snapshot.rows(_COVERAGE)[0])


_OFFERS = f"""
SELECT m.cloud, COALESCE(p.region, '{UNKNOWN_REGION}') AS offer_region, p.zone, m.instance_type, m.gpu, m.form,
       m.gpu_known, m.gpus, m.gpu_memory_gib, m.cpus, m.memory_gib, m.network_gbps, m.rdma, m.nvlink,
       COALESCE(p.purchase, 'on_demand') AS offer_purchase, p.price_per_hour, p.currency, p.as_of,
       p.source, p.note, place.carbon_g_per_kwh, place.country, place.city, m.arch
FROM machine m
LEFT JOIN price p ON p.machine = m.id AND p.offered
LEFT JOIN place ON place.cloud = m.cloud AND place.region = p.region"""  # noqa: S608

_COVERAGE = """
SELECT COUNT(*), SUM(NOT EXISTS (SELECT 1 FROM price WHERE machine = machine.id AND offered)), SUM(gpus IS NULL),
       (SELECT COUNT(*) FROM price), (SELECT COUNT(*) FROM price WHERE offered) FROM machine"""


def _conditions(query: Query) -> tuple[list[str], list[object]]:
    conditions: list[str] = []
    values: list[object] = []
    for column, wanted in (("m.gpu", query.gpu), ("m.form", query.form)):
        if wanted is not None:
            conditions.append(f"{column} = ?")
            values.append(wanted)
    if query.gpus is not None:
        conditions.append("CAST(m.gpus AS REAL) BETWEEN ? AND ?")
        values += [float(bound) for bound in query.gpus]
    for column, several in (
        ("m.cloud", query.clouds), ("offer_region", query.regions), ("offer_purchase", query.purchases),
        ("place.country", query.countries),
    ):  # fmt: skip
        if several is not None:
            conditions.append(f"{column} IN ({', '.join('?' * len(several))})")
            values += [str(each) for each in several]
    return conditions, values


def _offer(
    row: tuple[Any, ...], sources: Mapping[int | None, str | None], status: Callable[[str | None], PriceStatus]
) -> Offer:
    (cloud, region, zone, instance_type, gpu, form, known, gpus, gpu_memory, cpus, memory, network, rdma, nvlink,
     purchase, price, currency, as_of, source, note, carbon, country, city, arch) = row  # fmt: skip
    told = f"{sources[source]}; {note}" if note else sources[source]
    return Offer(
        cloud, region, zone, instance_type, gpu, form, bool(known), _decimal(gpus), gpu_memory, cpus, memory, network,
        rdma, nvlink, _PURCHASES[purchase], Money(_decimal(price), currency) if price else None, status(as_of), as_of,
        told, carbon, country, city, arch,
    )  # fmt: skip


def _rank(offer: Offer) -> tuple[int, float, str, str, str, str, str]:
    price, group, upper = offer.price_per_hour, _UNPRICED, 0.0
    if price and offer.gpus > 0 and (factor := _to_compared(price.currency)):
        group = _EXPIRED if offer.price_status is PriceStatus.EXPIRED else _USABLE
        upper = float(price.amount) / float(offer.gpus) * factor * _upper(offer.price_status, offer.purchase)
    return group, upper, offer.cloud, offer.region, offer.zone or "", offer.instance_type, offer.purchase


@cache
def _upper(status: PriceStatus, purchase: Purchase) -> float:
    return float(spread(status, purchase)[1])


@cache
def _to_compared(currency: str) -> float | None:
    known = rate(currency, COMPARED_IN)
    return float(known.value) if known else None

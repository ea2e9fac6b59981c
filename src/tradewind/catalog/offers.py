"""Offers out of rows of the snapshot. What was made once is kept as long as the snapshot and the day are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from tradewind.catalog.query import UNKNOWN_REGION
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import price_status
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase

AT_ONCE = 20_000  # ids in one question, which then stays well below the longest that SQLite takes

_PURCHASES = {each.value: each for each in Purchase}
_ROWS = f"""
SELECT COALESCE(p.id, -m.id), m.cloud, COALESCE(p.region, '{UNKNOWN_REGION}'), p.zone, m.instance_type, m.gpu, m.form,
       m.gpu_known, m.gpus, m.gpu_memory_gib, m.cpus, m.memory_gib, m.network_gbps, m.rdma, m.nvlink,
       COALESCE(l.purchase, 'on_demand'), p.price_per_hour, l.currency, l.as_of,
       p.source, p.note, place.carbon_g_per_kwh, place.country, place.city, m.arch
FROM """  # noqa: S608
_PRICED = """price p JOIN listing l ON l.id = p.listing JOIN machine m ON m.id = p.machine
LEFT JOIN place ON place.id = p.place WHERE p.id IN ("""
_UNPRICED = """machine m LEFT JOIN (SELECT * FROM price LIMIT 0) p LEFT JOIN (SELECT * FROM listing LIMIT 0) l
LEFT JOIN (SELECT * FROM place LIMIT 0) place WHERE -m.id IN ("""  # ON FALSE would go through every price for each


def offers_of(snapshot: Snapshot, ids: Sequence[int], today: date) -> list[Offer]:
    """The offers with these ids, in this order: a price's id, or minus the id of a machine without a price."""
    made = _made(snapshot, today)
    missing = [each for each in ids if each not in made]
    if missing:
        sources = dict(snapshot.rows("SELECT id, source FROM source"))
        status = lru_cache(maxsize=None)(lambda as_of: price_status(as_of, today))
        for table, wanted in ((_PRICED, [n for n in missing if n > 0]), (_UNPRICED, [n for n in missing if n < 0])):
            for row in _rows(snapshot, table, wanted):
                made[row[0]] = _offer(row, sources, status)
    return [made[each] for each in ids]


@lru_cache(maxsize=1)
def _made(snapshot: Snapshot, today: date) -> dict[int, Offer]:
    """What was made of one snapshot on one day. Its name speaks for its content, so nothing here grows stale."""
    return {}


def _rows(snapshot: Snapshot, table: str, ids: Sequence[int]) -> Iterable[tuple[Any, ...]]:
    for start in range(0, len(ids), AT_ONCE):
        yield from snapshot.rows(f"{_ROWS}{table}{','.join(map(str, ids[start : start + AT_ONCE]))})")


def _offer(row: tuple[Any, ...], sources: Mapping[int, str], status: Callable[[str | None], PriceStatus]) -> Offer:
    (_, cloud, region, zone, instance_type, gpu, form, known, gpus, gpu_memory, cpus, memory, network, rdma, nvlink,
     purchase, price, currency, as_of, source, note, carbon, country, city, arch) = row  # fmt: skip
    told = sources.get(source)
    return Offer(
        cloud, region, zone, instance_type, gpu, form, bool(known), _decimal(gpus), gpu_memory, cpus, memory, network,
        rdma, nvlink, _PURCHASES[purchase], Money(Decimal(price), currency) if price else None, status(as_of), as_of,
        f"{told}; {note}" if note else told, carbon, country, city, arch,
    )  # fmt: skip


_decimal = lru_cache(maxsize=256)(Decimal)  # numbers of GPUs: few distinct ones

"""A question about the market in, offers out: cheapest first, with the status of every price.

Query ─▶ conditions ─▶ narrow rows ─▶ sorted by the upper end of the price of one GPU-hour ─▶ cut ─▶ Offers
                            └─▶ how many were left out by an unknown value alone
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Any

from tradewind.catalog.offers import offers_of
from tradewind.catalog.places import distances
from tradewind.catalog.query import SORTS, UNKNOWN_REGION, Condition, Query, conditions
from tradewind.catalog.rates import Table, currencies, rate
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import price_status
from tradewind.domain.offer import Offer, PriceStatus, Purchase, spread

__all__ = ["COMPARED_IN", "UNKNOWN_REGION", "Coverage", "Found", "Query", "coverage", "find", "search"]

COMPARED_IN = "USD"  # sorting needs one currency; any gives the same order

_USABLE, _EXPIRED, _UNPRICED = range(3)  # the order of the three groups in an answer
_CERTAIN = frozenset({"tier", "gpu", "cloud"})  # conditions that are never unknown of a machine


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, and what it could not know.

    Attributes:
        offers: those that match, sorted and cut to the query's limit; ``more`` were cut off.
        dropped: by filter, how many offers were left out because the value it asks for is unknown and nothing else
            stood against them. An offer that is unknown to two filters counts for both; a machine whose number of
            GPUs is not known is no offer, and counts under ``gpus`` alone.
        distances: km from the query's point to each (cloud, region) whose place is known; empty without a point.
        unpriced: how many of all that match, cut off or not, have no price.
    """

    offers: list[Offer]
    more: int
    dropped: dict[str, int]
    distances: dict[tuple[str, str], float]
    unpriced: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the clouds' market the snapshot knows.

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
    """The offers of :func:`find` alone."""
    return find(snapshot, query, today).offers


def find(snapshot: Snapshot, query: Query, today: date, table: Table | None = None) -> Found:
    """Offers that match, by the upper end of their price of one GPU-hour; then expired prices; then unpriced machines.

    A machine without any price is one offer: region ``unknown``, on demand, price unknown. Of the ways to pay a
    reservation, the one without money up front is offered, else the lowest; one's own price before any list's.

    Args:
        table: exchange rates; without, the shipped ones.
    """
    asked = conditions(query, currencies(table), lambda base, quote: _factor(base, quote, table))
    rows, dropped = _matching(snapshot, query, asked)
    ids = _sorted(snapshot, rows, query, _weights(snapshot, today, table))
    kept = ids if query.limit is None else ids[: query.limit]
    away = distances(snapshot, *query.near) if query.near else {}
    unpriced = sum(each < 0 for each in ids)  # a machine stands for itself by its number below zero
    return Found(offers_of(snapshot, kept, today), len(ids) - len(kept), dropped, away, unpriced)


def coverage(snapshot: Snapshot) -> Coverage:
    """The counts of what the snapshot holds."""
    return Coverage(*snapshot.rows(_COVERAGE)[0])


_COVERAGE = """
SELECT COUNT(*), SUM(NOT EXISTS (SELECT 1 FROM price WHERE machine = machine.id AND offered)), SUM(gpus IS NULL),
       (SELECT COUNT(*) FROM price JOIN machine m ON m.id = price.machine WHERE m.tier = 'cloud'),
       (SELECT COUNT(*) FROM price JOIN machine m ON m.id = price.machine WHERE m.tier = 'cloud' AND offered)
FROM machine WHERE tier = 'cloud'"""

Row = tuple[Any, ...]  # id, price of one GPU-hour, listing, what to sort by, which conditions are unknown

_ROWS = """
SELECT COALESCE(p.id, -m.id), p.per_gpu, p.listing, {sort}, {unknown}
FROM machine m
LEFT JOIN price p ON p.machine = m.id AND p.offered
LEFT JOIN listing l ON l.id = p.listing
LEFT JOIN place ON place.id = p.place
WHERE """


def _matching(snapshot: Snapshot, query: Query, asked: Sequence[Condition]) -> tuple[list[Row], dict[str, int]]:
    """Rows of which every condition is true; and by filter, of how many others nothing is false but it is unknown."""
    doubtful = [each for each in asked if each[0] not in _CERTAIN]
    certain = [each for each in asked if each[0] in _CERTAIN]
    true = " AND ".join(f"({sql})" for _, sql, _ in doubtful)
    unknown = "''" + "".join(f" || (({sql}) IS NULL)" for _, sql, _ in doubtful)  # one digit a condition
    wanted = " AND ".join([sql for _, sql, _ in certain] + [f"({sql}) IS NOT FALSE" for _, sql, _ in doubtful])
    question = _ROWS.format(sort=SORTS[query.sort][0], unknown=f"CASE WHEN {true} THEN NULL ELSE {unknown} END")
    values = [value for _, _, several in [*doubtful, *doubtful, *certain, *doubtful] for value in several]
    found: list[Row] = []
    dropped: Counter[str] = Counter()
    for row in snapshot.rows(question + wanted, values):
        if row[4] is None:
            found.append(row)
        else:
            names = {name for (name, _, _), digit in zip(doubtful, row[4], strict=True) if digit == "1"}
            dropped.update({"gpus"} if "gpus" in names else names)
    return found, dict(dropped)


def _sorted(
    snapshot: Snapshot, rows: Sequence[Row], query: Query, weights: Mapping[int | None, tuple[int, float]]
) -> list[int]:
    """The ids of the rows in the order that the query asks for; equals, and what is unknown, in the usual one."""
    ranked = sorted([
        ((weight := weights[listing])[0], (per_gpu or 0.0) * weight[1], abs(number), number, value)
        for number, per_gpu, listing, value, _ in rows
    ])  # fmt: skip
    if query.sort == "price_per_gpu":
        return [number for _, _, _, number, _ in ranked]
    away = _away(snapshot, query) if query.sort == "distance" else {}

    def told(entry: tuple[int, float, int, int, Any]) -> Any:
        group, upper, _, _, value = entry
        if query.sort == "price":
            return None if group == _UNPRICED else (group, upper * value)
        return away.get(value) if query.sort == "distance" else value

    values = [(told(entry), entry[3]) for entry in ranked]
    known = sorted((each for each in values if each[0] is not None), key=itemgetter(0), reverse=SORTS[query.sort][1])
    return [number for _, number in known] + [number for value, number in values if value is None]


def _weights(snapshot: Snapshot, today: date, table: Table | None) -> dict[int | None, tuple[int, float]]:
    """By listing: its group, and what makes a price of it comparable, at the upper end of its range."""
    weights: dict[int | None, tuple[int, float]] = {None: (_UNPRICED, 0.0)}
    for number, currency, purchase, as_of in snapshot.rows("SELECT id, currency, purchase, as_of FROM listing"):
        status, factor = price_status(as_of, today), _factor(currency, COMPARED_IN, table)
        group = _EXPIRED if status is PriceStatus.EXPIRED else _USABLE
        upper = float(spread(status, Purchase(purchase))[1])
        weights[number] = (_UNPRICED, 0.0) if factor is None else (group, factor * upper)
    return weights


def _away(snapshot: Snapshot, query: Query) -> dict[int, float]:
    """By the id of a place: how far it is from the query's point."""
    known = distances(snapshot, *query.near) if query.near else {}
    rows = snapshot.rows("SELECT id, cloud, region FROM place")
    return {number: known[cloud, region] for number, cloud, region in rows if (cloud, region) in known}


def _factor(base: str, quote: str, table: Table | None) -> float | None:
    known = rate(base, quote, table)
    return float(known.value) if known else None

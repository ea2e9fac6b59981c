"""Which ways are shown: what to fall back on, what is not beaten, and points for a picture."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from tradewind.domain.offer import Purchase
from tradewind.domain.plan import Point
from tradewind.planning.way import Way, order_by

FALLBACKS = 5
OF_A_REGION = 2  # fallbacks in one region at most, as long as there are others: regions run out as a whole, too
SHOWN = 3  # alternatives, at least, where there are so many
POINTS = 200


def fallbacks(ranked: Sequence[Way]) -> list[Way]:
    """At most five ways after the first, each in a pool of its own, at least one of them on demand if any is.

    Pools fail apart when they differ in cloud, region, zone or GPU. On demand is a pool of its own beside spot. What
    saves the first way's deadline is among them, if it is within the budget.
    """
    found, crowded = list[Way](), list[Way]()
    pools, regions = {_pool(ranked[0])}, dict[tuple[str, str], int]()
    for way in ranked[1:]:
        pool, region = _pool(way), (way.offer.cloud, way.offer.region)
        if pool in pools:
            continue
        pools.add(pool)
        regions[region] = regions.get(region, 0) + 1
        (found if regions[region] <= OF_A_REGION else crowded).append(way)
        if len(found) == FALLBACKS:
            break
    found += crowded[: FALLBACKS - len(found)]
    sure = ranked[0].resort if ranked[0].resort in ranked else None
    if sure is None and not any(_on_demand(way) for way in found):
        sure = next((way for way in ranked[1:] if _on_demand(way)), None)
    if sure is not None and sure not in found:
        found = [*found[: FALLBACKS - 1], sure]
    return sorted(found, key=ranked.index)


def unbeaten(ways: Iterable[Way]) -> list[Way]:
    """The ways that no other beats, the cheapest first: none costs no more and takes no longer. Of ways alike in both
    the first by name is kept.
    """
    found, fastest = list[Way](), float("inf")
    for way in sorted(ways, key=order_by("cost")):
        if way.hours < fastest:
            fastest = way.hours
            found.append(way)
    return found


def unbeaten_in_carbon(ways: Iterable[Way]) -> list[Way]:
    """As :func:`unbeaten`, by cost, hours and grams; where they are unknown, any that are known are fewer."""
    found = list[Way]()
    hours, least = list[float](), list[float]()  # a staircase: as hours grow, the least grams so far fall
    for way in sorted(ways, key=lambda way: (way.cost, way.hours, _grams(way), way.nodes, way.name)):
        place, emitted = bisect_right(hours, way.hours), _grams(way)
        if place and least[place - 1] <= emitted:
            continue
        found.append(way)
        start = end = bisect_left(hours, way.hours)
        while end < len(hours) and least[end] >= emitted:
            end += 1
        hours[start:end], least[start:end] = [way.hours], [emitted]
    return found


def alternatives(ranked: Sequence[Way], front: Sequence[Way]) -> list[tuple[Way, bool]]:
    """Ways beside the first, with whether they are beaten: the unbeaten ones, then the next best until three are shown.
    One machine type bought one way stands once, where it is best.
    """
    seen, shown = {_kind(ranked[0])}, list[tuple[Way, bool]]()
    for way in front:
        if _kind(way) not in seen:
            seen.add(_kind(way))
            shown.append((way, False))
    for way in ranked:
        if len(shown) >= SHOWN:
            break
        if _kind(way) not in seen:
            seen.add(_kind(way))
            shown.append((way, True))
    return shown


def points(ways: Sequence[Way], over: Sequence[Way], front: Sequence[Way]) -> list[Point]:
    """At most 200 points: the front whole, then of each kind its cheapest way, thinned out evenly by cost."""
    shining = {id(way) for way in front[:POINTS]}
    rest = [(way, within) for group, within in ((ways, True), (over, False)) for way in _cheapest(group)]
    rest = [each for each in rest if id(each[0]) not in shining]
    rest.sort(key=lambda each: (each[0].cost, each[0].hours, each[0].nodes, each[0].name))
    room = POINTS - len(shining)
    if len(rest) > room:
        rest = [rest[number * len(rest) // room] for number in range(room)]
    told = [_point(way, unbeaten=True, within=True) for way in front[:POINTS]]
    return told + [_point(way, unbeaten=False, within=within) for way, within in rest]


def _point(way: Way, *, unbeaten: bool, within: bool) -> Point:
    return round(way.hours, 6), round(way.cost, 6), way.offer.purchase.value, unbeaten, within


def _grams(way: Way) -> float:
    return float("inf") if way.carbon is None else way.carbon


def _cheapest(ways: Sequence[Way]) -> Iterable[Way]:
    best: dict[Any, Way] = {}
    for way in ways:
        key = _kind(way)
        known = best.get(key)
        if known is None or (way.cost, way.nodes, way.name) < (known.cost, known.nodes, known.name):
            best[key] = way
    return best.values()


def _pool(way: Way) -> tuple[str, str, str | None, str]:
    return way.offer.cloud, way.offer.region, way.offer.zone, way.offer.gpu


def _kind(way: Way) -> tuple[str, str, Purchase, int]:
    return way.offer.cloud, way.offer.instance_type, way.offer.purchase, way.nodes


def _on_demand(way: Way) -> bool:
    return way.offer.purchase is Purchase.ON_DEMAND

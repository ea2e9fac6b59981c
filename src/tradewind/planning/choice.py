"""Which ways are shown: what to fall back on, and what is not beaten. Ways come ranked, the cheapest first."""

from __future__ import annotations

from collections.abc import Sequence

from tradewind.domain.offer import Purchase
from tradewind.planning.way import Way

FALLBACKS = 3
SHOWN = 3  # alternatives, at least, where there are so many


def fallbacks(ranked: Sequence[Way]) -> list[Way]:
    """At most three ways after the first, each in a pool of its own, at least one of them on demand if any is.

    Pools fail apart when they differ in cloud, region, zone or GPU. On demand is a pool of its own beside spot.
    """
    pools, found = {_pool(ranked[0])}, list[Way]()
    for way in ranked[1:]:
        if len(found) == FALLBACKS:
            break
        if _pool(way) not in pools:
            pools.add(_pool(way))
            found.append(way)
    if any(_on_demand(way) for way in found):
        return found
    sure = next((way for way in ranked[1:] if _on_demand(way) and way not in found), None)
    return found if sure is None else [*found[: FALLBACKS - 1], sure]


def alternatives(ranked: Sequence[Way]) -> list[tuple[Way, bool]]:
    """Ways beside the first, with whether they are beaten: all that no other beats in both cost and hours, then the
    cheapest others until three are shown. One machine type bought one way stands once, where it is cheapest.
    """
    kinds = list({_kind(way): way for way in reversed(ranked)}.values())[::-1]
    kinds.sort(key=lambda way: way.order)
    unbeaten, fastest = list[Way](), float("inf")
    for way in kinds:
        if way.hours < fastest:
            fastest = way.hours
            unbeaten.append(way)
    beaten = [way for way in kinds if way not in unbeaten]
    shown = [(way, False) for way in unbeaten if way is not ranked[0]]
    return shown + [(way, True) for way in beaten[: max(0, SHOWN - len(shown))]]


def _pool(way: Way) -> tuple[str, str, str | None, str]:
    return way.offer.cloud, way.offer.region, way.offer.zone, way.offer.gpu


def _kind(way: Way) -> tuple[str, str, Purchase]:
    return way.offer.cloud, way.offer.instance_type, way.offer.purchase


def _on_demand(way: Way) -> bool:
    return way.offer.purchase is Purchase.ON_DEMAND

"""What a refresh told, laid over what was known: merged, judged, written as text. Who asks the clouds is elsewhere.

told ─▶ merge with the overlay so far ─▶ verdict against what is in force ─┬─▶ Changes: keep it
                                                                           └─▶ Refused: keep the last good one
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from tradewind.catalog.overlays import MACHINE_COLUMNS, PRICE_COLUMNS
from tradewind.catalog.sealed import Row, sealed, unsealed
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.market import ListedMachine, ListedPrice
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase

LEAST_KEPT = 0.5  # of the prices known before: fewer left means that the answer was not whole
OFF_BY = 10  # the median of new ÷ old that no market makes in a month: another unit, or another currency
LARGEST = 5  # changes that are named one by one

Key = tuple[str, str, str, str, str]  # region, zone, instance type, purchase, payment


@dataclass(frozen=True, slots=True)
class Change:
    """A price that is not what it was."""

    region: str
    zone: str | None
    instance_type: str
    purchase: Purchase
    old: Money
    new: Money


@dataclass(frozen=True, slots=True)
class Changes:
    """What a refresh changed, in numbers of prices, and the largest changes by ratio."""

    new: int
    gone: int
    dearer: int
    cheaper: int
    same: int
    largest: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a refresh is not to be believed.

    ``why``: ``nothing-told``, ``not-positive``, ``told-twice``, ``currency-changed``, ``half-gone``, ``off-by-ten``.
    """

    why: str
    facts: dict[str, str]


def merge_prices(old: Iterable[ListedPrice], told: Sequence[ListedPrice]) -> tuple[ListedPrice, ...]:
    """The overlay of one cloud: what was told, and what was there for other regions and ways of buying."""
    anew = {_scope(each) for each in told}
    kept = [each for each in old if _scope(each) not in anew]
    return tuple(sorted([*kept, *told], key=_key))


def merge_machines(old: Iterable[ListedMachine], told: Iterable[ListedMachine]) -> tuple[ListedMachine, ...]:
    """The machines of the overlay: of each type what was told last."""
    merged = {each.instance_type: each for each in (*old, *told)}
    return tuple(merged[name] for name in sorted(merged))


def verdict(old: Iterable[ListedPrice], told: Sequence[ListedPrice]) -> Changes | Refused:
    """Whether what was told may replace what is known of the same regions and ways of buying.

    Args:
        old: prices in force (:func:`current`); those of other regions and ways of buying do not count.
        told: all prices of this refresh.
    """
    scopes = {_scope(each) for each in told}
    before = {_key(each): each for each in old if _scope(each) in scopes}
    after = {_key(each): each for each in told}
    both = [(before[key], after[key]) for key in sorted(before.keys() & after.keys())]
    if not told:
        return Refused("nothing-told", {})
    if wrong := [each for each in told if not each.price_per_hour.is_finite() or each.price_per_hour <= 0]:
        return Refused("not-positive", {"count": str(len(wrong)), **_named(wrong[0])})
    if len(after) < len(told):
        return Refused("told-twice", {"count": str(len(told) - len(after))})
    if changed := [(was, now) for was, now in both if was.currency != now.currency]:
        was, now = changed[0]
        return Refused("currency-changed", {"count": str(len(changed)), "old": was.currency, **_named(now)})
    if before and len(both) < LEAST_KEPT * len(before):
        return Refused("half-gone", {"before": str(len(before)), "left": str(len(both))})
    ratios = [now.price_per_hour / was.price_per_hour for was, now in both]
    if ratios and not Decimal(1) / OFF_BY < (middle := median(ratios)) < OFF_BY:
        return Refused("off-by-ten", {"ratio": f"{middle:.3g}", "count": str(len(both))})
    return _changes(both, new=len(after) - len(both), gone=len(before) - len(both))


def current(snapshot: Snapshot, cloud: str) -> tuple[ListedPrice, ...]:
    """The list prices of a cloud that are in force, shipped or refreshed; own prices are not among them."""
    return tuple(
        ListedPrice(cloud, region, zone, instance_type, Purchase(purchase), payment, currency, Decimal(price), as_of,
                    source)
        for region, zone, instance_type, purchase, payment, currency, price, as_of, source in snapshot.rows(
            _CURRENT, (cloud,)
        )
    )  # fmt: skip


def prices_csv(prices: Iterable[ListedPrice]) -> str:
    """The text of ``refreshed/CLOUD.prices.csv``."""
    return sealed(PRICE_COLUMNS, (
        {name: getattr(each, name) for name in PRICE_COLUMNS} | {"price_per_hour": format(each.price_per_hour, "f")}
        for each in prices
    ))  # fmt: skip


def read_prices(text: str) -> tuple[ListedPrice, ...]:
    """The inverse of :func:`prices_csv`.

    Raises:
        ValueError, ArithmeticError: the text is torn or damaged.
    """
    return tuple(
        ListedPrice(row["cloud"], row["region"], row["zone"] or None, row["instance_type"], Purchase(row["purchase"]),
                    row["payment"] or None, row["currency"], Decimal(row["price_per_hour"]), row["as_of"],
                    row["source"])
        for row in unsealed(text, PRICE_COLUMNS)
    )  # fmt: skip


def machines_csv(machines: Iterable[ListedMachine], source: str) -> str:
    """The text of ``refreshed/CLOUD.machines.csv``; ``source`` is the interface that told them, with its date."""
    return sealed(MACHINE_COLUMNS, (_machine_row(each, source) for each in machines))


def read_machines(text: str) -> tuple[ListedMachine, ...]:
    """The inverse of :func:`machines_csv`.

    Raises:
        ValueError, ArithmeticError: the text is torn or damaged.
    """
    return tuple(_listed_machine(row) for row in unsealed(text, MACHINE_COLUMNS))


_CURRENT = """
SELECT p.region, p.zone, m.instance_type, l.purchase, p.payment, l.currency, p.price_per_hour, l.as_of, s.source
FROM price p JOIN machine m ON m.id = p.machine JOIN listing l ON l.id = p.listing JOIN source s ON s.id = p.source
WHERE m.cloud = ? AND m.tier = 'cloud' AND NOT p.own ORDER BY p.id"""


def _changes(both: Sequence[tuple[ListedPrice, ListedPrice]], new: int, gone: int) -> Changes:
    moved = [(was, now) for was, now in both if was.price_per_hour != now.price_per_hour]
    dearer = sum(now.price_per_hour > was.price_per_hour for was, now in moved)
    moved.sort(key=lambda pair: (-_distance(*pair), _key(pair[1])))
    largest = tuple(
        Change(now.region, now.zone, now.instance_type, now.purchase, Money(was.price_per_hour, was.currency),
               Money(now.price_per_hour, now.currency))
        for was, now in moved[:LARGEST]
    )  # fmt: skip
    return Changes(new, gone, dearer, len(moved) - dearer, len(both) - len(moved), largest)


def _distance(was: ListedPrice, now: ListedPrice) -> Decimal:
    ratio = now.price_per_hour / was.price_per_hour
    return max(ratio, 1 / ratio)


def _scope(price: ListedPrice) -> tuple[str, Purchase]:
    return price.region, price.purchase


def _key(price: ListedPrice) -> Key:
    return price.region, price.zone or "", price.instance_type, price.purchase.value, price.payment or ""


def _named(price: ListedPrice) -> dict[str, str]:
    told = f"{price.price_per_hour} {price.currency}"
    return {"region": price.region, "instance_type": price.instance_type, "price": told}


def _machine_row(machine: ListedMachine, source: str) -> dict[str, object]:
    return {
        "cloud": machine.cloud, "instance_type": machine.instance_type, "family": None,
        "gpu_model": machine.gpu or "", "gpu_count": machine.gpus, "gpu_memory_gib_each": machine.gpu_memory_gib,
        "vcpus": machine.cpus, "memory_gib": machine.memory_gib, "network_gbps": machine.network_gbps,
        "rdma": machine.rdma, "nvlink": machine.nvlink, "local_nvme_gb": machine.local_nvme_gb, "arch": machine.arch,
        "notes": None, "source": source,
    }  # fmt: skip


def _listed_machine(row: Row) -> ListedMachine:
    def number(name: str) -> float | None:
        return float(row[name]) if row[name] else None

    return ListedMachine(
        row["cloud"], row["instance_type"], row["gpu_model"] or None,
        Decimal(row["gpu_count"]) if row["gpu_count"] else None, number("gpu_memory_gib_each"),
        int(row["vcpus"]) if row["vcpus"] else None, number("memory_gib"), number("network_gbps"),
        row["rdma"] or None, row["nvlink"] or None, number("local_nvme_gb"), row["arch"],
    )  # fmt: skip

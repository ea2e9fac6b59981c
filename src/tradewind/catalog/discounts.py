"""Published discounts, for prices that are not listed, and how often and for how much spot machines were to be had."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Discount:
    """A share of the on-demand price that one way of buying saves.

    Attributes:
        types: pattern of the instance types it was published for.
        currency: of the prices it was computed from, where that matters; None otherwise.
        purchase, payment: in the catalog's words, or the cloud's own (``savings_plan``).
        saved_low, saved_high: fractions; a low of 0 means that only "up to" was published.
    """

    types: str
    currency: str | None
    purchase: str
    payment: str | None
    saved_low: Decimal
    saved_high: Decimal
    as_of: str | None
    source: str


def discounts(cloud: str, instance_type: str, currency: str) -> tuple[Discount, ...]:
    """What was published for a machine and may be counted with; of one way of buying the closest pattern alone.

    What is from memory, a vendor's example, a weak source or somebody's claim is never among them.
    """
    found: dict[tuple[str, str | None], Discount] = {}
    for listed, each in _all():
        fits = listed == cloud and fnmatchcase(instance_type, each.types) and each.currency in {None, currency}
        key = each.purchase, each.payment
        if fits and (key not in found or len(each.types) > len(found[key].types)):
            found[key] = each
    return tuple(found[key] for key in sorted(found, key=lambda key: (key[0], key[1] or "")))


@dataclass(frozen=True, slots=True)
class SpotRecord:
    """What was seen of a spot machine in a region of AWS over the history window before ``as_of``.

    Attributes:
        interrupted: share of machines reclaimed in a month: ``<5%``, ``5-10%`` … ``>20%``; None: not told.
        saved: fraction of the on-demand price; None: not told.
        average, lowest, highest: price per hour in ``currency``; None where no history was kept.
    """

    interrupted: str | None
    saved: Decimal | None
    average: Decimal | None
    lowest: Decimal | None
    highest: Decimal | None
    currency: str
    as_of: str
    source: str


def spot_record(cloud: str, region: str, instance_type: str) -> SpotRecord | None:
    """The record of a machine in a region; None where none is known."""
    row = _records().get((cloud, region, instance_type))
    if row is None:
        return None
    saved, average, lowest, highest = (
        Decimal(row[name]) if row[name] else None for name in ("savings_fraction", "spot_avg", "spot_min", "spot_max")
    )
    return SpotRecord(row["interruption_band"] or None, saved, average, lowest, highest, row["currency"], row["as_of"],
                      row["source"])  # fmt: skip


@cache
def _all() -> tuple[tuple[str, Discount], ...]:
    return tuple(
        (row["cloud"], Discount(row["types"], row["currency"] or None, row["purchase"], row["payment"] or None,
                                Decimal(row["saved_low"]), Decimal(row["saved_high"]), row["as_of"] or None,
                                row["source"]))
        for row in _rows("discounts.csv") if row["use"] == "estimate"
    )  # fmt: skip


@cache
def _records() -> dict[tuple[str, str, str], dict[str, str]]:
    return {(row["cloud"], row["region"], row["instance_type"]): row for row in _rows("spot_advisor.csv")}


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (_DATA / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)

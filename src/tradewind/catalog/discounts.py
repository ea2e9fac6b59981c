"""Published discounts, for prices that are not listed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

_FILE = Path(__file__).parent / "data" / "discounts.csv"


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


@cache
def _all() -> tuple[tuple[str, Discount], ...]:
    return tuple(
        (row["cloud"], Discount(row["types"], row["currency"] or None, row["purchase"], row["payment"] or None,
                                Decimal(row["saved_low"]), Decimal(row["saved_high"]), row["as_of"] or None,
                                row["source"]))
        for row in _rows() if row["use"] == "estimate"
    )  # fmt: skip


def _rows() -> Iterator[dict[str, str]]:
    with _FILE.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)

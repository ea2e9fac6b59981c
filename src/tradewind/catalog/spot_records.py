"""How often spot machines were taken back, and for how much they were to be had, as AWS recorded it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from tradewind.domain.money import Money

_FILE = Path(__file__).parent / "data" / "spot_advisor.csv"
BANDS = ("<5%", "5-10%", "10-15%", "15-20%", ">20%")


@dataclass(frozen=True, slots=True)
class SpotRecord:
    """What was seen of a spot machine in a region over the history window before ``as_of``.

    Attributes:
        interrupted: share of machines taken back in a month, one of :data:`BANDS`; None: not told.
        saved: fraction of the on-demand price; None: not told.
        average, lowest, highest: price per hour; None where no history was kept.
    """

    region: str
    interrupted: str | None
    saved: Decimal | None
    average: Money | None
    lowest: Money | None
    highest: Money | None
    as_of: str
    source: str


def spot_records(cloud: str, instance_type: str) -> tuple[SpotRecord, ...]:
    """The records of a machine, by region; empty where none was kept."""
    return _all().get((cloud, instance_type), ())


@cache
def _all() -> dict[tuple[str, str], tuple[SpotRecord, ...]]:
    found: dict[tuple[str, str], tuple[SpotRecord, ...]] = {}
    with _FILE.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            key = row["cloud"], row["instance_type"]
            found[key] = (*found.get(key, ()), _record(row))
    return found


def _record(row: dict[str, str]) -> SpotRecord:
    average, lowest, highest = (
        Money(Decimal(row[name]), row["currency"]) if row[name] else None
        for name in ("spot_avg", "spot_min", "spot_max")
    )
    saved = Decimal(row["savings_fraction"]) if row["savings_fraction"] else None
    return SpotRecord(row["region"], row["interruption_band"] or None, saved, average, lowest, highest, row["as_of"],
                      row["source"])  # fmt: skip

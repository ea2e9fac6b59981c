"""How often spot machines were taken back, and for how much they were to be had, as AWS recorded it."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from tradewind.domain.money import Money

_FILE = Path(__file__).parent / "data" / "spot_advisor.csv"
# The middle of each band, as a share; of the open one, taken as 20 to 30 %: our assumption.
BANDS = {"<5%": 0.025, "5-10%": 0.075, "10-15%": 0.125, "15-20%": 0.175, ">20%": 0.25}
_TOLD = ("cloud", "region", "instance_type", "interruption_band", "as_of")


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
def shares() -> dict[tuple[str, str, str], tuple[float, str]]:
    """Share of machines taken back in a month, and its date, by cloud, region and instance type.

    Read on its own: a plan over everything asks for all of them and for no price, and this takes a third of the time.
    """
    with _FILE.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        at = {name: place for place, name in enumerate(next(lines))}
        cloud, region, machine, band, as_of = (at[name] for name in _TOLD)
        return {(row[cloud], row[region], row[machine]): (BANDS[row[band]], row[as_of]) for row in lines if row[band]}


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

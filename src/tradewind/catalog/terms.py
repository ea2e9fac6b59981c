"""What a cloud promises and how it bills: spot notice, billing step and least billed time."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).parent / "data" / "terms.csv"


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of one cloud, in seconds.

    Attributes:
        notice_s: warning before a spot machine is taken; 0 where none can be counted on.
        granularity_s: used time is billed in steps of this.
        minimum_s: the least time billed for a machine.
    """

    notice_s: float
    granularity_s: float
    minimum_s: float
    notice_source: str
    billing_source: str


def terms(cloud: str) -> Terms | None:
    """The terms of ``cloud``; None for one whose terms are not known here."""
    return _all().get(cloud)


@cache
def _all() -> dict[str, Terms]:
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return {
            row["cloud"]: Terms(
                float(row["notice_s"]), float(row["granularity_s"]), float(row["minimum_s"]), row["notice_source"],
                row["billing_source"],
            )
            for row in csv.DictReader(lines)
        }  # fmt: skip

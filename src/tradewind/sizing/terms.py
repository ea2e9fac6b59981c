"""The terms of memory and of closed forms that are not arithmetic: each a number with its 90 % range and its source.

All of them stand in ``terms_data.csv``; nothing else in this room holds such a number.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

GIB = 2.0**30
MIB = 2.0**20


class Spread(NamedTuple):
    """A number with the range in which it lies in nine cases of ten."""

    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Term:
    """One row of the data: name, what it means, its spread in ``unit``, and where it is from."""

    name: str
    spread: Spread
    unit: str
    meaning: str
    source: str


def term(name: str) -> Spread:
    """The spread of a term.

    Raises:
        KeyError: no such term.
    """
    return terms()[name].spread


@cache
def terms() -> dict[str, Term]:
    """Every term by name."""
    with (Path(__file__).parent / "terms_data.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {row["term"]: _term(row) for row in rows}


def _term(row: dict[str, str]) -> Term:
    value = float(row["value"])
    spread = Spread(float(row["low"] or value), value, float(row["high"] or value))
    return Term(row["term"], spread, row["unit"], row["meaning"], row["source"])

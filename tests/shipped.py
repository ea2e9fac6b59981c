"""The shipped files as they are."""

from __future__ import annotations

import csv

from tradewind.catalog.parts import DATA

Row = dict[str, str]


def read_csv(name: str) -> list[Row]:
    """The rows of one shipped file."""
    with (DATA / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))

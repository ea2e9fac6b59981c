"""Offers as CSV: the fields of ``--json``, sums of money as an amount beside its currency, unknown as an empty cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any


def as_csv(offers: Sequence[dict[str, Any]]) -> str:
    """One line an offer under a line of names; no offers, no lines."""
    rows = [dict(_cells(offer)) for offer in offers]
    text = io.StringIO()
    if rows:
        lines = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        lines.writeheader()
        lines.writerows(rows)
    return text.getvalue()


def _cells(offer: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in offer.items():
        if name == "converted":
            yield from _cells(value, "converted_")
        elif name.startswith("price_per"):
            yield prefix + name, value and value["amount"]
            if name == "price_per_hour":
                yield prefix + "currency", value and value["currency"]
        else:
            yield prefix + name, value

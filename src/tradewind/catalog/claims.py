"""Where popular guides are wrong about a GPU, a family or a price: what is told, what is true, why it goes round."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from tradewind.catalog.names import plain
from tradewind.domain.gpus import resolve, shared_by

_DATA = Path(__file__).parent / "data"
Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that is told, each sentence in English and, as ``…_zh``, in Chinese.

    Attributes:
        about: the GPUs, families and machines it speaks of; ``spot`` and ``reserved`` for ways of buying.
        said: what is told, with its figures where it is a sum of money.
        verdict: ``wrong``, ``plausible`` … in a few words.
        true: what is, with where it was looked up.
        why: why the other figure goes round; None where nobody knows, or it is not wrong.
        where: who tells it; None where it is common.
    """

    about: tuple[str, ...]
    said: str
    said_zh: str
    verdict: str
    verdict_zh: str
    true: str
    true_zh: str
    why: str | None
    why_zh: str | None
    checked: str
    where: str | None
    source: str


def claims_about(name: str) -> tuple[Claim, ...]:
    """What is told about a GPU, family, machine or way of buying, whichever way the name is spelt; wrong ones first."""
    resolved = resolve(name)
    wanted = {plain(name)} | {plain(gpu) for gpu in ((resolved[0],) if resolved else shared_by(name))}
    found = [each for each in all_claims() if wanted & {plain(word) for word in each.about}]
    return tuple(sorted(found, key=lambda each: not each.verdict.startswith("wrong")))


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every claim that the catalog knows of. None of their figures enters a price or a rank."""
    said = [_claim(row, None, "", "") for row in _rows("gpu_claims.csv")]
    return (*said, *map(_of_guide, _rows("guide_prices.csv")))


def _of_guide(row: Row) -> Claim:
    where = None if row["cloud"] == "any" else row["cloud"]
    bounds = "–".join(f"{Decimal(each):,}" for each in dict.fromkeys(filter(None, (row["low"], row["high"]))))
    if not bounds or row["currency"] == "ratio":  # a share of the price is in the words already
        return _claim(row, where, "", "")
    return _claim(row, where, f": {bounds} {row['currency']}", f"：{bounds} {row['currency']}")


def _claim(row: Row, where: str | None, figures: str, figures_zh: str) -> Claim:
    return Claim(
        tuple(row["about"].split("; ")), row["said"] + figures, row["said_zh"] + figures_zh, row["verdict"],
        row["verdict_zh"], row["true"], row["true_zh"], row["why"] or None, row["why_zh"] or None, row["checked"],
        where, row["source"],
    )  # fmt: skip


def _rows(name: str) -> Iterator[Row]:
    with (_DATA / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)

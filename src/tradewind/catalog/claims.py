"""Where popular guides are wrong about a GPU, a family or a price: what is told, what is true, why it goes round."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tradewind.catalog.names import plain
from tradewind.domain.gpus import resolve, shared_by

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that is told.

    Attributes:
        about: the GPUs, families and machines it speaks of; ``spot`` and ``reserved`` for ways of buying.
        said: what is told, with its figures where it is a price.
        verdict: ``wrong``, ``plausible`` … in a few words.
        true: what is, with where it was looked up.
        why: why the other figure goes round; None where nobody knows, or it is not wrong.
        where: who tells it; None where it is common.
    """

    about: tuple[str, ...]
    said: str
    verdict: str
    true: str
    why: str | None
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
    return (*_claims(), *_prices())


def _claims() -> Iterator[Claim]:
    for row in _rows("gpu_claims.csv"):
        about = tuple(row["about"].split("; "))
        yield Claim(about, row["said"], row["verdict"], row["true"], row["why"] or None, row["checked"], None,
                    row["source"])  # fmt: skip


def _prices() -> Iterator[Claim]:
    for row in _rows("guide_prices.csv"):
        bounds = "–".join(dict.fromkeys(filter(None, (row["low"], row["high"]))))
        said = f"{row['said']}: {bounds} {row['currency']}" if bounds else row["said"]
        where = None if row["cloud"] == "any" else row["cloud"]
        yield Claim(tuple(row["about"].split("; ")), said, row["verdict"], row["true"], row["why"] or None,
                    row["checked"], where, row["source"])  # fmt: skip


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (_DATA / name).open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)

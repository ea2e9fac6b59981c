"""Networks that were traced beforehand: `networks_data.csv` says which, `data/NAME.jsonl.xz` holds their traces.

The first line of a file says what it was made with and which variants follow, a line each: every amount at two image
sizes. A variant is a task, a precision and a way of activation checkpointing.
"""

from __future__ import annotations

import csv
import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_HERE = Path(__file__).parent
_TRACES = _HERE / "data"


class Row(NamedTuple):
    """One network: ``head_inputs`` is the width of its last, linear layer, None where classes are told otherwise."""

    name: str
    aliases: tuple[str, ...]
    reference: str
    image_size: int
    classes: int | None
    head_inputs: int | None
    published: int
    source: str
    date: str


@cache
def rows() -> tuple[Row, ...]:
    """Every network of the table, in its order."""
    with (_HERE / "networks_data.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_row(cells) for cells in csv.DictReader(file))


def _row(cells: dict[str, str]) -> Row:
    classes, head_inputs = (int(cells[name]) if cells[name] else None for name in ("classes", "head_inputs"))
    return Row(cells["name"], tuple(cells["aliases"].split()), cells["reference"], int(cells["image_size"]), classes,
               head_inputs, int(cells["published"]), cells["source"], cells["date"])  # fmt: skip


@cache
def variant(name: str, task: str, precision: str, activation_checkpointing: str) -> dict[str, Any] | None:
    """The trace of one variant of the network ``name`` as it is stored; None: not traced."""
    wanted = [task, precision, activation_checkpointing]
    known = about(name)["variants"]
    if wanted not in known:
        return None
    found: dict[str, Any] = json.loads(_lines(name)[1 + known.index(wanted)])
    return found


@cache
def about(name: str) -> dict[str, Any]:
    """What the traces of ``name`` were made with, ``torch``, ``timm`` and ``date``, and their ``variants``."""
    found: dict[str, Any] = json.loads(_lines(name)[0])
    return found


@cache
def _lines(name: str) -> list[str]:
    return lzma.decompress((_TRACES / f"{name}.jsonl.xz").read_bytes()).decode().splitlines()

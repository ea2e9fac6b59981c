"""Transformers as data: `transformers_data.csv` → dimensions by name; what a family has in common stands here."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tradewind.domain.profile import Transformer

_DATA = Path(__file__).with_name("transformers_data.csv")
_FAMILIES: dict[str, dict[str, Any]] = {
    "bert": {"norm": "layer", "biases": frozenset(("q", "k", "v", "o", "ffn", "head")), "positions": 512, "segments": 2,
             "tied": True, "head": "pretraining", "dropout": True},
    "gpt2": {"norm": "layer", "biases": frozenset(("q", "k", "v", "o", "ffn")), "positions": 1024, "tied": True,
             "dropout": True},
    "llama": {"gated": True},
    "qwen2": {"gated": True, "biases": frozenset("qkv")},
    "qwen3": {"gated": True, "qk_norm": True},
    "whisper": {"norm": "layer", "biases": frozenset(("q", "v", "o", "ffn")), "positions": 448, "tied": True,
                "encoder_sequence": 1500},
}  # fmt: skip
_NUMBERS = ("layers", "hidden", "heads", "kv_heads", "head_size", "ffn", "vocabulary", "sequence", "experts",
            "experts_active", "encoder_layers", "mel_bins")  # fmt: skip


class Row(NamedTuple):
    """One transformer: ``published`` is the number of parameters its source gives."""

    name: str
    aliases: tuple[str, ...]
    transformer: Transformer
    published: int
    source: str
    date: str


@cache
def rows() -> tuple[Row, ...]:
    """Every transformer of the table, in its order."""
    with _DATA.open(encoding="utf-8", newline="") as file:
        return tuple(_row(cells) for cells in csv.DictReader(file))


def _row(cells: dict[str, str]) -> Row:
    dimensions: dict[str, Any] = {name: int(cells[name]) for name in _NUMBERS if cells[name]}
    dimensions |= _FAMILIES[cells["family"]]
    if cells["tied"] == "yes":
        dimensions["tied"] = True
    transformer = Transformer(**dimensions)
    aliases = tuple(cells["aliases"].split())
    return Row(cells["name"], aliases, transformer, int(cells["published"]), cells["source"], cells["date"])

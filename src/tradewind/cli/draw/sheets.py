"""GPUs side by side: dense peaks by precision, memory, link, power, and which CUDA runs. Plain text."""

from __future__ import annotations

import re
from typing import Any

from tradewind.cli.draw.figures import UNKNOWN, count, number
from tradewind.cli.draw.offers import fabric
from tradewind.cli.draw.pen import Column, Pen, aligned, wrapped

Sheet = dict[str, Any]
_PEAKS = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8")
_BRIDGE = re.compile(r" bridge \((.+) GPUs\)")
_COLUMNS = (
    Column("col-gpu"), Column("col-gib", right=True), Column("col-gb-s", right=True, drop=4),
    Column("fp32", right=True, drop=5), Column("tf32", right=True, drop=7), Column("fp16", right=True),
    Column("bf16", right=True, drop=9), Column("fp8", right=True, drop=6), Column("int8", right=True, drop=8),
    Column("col-link", drop=2), Column("col-watts", right=True, drop=3), Column("col-cuda", drop=1),
)  # fmt: skip


def sheets(pen: Pen, listed: list[Sheet]) -> str:
    """The table, and what its figures are."""
    table = aligned(pen, _COLUMNS, [_row(pen, each) for each in listed])
    return "\n\n".join([table, wrapped(pen.say("sheets-legend"), pen.width)])


def _row(pen: Pen, sheet: Sheet) -> list[str]:
    return [
        name_of(sheet), number(sheet["memory_gib"]), count(sheet["bandwidth_gb_s"]),
        *(number(sheet["peak_tflops"].get(kind)) for kind in _PEAKS),
        _BRIDGE.sub(lambda joined: f" ×{joined[1].replace(' or ', '/')}", link_of(pen, sheet)).removesuffix(" GB/s"),
        count(sheet["tdp_w"]), cuda_of(sheet),
    ]  # fmt: skip


def name_of(sheet: Sheet) -> str:
    """``A100-80GB SXM``."""
    return " ".join(filter(None, (sheet["gpu"], sheet["form"])))


def link_of(pen: Pen, sheet: Sheet) -> str:
    """``NVLink3 600 GB/s``; what joins the GPUs of one machine."""
    if sheet["link"] is None or not sheet["link_gb_s"]:
        return fabric(pen, sheet["link"])
    return f"{sheet['link']} {count(sheet['link_gb_s'])} GB/s"


def cuda_of(sheet: Sheet) -> str:
    """``8.0 … 12``: the first CUDA that knows the GPU, and the last major one that still does."""
    first, last = sheet["min_cuda"], sheet["last_cuda_major"]
    if first is None:
        return UNKNOWN
    return f"{first} … {'' if last is None else last}".rstrip()

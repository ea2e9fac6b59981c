"""GPUs side by side: dense peaks by precision, memory, link, power, and which CUDA runs. Plain text."""

from __future__ import annotations

from typing import Any

from tradewind.cli.draw.figures import UNKNOWN, count, measured, number
from tradewind.cli.draw.pen import Column, Pen, aligned, wrapped

Sheet = dict[str, Any]
_PEAKS = ("fp32", "tf32", "fp16", "bf16", "fp8", "int8")
_COLUMNS = (
    Column("col-gpu"), Column("col-memory", right=True), Column("col-bandwidth", right=True, drop=4),
    Column("fp32", right=True, drop=2), Column("tf32", right=True, drop=7), Column("fp16", right=True),
    Column("bf16", right=True, drop=6), Column("fp8", right=True, drop=5), Column("int8", right=True, drop=8),
    Column("col-link", drop=3), Column("col-power", right=True, drop=9), Column("col-cuda", drop=1),
)  # fmt: skip


def sheets(pen: Pen, listed: list[Sheet]) -> str:
    """The table, and what its figures are."""
    table = aligned(pen, _COLUMNS, [_row(each) for each in listed])
    return "\n\n".join([table, wrapped(pen.say("sheets-legend"), pen.width)])


def _row(sheet: Sheet) -> list[str]:
    return [
        name_of(sheet), measured(sheet["memory_gib"], "GiB"), measured(sheet["bandwidth_gb_s"], "GB/s"),
        *(number(sheet["peak_tflops"].get(kind)) for kind in _PEAKS), link_of(sheet), measured(sheet["tdp_w"], "W"),
        cuda_of(sheet),
    ]  # fmt: skip


def name_of(sheet: Sheet) -> str:
    """``A100-80GB SXM``."""
    return " ".join(filter(None, (sheet["gpu"], sheet["form"])))


def link_of(sheet: Sheet) -> str:
    """``NVLink3 600 GB/s``; what joins the GPUs of one machine."""
    if sheet["link"] is None or not sheet["link_gb_s"]:
        return sheet["link"] or UNKNOWN
    return f"{sheet['link']} {count(sheet['link_gb_s'])} GB/s"


def cuda_of(sheet: Sheet) -> str:
    """``8.0 … 12``: the first CUDA that knows the GPU, and the last major one that still does."""
    first, last = sheet["min_cuda"], sheet["last_cuda_major"]
    if first is None:
        return UNKNOWN
    return f"{first} … {'' if last is None else last}".rstrip()

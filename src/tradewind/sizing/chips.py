"""What a GPU does in a second, beyond the lines of its data sheet: multiprocessors, and the share of its peak that its
power limit lets it hold."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tradewind.domain.gpus import Gpu

# Order of generations: a card that was not measured takes most from those next to it.
_GENERATIONS = {"Kepler": 0, "Maxwell": 1, "Pascal": 2, "Volta": 3, "Turing": 4, "Ampere": 5, "Ada": 6, "Hopper": 6,
                "Blackwell": 7, "Blackwell Ultra": 7, "CDNA2": 5, "CDNA3": 6, "DaVinci": 3, "DaVinci2": 5}  # fmt: skip

# Watts that one TFLOP/s of dense 16-bit matrix products draws, by architecture and compute capability. From measured
# shares of the peak (stas00/ml-engineering, MAMF, 2025: A100 0.87, H100 0.80, B200 0.78, MI300X 0.51), the RTX PRO 6000
# Max-Q of the truths (about half of its peak), and the T4's and L4's known throttling; others as their neighbours.
_WATTS = {"Volta": 2.4, "Turing": 2.4, "Ampere": 2.0, "Ampere 8.0": 1.4, "Ada": 1.35, "Hopper": 0.85, "Blackwell": 1.4,
          "Blackwell 10.0": 0.55, "Blackwell Ultra": 0.6, "CDNA2": 1.6, "CDNA3": 1.1}  # fmt: skip


# The same of 32-bit arithmetic outside the tensor cores. Assumed from the T4 and the V100, whose chips are made alike.
_WATTS_FP32 = {
    "Pascal": 16.0,
    "Volta": 14.0,
    "Turing": 14.0,
    "Ampere": 7.0,
    "Ada": 4.0,
    "Hopper": 6.0,
    "Blackwell": 4.0,
}


class Rates(NamedTuple):
    """What a GPU does in a second: dense FLOPs by type of arithmetic, bytes of memory; its multiprocessors."""

    flops: dict[str, float]
    bandwidth: float
    multiprocessors: int


def rates_of(gpu: Gpu, share: float = 1.0) -> Rates:
    """What ``share`` of ``gpu`` does in a second, by its data sheet and its power limit."""
    peaks = {kind: peak * 1e12 * share * sustained(gpu, kind == "fp32") for kind, peak in gpu.peak_tflops.items()}
    return Rates(peaks, (gpu.bandwidth_gb_s or 0.0) * 1e9 * share, _multiprocessors().get(card_name(gpu), 100))


def sustained(gpu: Gpu, wide: bool = False) -> float:
    """Share of the tensor peak (or that of fp32, ``wide``), at most 1, that the power limit lets a card hold.

    Low-power cards print the peak of a clock that they cannot hold.
    """
    peak, table = (gpu.peak_tflops.get("fp32"), _WATTS_FP32) if wide else (gpu.peak_tflops.get("fp16"), _WATTS)
    watts = table.get(f"{gpu.architecture} {gpu.compute_capability}", table.get(gpu.architecture))
    return min(1.0, gpu.tdp_w / (peak * watts)) if peak and watts and gpu.tdp_w else 1.0


def generation(gpu: Gpu) -> int:
    """The place of its architecture in time."""
    return _GENERATIONS.get(gpu.architecture, _GENERATIONS["Ampere"])


def card_name(gpu: Gpu) -> str:
    """Id and form."""
    return f"{gpu.id} {gpu.form}" if gpu.form else gpu.id


@cache
def _multiprocessors() -> dict[str, int]:
    with (Path(__file__).parent / "chips_data.csv").open(encoding="utf-8", newline="") as lines:
        return {f"{row['id']} {row['form']}".strip(): int(row["multiprocessors"]) for row in csv.DictReader(lines)}

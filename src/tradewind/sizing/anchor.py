"""Anchor: a measured step of the workload."""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.gpus import Gpu


@dataclass(frozen=True, slots=True)
class Anchor:
    """One measured step: by ``calibrate``, or of a finished job.

    Attributes:
        micro_batch: per GPU; ``gpus`` in all, data-parallel when more than one.
        seconds: of one step with one pass, or of one forward pass when ``trains`` is false.
        peak_memory_gib: allocated, of the fullest GPU; None when it was not seen.
    """

    gpu: Gpu
    micro_batch: int
    seconds: float
    gpus: int = 1
    trains: bool = True
    peak_memory_gib: float | None = None

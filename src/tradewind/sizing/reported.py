"""Memory that a card reports to CUDA, which is less than its name says."""

from __future__ import annotations

from tradewind.domain.gpus import Gpu
from tradewind.sizing.request import Hardware
from tradewind.sizing.terms import GIB, Spread, terms

# GDDR cards whose ECC bits stand in the same memory: NVIDIA data sheets.
INLINE_ECC = frozenset({"T4", "T4G", "A10", "A10G", "A40", "L4", "L20", "L40", "L40S"})


def reported_gib(hardware: Hardware) -> float:
    """Memory of each GPU or slice as CUDA reports it, and no more than the cloud says."""
    gpu = hardware.gpu
    share = terms()["reported-ecc" if gpu.id in INLINE_ECC else "reported"].spread.value
    known = terms().get(f"reported:{gpu.id}")
    whole = known.spread.value if known else gpu.memory_gib * share
    if hardware.memory_gib is None:
        return whole * hardware.fraction
    if hardware.fraction < 1:
        return hardware.memory_gib * whole / gpu.memory_gib
    return min(whole, hardware.memory_gib)


def context_bytes(gpu: Gpu) -> Spread:
    """CUDA context and loaded kernels, outside of every allocator."""
    measured = terms().get(f"context-{gpu.compute_capability}")
    return Spread(*(end * GIB for end in (measured or terms()["context"]).spread))

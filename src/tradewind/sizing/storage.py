"""What the training data asks of a disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tradewind.sizing.request import Request

# Fastest that a cloud's general SSD volume reads, GB/s: AWS gp3 at its maximum of 1,000 MiB/s (AWS manual, 2026).
# What needs more belongs on the node's own NVMe.
BLOCK_SSD_GB_S = 1.05


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage that keeps the fastest fit fed; None where the request does not say enough."""

    kind: str | None
    size_gb: float | None
    min_throughput_gb_s: float | None

    def to_json(self) -> dict[str, Any]:
        """``storage`` in ``size --json``."""
        return {"kind": self.kind, "size_gb": self.size_gb, "min_throughput_gb_s": self.min_throughput_gb_s}


def storage_for(request: Request, samples_per_second: float | None) -> Storage:
    """Size and read rate of the data; ``samples_per_second`` of the fastest fit."""
    if not request.sample_bytes:
        return Storage(None, None, None)
    size = request.samples * request.sample_bytes / 1e9 if request.samples else None
    if not samples_per_second:
        return Storage(None, size, None)
    rate = samples_per_second * request.sample_bytes / 1e9
    return Storage("local-nvme" if rate > BLOCK_SSD_GB_S else "block-ssd", size, rate)

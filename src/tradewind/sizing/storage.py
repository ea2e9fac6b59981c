"""What the training data asks of a disk: its kind, how fast it reads, and who decodes what it reads.

    from a petabyte on                       a distributed file system
    faster than a general SSD volume reads   the node's own NVMe, or streamed from an object store when it does not fit
    larger than such a volume                streamed from an object store
    otherwise                                a general SSD volume

Rates and sizes are terms of the data file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tradewind.sizing.request import Request
from tradewind.sizing.terms import term

PETABYTE_GB = 1e6


@dataclass(frozen=True, slots=True)
class Storage:
    """The storage that keeps the fastest fit fed; None where the request does not say enough.

    Attributes:
        kind: ``local-nvme``, ``block-ssd``, ``object-store`` (streamed) or ``distributed-file-system``.
        samples_per_second: that the fastest fit reads; ``min_throughput_gb_s`` is that in bytes.
        decode_workers: CPU cores that decode as many images; None for text.
        first_copy_hours: from an object store onto the disk; None when nothing is copied.
    """

    kind: str | None = None
    size_gb: float | None = None
    min_throughput_gb_s: float | None = None
    samples_per_second: float | None = None
    decode_workers: int | None = None
    first_copy_hours: float | None = None

    def to_json(self) -> dict[str, Any]:
        """``storage`` in ``size --json``."""
        return {
            "kind": self.kind, "size_gb": self.size_gb, "min_throughput_gb_s": self.min_throughput_gb_s,
            "samples_per_second": self.samples_per_second, "decode_workers": self.decode_workers,
            "first_copy_hours": self.first_copy_hours,
        }  # fmt: skip


def storage_for(request: Request, samples_per_second: float | None) -> Storage:
    """Kind, size and read rate for the data; ``samples_per_second`` of the fastest fit."""
    if not request.sample_bytes:
        return Storage(samples_per_second=samples_per_second)
    size = request.samples * request.sample_bytes / 1e9 if request.samples else None
    if not samples_per_second:
        return Storage(size_gb=size)
    rate = samples_per_second * request.sample_bytes / 1e9
    kind = _kind(size or 0.0, rate)
    decoded = None if request.profiles[0].tokens else math.ceil(rate / term("decode").value)
    copied = kind in ("local-nvme", "block-ssd") and size is not None
    hours = size / term("first-copy").value / 3600 if copied and size else None
    return Storage(kind, size, rate, samples_per_second, decoded, hours)


def _kind(size_gb: float, rate_gb_s: float) -> str:
    if size_gb >= PETABYTE_GB:
        return "distributed-file-system"
    if rate_gb_s > term("block-ssd-rate").value:
        return "local-nvme" if size_gb <= term("local-nvme-size").value else "object-store"
    return "block-ssd" if size_gb <= term("block-ssd-size").value else "object-store"

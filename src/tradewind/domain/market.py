"""What a cloud's own price and inventory interfaces tell, as values: machines, prices, spot history.

Names are the cloud's own; what it does not tell is None and is never filled by guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tradewind.domain.offer import Purchase


@dataclass(frozen=True, slots=True)
class ListedMachine:
    """An instance type as its cloud lists it.

    Attributes:
        gpu: the cloud's own name of the GPU (``NVIDIA A100 80GB``, ``gn7e``'s ``NVIDIA A100``), not yet canonical.
        gpus: GPUs of one machine; below 1 for a slice; None when the cloud does not say.
        gpu_memory_gib: of each GPU or slice.
        rdma, nvlink: in the catalog's words (``EFA 400``, ``NVSwitch 600``, ``none``).
        arch: ``x86_64`` or ``arm64``.
    """

    cloud: str
    instance_type: str
    gpu: str | None
    gpus: Decimal | None
    gpu_memory_gib: float | None = None
    cpus: int | None = None
    memory_gib: float | None = None
    network_gbps: float | None = None
    rdma: str | None = None
    nvlink: str | None = None
    local_nvme_gb: float | None = None
    arch: str = "x86_64"


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """The price of a whole machine for an hour (Linux, no disks, no tax), bought one way in one place.

    Attributes:
        zone: AWS: the AZ id (``use1-az4``); None where the price is the region's.
        payment: how a reservation is paid (``no upfront``, ``monthly``); None otherwise.
        as_of: the day of the answer or of the price's own date, ``YYYY-MM-DD``.
        source: the interface that told it, with its version.
    """

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    purchase: Purchase
    payment: str | None
    currency: str
    price_per_hour: Decimal
    as_of: str
    source: str


@dataclass(frozen=True, slots=True)
class SpotPoint:
    """What a spot machine cost per hour from an instant on, until the next point of its place."""

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    at: datetime
    currency: str
    price_per_hour: Decimal

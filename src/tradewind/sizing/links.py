"""Communication of data-parallel training by the alpha-beta model of a ring.

    time(n, S) = 2 (n - 1) latency + 2 (n - 1)/n · S / bandwidth        all-reduce of S bytes among n

Source: Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication Operations in MPICH".
"""

from __future__ import annotations

from tradewind.sizing import constants as c
from tradewind.sizing.arithmetic import compute_bytes, weight_bytes
from tradewind.sizing.request import Hardware, Request


def all_reduce_seconds(members: int, size_bytes: float, bandwidth: float, latency: float) -> float:
    """Seconds of a ring all-reduce; ``bandwidth`` in bytes/s, ``latency`` in seconds a hop; 0 for one member."""
    if members < 2:
        return 0.0
    return 2 * (members - 1) * latency + 2 * (members - 1) / members * size_bytes / bandwidth


def exposed_seconds(request: Request, hardware: Hardware, strategy: str, backward: float) -> float:
    """Seconds a step that communication is not hidden behind ``backward`` seconds of computing.

    DDP hides its all-reduce behind the backward pass but for the last bucket; FSDP moves 1.5 times as much, in units
    that are prefetched in both passes, and exposes what exceeds them.
    """
    if hardware.workers < 2:
        return 0.0
    if strategy == "fsdp":
        size = request.parameters * compute_bytes(request.precision)
        return max(0.0, c.FSDP_TRAFFIC * _reduce(hardware, size) - c.OVERLAP * backward * 1.5)
    size = request.parameters * weight_bytes(request.precision)
    last = _reduce(hardware, min(size, c.LAST_BUCKET_BYTES))
    return max(0.0, _reduce(hardware, size) - last - c.OVERLAP * backward) + last


def _reduce(hardware: Hardware, size_bytes: float) -> float:
    """All-reduce over all GPUs: in each node over its link, then among nodes over their network."""
    each = hardware.workers // hardware.nodes
    local = all_reduce_seconds(each, size_bytes, _link(hardware), c.LATENCY_SECONDS)
    return local + all_reduce_seconds(hardware.nodes, size_bytes, _network(hardware), c.LATENCY_SECONDS_NETWORK)


def _link(hardware: Hardware) -> float:
    link = hardware.gpu.link_gb_s
    return (link * c.LINK_SHARE if link else c.PCIE_GB_S) * 1e9


def _network(hardware: Hardware) -> float:
    gbps = hardware.network_gbps
    return (gbps / 8 * c.NETWORK_SHARE if gbps else c.NETWORK_GB_S) * 1e9

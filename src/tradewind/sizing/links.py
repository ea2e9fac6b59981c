"""Links between GPUs, and collective communication over them by the alpha-beta model.

    ring        2 (n - 1) a + 2 (n - 1)/n · S/B      all-reduce of S bytes among n; half of it: scatter or gather
    tree        2 log2(n) a + 2 S/B                   fewer hops, for small S
    hierarchy   reduce-scatter in the node, all-reduce of S/g across nodes, all-gather in the node

B is the bus bandwidth that is reached, not the line rate; a the latency of a hop. ``links_data.csv`` holds both, each
with its source. Source of the forms: Thakur, Rabenseifner, Gropp 2005, "Optimization of Collective Communication
Operations in MPICH"; NVIDIA, "Massively Scale Your Deep Learning Training with NCCL 2.4" (2019).
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tradewind.domain.gpus import Gpu
from tradewind.sizing.request import Hardware

_RACK = ("GB200", "GB300")  # one NVLink domain over many nodes
_RDMA_GBPS = 100.0  # a node with less than this has an ordinary network: TCP
_NIC_GBPS = {"Volta": 100.0, "Ampere": 200.0, "Hopper": 400.0, "Blackwell": 400.0, "Blackwell Ultra": 800.0}
#           one for each GPU in NVIDIA's DGX-2, DGX A100, DGX H100, DGX B200 and DGX B300 (user guides, 2018 to 2025)
_UNKNOWN_GBPS = 25.0  # between machines of other cards, whose network is not known. Assumed.


@dataclass(frozen=True, slots=True)
class Link:
    """``bandwidth``: bytes/s of bus bandwidth that each GPU reaches; ``latency``: seconds of a hop."""

    bandwidth: float
    latency: float

    def reduce_scatter(self, members: int, size: float) -> float:
        """Seconds until each of ``members`` has its part of the sum of ``size`` bytes; 0 for one member."""
        return (members - 1) * self.latency + (members - 1) / members * size / self.bandwidth

    def all_gather(self, members: int, size: float) -> float:
        """Seconds until each of ``members`` has all ``size`` bytes, of which it had its part."""
        return self.reduce_scatter(members, size)

    def all_to_all(self, members: int, size: float) -> float:
        """Seconds until each of ``members`` has sent every other its part of its own ``size`` bytes."""
        return self.reduce_scatter(members, size)

    def all_reduce(self, members: int, size: float) -> float:
        """Seconds until all ``members`` have the sum of ``size`` bytes, by ring or tree, whichever is sooner."""
        if members < 2:
            return 0.0
        tree = 2 * math.ceil(math.log2(members)) * self.latency + 2 * size / self.bandwidth
        return min(2 * self.reduce_scatter(members, size), tree)


@dataclass(frozen=True, slots=True)
class Group:
    """GPUs that communicate: ``local`` on each of ``nodes``, over ``inside`` within a node and ``across`` between."""

    local: int
    nodes: int
    inside: Link
    across: Link  # as each GPU has it

    def all_reduce(self, size: float) -> float:
        """Seconds until all have the sum of ``size`` bytes."""
        if self.nodes < 2:
            return self.inside.all_reduce(self.local, size)
        local = self.inside.reduce_scatter(self.local, size) + self.inside.all_gather(self.local, size)
        return local + self.across.all_reduce(self.nodes, size / self.local)

    def all_gather(self, size: float) -> float:
        """Seconds until all have all ``size`` bytes; as long as a reduce-scatter takes."""
        if self.nodes < 2:
            return self.inside.all_gather(self.local, size)
        return self.across.all_gather(self.nodes, size / self.local) + self.inside.all_gather(self.local, size)

    def all_to_all(self, size: float) -> float:
        """Seconds until each has sent every other its part of ``size`` bytes."""
        if self.nodes < 2:
            return self.inside.all_to_all(self.local, size)
        away = (self.nodes - 1) / self.nodes
        return max(self.inside.all_to_all(self.local, size), self.across.all_to_all(self.nodes, size * away))

    def send(self, size: float) -> float:
        """Seconds for ``size`` bytes from one GPU to the next."""
        link = self.inside if self.nodes < 2 else self.across
        return link.latency + size / link.bandwidth


def group(hardware: Hardware, members: int, stride: int = 1) -> Group:
    """``members`` GPUs, ``stride`` apart, as they lie on the nodes of ``hardware``; neighbours fill a node first."""
    each = hardware.workers // hardware.nodes
    domain = _domain(hardware.gpu, each, hardware.workers)
    local = max(1, min(members, domain // stride))
    while members % local:
        local -= 1
    return Group(local, members // local, _inside(hardware.gpu, each), _across(hardware, each))


def _domain(gpu: Gpu, each: int, workers: int) -> int:
    """GPUs that reach each other without the network."""
    return min(workers, int(_row("NVLink rack")["domain"])) if gpu.id in _RACK else each


def _inside(gpu: Gpu, each: int) -> Link:
    """The link between GPUs of a node; cards joined in pairs fall back to PCIe when there are more of them."""
    name = _link_name(gpu)
    if "bridge" in (gpu.link or "") and each > int(_row("bridge")["domain"]):
        name = ""
    row = _row(name or _pcie(gpu))
    reached = float(row["gb_s"]) if row["gb_s"] else float(row["share"]) * (gpu.link_gb_s or 0.0)
    return Link(reached * 1e9, float(row["latency_us"]) * 1e-6)


def _link_name(gpu: Gpu) -> str:
    """The row of the link between GPUs; empty: PCIe."""
    if gpu.id in _RACK:
        return "NVLink rack"
    if "bridge" in (gpu.link or ""):
        return "bridge"
    return next((name for name in _rows() if gpu.link_gb_s and gpu.link and name in gpu.link), "")


def _pcie(gpu: Gpu) -> str:
    newest = ("Blackwell", "Blackwell Ultra", "Hopper")
    older = ("Volta", "Turing", "Pascal", "Maxwell", "Kepler", "DaVinci")
    return "PCIe5" if gpu.architecture in newest else "PCIe3" if gpu.architecture in older else "PCIe4"


def _across(hardware: Hardware, each: int) -> Link:
    """The network between nodes, as each of ``each`` GPUs of a node has it when all use it at once.

    Where its speed is not known: one network card for each GPU, as machines with NVLink among all are built; 25 Gb/s
    for others.
    """
    gpu = hardware.gpu
    linked = bool(_link_name(gpu)) and "bridge" not in (gpu.link or "")
    assumed = _NIC_GBPS.get(gpu.architecture, _UNKNOWN_GBPS) * each if linked else _UNKNOWN_GBPS
    gbps = hardware.network_gbps or assumed
    row = _row("RDMA" if gbps >= _RDMA_GBPS else "TCP")
    return Link(gbps / 8 * 1e9 * float(row["share"]) / each, float(row["latency_us"]) * 1e-6)


def _row(name: str) -> dict[str, str]:
    return _rows()[name]


@cache
def _rows() -> dict[str, dict[str, str]]:
    with (Path(__file__).parent / "links_data.csv").open(encoding="utf-8", newline="") as lines:
        return {row["link"]: row for row in csv.DictReader(lines)}

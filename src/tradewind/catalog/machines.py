"""Rows of machines for the snapshot: canonical GPU and form, links in parts, which CUDA runs, nominal memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from typing import Any

from tradewind.catalog.forms import form_of
from tradewind.catalog.sealed import Row
from tradewind.domain.gpus import data_sheet, resolve, shared_by

COLUMNS = """
    id INTEGER PRIMARY KEY, tier TEXT NOT NULL, cloud TEXT NOT NULL, instance_type TEXT NOT NULL, family TEXT,
    gpu TEXT NOT NULL, gpu_known INTEGER NOT NULL, form TEXT, gpus TEXT, gpu_number REAL, gpu_memory_gib REAL,
    nominal_gib REAL, cpus INTEGER, memory_gib REAL, network_gbps REAL, rdma TEXT, rdma_kind TEXT, rdma_gbps REAL,
    nvlink TEXT, nvlink_kind TEXT, cuda_least INTEGER, cuda_last INTEGER, local_nvme_gb REAL, arch TEXT, notes TEXT,
    source TEXT NOT NULL, UNIQUE (cloud, instance_type)"""
NO_CUDA = (10**6, 0)  # of hardware that is known to run no CUDA: no version lies between

_LINK = re.compile(r"(?P<kind>EFA|IB|RoCE|eRDMA|NVSwitch|mesh|bridge)\b(?: (?P<size>\d+(?:\.\d+)?)$)?")
_NO_LINK = re.compile(r"none$|GPUDirect-TCPX|HCCS|InfinityFabric")  # no RDMA, no NVLink, but something else


def machine_row(number: int, tier: str, row: Row, family_links: Set[str]) -> tuple[Any, ...]:
    """One row of the table; None where the source does not say.

    Args:
        row: as in instances.csv, with the text of its source.
        family_links: kinds of link of all types of the family (:func:`family_links`).
    """
    found = _canonical(row["gpu_model"], row["gpu_memory_gib_each"])
    form = form_of(found, row, family_links) if found else None
    nvlink, rdma = _link(row["nvlink"]), _link(row["rdma"])
    return (
        number, tier, row["cloud"], row["instance_type"], row["family"] or None, found or row["gpu_model"],
        found is not None, form, row["gpu_count"] or None, *_numbers(row, "gpu_count", "gpu_memory_gib_each"),
        _nominal(found, form, row), _whole(row["vcpus"]), *_numbers(row, "memory_gib", "network_gbps"),
        row["rdma"] or None, *rdma, row["nvlink"] or None, nvlink[0], *_cuda(found, form),
        *_numbers(row, "local_nvme_gb"), row["arch"] or None, row["notes"] or None, row["source"],
    )  # fmt: skip


def family_links(rows: Iterable[Row]) -> Mapping[tuple[str, str, str], frozenset[str]]:
    """The kinds of GPU link that the types of one family have, by :func:`family_of`."""
    kinds: dict[tuple[str, str, str], frozenset[str]] = {}
    for row in rows:
        kinds[family_of(row)] = kinds.get(family_of(row), frozenset()) | {row["nvlink"].split(" ")[0]}
    return kinds


def family_of(row: Row) -> tuple[str, str, str]:
    """Cloud, family and GPU: types that are cut from the same boards."""
    return row["cloud"], row["family"] or row["instance_type"], row["gpu_model"]


def specialist_rows(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Machines and prices of GPU specialists, in the shape of instances.csv and prices.csv.

    Their lists name a GPU and a number of them, no machine and no region: that is what the type is called by.
    """
    machines: dict[tuple[str, str], Row] = {}
    prices: list[Row] = []
    for row in rows:
        count, kind = int(row["gpu_count"]), row["purchase"]
        special = "" if kind in {"on_demand", "spot"} else f" {kind.removeprefix('on_demand_')}"
        name = f"{row['gpu_model']}:{count}{special}"
        machines.setdefault((row["provider"], name), {
            **dict.fromkeys(("family", "gpu_memory_gib_each", "vcpus", "memory_gib", "network_gbps", "rdma", "nvlink",
                             "local_nvme_gb", "arch", "notes"), ""),
            "cloud": row["provider"], "instance_type": name, "gpu_model": row["gpu_model"], "gpu_count": str(count),
            "source": row["source"],
        })  # fmt: skip
        prices.append({
            "cloud": row["provider"], "region": "unknown", "zone": "", "instance_type": name,
            "purchase": "spot" if kind == "spot" else "on_demand", "payment": "", "currency": "USD",
            "price_per_hour": f"{float(row['price_usd_per_gpu_hour']) * count:.6f}".rstrip("0").rstrip("."),
            "as_of": row["as_of"], "source": f"list price of a collector: {row['source']}",
            "note": "typical or lowest offer of the day, not a quote" if kind == "marketplace" else "",
        })  # fmt: skip
    return list(machines.values()), prices


def _canonical(name: str, memory: str) -> str | None:
    """The canonical id; where several GPUs share the name, the one that has just this memory."""
    if found := resolve(name):
        return found[0]
    fitting = [gpu for gpu in shared_by(name) if memory and gpu.endswith(f"-{float(memory):.0f}GB")]
    return fitting[0] if len(fitting) == 1 else None


def _nominal(gpu: str | None, form: str | None, row: Row) -> float | None:
    """The memory that the GPU is sold with, by which people ask for it; some clouds list what is left of it."""
    sheet = data_sheet(gpu, form) if gpu else None
    if sheet and row["gpu_count"]:
        return sheet.memory_gib * min(1.0, float(row["gpu_count"]))
    return _numbers(row, "gpu_memory_gib_each")[0]


def _link(text: str) -> tuple[str | None, float | None]:
    """Kind and size of a link: ``none`` and 0 where there is known to be none of the kind, None where unknown."""
    if match := _LINK.match(text):
        return match["kind"], float(match["size"]) if match["size"] else None
    return ("none", 0.0) if _NO_LINK.match(text) else (None, None)


def _cuda(gpu: str | None, form: str | None) -> tuple[int | None, int | None]:
    """The first CUDA (major × 1000 + minor) and the last major that run; both None when there is no data sheet."""
    sheet = data_sheet(gpu, form) if gpu else None
    if sheet is None:
        return None, None
    if sheet.vendor != "NVIDIA":
        return NO_CUDA
    if sheet.min_cuda is None or sheet.last_cuda_major is None:
        return None, None
    major, _, minor = sheet.min_cuda.partition(".")
    return int(major) * 1000 + int(minor or 0), sheet.last_cuda_major


def _numbers(row: Row, *names: str) -> tuple[float | None, ...]:
    return tuple(float(row[name]) if row[name] else None for name in names)


def _whole(text: str) -> int | None:
    return int(float(text)) if text else None

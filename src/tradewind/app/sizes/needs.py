"""Work sized by stated needs: what it asks of a machine, with sources, and the cheapest machines that have it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from tradewind.app.sizes.setups_data import NEEDS
from tradewind.catalog.query import Query
from tradewind.catalog.search import search
from tradewind.domain.gpus import all_gpus, data_sheet
from tradewind.domain.offer import Offer, Purchase

if TYPE_CHECKING:
    from tradewind.catalog.snapshot import Snapshot
    from tradewind.domain.workload import Resources, Workload

MOST_MACHINES = 5
Answer = dict[str, Any]


def needed(workload: Workload, name: str | None, snapshot: Snapshot, today: date) -> Answer:
    """The object of ``size --json`` for a workload without a model: no fits, but ``needs``, ``gpus`` and ``machines``.

    Args:
        name: of the needs that the makers of such software state; None: the workload's own resources are the needs.
    """
    needs = stated(name) if name else own(workload.resources)
    gpu, least = needs["gpu"], needs["gpu_memory_gib"] or 0.0
    sheet = data_sheet(gpu) if gpu else None
    names = dict.fromkeys(
        each.id for each in all_gpus() if each.memory_gib >= least and (sheet is None or each.id == gpu)
    )
    return {
        "workload": workload.name, "fits": [], "rejected": [],
        "storage": {"kind": needs["storage_kind"], "size_gb": needs["storage_gb"], "min_throughput_gb_s": None},
        "trace_seconds": None, "needs": needs, "gpus": list(names),
        "machines": [offer.to_json() for offer in machines(needs, snapshot, today)], "assumptions": [],
    }  # fmt: skip


def stated(name: str) -> Answer:
    """Needs by the name of the work; ``lines`` say where each figure comes from."""
    return {"name": name, "gpu": None, "most_gpus": None, **NEEDS[name]}


def own(resources: Resources | None) -> Answer:
    """The workload's own wish as needs; None where it says nothing."""
    wish = resources.accelerators if resources else None
    given = {"gpus": wish, "cpus": resources and resources.cpus, "storage_gb": resources and resources.disk_gb}
    return {
        "name": None, "gpu": wish.gpu if wish else None, "gpus": wish.low if wish else 1,
        "most_gpus": wish.high if wish else None, "gpu_memory_gib": None,
        "cpus": resources.cpus if resources else None, "memory_gib": None,
        "storage_gb": resources.disk_gb if resources else None, "storage_kind": None,
        "lines": [{"what": what, "source": "job-file", "as_of": None} for what, value in given.items() if value],
    }  # fmt: skip


def machines(needs: Answer, snapshot: Snapshot, today: date) -> list[Offer]:
    """The cheapest on-demand machines that meet the needs, one offer a machine type."""
    fewest = needs["gpus"]
    query = Query(
        gpu=needs["gpu"], gpus=(fewest, needs["most_gpus"] or fewest), purchases=[Purchase.ON_DEMAND],
        min_gpu_memory_gib=needs["gpu_memory_gib"], sort="price",
    )  # fmt: skip
    cpus, memory = (needs["cpus"] or 0) * (1 if needs["name"] is None else fewest), (needs["memory_gib"] or 0) * fewest
    kinds: dict[tuple[str, str], Offer] = {}
    for offer in search(snapshot, query, today):
        if _can_be_had(offer) and (offer.cpus or 0) >= cpus and (offer.memory_gib or 0) >= memory:
            kinds.setdefault((offer.cloud, offer.instance_type), offer)
        if len(kinds) == MOST_MACHINES:
            break
    return list(kinds.values())


def _can_be_had(offer: Offer) -> bool:
    """Whether a price is known that still means something, of a machine whose programs are those of a PC."""
    known = offer.price_per_hour is not None and offer.price_status.value not in {"expired", "unknown"}
    return known and offer.gpu_known and offer.arch != "arm64"

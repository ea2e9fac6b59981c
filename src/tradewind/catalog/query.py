"""What to look for, and the SQL that says so. A condition is true, false, or unknown (NULL) of an offer."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase

UNKNOWN_REGION = "unknown"  # of a machine for which no price, and so no place, is sourced
RDMA_KINDS = ("EFA", "IB", "RoCE", "eRDMA")
NVLINK_KINDS = ("NVSwitch", "mesh", "bridge")

# By what an answer can be sorted -> the column, and whether more comes first. Unknown comes last.
SORTS: dict[str, tuple[str, bool]] = {
    "price_per_gpu": ("NULL", False),  # the order of equals is this one anyway
    "price": ("m.gpu_number", False),  # times the price of one GPU
    "gpu_memory": ("m.gpu_memory_gib", True),
    "gpus": ("m.gpu_number", True),
    "cpus": ("m.cpus", True),
    "memory": ("m.memory_gib", True),
    "network": ("m.network_gbps", True),
    "carbon": ("place.carbon_g_per_kwh", False),
    "distance": ("p.place", False),  # how far that is, is reckoned from the query's point
    "as_of": ("l.as_of", True),
}

Tier = Literal["cloud", "specialist", "all"]
Condition = tuple[str, str, list[object]]  # name of the filter, SQL, its values
Factor = Callable[[str, str], float | None]  # currency to currency


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for; None does not restrict.

    Attributes:
        gpu: canonical id, or a cloud's own label where that is all that is known; one of several when it is a tuple.
        form: ``SXM`` or ``PCIe``; machines whose form is not known do not match.
        gpus: least and most GPUs of one machine, both counted in.
        countries: ISO 3166-1 alpha-2; a machine whose country is not known does not match.
        min_gpu_memory_gib: of each GPU or slice, as the GPU is sold: an L4 has 24, whatever its cloud lists.
        max_price, max_price_per_gpu: for an hour, as listed, in any currency with a known rate.
        rdma: ``yes``, ``no``, or one of :data:`RDMA_KINDS`; ``min_rdma_gbps`` is the machine's in all.
        nvlink: ``yes``, ``no``, or one of :data:`NVLINK_KINDS`.
        cuda: a version that must run on the GPU, ``12`` (any 12.x) or ``12.4``.
        max_carbon_g_per_kwh: of the region's grid.
        near: latitude and longitude from which distances are reckoned.
        tier: whose machines: the six clouds', GPU specialists' (list prices without a region), or all.
        sort: one of :data:`SORTS`.
        limit: at most so many offers.
    """

    gpu: str | tuple[str, ...] | None = None
    form: str | None = None
    gpus: tuple[Decimal | int, Decimal | int] | None = None
    clouds: Collection[str] | None = None
    regions: Collection[str] | None = None
    purchases: Collection[Purchase] | None = None
    countries: Collection[str] | None = None
    limit: int | None = None
    min_gpu_memory_gib: float | None = None
    max_price: Money | None = None
    max_price_per_gpu: Money | None = None
    rdma: str | None = None
    min_rdma_gbps: float | None = None
    nvlink: str | None = None
    cuda: str | None = None
    max_carbon_g_per_kwh: float | None = None
    near: tuple[float, float] | None = None
    tier: Tier = "cloud"
    sort: str = "price_per_gpu"


def conditions(query: Query, currencies: Collection[str], factor: Factor) -> list[Condition]:
    """The conditions of a query: those that need reading in the order of the fields, after those that just compare.

    Args:
        currencies: those that a price may have.
        factor: how many units of its second currency one unit of its first is worth; None: no rate.
    """
    low, high = query.gpus or (0, 10**6)
    compared: tuple[tuple[str, str, object], ...] = (
        ("tier", "m.tier = ?", None if query.tier == "all" else query.tier),
        ("form", "m.form = ?", query.form),
        ("memory", "m.nominal_gib >= ?", query.min_gpu_memory_gib),
        ("rdma", "m.rdma_gbps >= ?", query.min_rdma_gbps),
        ("carbon", "place.carbon_g_per_kwh <= ?", query.max_carbon_g_per_kwh),
    )
    read: tuple[tuple[Callable[[Any], Condition], Any], ...] = (
        (lambda wanted: _among("gpu", "m.gpu", (wanted,) if isinstance(wanted, str) else wanted), query.gpu),
        (lambda wanted: _among("cloud", "m.cloud", wanted), query.clouds),
        (_in_regions, query.regions),
        (_bought, query.purchases),
        (lambda wanted: _among("country", "place.country", wanted), query.countries),
        (lambda most: _at_most(most, "m.gpu_number", currencies, factor), query.max_price),
        (lambda most: _at_most(most, "1", currencies, factor), query.max_price_per_gpu),
        (lambda wanted: _linked("rdma", wanted), query.rdma),
        (lambda wanted: _linked("nvlink", wanted), query.nvlink),
        (_runs, query.cuda),
    )
    return [
        ("gpus", "m.gpu_number BETWEEN ? AND ?", [float(low), float(high)]),
        *((name, sql, [value]) for name, sql, value in compared if value is not None),
        *(condition(wanted) for condition, wanted in read if wanted is not None),
    ]


def _among(name: str, column: str, several: Collection[str]) -> Condition:
    return name, f"{column} IN ({', '.join('?' * len(several))})", [str(each) for each in several]


def _in_regions(regions: Collection[str]) -> Condition:
    """A machine without a price has no place: it may be in any region of its cloud, and in no other."""
    _, among, values = _among("region", "place.region", regions)
    elsewhere = f"EXISTS (SELECT 1 FROM place WHERE place.cloud = m.cloud AND {among})"  # noqa: S608
    stated = _among("region", f"COALESCE(p.region, '{UNKNOWN_REGION}')", regions)[1]
    return "region", f"CASE WHEN {stated} THEN 1 WHEN p.id IS NULL AND {elsewhere} THEN NULL ELSE 0 END", values * 2


def _bought(purchases: Collection[Purchase]) -> Condition:
    """A machine without any price stands for on demand; whether it is sold in other ways is as unknown as the price."""
    stated = _among("price", "COALESCE(l.purchase, 'on_demand')", purchases)
    return "price", f"CASE WHEN {stated[1]} THEN 1 WHEN p.id IS NULL THEN NULL ELSE 0 END", stated[2]


def _at_most(most: Money, gpus: str, currencies: Collection[str], factor: Factor) -> Condition:
    known = [(name, factor(name, most.currency)) for name in currencies]
    whens = "".join(f" WHEN '{name}' THEN {value!r}" for name, value in known if value is not None)
    return "price", f"p.per_gpu * {gpus} * (CASE l.currency{whens} ELSE NULL END) <= ?", [float(most.amount)]


def _linked(name: str, wanted: str) -> Condition:
    if wanted in {"yes", "no"}:
        return name, f"m.{name}_kind {'<>' if wanted == 'yes' else '='} 'none'", []
    return name, f"m.{name}_kind = ?", [wanted]


def _runs(cuda: str) -> Condition:
    """A bare major version means any of its minor ones, so the newest of them counts."""
    major, _, minor = cuda.partition(".")
    version = int(major) * 1000 + (int(minor) if minor else 999)
    return "cuda", "m.cuda_least <= ? AND m.cuda_last >= ?", [version, int(major)]

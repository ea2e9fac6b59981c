"""What questions are asked with. Light, since ``offers`` starts with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OffersQuery:
    """Which offers are wanted, as typed; fields that are empty or None do not restrict.

    Attributes:
        gpu: a GPU, or one with a count: ``A100-80GB:8``, ``L4:1..4``; ``gpus`` is such a count by itself, inclusive.
        near: a city, a region or ``LAT,LON``; distances are then told, and the default order is by them.
        currency: prices are told in it too, at a dated rate.
        min_memory_gib: of each GPU or slice.
        max_price: of the machine for an hour, in any currency with a rate.
        rdma, nvlink: ``yes``, ``no`` or a kind; ``min_rdma_gbps`` in all.
        max_carbon: g of CO2 for each kWh of the grid.
        residency: an ISO country, ``EU`` or ``EEA``.
        tier: ``cloud``, ``specialist`` or ``all``.
        sort: one of the catalog's orders; None: the usual one.
    """

    gpu: str | None = None
    gpus: tuple[int, int] | None = None
    clouds: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    purchases: tuple[str, ...] = ()
    near: str | None = None
    currency: str | None = None
    min_memory_gib: float | None = None
    max_price: str | None = None
    rdma: str | None = None
    min_rdma_gbps: float | None = None
    nvlink: str | None = None
    cuda: str | None = None
    max_carbon: float | None = None
    residency: str | None = None
    tier: str = "cloud"
    sort: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SizeOverrides:
    """What ``size`` evaluates besides what the workload says.

    Attributes:
        gpus: GPU names; empty: the workload's wish, or every GPU with a data sheet.
        counts: GPUs in all, an inclusive range; None: the workload's wish.
        ladder: micro-batches of which the largest that runs is wanted; empty: not asked for.
        explain: whether every term is told, with its formula, numbers and source.
        trace: whether the model may be traced; otherwise presets and closed forms alone answer.
        setup: the guide's set-up that the workload was made from.
    """

    gpus: tuple[str, ...] = ()
    counts: tuple[int, int] | None = None
    nodes: int | None = None
    ladder: tuple[int, ...] = ()
    explain: bool = False
    trace: bool = True
    setup: str | None = None


@dataclass(frozen=True, slots=True)
class CompareQuery:
    """Which machines are compared, and how.

    Attributes:
        names: machines, families or GPUs.
        hours_per_month: of use, for what a month costs.
        card_price: what one such GPU costs to buy; renting is then held against owning it.
        card_watts: its power under load; None: by its data sheet.
        inputs: of that reckoning, by name, instead of what is assumed.
    """

    names: tuple[str, ...]
    currency: str | None = None
    region: str | None = None
    hours_per_month: float = 730
    card_price: str | None = None
    card_watts: float | None = None
    inputs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SimulateQuery:
    """On which markets, and under which policies, a job is simulated.

    Attributes:
        trace: the name of a shipped trace or the path of a file; None: a made-up market, or what fits the plan.
        market: seed of made-up markets; None: not asked for.
        policies: by name; empty: all.
        seed: which windows of the trace.
    """

    trace: str | None = None
    market: int | None = None
    policies: tuple[str, ...] = ()
    runs: int = 1000
    seed: int = 0

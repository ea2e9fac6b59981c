"""What questions are asked with. Light, since ``offers`` starts with it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OffersQuery:
    """Which offers are wanted; fields that are empty or None do not restrict. ``gpus`` is an inclusive range."""

    gpu: str | None = None
    gpus: tuple[int, int] | None = None
    clouds: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    purchases: tuple[str, ...] = ()
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SizeOverrides:
    """What ``size`` evaluates besides what the workload says.

    Attributes:
        gpus: GPU names; empty: the workload's wish, or every GPU with a data sheet.
        counts: GPUs in all, an inclusive range; None: the workload's wish.
        micro_batch: per GPU; None: chosen.
    """

    gpus: tuple[str, ...] = ()
    counts: tuple[int, int] | None = None
    nodes: int | None = None
    micro_batch: int | None = None

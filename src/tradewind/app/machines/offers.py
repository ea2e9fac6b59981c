"""A machine as offers: some of its GPUs, up to all of them, at their share of its price."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tradewind.catalog.terms import Terms
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import resolve
from tradewind.domain.machine import CPU, Machine, type_of
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase

if TYPE_CHECKING:
    from tradewind.domain.workload import Accelerators

CLOUD = "machines"
# A reclaim is only ever rehearsed there; use is counted by the second.
TERMS = Terms(30.0, 1.0, 1.0, "as a rehearsal gives it", "by the second of use")
_ARCHES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}


def offers_of(machine: Machine) -> tuple[Offer, ...]:
    """1, 2, 4 … and all GPUs of each kind that it has; without GPUs one offer of its processors."""
    kinds = machine.kinds
    if not kinds:
        return (_offer(machine, CPU, 0),)
    return tuple(
        _offer(machine, type_of(count, kind), count, _one_of(machine, indices))
        for kind, indices in kinds.items()
        for count in _counts(len(indices))
    )


def offer_for(machine: Machine, wish: Accelerators | None) -> Offer:
    """What a job takes that is run on this machine whatever a plan would say: as many GPUs as it wishes for, else all.

    Of several kinds without a wish, the one of which there are most.

    Raises:
        BadInput: ``machine-too-small`` (name, wanted, has).
    """
    kinds = machine.kinds
    if wish is None and not kinds:
        return _offer(machine, CPU, 0)
    named = {kind: each for kind, each in kinds.items() if wish is None or wish.gpu in (None, kind)}
    kind, indices = max(named.items(), key=lambda each: len(each[1]), default=(CPU, ()))
    count = len(indices) if wish is None else min(wish.high, len(indices))
    if wish is not None and count < wish.low:
        has = ", ".join(f"{len(each)} × {name}" for name, each in kinds.items()) or "no GPU"
        raise BadInput("machine-too-small", name=machine.name, wanted=f"{wish.low} × {wish.gpu or 'GPU'}", has=has)
    return _offer(machine, type_of(count, kind), count, _one_of(machine, indices))


def _one_of(machine: Machine, indices: Iterable[int]) -> dict[str, Any]:
    first = min(indices)
    return next(each for each in machine.usable if each["index"] == first)


def _counts(most: int) -> list[int]:
    powers = (1 << power for power in range(most.bit_length()))
    return sorted({*powers, most})


def _offer(machine: Machine, instance_type: str, count: int, sample: dict[str, Any] | None = None) -> Offer:
    """``count`` GPUs as the ``sample``; processors and memory are the whole machine's, which jobs share."""
    facts, price = machine.facts, _share(machine, count)
    known = resolve(sample["name"]) if sample else None
    gpu, form = known or (sample["name"] if sample else "none", None)
    checked = facts.get("checked_at")
    return Offer(
        cloud=CLOUD, region=machine.name, zone=None, instance_type=instance_type, gpu=gpu,
        form=form, gpu_known=known is not None, gpus=Decimal(count),
        gpu_memory_gib=sample["memory_gib"] if sample else None, cpus=facts.get("cpus"),
        memory_gib=facts.get("memory_gib"), network_gbps=None, rdma=None, nvlink=None, purchase=Purchase.ON_DEMAND,
        price_per_hour=price, price_status=PriceStatus.FRESH if price else PriceStatus.FREE,
        as_of=(checked or machine.added_at.isoformat())[:10], source=f"machine {machine.name}",
        carbon_g_per_kwh=None, country=machine.country, arch=_ARCHES.get(str(facts.get("machine"))), stock=1,
    )  # fmt: skip


def _share(machine: Machine, count: int) -> Money | None:
    """The price of so many of the usable GPUs; of a machine without any, the whole price."""
    if machine.price is None:
        return None
    return (machine.price * (Decimal(count) / (len(machine.usable) or 1))).rounded() if count else machine.price

"""Machines by name: a type, a family or a GPU; what they cost in every place; GPUs side by side."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tradewind.catalog.names import family_names, plain
from tradewind.catalog.places import nearest
from tradewind.catalog.rates import rate
from tradewind.catalog.search import COMPARED_IN
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import price_status
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import Gpu, all_gpus, reason, resolve, shared_by
from tradewind.domain.money import Money
from tradewind.domain.offer import PriceStatus, Purchase


@dataclass(frozen=True, slots=True)
class Machine:
    """An instance type of a cloud; None: not sourced.

    Attributes:
        family: as the cloud calls it.
        gpu: canonical id, or the cloud's own name when ``gpu_known`` is false.
        gpus: number of GPUs; below 1 for a slice.
        gpu_memory_gib: of each GPU or slice, as the cloud lists it.
    """

    cloud: str
    instance_type: str
    family: str | None
    gpu: str
    gpu_known: bool
    form: str | None
    gpus: Decimal | None
    gpu_memory_gib: float | None
    cpus: int | None
    memory_gib: float | None
    network_gbps: float | None
    rdma: str | None
    nvlink: str | None
    local_nvme_gb: float | None
    arch: str | None
    notes: str | None
    source: str


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One price of a machine for an hour, as listed.

    Attributes:
        own: one's own price, not a list's.
        offered: whether this is the one of its place and way of buying that a search returns.
    """

    region: str
    zone: str | None
    purchase: Purchase
    payment: str | None
    price_per_hour: Money
    status: PriceStatus
    as_of: str
    source: str
    own: bool
    offered: bool


def machines(snapshot: Snapshot) -> tuple[Machine, ...]:
    """Every machine of the clouds, by cloud and type; also those that no search returns."""
    return tuple(
        Machine(cloud, instance_type, family, gpu, bool(known), form, Decimal(gpus) if gpus else None, *rest)
        for cloud, instance_type, family, gpu, known, form, gpus, *rest in snapshot.rows(_MACHINES)
    )


def family(snapshot: Snapshot, name: str, cloud: str | None = None) -> tuple[Machine, ...]:
    """The machines of a family, in ``cloud`` or in all that have one of the name; empty when there is none.

    Case, spaces, hyphens and the prefixes ``ecs.`` and ``Standard_`` do not count, unless they tell clouds apart:
    ``gn7`` is Alibaba's family, ``GN7`` Tencent's. A name means itself only: ``p5`` is not ``p5e``.
    """
    wanted = plain(name)
    found = [
        (each, names[wanted]) for each in machines(snapshot)
        if cloud in {None, each.cloud}
        and wanted in (names := family_names(each.cloud, each.family, each.instance_type))
    ]  # fmt: skip
    spelt = {each.cloud for each, spelling in found if spelling == name.strip()}
    return tuple(each for each, _ in found if not spelt or each.cloud in spelt)


def machines_named(snapshot: Snapshot, name: str) -> tuple[Machine, ...]:
    """The machines whose type is ``name``, however it is spelt; several when two clouds use the same name."""
    return tuple(each for each in machines(snapshot) if plain(each.instance_type) == plain(name))


def require_machines(snapshot: Snapshot, name: str) -> tuple[Machine, ...]:
    """The machines that ``name`` means: a type; else a family; else those that carry a GPU of that name.

    Empty for a GPU that none of the clouds rents.

    Raises:
        BadInput: ``machine-unknown`` (name, nearest).
    """
    found = machines_named(snapshot, name) or family(snapshot, name)
    if found:
        return found
    gpus = _ids(name) or ((name,) if reason(name) else ())
    if not gpus:
        raise BadInput("machine-unknown", name=name, nearest=", ".join(nearest_machines(snapshot, name)))
    return tuple(each for each in machines(snapshot) if each.gpu in gpus)


def nearest_machines(snapshot: Snapshot, name: str) -> list[str]:
    """At most three types or families that ``name`` may have meant, the likeliest first.

    A name with a dot speaks of a type: those of the family before the dot come first.
    """
    wanted = plain(name)
    names: dict[str, str] = {}
    types: dict[str, str] = {}
    for each in machines(snapshot):
        types[plain(each.instance_type)] = each.instance_type
        names |= family_names(each.cloud, each.family, each.instance_type)
    siblings = [key for key in types if "." in wanted and _stem(key) == _stem(wanted)]
    near = [*nearest(wanted, siblings, 0.0), *nearest(wanted, names | types)]
    return list(dict.fromkeys((types | names)[key] for key in near))[:3]


def prices_of(snapshot: Snapshot, machine: Machine, today: date) -> list[PriceLine]:
    """Every price of a machine, its offers first and the cheapest place foremost within a way of buying and paying."""
    rows = snapshot.rows(_PRICES, (machine.cloud, machine.instance_type))
    lines = [
        PriceLine(region, zone, Purchase(purchase), payment, Money(Decimal(price), currency),
                  price_status(as_of, today), as_of, f"{source}; {note}" if note else source, bool(own), bool(offered))
        for region, zone, purchase, payment, price, currency, as_of, source, note, own, offered in rows
    ]  # fmt: skip
    value = {currency: known.value if (known := rate(currency, COMPARED_IN)) else Decimal(1)
             for currency in {each.price_per_hour.currency for each in lines}}  # fmt: skip

    def foremost(line: PriceLine) -> tuple[bool, int, str, Decimal, str, str]:
        price = line.price_per_hour
        return (not line.offered, _ORDER[line.purchase], line.payment or "", price.amount * value[price.currency],
                line.region, line.zone or "")  # fmt: skip

    return sorted(lines, key=foremost)


def require_count(snapshot: Snapshot, gpu: str, count: int) -> None:
    """Nothing, when some machine has exactly ``count`` GPUs of this id.

    Raises:
        BadInput: ``gpu-count-unknown`` (gpu, count, nearest: ``A100-40GB:8, A100-40GB:4``).
    """
    rows = snapshot.rows("SELECT DISTINCT gpu_number FROM machine WHERE gpu = ? AND gpu_number > 0", (gpu,))
    counts = [each for (each,) in rows]
    if counts and count not in counts:
        near = sorted((each for each in counts if each >= 1), key=lambda each: (abs(each - count), -each))[:2]
        named = ", ".join(f"{gpu}:{each:g}" for each in near)
        raise BadInput("gpu-count-unknown", gpu=gpu, count=count, nearest=named)


def gpus_side_by_side(names: Collection[str] = ()) -> tuple[Gpu, ...]:
    """Data sheets of the GPUs named, a shared name meaning all that share it; of all GPUs when none is named."""
    wanted = {gpu for name in names for gpu in _ids(name)}
    return tuple(sheet for sheet in all_gpus() if not names or sheet.id in wanted)


_MACHINES = """
SELECT cloud, instance_type, family, gpu, gpu_known, form, gpus, gpu_memory_gib, cpus, memory_gib, network_gbps, rdma,
       nvlink, local_nvme_gb, arch, notes, source FROM machine WHERE tier = 'cloud' ORDER BY cloud, instance_type"""
_PRICES = """
SELECT p.region, p.zone, l.purchase, p.payment, p.price_per_hour, l.currency, l.as_of, s.source, p.note, p.own,
       p.offered
FROM machine m JOIN price p ON p.machine = m.id JOIN listing l ON l.id = p.listing JOIN source s ON s.id = p.source
WHERE m.cloud = ? AND m.instance_type = ?
ORDER BY p.id"""
_ORDER = {each: place for place, each in enumerate(Purchase)}


def _ids(name: str) -> tuple[str, ...]:
    found = resolve(name)
    return (found[0],) if found else shared_by(name)


def _stem(plain_type: str) -> str:
    """The family of a type name: what stands before the dot, without Alibaba's ratio of cores to memory."""
    head = plain_type.partition(".")[0]
    return head[: head.index("c")] if "c" in head[2:] and head.startswith("gn") else head

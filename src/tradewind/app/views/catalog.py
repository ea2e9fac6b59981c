"""Families, machines, GPUs and regions of the catalog as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any

from tradewind.app.views.beside import beside
from tradewind.catalog import claims, families, places
from tradewind.catalog.rates import converted
from tradewind.catalog.search import COMPARED_IN, Query, search
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.accelerators import require_gpu
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import Gpu, data_sheet, shared_by
from tradewind.domain.offer import PriceStatus, Purchase
from tradewind.domain.residency import met_in

Answer = dict[str, Any]


def shown(snapshot: Snapshot, name: str, today: date) -> Answer:
    """What ``name`` means: ``kind`` is ``machine``, ``family`` or ``gpu``; a GPU may have no machine.

    ``machines`` have ``cheapest`` by purchase, of all regions; ``prices`` are all those of a single machine. Of a
    machine or a family also ``spot_records`` by machine and region, ``spot_terms`` and ``images`` by cloud.

    Raises:
        BadInput: ``machine-unknown`` (name, nearest).
    """
    named, relatives = families.machines_named(snapshot, name), families.family(snapshot, name)
    own_sheets = () if named or relatives else families.gpus_side_by_side((name,))
    machines = sorted(named or relatives or _carrying(snapshot, name, own_sheets), key=_by_size)
    carried = own_sheets or _sheets_of(machines)
    prices = {each: families.prices_of(snapshot, each, today) for each in machines}
    return {
        "asked": name, "kind": "machine" if named else "family" if relatives else "gpu",
        "gpus": [sheet_json(each) for each in carried],
        "machines": [machine_json(each) | _cheapest(lines) for each, lines in prices.items()],
        "prices": [_line(each) for each in prices[named[0]]] if len(named) == 1 else [],
        **(beside(machines) if named or relatives else beside(())),
        "claims": [asdict(each) for each in claims.claims_about(name)],
    }  # fmt: skip


def _by_size(machine: families.Machine) -> tuple[str, str, str, Decimal, int, str]:
    """By GPU, then by how much of it: names alone would put 16xlarge before 4xlarge."""
    return (machine.cloud, machine.gpu, machine.form or "", machine.gpus or Decimal(0), machine.cpus or 0,
            machine.instance_type)  # fmt: skip


def _carrying(snapshot: Snapshot, name: str, own_sheets: Sequence[Gpu]) -> tuple[families.Machine, ...]:
    """The machines with a GPU; none, where the GPU has a data sheet and no cloud rents it."""
    try:
        return families.require_machines(snapshot, name)
    except BadInput:
        if own_sheets:
            return ()
        raise


def _sheets_of(machines: Iterable[families.Machine]) -> tuple[Gpu, ...]:
    """The data sheets of the GPUs that machines carry, in the form that they carry them."""
    found = (data_sheet(each.gpu, each.form) for each in machines)
    return tuple({(sheet.id, sheet.form): sheet for sheet in found if sheet}.values())


def sheets(names: Sequence[str]) -> list[Answer]:
    """Data sheets of the GPUs named, or of all.

    Raises:
        BadInput: ``gpu-unknown`` (name, nearest).
    """
    for name in names:
        if not shared_by(name):
            require_gpu(name)
    return [sheet_json(each) for each in families.gpus_side_by_side(names)]


def sheet_json(gpu: Gpu) -> Answer:
    """A data sheet; unknown is null."""
    told = asdict(gpu)
    return {"gpu": told.pop("id"), **told}


def machine_json(machine: families.Machine) -> Answer:
    """A machine; unknown is null."""
    gpus = machine.gpus
    return asdict(machine) | {"gpus": None if gpus is None else int(gpus) if gpus == int(gpus) else float(gpus)}


def _cheapest(lines: Sequence[families.PriceLine]) -> Answer:
    """The lowest price of each purchase that has not expired, and in how many regions there is one."""
    alive = [each for each in lines if each.status is not PriceStatus.EXPIRED]
    return {
        "cheapest": {purchase.value: _lowest([each for each in alive if each.purchase is purchase])
                     for purchase in (Purchase.ON_DEMAND, Purchase.SPOT)},
        "regions": len({each.region for each in alive}),
    }  # fmt: skip


def _lowest(lines: Sequence[families.PriceLine]) -> Answer | None:
    comparable = [(there[0].amount, each) for each in lines if (there := converted(each.price_per_hour, COMPARED_IN))]
    return _line(min(comparable, key=lambda pair: pair[0])[1]) if comparable else None


def _line(line: families.PriceLine) -> Answer:
    return {
        "region": line.region, "zone": line.zone, "purchase": line.purchase.value, "payment": line.payment,
        "price_per_hour": line.price_per_hour.to_json(), "price_status": line.status.value, "as_of": line.as_of,
        "source": line.source, "own": line.own,
    }  # fmt: skip


def regions(snapshot: Snapshot, clouds: Iterable[str], near: places.Point | None, today: date) -> list[Answer]:
    """Regions with the number of machines priced there; ``residency``: the country, and EU or EEA where it is in it."""
    away = places.distances(snapshot, near.lat, near.lon) if near else {}
    sold = {(each.cloud, each.region, each.instance_type) for each in search(snapshot, Query(), today)}
    sold_in = Counter((cloud, region) for cloud, region, _ in sold)
    found = [
        {**asdict(each), "distance_km": away.get((each.cloud, each.region)), "residency": met_in(each.country),
         "machines": sold_in[each.cloud, each.region]}
        for cloud in clouds for each in places.places(snapshot, cloud)
    ]  # fmt: skip
    if near:
        found.sort(key=lambda each: (each["distance_km"] is None, each["distance_km"], each["cloud"]))
    return found

"""What is known beside the prices of machines, as JSON: spot machines' records and terms, machine images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tradewind.app.views.values import money_json
from tradewind.catalog.discounts import discounts
from tradewind.catalog.families import Machine
from tradewind.catalog.images import images
from tradewind.catalog.spot_records import SpotRecord, spot_records
from tradewind.catalog.terms import terms
from tradewind.domain.offer import Purchase

Answer = dict[str, Any]


def beside(machines: Sequence[Machine]) -> Answer:
    """``{"spot_records", "spot_terms", "images"}`` of the machines and their clouds; unknown is null."""
    clouds = list(dict.fromkeys(each.cloud for each in machines))
    return {
        "spot_records": [_record(each, record) for each in machines
                         for record in spot_records(each.cloud, each.instance_type)],
        "spot_terms": [_terms(cloud, [each for each in machines if each.cloud == cloud]) for cloud in clouds],
        "images": [asdict(image) for cloud in clouds for image in _images(cloud, machines)],
    }  # fmt: skip


def _record(machine: Machine, record: SpotRecord) -> Answer:
    return {
        "cloud": machine.cloud, "instance_type": machine.instance_type, "region": record.region,
        "interrupted": record.interrupted, "saved": None if record.saved is None else float(record.saved),
        "average": money_json(record.average), "lowest": money_json(record.lowest),
        "highest": money_json(record.highest), "as_of": record.as_of, "source": record.source,
    }  # fmt: skip


def _terms(cloud: str, machines: Sequence[Machine]) -> Answer:
    """The notice before a spot machine is taken, and the most that the cloud publishes it to save."""
    known = terms(cloud)
    published = max(_published(machines), key=lambda each: each["saved_up_to"], default=None)
    return {
        "cloud": cloud, "notice_s": known.notice_s if known else None,
        "source": known.notice_source if known else None, "published": published,
    }  # fmt: skip


def _published(machines: Sequence[Machine]) -> Iterator[Answer]:
    for machine in machines:
        for each in discounts(machine.cloud, machine.instance_type, ""):
            if each.purchase == Purchase.SPOT.value:
                yield {"saved_up_to": float(each.saved_high), "as_of": each.as_of, "source": each.source}


def _images(cloud: str, machines: Sequence[Machine]) -> Iterator[Any]:
    """The cloud's images for the processors that the machines have."""
    arches = {each.arch for each in machines if each.cloud == cloud}
    wanted = None if None in arches or len(arches) > 1 else arches.pop()
    yield from images(cloud, wanted)

"""What a machine may leave: disks, interfaces, addresses. Listed by our tags, ended by their own ids."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.faults import is_absent, is_gone
from tradewind.clouds.alibaba.instances import MARK, owner_of, to_leftover, to_tags
from tradewind.clouds.alibaba.requests import to_tags as tagged
from tradewind.clouds.answers import published
from tradewind.ports.compute import CloudFault, Leftover, Query


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: what its ids begin with, how it is listed, also by id, and ended.

    ``costs``: while nobody uses it, too; ``hidden``: the list is empty to whom may not look, and a dry run tells.
    """

    name: str
    prefix: str
    service: str
    listing: str
    path: tuple[str, str]
    id_name: str
    ending: str
    costs: bool = True
    hidden: bool = False


KINDS = (
    Kind("disk", "d-", "ecs", "DescribeDisks", ("Disks", "Disk"), "DiskId", "DeleteDisk", hidden=True),
    Kind("interface", "eni-", "ecs", "DescribeNetworkInterfaces", ("NetworkInterfaceSets", "NetworkInterfaceSet"),
         "NetworkInterfaceId", "DeleteNetworkInterface", costs=False),
    Kind("address", "eip-", "vpc", "DescribeEipAddresses", ("EipAddresses", "EipAddress"), "AllocationId",
         "ReleaseEipAddress"),
)  # fmt: skip


def look(api: Api, region: str, query: Query) -> Iterator[Leftover]:
    """What is left, by the query's tags; by owner alone only what costs."""
    for kind in KINDS:
        if not kind.costs and query.lease is None:
            continue
        rows = _listed(api, region, kind, tags_of(query))
        if not rows and kind.hidden:
            api.allowed(kind.service, region, kind.listing, RegionId=region)
        with published(kind.listing):
            left = [to_leftover(kind.name, kind.id_name, row, query) for row in rows]
        yield from (each for each in left if each is not None)


def end(api: Api, region: str, owner: str, id_: str) -> None:
    """Ask for the end of a leftover of ours; nothing for an id of another kind, and for what is not there."""
    kind = next((kind for kind in KINDS if id_.startswith(kind.prefix)), None)
    if kind is None:
        return
    rows = _listed(api, region, kind, _by_id(kind, id_))
    with published(kind.listing):
        if not all(owner_of(to_tags(row)) == owner for row in rows):
            return
    place = {} if kind.name == "disk" else {"RegionId": region}
    try:
        api.ask(kind.service, region, kind.ending, **{kind.id_name: id_}, **place)
    except CloudFault as fault:
        if not (is_absent(fault) if rows else is_gone(fault)):
            raise


def _listed(api: Api, region: str, kind: Kind, query: dict[str, str]) -> list[Any]:
    pages = api.numbered if kind.service == "vpc" else api.rows
    return list(pages(kind.service, region, kind.listing, *kind.path, **query))


def _by_id(kind: Kind, id_: str) -> dict[str, str]:
    """How a list is asked for one thing: each in its own way."""
    if kind.name == "disk":
        return {"DiskIds": json.dumps([id_])}
    return {kind.id_name if kind.service == "vpc" else f"{kind.id_name}.1": id_}


def tags_of(query: Query) -> dict[str, str]:
    """The tags by which the clouds' lists are asked."""
    told = {"owner": query.owner, "token": query.token, "lease": query.lease}
    return tagged({MARK + name: value for name, value in told.items() if value is not None})

"""Ending machines, and what they left, of ours alone: what is seen to be another's is left alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from tradewind.clouds.alibaba import leftovers
from tradewind.clouds.alibaba.client import MOST_A_PAGE, Api
from tradewind.clouds.alibaba.faults import is_absent, is_gone
from tradewind.clouds.alibaba.instances import owner_of, to_tags
from tradewind.clouds.alibaba.requests import numbered
from tradewind.clouds.answers import published, text
from tradewind.ports.compute import CloudFault

_OF_ALL = ("auth", "throttle", "unavailable")  # refusals that are no single machine's


def end(api: Api, region: str, owner: str, ids: Sequence[str]) -> None:
    """Ask for the end of each; one that cannot be ended keeps no other from its end.

    What is not listed is asked for all the same: a machine that was just made may not be.

    Raises:
        CloudFault: the first refusal, after all were asked for.
    """
    refused: list[CloudFault] = []
    for batch in batches(machines(ids)):
        listed = _owners(api, region, batch)
        refused += _ended(api, region, [id_ for id_ in batch if listed.get(id_) == owner])
        refused += [
            each for each in _ended(api, region, [id_ for id_ in batch if id_ not in listed]) if not is_gone(each)
        ]
    for id_ in ids:
        try:
            leftovers.end(api, region, owner, id_)
        except CloudFault as fault:
            refused.append(fault)
    if refused:
        raise refused[0]


def machines(ids: Iterable[str]) -> list[str]:
    """Those of ``ids`` that are machines'."""
    return [each for each in ids if each.startswith("i-")]


def batches(ids: list[str]) -> Iterator[list[str]]:
    """``ids`` as many at a time as ECS takes."""
    for start in range(0, len(ids), MOST_A_PAGE):
        yield ids[start : start + MOST_A_PAGE]


def _owners(api: Api, region: str, batch: list[str]) -> dict[str, str | None]:
    """Whose the machines are that are listed; None: nobody's that is wholly marked."""
    path = ("Instances", "Instance")
    rows = api.rows("ecs", region, "DescribeInstances", *path, InstanceIds=json.dumps(batch))
    with published("DescribeInstances"):
        return {text(row, "InstanceId"): owner_of(to_tags(row)) for row in rows}


def _ended(api: Api, region: str, batch: list[str]) -> list[CloudFault]:
    """The refusals. A batch is refused whole for one of its machines: then each is asked for by itself."""
    if not batch:
        return []
    try:
        query = numbered("InstanceId", batch)
        api.ask("ecs", region, "DeleteInstances", RegionId=region, Force="true", **query)
    except CloudFault as fault:
        if len(batch) > 1 and fault.sent == "yes" and fault.kind not in _OF_ALL:
            return [each for id_ in batch for each in _ended(api, region, [id_])]
        return [] if is_absent(fault) else [fault]
    return []

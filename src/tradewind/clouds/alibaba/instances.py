"""What ECS lists, as values. Pure: rows in; machines, and what machines left, out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from tradewind.clouds.answers import Odd, listed, named, text
from tradewind.ports.compute import Instance, InstanceState, Leftover, Query

NOTICE_S = 300.0  # between the word that a spot machine is taken and its end; ECS documents about five minutes
# Every Status of the published enum. What was ended is not listed any more: there is no word for it.
STATES = {
    "Pending": InstanceState.PENDING, "Starting": InstanceState.PENDING, "Running": InstanceState.RUNNING,
    "Stopping": InstanceState.STOPPING, "Stopped": InstanceState.STOPPED,
}  # fmt: skip
MARK = "tradewind:"
NETWORK = f"{MARK}network"  # on what belongs to a network of ours: the network's kind
_RECYCLING = "Recycling"  # the lock of a spot machine that is being taken


def to_instance(row: Any, seen_at: datetime, *, private: bool) -> Instance:
    """A row of DescribeInstances. ``private``: one without a public address is reached by its other one.

    Raises:
        Odd: something is missing, or its Status is a word that is not known.
    """
    status, tags = text(row, "Status"), to_tags(row)
    if status not in STATES:
        raise Odd(f"Status is {status!r}")
    locks = _locks(row)
    taken = _RECYCLING in locks
    return Instance(
        id=text(row, "InstanceId"),
        token=tags.get(f"{MARK}token", ""),
        lease=tags.get(f"{MARK}lease", ""),
        owner=tags.get(f"{MARK}owner", ""),
        state=STATES[status],
        why="reclaimed" if taken else None,
        address=_address(row, private),
        launched_at=to_time(text(row, "CreationTime")),
        reclaim_at=seen_at + timedelta(seconds=NOTICE_S) if taken else None,
        tags=tags,
        instance_type=text(row, "InstanceType"),
        region=text(row, "RegionId"),
        zone=text(row, "ZoneId"),
        purchase="spot" if str(row.get("SpotStrategy") or "NoSpot") != "NoSpot" else "on_demand",
        words=f"locked: {', '.join(locks)}" if locks else None,
    )


def to_tags(row: Any) -> dict[str, str]:
    """The tags of a row: ECS calls a tag's parts TagKey and TagValue, VPC Key and Value."""
    told = [named(tag) for tag in listed(row, "Tags", "Tag")] if row.get("Tags") else []
    return {
        text(tag, "TagKey" if "TagKey" in tag else "Key"): str(tag.get("TagValue", tag.get("Value", "")))
        for tag in told
    }


def owner_of(tags: Mapping[str, str]) -> str | None:
    """Whose something is that carries all that ours carries; None: less, which may be a stranger's."""
    marked = all(tags.get(MARK + name) for name in ("owner", "lease", "token"))
    return tags[f"{MARK}owner"] if marked else None


def to_leftover(kind: str, id_name: str, row: Any, query: Query) -> Leftover | None:
    """A row of disks, interfaces or addresses as a leftover of ours; None: it is none, or not the one asked for.

    What belongs to a machine is none, unless that machine is among the ids asked for: it is going, and this with it.

    Raises:
        Odd: something is missing.
    """
    tags, id_, asked = to_tags(row), text(row, id_name), query.ids or ()
    others = [each for each in asked if not each.startswith("i-")]
    left = text(row, "Status") == "Available" or row.get("InstanceId") in asked
    if not left or owner_of(tags) is None or NETWORK in tags or (any(others) and id_ not in others):
        return None
    return Leftover(kind, id_, tags[f"{MARK}lease"])


def to_time(told: str) -> datetime:
    """ECS tells instants without seconds: ``2026-11-22T09:30Z``.

    Raises:
        Odd: it is no instant.
    """
    try:
        at = datetime.fromisoformat(told)
    except ValueError:
        raise Odd(f"{told!r} is no instant") from None
    if at.tzinfo is None:
        raise Odd(f"{told!r} has no zone")
    return at


def _locks(row: Any) -> list[str]:
    if not row.get("OperationLocks"):
        return []
    return [text(lock, "LockReason") for lock in listed(row, "OperationLocks", "LockReason")]


def _address(row: Any, private: bool) -> str:
    public = str(named(row, "EipAddress").get("IpAddress") or "") if row.get("EipAddress") else ""
    own = _first(row, "VpcAttributes", "PrivateIpAddress") if private else ""
    return public or _first(row, "PublicIpAddress") or own


def _first(row: Any, *path: str) -> str:
    """The first of the addresses along ``path``; empty where there are none."""
    if not row.get(path[0]):
        return ""
    addresses = listed(row, *path, "IpAddress")
    return str(addresses[0]) if addresses else ""

"""Our tags as EC2 writes them: a list of Key and Value on a thing, filters by which things are looked for. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.ports.compute import Query

OWNER, LEASE, TOKEN = "tradewind:owner", "tradewind:lease", "tradewind:token"
NETWORK, SINCE, FOR = (
    "tradewind:network",
    "tradewind:since",
    "tradewind:for",
)  # a network's kind, age; who a part is for
Told = Mapping[str, Any]


def to_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags for a request, in one order whatever theirs was."""
    return [{"Key": key, "Value": tags[key]} for key in sorted(tags)]


def on(tags: Mapping[str, str], *resources: str) -> list[dict[str, Any]]:
    """``TagSpecifications``: the tags on each kind of thing that a request makes."""
    return [{"ResourceType": each, "Tags": to_list(tags)} for each in resources]


def read(told: Sequence[Told] | None) -> dict[str, str]:
    """The tags of a thing."""
    return {each.get("Key", ""): each.get("Value", "") for each in told or ()}


def ours(tags: Mapping[str, str], owner: str) -> bool:
    """Whether a thing is surely of this installation: by all three tags, of which nobody else's has that owner."""
    return tags.get(OWNER) == owner and bool(tags.get(LEASE)) and bool(tags.get(TOKEN))


def filters(query: Query) -> list[dict[str, Any]]:
    """What of a query the tags say."""
    wanted = {OWNER: query.owner, LEASE: query.lease, TOKEN: query.token}
    return [{"Name": f"tag:{key}", "Values": [value]} for key, value in wanted.items() if value is not None]

"""What networks of ours are made of, as the cloud lists it: found by tag, ended in the order of what hangs on what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from typing import Any

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.faults import is_absent
from tradewind.clouds.alibaba.instances import MARK, NETWORK, owner_of, to_tags
from tradewind.clouds.answers import published, text
from tradewind.ports.compute import CloudFault

_BLOCK = 24  # bits of a VSwitch's prefix: 252 machines


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of part: how it is listed and ended."""

    name: str
    service: str
    listing: str
    path: tuple[str, str]
    id_name: str
    ending: str


# In the order in which they can be ended: what is last goes last, and names the network as long as anything of it is.
KINDS = (
    Kind("gateway", "vpc", "DescribeNatGateways", ("NatGateways", "NatGateway"), "NatGatewayId", "DeleteNatGateway"),
    Kind("address", "vpc", "DescribeEipAddresses", ("EipAddresses", "EipAddress"), "AllocationId", "ReleaseEipAddress"),
    Kind("vswitch", "vpc", "DescribeVSwitches", ("VSwitches", "VSwitch"), "VSwitchId", "DeleteVSwitch"),
    Kind("group", "ecs", "DescribeSecurityGroups", ("SecurityGroups", "SecurityGroup"), "SecurityGroupId",
         "DeleteSecurityGroup"),
    Kind("vpc", "vpc", "DescribeVpcs", ("Vpcs", "Vpc"), "VpcId", "DeleteVpc"),
)  # fmt: skip
ANCHORS = ("group", "vpc")  # what a network is told by: one of these is there as long as it is
COSTLY = ("gateway", "address")
_FORCED = {"gateway": {"Force": "true"}}  # with its entries, and its address set free


@dataclass(frozen=True, slots=True)
class Part:
    """One thing of a network, with the row that told of it."""

    kind: Kind
    id: str
    tags: dict[str, str]
    row: Any

    @property
    def token(self) -> str:
        """What all parts of one network have in common."""
        return self.tags[f"{MARK}token"]


def look(api: Api, region: str, tags: dict[str, str], names: Sequence[str] | None = None) -> list[Part]:
    """All parts with these tags, in the order in which they can be ended; ``names``: of these kinds alone."""
    kinds = [kind for kind in KINDS if names is None or kind.name in names]
    return [part for kind in kinds for part in _listed(api, region, kind, tags)]


def _listed(api: Api, region: str, kind: Kind, tags: dict[str, str]) -> Iterator[Part]:
    pages = api.numbered if kind.service == "vpc" else api.rows
    for row in pages(kind.service, region, kind.listing, *kind.path, **tags):
        with published(kind.listing):
            part = Part(kind, text(row, kind.id_name), to_tags(row), row)
        if owner_of(part.tags) and NETWORK in part.tags:
            yield part


def end(api: Api, region: str, parts: list[Part]) -> None:
    """Ask for the end of these, as far as they can be ended now: what still hangs on another goes the next time.

    Raises:
        CloudFault: refused for another reason.
    """
    for part in parts:
        query = {"RegionId": region, part.kind.id_name: part.id, **_FORCED.get(part.kind.name, {})}
        try:
            api.ask(part.kind.service, region, part.kind.ending, **query)
        except CloudFault as fault:
            if fault.kind in ("busy", "conflict"):
                return
            if not is_absent(fault):
                raise


def free_blocks(within: str, taken: list[str]) -> Iterator[str]:
    """Address blocks of a VPC that no VSwitch has, from its end: the cloud's own choice begins at the other one."""
    used = [ip_network(each) for each in taken]
    whole = IPv4Network(within)
    size = 2 ** (32 - _BLOCK)
    for start in range(int(whole.broadcast_address) + 1 - size, int(whole.network_address) - 1, -size):
        block = IPv4Network((start, _BLOCK))
        if not any(block.overlaps(each) for each in used):
            yield str(block)

"""What lies around a machine or makes a network, one row a kind: how it is listed, by what it is told, how it ends.

Sources: EC2 API 2016-11-15, the Describe and Delete operation of each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tradewind.clouds.answers import published, text
from tradewind.clouds.aws import tags
from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.tags import Told
from tradewind.ports.compute import CloudFault, Leftover, Query


def _idle(told: Told) -> bool:
    """No machine and no gateway has it, and nothing takes it away already."""
    held = told.get("Attachments") or told.get("Attachment") or told.get("AssociationId") or told.get("InstanceId")
    return not held and told.get("State", told.get("Status")) not in ("deleting", "deleted")


def _open(told: Told) -> bool:
    return told.get("State") == "open"


def _any(_: Told) -> bool:
    return True


@dataclass(frozen=True)
class Kind:
    """One kind of thing.

    Attributes:
        name: what people call it; ``prefix``: how its ids begin.
        look: the operation that lists it, ``rows`` and ``id`` where the list and the id stand in its answer, ``named``
            the filter by id, ``filters`` the parameter that filters stand in.
        end: the operation that ends it, ``by`` its parameter; ``several``: that takes a list.
        free: it costs nothing. ``left``: whether one that is listed is left over.
    """

    name: str
    prefix: str
    look: str
    rows: str
    id: str
    named: str
    end: str
    by: str
    free: bool
    left: Callable[[Told], bool] = _any
    tags: str = "Tags"
    filters: str = "Filters"
    several: bool = False


@dataclass(frozen=True)
class Part:
    """One thing of ours: its kind, its tags, and all that its cloud tells of it."""

    kind: Kind
    id: str
    tags: dict[str, str]
    told: Told = field(repr=False)

    def leftover(self) -> Leftover:
        """It, as the port words what lies around."""
        return Leftover(self.kind.name, self.id, self.tags[tags.LEASE])


DISK = Kind("disk", "vol-", "describe_volumes", "Volumes", "VolumeId", "volume-id",
            "delete_volume", "VolumeId", free=False, left=_idle)  # fmt: skip
INTERFACE = Kind("interface", "eni-", "describe_network_interfaces", "NetworkInterfaces", "NetworkInterfaceId",
                 "network-interface-id", "delete_network_interface", "NetworkInterfaceId", free=True, left=_idle,
                 tags="TagSet")  # fmt: skip
ADDRESS = Kind("address", "eipalloc-", "describe_addresses", "Addresses", "AllocationId", "allocation-id",
               "release_address", "AllocationId", free=False, left=_idle)  # fmt: skip
SPOT_REQUEST = Kind("spot-request", "sir-", "describe_spot_instance_requests", "SpotInstanceRequests",
                    "SpotInstanceRequestId", "spot-instance-request-id", "cancel_spot_instance_requests",
                    "SpotInstanceRequestIds", free=True, left=_open, several=True)  # fmt: skip
AROUND_MACHINES = (DISK, ADDRESS, INTERFACE, SPOT_REQUEST)

NAT = Kind("nat-gateway", "nat-", "describe_nat_gateways", "NatGateways", "NatGatewayId", "nat-gateway-id",
           "delete_nat_gateway", "NatGatewayId", free=False, filters="Filter")  # fmt: skip
SUBNET = Kind("subnet", "subnet-", "describe_subnets", "Subnets", "SubnetId", "subnet-id",
              "delete_subnet", "SubnetId", free=True)  # fmt: skip
ROUTES = Kind("route-table", "rtb-", "describe_route_tables", "RouteTables", "RouteTableId", "route-table-id",
              "delete_route_table", "RouteTableId", free=True)  # fmt: skip
GATEWAY = Kind("internet-gateway", "igw-", "describe_internet_gateways", "InternetGateways", "InternetGatewayId",
               "internet-gateway-id", "delete_internet_gateway", "InternetGatewayId", free=True)  # fmt: skip
GROUP = Kind("security-group", "sg-", "describe_security_groups", "SecurityGroups", "GroupId", "group-id",
             "delete_security_group", "GroupId", free=True)  # fmt: skip
VPC = Kind("network", "vpc-", "describe_vpcs", "Vpcs", "VpcId", "vpc-id", "delete_vpc", "VpcId", free=True)


def look(api: Api, region: str, kind: Kind, query: Query, owner: str) -> Iterator[Part]:
    """All of a kind that are ours by all three tags and match the query's lease and token."""
    wanted = {tags.LEASE: query.lease, tags.TOKEN: query.token}
    asked = tags.filters(Query(owner=owner, lease=query.lease, token=query.token))
    for part in _listed(api, region, kind, asked, owner):
        if all(part.tags[key] == value for key, value in wanted.items() if value is not None):
            yield part


def named(api: Api, region: str, kind: Kind, ids: Sequence[str], owner: str) -> Iterator[Part]:
    """Those of the ids that are of this kind, are there, and are ours."""
    mine = [each for each in ids if each.startswith(kind.prefix)]
    if mine:
        yield from _listed(api, region, kind, [{"Name": kind.named, "Values": mine}], owner)


def _listed(api: Api, region: str, kind: Kind, filters: Sequence[Told], owner: str) -> Iterator[Part]:
    """Ours alone, whatever the filters let through; not what EC2 still tells of although it is no more."""
    for told in api.rows(region, kind.look, kind.rows, **{kind.filters: filters}):
        has = tags.read(told.get(kind.tags))
        if tags.ours(has, owner) and told.get("State") not in ("deleted", "failed"):
            with published(kind.look):
                id_ = text(told, kind.id)
            yield Part(kind, id_, has, told)


def end(api: Api, region: str, part: Part) -> None:
    """Ask for the end of it; what is gone by now is ended."""
    by: Any = [part.id] if part.kind.several else part.id
    with gone_is_ended():
        api.ask("ec2", region, part.kind.end, **{part.kind.by: by})


@contextlib.contextmanager
def gone_is_ended() -> Iterator[None]:
    """Within this block something that is not there is no fault."""
    try:
        yield
    except CloudFault as fault:
        if fault.kind != "not_found":
            raise

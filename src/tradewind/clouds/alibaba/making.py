"""Making a network, a step at a time: each launch makes what is missing, and goes as far as it gets.

While something comes up it says so (``sent="no"``), and is asked again. All parts carry the network's tags from their
first moment on, so what was cut off is gone on with, or found and ended.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from tradewind.clouds.alibaba import parts
from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.instances import NETWORK, owner_of, to_tags
from tradewind.clouds.alibaba.leftovers import tags_of
from tradewind.clouds.alibaba.requests import to_tags as tagged
from tradewind.clouds.answers import filled, listed, published, text
from tradewind.ports.compute import CloudFault, Order, Query

NAME = "tradewind"  # for people who look at the console
VPC_BLOCK = "10.83.0.0/16"
_SOON_S, _LATER_S = 3.0, 15.0  # a VPC is up in seconds, a NAT gateway in a minute or two


@dataclass(frozen=True, slots=True)
class Made:
    """A network that is whole but for the rule: its id, and that of its security group."""

    id: str
    group: str


class Making:
    """One pass over one network: everything is looked for before it is made."""

    def __init__(self, api: Api, region: str, order: Order) -> None:
        self._api = api
        self._region = region
        self._order = order
        self._parts = parts.look(api, region, tags_of(Query(owner=order.owner, token=order.token)))

    def go_on(self) -> Made:
        """Make what is missing, as far as that goes now.

        Raises:
            CloudFault: ``unavailable``, never sent: something is not up yet; or the refusal of a step.
        """
        try:
            return self._whole()
        except CloudFault as fault:
            if fault.kind != "busy":
                raise
            raise _coming_up(fault.words, _SOON_S) from fault  # one step at a time is all that a VPC takes

    def _whole(self) -> Made:
        default = self._default() if self._order.instance_type == "default" else None
        vpc, block = _ready(default or self._own())
        there = next((part.id for part in self._parts if part.kind.name == "group"), None)
        group = there or self._made(
            "ecs", "CreateSecurityGroup", "SecurityGroupId", "group", VpcId=vpc, SecurityGroupName=NAME
        )  # fmt: skip
        vswitch = self._vswitches(vpc, block)
        if self._order.instance_type == "private":
            self._way_out(vpc, block, vswitch)
        return Made(group if default else vpc, group)

    def _default(self) -> Any:
        """The account's default VPC in this region; None: it has none."""
        return next(iter(self._rows("DescribeVpcs", "Vpcs", "Vpc", IsDefault="true")), None)

    def _own(self) -> Any:
        """The VPC of this network."""
        row = self._row("vpc")
        if row is None:
            self._made("vpc", "CreateVpc", "VpcId", "vpc", CidrBlock=VPC_BLOCK, VpcName=NAME)
            raise _coming_up("the VPC", _SOON_S)
        return row

    def _vswitches(self, vpc: str, whole: str) -> str:
        """One in each zone, as far as the VPC has addresses; any of them."""
        rows = self._rows("DescribeVSwitches", "VSwitches", "VSwitch", VpcId=vpc)
        with published("DescribeVSwitches"):
            usable = [row for row in rows if row.get("IsDefault") or owner_of(to_tags(row))]
            has = {text(row, "ZoneId"): text(row, "VSwitchId") for row in usable}
            free = parts.free_blocks(whole, [text(row, "CidrBlock") for row in rows])
        missing = [each for each in self._zones() if each not in has]
        for zone in missing:
            block = next(free, None)
            if block is None:
                break
            has[zone] = self._made(
                "vpc", "CreateVSwitch", "VSwitchId", f"vswitch {zone}", VpcId=vpc, ZoneId=zone, CidrBlock=block,
                VSwitchName=NAME,
            )  # fmt: skip
        if not has:
            raise CloudFault("quota", f"{vpc} has no addresses left for a VSwitch", sent="yes")
        if set(missing) & set(has) or any(row.get("Status") == "Pending" for row in usable):
            raise _coming_up("a VSwitch", _SOON_S)
        return has[min(has)]

    def _way_out(self, vpc: str, block: str, vswitch: str) -> None:
        """A NAT gateway with an address, by which all of the VPC gets out and nothing gets in."""
        gateway = self._row("gateway")
        if gateway is None:
            self._made(
                "vpc", "CreateNatGateway", "NatGatewayId", "gateway", VpcId=vpc, VSwitchId=vswitch, NatType="Enhanced",
                InstanceChargeType="PostPaid", InternetChargeType="PayByLcu", Name=NAME,
            )  # fmt: skip
        address = self._row("address")
        if address is None:
            self._made(
                "vpc", "AllocateEipAddress", "AllocationId", "address", Bandwidth="100", InstanceChargeType="PostPaid",
                InternetChargeType="PayByTraffic", Name=NAME,
            )  # fmt: skip
        if gateway is None or address is None or gateway.get("Status") != "Available":
            raise _coming_up("the NAT gateway", _LATER_S)
        with published("DescribeNatGateways"):
            gateway_id, table = text(gateway, "NatGatewayId"), listed(gateway, "SnatTableIds", "SnatTableId")[0]
        with published("DescribeEipAddresses"):
            address_id, ip = text(address, "AllocationId"), text(address, "IpAddress")
        if not address.get("InstanceId"):
            self._ask("AssociateEipAddress", AllocationId=address_id, InstanceId=gateway_id, InstanceType="Nat")
            raise _coming_up("the NAT gateway's address", _SOON_S)
        if not self._rows("DescribeSnatTableEntries", "SnatTableEntries", "SnatTableEntry", NatGatewayId=gateway_id):
            self._ask("CreateSnatEntry", SnatTableId=table, SourceCIDR=block, SnatIp=ip, ClientToken=self._step("snat"))

    def _zones(self) -> list[str]:
        """The zones in which a VSwitch and machines can be made."""
        answer = self._api.ask("ecs", self._region, "DescribeZones", RegionId=self._region)
        with published("DescribeZones"):
            return [
                text(row, "ZoneId") for row in filled(listed(answer, "Zones", "Zone"), None)
                if {"VSwitch", "Instance"} <= set(listed(row, "AvailableResourceCreation", "ResourceTypes"))
            ]  # fmt: skip

    def _row(self, kind: str) -> Any:
        return next((part.row for part in self._parts if part.kind.name == kind), None)

    def _rows(self, action: str, *path: str, **query: str) -> list[Any]:
        return list(self._api.numbered("vpc", self._region, action, *path, **query))

    def _made(self, service: str, action: str, id_name: str, step: str, **query: str) -> str:
        """The id of what was made, with the network's tags on it from its first moment."""
        tags = tagged({**self._order.tags, NETWORK: self._order.instance_type})
        answer = self._api.ask(
            service, self._region, action, RegionId=self._region, ClientToken=self._step(step), **query, **tags
        )  # fmt: skip
        with published(action):
            return text(answer, id_name)

    def _ask(self, action: str, **query: str) -> None:
        self._api.ask("vpc", self._region, action, RegionId=self._region, **query)

    def _step(self, name: str) -> str:
        """The token of one step: the same step of the same network makes nothing twice."""
        return str(uuid.uuid5(uuid.UUID(self._order.token), name))


def _coming_up(what: str, wait_s: float) -> CloudFault:
    return CloudFault("unavailable", f"{what} is coming up", sent="no", retry_after_s=wait_s)


def _ready(row: Any) -> tuple[str, str]:
    """The id and the address block of a VPC that is up."""
    with published("DescribeVpcs"):
        if text(row, "Status") != "Available":
            raise _coming_up("the VPC", _SOON_S)
        return text(row, "VpcId"), text(row, "CidrBlock")

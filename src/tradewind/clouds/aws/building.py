"""Making a network part by part: what is there already, by its tags, is not made again, so it goes on where it was cut.

    default, in the account's own VPC    security group
    default, where there is none         VPC, internet gateway, a public subnet a zone, security group
    private                              VPC, internet gateway, a subnet for the NAT gateway, its address, that gateway,
                                         a private subnet a zone, security group

The security group's rule is made last: a network that has it is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from tradewind.clouds.answers import published, text
from tradewind.clouds.aws import parts, tags
from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.parts import Kind, Part
from tradewind.ports.compute import CloudFault, Query

SSH = 22
_RANGE = "10.77.0.0/16"
_BLOCKS = [
    str(each) for each in IPv4Network(_RANGE).subnets(new_prefix=20)
]  # one a zone from the front; the NAT's last
_ANYWHERE = "0.0.0.0/0"
_NAT_WAIT_S = 15.0
_ZONE = "availability-zone"  # and no local or wavelength zone


class Building:
    """One network of one lease. ``given`` are the tags on all of it."""

    def __init__(self, api: Api, region: str, owner: str, given: Mapping[str, str]) -> None:
        self._api = api
        self._region = region
        self._owner = owner
        self._tags = dict(given)
        self._query = Query(lease=given[tags.LEASE], token=given[tags.TOKEN])

    def default(self, source: str) -> str:
        """A security group in the account's own network; where there is none a public network. Its id."""
        own = default_vpc(self._api, self._region)
        if own:
            group = self._group(own)
            id_ = group.id
        else:
            id_ = self._vpc()
            gateway = self._gateway(id_)
            self._routed(id_, "machines", self._subnets(id_), GatewayId=gateway)
            group = self._group(id_)
        self.admit(group, source)
        return id_

    def private(self, source: str) -> str:
        """A network whose machines reach out through a NAT gateway and have no address of their own. Its id.

        Raises:
            CloudFault: ``unavailable``, with ``sent`` no: the gateway is not there yet; called again it goes on.
        """
        id_ = self._vpc()
        gateway = self._gateway(id_)
        outside = self._subnet(id_, self._zones()[0], _BLOCKS[-1], "nat")
        self._routed(id_, "nat", [outside], GatewayId=gateway)
        nat = self._nat(outside)
        self._routed(id_, "machines", self._subnets(id_), NatGatewayId=nat)
        self.admit(self._group(id_), source)
        return id_

    def admit(self, group: Part, source: str) -> None:
        """Let SSH in from one network, and then from no other: at no time is the one that is let in shut out."""
        _check(source)
        admitted = sources(group)
        if source not in admitted:
            self._let_in(group, source)
        if others := [each for each in admitted if each != source]:
            self._ask("revoke_security_group_ingress", GroupId=group.id, IpPermissions=[_rule(others)])

    def _let_in(self, group: Part, source: str) -> None:
        try:
            self._ask("authorize_security_group_ingress", GroupId=group.id, IpPermissions=[_rule([source])])
        except CloudFault as fault:
            if fault.code != "InvalidPermission.Duplicate":  # it is let in, and only the list is late
                raise

    # --- parts, each made unless it is there ---

    def _vpc(self) -> str:
        return self._there(parts.VPC) or self._made("vpc", "create_vpc", ("Vpc", "VpcId"), CidrBlock=_RANGE)

    def _gateway(self, vpc: str) -> str:
        for part in self._look(parts.GATEWAY):
            id_, attached = part.id, bool(part.told.get("Attachments"))
            break
        else:
            made = ("InternetGateway", "InternetGatewayId")
            id_ = self._made("internet-gateway", "create_internet_gateway", made)
            attached = False
        if not attached:
            self._ask("attach_internet_gateway", InternetGatewayId=id_, VpcId=vpc)
        return id_

    def _nat(self, subnet: str) -> str:
        for part in self._look(parts.NAT):
            if part.told.get("State") == "available":
                return part.id
            break
        else:
            address = self._there(parts.ADDRESS) or self._address()
            self._made("natgateway", "create_nat_gateway", ("NatGateway", "NatGatewayId"), SubnetId=subnet,
                       AllocationId=address, ClientToken=self._tags[tags.TOKEN])  # fmt: skip
        raise CloudFault("unavailable", "the NAT gateway is being made", sent="no", retry_after_s=_NAT_WAIT_S)

    def _address(self) -> str:
        return self._made("elastic-ip", "allocate_address", ("AllocationId",), Domain="vpc")

    def _subnets(self, vpc: str) -> list[str]:
        blocks = zip(self._zones(), _BLOCKS[:-1], strict=False)
        return [self._subnet(vpc, zone, block, "machines") for zone, block in blocks]

    def _subnet(self, vpc: str, zone: str, block: str, whose: str) -> str:
        for part in self._look(parts.SUBNET):
            if part.told.get("CidrBlock") == block:
                return part.id
        return self._made("subnet", "create_subnet", ("Subnet", "SubnetId"), whose, VpcId=vpc,
                          AvailabilityZoneId=zone, CidrBlock=block)  # fmt: skip

    def _routed(self, vpc: str, whose: str, subnets: list[str], **target: str) -> None:
        """Routes of our own for these subnets: what is not inside goes to the target."""
        told = next((each.told for each in self._look(parts.ROUTES) if each.tags.get(tags.FOR) == whose), None)
        if told is None:
            made = ("RouteTable", "RouteTableId")
            told = {"RouteTableId": self._made("route-table", "create_route_table", made, whose, VpcId=vpc)}
        if not any(each.get("DestinationCidrBlock") == _ANYWHERE for each in told.get("Routes", ())):
            self._ask("create_route", RouteTableId=told["RouteTableId"], DestinationCidrBlock=_ANYWHERE, **target)
        for subnet in set(subnets) - {each.get("SubnetId") for each in told.get("Associations", ())}:
            self._ask("associate_route_table", RouteTableId=told["RouteTableId"], SubnetId=subnet)

    def _group(self, vpc: str) -> Part:
        for part in self._look(parts.GROUP):
            return part
        id_ = self._made(
            "security-group", "create_security_group", ("GroupId",), VpcId=vpc,
            GroupName=f"tradewind-{self._tags[tags.LEASE]}", Description="SSH to machines that Tradewind rents",
        )  # fmt: skip
        return Part(parts.GROUP, id_, self._tags, {})

    # --- looking and making ---

    def _zones(self) -> list[str]:
        """Zone ids of the region that machines can be in, always in the same order."""
        rows = self._api.rows(self._region, "describe_availability_zones", "AvailabilityZones")
        with published("DescribeAvailabilityZones"):
            return sorted(text(each, "ZoneId") for each in rows if each.get("ZoneType", _ZONE) == _ZONE)

    def _look(self, kind: Kind) -> Iterator[Part]:
        return parts.look(self._api, self._region, kind, self._query, self._owner)

    def _there(self, kind: Kind) -> str | None:
        return next((part.id for part in self._look(kind)), None)

    def _made(
        self, resource: str, operation: str, told: tuple[str, ...], whose: str | None = None, **asked: Any
    ) -> str:
        """The id, along ``told`` in the answer, of what one request makes with our tags; ``whose``: who it is for."""
        given = self._tags | ({tags.FOR: whose} if whose else {})
        answer = self._ask(operation, TagSpecifications=tags.on(given, resource), **asked)
        with published(operation):
            return text(answer, *told)

    def _ask(self, operation: str, **parameters: Any) -> Any:
        return self._api.ask("ec2", self._region, operation, **parameters)


def default_vpc(api: Api, region: str) -> str | None:
    """The account's own network there; None: it has none."""
    rows = api.rows(region, "describe_vpcs", "Vpcs", Filters=[{"Name": "is-default", "Values": ["true"]}])
    with published("DescribeVpcs"):
        return next((text(each, "VpcId") for each in rows), None)


def sources(group: Part) -> list[str]:
    """The networks that a group lets SSH in from."""
    return [
        each["CidrIp"]
        for rule in group.told.get("IpPermissions", ())
        if rule.get("FromPort") == SSH
        for each in rule.get("IpRanges", ())
    ]


def _check(source: str) -> None:
    try:
        network = IPv4Network(source)
    except ValueError as fault:
        words = f"{source} is no network of IPv4, which machines are reached by: {fault}"
        raise CloudFault("invalid", words, sent="no") from fault
    if network.prefixlen == 0:
        raise CloudFault("invalid", f"{source} is everybody: nothing of ours is open to the world", sent="no")


def _rule(networks: list[str]) -> dict[str, Any]:
    return {"IpProtocol": "tcp", "FromPort": SSH, "ToPort": SSH, "IpRanges": [{"CidrIp": each} for each in networks]}

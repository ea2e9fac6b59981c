"""Networks of the Alibaba Cloud of the lab: VPCs and their switches."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from lab.alibaba_account import Account, dry, missing, page, plays, second, tags, wanted
from lab.engine import Call, Refused, Told
from lab.estate import Thing

PAGE = 50


def make_default(account: Account, region: str) -> Thing:
    """The network that a region has for whoever makes none."""
    vpc = _add_vpc(account, region, "172.16.0.0/12", {}, default=True)
    for number, zone in enumerate(account.market.zones[region]):
        _add_vswitch(account, vpc, zone, f"172.{16 + number}.0.0/20", {}, default=True)
    return vpc


@plays("vpc:CreateVpc", "CidrBlock", "VpcName", "Description", "Tag")
def create_vpc(account: Account, call: Call) -> Told:
    """A VPC, which takes a while."""
    dry(call)
    vpc = _add_vpc(
        account,
        call.region,
        call.asked.get("CidrBlock", "172.16.0.0/12"),
        tags(call.asked),
        call.asked.get("VpcName", ""),
    )
    return {"VpcId": vpc.id, "VRouterId": vpc.told["VRouterId"], "RouteTableId": f"vtb-{vpc.id}"}


@plays("vpc:DescribeVpcs", "VpcId", "IsDefault", "Tag", "VpcName")
def describe_vpcs(account: Account, call: Call) -> Told:
    """Those that match, each with its switches."""
    asked = call.asked
    found = [
        each
        for each in account.things.of("vpc", call.region)
        if wanted(asked, each.tags)
        and ("VpcId" not in asked or each.id in asked["VpcId"].split(","))
        and asked.get("IsDefault") in (None, str(each.told["IsDefault"]).lower())
        and asked.get("VpcName") in (None, each.told["VpcName"])
    ]
    shown, paging = page(call, found, lambda each: each.number, PAGE)
    dry(call)
    rows = [
        {"VpcId": each.id, "RegionId": each.region, "Status": status(account, each), **each.told,
         "Tags": shown_tags(each),
         "VSwitchIds": {"VSwitchId": [user.id for user in account.things.users(each.id) if user.kind == "vsw"]}}
        for each in shown
    ]  # fmt: skip
    return {"Vpcs": {"Vpc": rows}, **paging}


@plays("vpc:DeleteVpc", "VpcId", "ForceDelete")
def delete_vpc(account: Account, call: Call) -> Told:
    """One in which nothing lies any more."""
    vpc = the(account, call, "vpc", "VpcId", "InvalidVpcId.NotFound")
    check_free(account, vpc)
    dry(call)
    account.things.remove(vpc)
    return {}


@plays("vpc:CreateVSwitch", "ZoneId", "VpcId", "CidrBlock", "VSwitchName", "Description", "Tag")
def create_vswitch(account: Account, call: Call) -> Told:
    """A switch, in a VPC that is ready."""
    vpc, asked = the(account, call, "vpc", "VpcId", "InvalidVpcId.NotFound"), call.asked
    if status(account, vpc) != "Available":
        raise Refused(400, "IncorrectVpcStatus", "Current VPC status does not support this operation.")
    if asked["ZoneId"] not in account.market.zones[vpc.region]:
        raise missing("ZoneId", "InvalidZoneId.NotFound")
    block = ipaddress.ip_network(asked["CidrBlock"])
    if not block.subnet_of(ipaddress.ip_network(vpc.told["CidrBlock"])):  # type: ignore[arg-type]  # both are IPv4
        raise Refused(400, "InvalidCidrBlock.Malformed", "Specified CIDR block is not within the VPC.")
    others = [each for each in account.things.users(vpc.id) if each.kind == "vsw"]
    if any(block.overlaps(ipaddress.ip_network(each.told["CidrBlock"])) for each in others):
        raise Refused(400, "InvalidCidrBlock.Overlapped", "Specified CIDR block overlapped with other subnets.")
    dry(call)
    vswitch = _add_vswitch(account, vpc, asked["ZoneId"], asked["CidrBlock"], tags(asked), asked.get("VSwitchName", ""))
    return {"VSwitchId": vswitch.id}


@plays("vpc:DescribeVSwitches", "VSwitchId", "VpcId", "ZoneId", "IsDefault", "Tag")
def describe_vswitches(account: Account, call: Call) -> Told:
    """Those that match."""
    asked = call.asked
    found = [
        each
        for each in account.things.of("vsw", call.region)
        if wanted(asked, each.tags)
        and ("VSwitchId" not in asked or each.id in asked["VSwitchId"].split(","))
        and all(asked.get(name) in (None, each.told[name]) for name in ("VpcId", "ZoneId"))
        and asked.get("IsDefault") in (None, str(each.told["IsDefault"]).lower())
    ]
    shown, paging = page(call, found, lambda each: each.number, PAGE)
    dry(call)
    rows = [
        {"VSwitchId": each.id, "Status": status(account, each), **each.told, "Tags": shown_tags(each)} for each in shown
    ]
    return {"VSwitches": {"VSwitch": rows}, **paging}


@plays("vpc:DeleteVSwitch", "VSwitchId")
def delete_vswitch(account: Account, call: Call) -> Told:
    """One on which nothing hangs any more."""
    vswitch = the(account, call, "vsw", "VSwitchId", "InvalidVSwitchId.NotFound")
    check_free(account, vswitch)
    dry(call)
    account.things.remove(vswitch)
    return {}


def the(account: Account, call: Call, kind: str, parameter: str, code: str) -> Thing:
    """The thing that a parameter names."""
    found = account.things.get(kind, call.asked.get(parameter), call.region)
    if found is None:
        raise missing(parameter, code)
    return found


def check_free(account: Account, thing: Thing) -> None:
    """Refuse to take away what others need."""
    users: Iterable[Thing] = account.things.users(thing.id)
    if kinds := {each.kind for each in users}:
        raise Refused(
            400, "DependencyViolation", f"The resource still has {', '.join(sorted(kinds))} and cannot be deleted."
        )


def status(account: Account, thing: Thing, first: str = "Pending") -> str:
    """What it is: ``first`` until it is made, then there, then on its way out."""
    if thing.gone_at is not None:
        return "Deleting"
    return "Available" if thing.told.get("IsDefault") or thing.made_at + account.delay() <= account.now() else first


def shown_tags(thing: Thing) -> Told:
    """Tags as the VPC product tells them."""
    return {"Tag": [{"Key": key, "Value": value} for key, value in thing.tags.items()]}


def _add_vpc(
    account: Account, region: str, block: str, carried: dict[str, str], name: str = "", *, default: bool = False
) -> Thing:
    told = {"CidrBlock": block, "IsDefault": default, "VpcName": name, "CreationTime": second(account.now())}
    vpc = account.things.add("vpc", region, told, carried)
    vpc.told["VRouterId"] = f"vrt-{vpc.id}"
    return vpc


def _add_vswitch(
    account: Account,
    vpc: Thing,
    zone: str,
    block: str,
    carried: dict[str, str],
    name: str = "",
    *,
    default: bool = False,
) -> Thing:
    told = {
        "VpcId": vpc.id, "ZoneId": zone, "CidrBlock": block, "IsDefault": default, "VSwitchName": name,
        "CreationTime": second(account.now()), "AvailableIpAddressCount": 4092,
    }  # fmt: skip
    return account.things.add("vsw", vpc.region, told, carried, {vpc.id})

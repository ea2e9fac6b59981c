"""Disks and interfaces of the Alibaba Cloud of the lab, which may outlive the machine that they came with; and tags."""

from __future__ import annotations

import json

from lab.alibaba_account import Account, dry, missing, page, plays, tags, wanted
from lab.engine import Call, Refused, Told
from lab.estate import Thing
from lab.fleet import Rented

_KINDS = {
    "disk": "d",
    "eni": "eni",
    "securitygroup": "sg",
    "VPC": "vpc",
    "VSWITCH": "vsw",
    "NATGATEWAY": "ngw",
    "EIP": "eip",
}


def let_go(account: Account, rented: Rented) -> None:
    """What is left of a machine that is over: what was not to go with it."""
    region = rented.guest.region
    if not rented.frees_compute:
        account.market.take(rented.guest.zone, rented.machine_type, -1)
    for kind, goes, free in (("d", "DeleteWithInstance", "Available"), ("eni", "DeleteOnRelease", "Available")):
        for thing in [each for each in account.things.of(kind, region) if each.told["InstanceId"] == rented.id]:
            thing.told.update(InstanceId="", Status=free)
            if thing.told[goes]:
                account.things.remove(thing)


@plays("ecs:DescribeDisks", "DiskIds", "InstanceId", "Tag", "Status", "DiskType", "ZoneId", "Category")
def describe_disks(account: Account, call: Call) -> Told:
    """Those that match."""
    asked = call.asked
    ids = json.loads(asked["DiskIds"]) if "DiskIds" in asked else None
    found = [
        each
        for each in account.things.of("d", call.region)
        if wanted(asked, each.tags)
        and (ids is None or each.id in ids)
        and all(asked.get(name) in (None, each.told[name]) for name in ("InstanceId", "Status", "ZoneId", "Category"))
        and asked.get("DiskType", "all") in ("all", each.told["Type"])
    ]
    shown, paging = page(call, found, lambda each: each.number)
    dry(call)
    rows = [{"DiskId": each.id, "RegionId": each.region, **each.told, "Tags": ecs_tags(each)} for each in shown]
    return {"Disks": {"Disk": rows}, **paging}


@plays("ecs:DeleteDisk", "DiskId")
def delete_disk(account: Account, call: Call) -> Told:
    """One that no machine has."""
    disk = account.things.get("d", call.asked["DiskId"], call.region)
    if disk is None:
        raise missing("DiskId", "InvalidDiskId.NotFound")
    if disk.told["Status"] != "Available":
        raise Refused(403, "IncorrectDiskStatus", "The current disk status does not support this operation.")
    account.things.remove(disk)
    return {}


@plays(
    "ecs:DescribeNetworkInterfaces", "NetworkInterfaceId", "InstanceId", "Tag", "Status", "Type", "VSwitchId", "VpcId",
    "SecurityGroupId",
)  # fmt: skip
def describe_network_interfaces(account: Account, call: Call) -> Told:
    """Those that match."""
    asked = call.asked
    found = [
        each
        for each in account.things.of("eni", call.region)
        if wanted(asked, each.tags)
        and ("NetworkInterfaceId" not in asked or each.id in asked["NetworkInterfaceId"])
        and all(
            asked.get(name) in (None, each.told[name])
            for name in ("InstanceId", "Status", "Type", "VSwitchId", "VpcId")
        )
        and asked.get("SecurityGroupId") in (None, *each.told["SecurityGroupIds"]["SecurityGroupId"])
    ]
    shown, paging = page(call, found, lambda each: each.number)
    rows = [{"NetworkInterfaceId": each.id, **each.told, "Tags": ecs_tags(each)} for each in shown]
    return {"NetworkInterfaceSets": {"NetworkInterfaceSet": rows}, **paging}


@plays("ecs:DeleteNetworkInterface", "NetworkInterfaceId")
def delete_network_interface(account: Account, call: Call) -> Told:
    """One that no machine has; one that is not there is deleted already."""
    interface = account.things.get("eni", call.asked["NetworkInterfaceId"], call.region)
    if interface and interface.told["Status"] != "Available":
        raise Refused(403, "InvalidOperation.InvalidEniState", "The operation is not allowed in the current status.")
    if interface:
        account.things.remove(interface)
    return {}


@plays("ecs:TagResources", "ResourceType", "ResourceId", "Tag")
def tag_resources(account: Account, call: Call) -> Told:
    """Tags on machines and on things, beside those that they have."""
    asked = call.asked
    carried, kind = tags(asked), asked["ResourceType"]
    for id_ in asked["ResourceId"]:
        found = (
            account.fleet.get(id_, call.region) if kind == "instance"
            else account.things.get(_KINDS.get(kind, ""), id_, call.region)
        )  # fmt: skip
        if found is None:
            raise missing("ResourceId", "InvalidResourceId.NotFound")
        found.tags.update(carried)
    return {}


@plays("vpc:TagResources", "ResourceType", "ResourceId", "Tag")
def tag_vpc_resources(account: Account, call: Call) -> Told:
    """The same of the VPC product's things."""
    return tag_resources(account, call)


def ecs_tags(thing: Thing) -> Told:
    """Tags as ECS tells them."""
    return {"Tag": [{"TagKey": key, "TagValue": value} for key, value in thing.tags.items()]}

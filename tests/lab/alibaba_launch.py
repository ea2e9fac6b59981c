"""RunInstances of the Alibaba Cloud of the lab: machines with the disks and interfaces that come with them."""

from __future__ import annotations

from lab.alibaba_account import Account, dry, flag, plays, second
from lab.alibaba_order import Order, understood
from lab.engine import Call, Told
from lab.estate import new_id
from lab.fleet import Rented
from lab.machines import Guest


@plays(
    "ecs:RunInstances", "ZoneId", "ImageId", "ImageFamily", "InstanceType", "VSwitchId", "SecurityGroupId",
    "SecurityGroupIds", "Amount", "InstanceChargeType", "SpotStrategy", "SpotPriceLimit", "SpotDuration",
    "SpotInterruptionBehavior", "UserData", "RamRoleName", "SystemDisk", "DataDisk", "NetworkInterface", "Tag",
    "InternetMaxBandwidthOut", "InternetChargeType", "AutoReleaseTime", "DedicatedHostId", "Tenancy", "HttpTokens",
    "HttpEndpoint", "DeletionProtection", "HostName", "InstanceName", "Description", "KeyPairName",
)  # fmt: skip
def run_instances(account: Account, call: Call) -> Told:
    """Machines by the order; answered before they are listed."""
    order = understood(account, call)
    dry(call)
    account.market.take(order.place.zone, order.machine_type, order.count)
    made = [_launch(account, call, order).id for _ in range(order.count)]
    return {"InstanceIdSets": {"InstanceIdSet": made}}


def _launch(account: Account, call: Call, order: Order) -> Rented:
    kind, place = account.market.types[order.machine_type], order.place
    guest = Guest(
        new_id("i"), "alibaba", order.text, region=call.region, zone=place.zone, instance_type=kind.name,
        gpu=kind.gpu or None, gpus=kind.gpus, gpu_memory_mib=round(kind.gpu_memory_gib * 1024),
        token_required=call.asked.get("HttpTokens") == "required",
    )  # fmt: skip
    told = {**call.asked, "ImageId": order.image_id, "SecurityGroupIds": place.groups, "Subnet": place.subnet}
    rented = account.fleet.launch(
        guest, spot=order.spot, tags=dict(order.tags), hard_end=order.hard_end, told=told, fault=call.fault
    )
    _add_disks(account, rented, order)
    _add_interfaces(account, rented, order)
    return rented


def _add_disks(account: Account, rented: Rented, order: Order) -> None:
    disks = [{"Size": "40", **rented.told.get("SystemDisk", {}), "Type": "system"}]
    disks += [{**each, "Type": "data"} for each in rented.told.get("DataDisk", [])]
    for each in disks:
        told = {
            "Type": each["Type"], "Size": int(each["Size"]), "Category": each.get("Category", "cloud_essd"),
            "Encrypted": each.get("Encrypted") == "true", "KMSKeyId": each.get("KMSKeyId", ""), "Status": "In_use",
            "InstanceId": rented.id, "ZoneId": order.place.zone, "CreationTime": second(account.now()),
            "DeleteWithInstance": flag(each, "DeleteWithInstance", usual=True), "DiskChargeType": "PostPaid",
            "ImageId": order.image_id if each["Type"] == "system" else "",
        }  # fmt: skip
        account.things.add("d", rented.guest.region, told, rented.tags)


def _add_interfaces(account: Account, rented: Rented, order: Order) -> None:
    place = order.place
    others = [
        {"Type": "Secondary", "DeleteOnRelease": flag(each, "DeleteOnRelease", usual=True)}
        for each in rented.told.get("NetworkInterface", [])
    ]
    for each in [{"Type": "Primary", "DeleteOnRelease": True}, *others]:
        told = {
            **each, "Status": "InUse", "InstanceId": rented.id, "ZoneId": place.zone,
            "CreationTime": second(account.now()), "VSwitchId": place.subnet.id, "VpcId": place.subnet.told["VpcId"],
            "PrivateIpAddress": rented.address, "SecurityGroupIds": {"SecurityGroupId": place.groups},
        }  # fmt: skip
        account.things.add("eni", rented.guest.region, told, rented.tags, {place.subnet.id, *place.groups})

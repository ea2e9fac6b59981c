"""An order as RunInstances takes it, byte for byte the same each time. Pure.

Sources: EC2 API 2016-11-15, RunInstances; botocore's service model for the names.
"""

from __future__ import annotations

from typing import Any

from tradewind.clouds.aws import tags
from tradewind.ports.compute import Capabilities, CloudFault, Disk, HardEnd, Order

# list_lag: a machine may be unknown to describe calls for seconds after its launch. beat: describe calls refill by 20 a
# second for an account and region, so that a hundred machines use a third of it. boot: the image with the driver takes
# three to five minutes on the largest machines. hear_out: a machine that is terminated says nothing any more.
CAPABILITIES = Capabilities(
    hard_end=HardEnd.GUEST_TERMINATES, native_idempotency=True, list_lag_s=40.0, absence_s=120.0, beat_s=15.0,
    hear_s=2.0, boot_s=900.0, notice_s=120.0, price_cap=True, stop_frees_compute=True, user_data_bytes=16384,
    most_tags=50, hear_out_s=0.0, keep_open_s=600.0, boot_beat_s=5.0, sweep_s=300.0,
)  # fmt: skip
_USUAL_DISK = "gp3"
_HOPS = 2  # an answer of the metadata service reaches a container, too
_FURTHER_DEVICES = tuple(f"/dev/sd{letter}" for letter in "fghijklmnop")  # what AWS recommends for data disks
_MADE = ("instance", "volume", "network-interface")


def currency_of(region: str) -> str:
    """What a region's prices are in: the interface names no currency, it is the partition's."""
    return "CNY" if region.startswith("cn-") else "USD"


def to_request(order: Order) -> dict[str, Any]:
    """The parameters of the one request that makes this machine.

    Raises:
        CloudFault: ``invalid``, nothing was sent: it is more than EC2 takes, or not furnished.
    """
    _check(order)
    spot = order.purchase == "spot"
    request: dict[str, Any] = {
        "ClientToken": order.token,
        "ImageId": order.image,
        "InstanceType": order.instance_type,
        "MinCount": 1,
        "MaxCount": 1,
        "UserData": order.user_data,  # the SDK encodes it
        "InstanceInitiatedShutdownBehavior": "terminate",  # the hard end: the node's timer shuts it down
        "MetadataOptions": {"HttpTokens": "required", "HttpEndpoint": "enabled", "HttpPutResponseHopLimit": _HOPS},
        "NetworkInterfaces": [_interface(order)],
        "BlockDeviceMappings": _devices(order.disks),
        "TagSpecifications": tags.on(order.tags, *_MADE, *(["spot-instances-request"] if spot else [])),
    }
    if order.dedicated:
        request["Placement"] = {"Tenancy": "dedicated"}  # its zone is the subnet's
    if order.role:
        request["IamInstanceProfile"] = {"Arn" if order.role.startswith("arn:") else "Name": order.role}
    if spot:
        request["InstanceMarketOptions"] = {"MarketType": "spot", "SpotOptions": _spot_options(order)}
    return request


def _check(order: Order) -> None:
    size = len(order.user_data.encode())
    faults = {
        f"user-data has {size} bytes, EC2 takes {CAPABILITIES.user_data_bytes}": size > CAPABILITIES.user_data_bytes,
        f"{len(order.tags)} tags, EC2 takes {CAPABILITIES.most_tags}": len(order.tags) > CAPABILITIES.most_tags,
        "an order without image, subnet or disk is not furnished": not (order.image and order.subnet and order.disks),
        f"a price cap in {order.currency} in {order.region}": _foreign_cap(order),
        f"{len(order.disks)} disks, {1 + len(_FURTHER_DEVICES)} can be attached": (
            len(order.disks) > 1 + len(_FURTHER_DEVICES)
        ),
    }
    for words, found in faults.items():
        if found:
            raise CloudFault("invalid", words, sent="no")


def _foreign_cap(order: Order) -> bool:
    return order.price_cap is not None and order.currency not in (None, currency_of(order.region))


def _interface(order: Order) -> dict[str, Any]:
    return {
        "DeviceIndex": 0, "SubnetId": order.subnet, "Groups": list(order.groups),
        "AssociatePublicIpAddress": order.public_ip, "DeleteOnTermination": True,
    }  # fmt: skip


def _devices(disks: tuple[Disk, ...]) -> list[dict[str, Any]]:
    names = (disks[0].device, *_FURTHER_DEVICES)
    return [{"DeviceName": disk.device or name, "Ebs": _volume(disk)} for name, disk in zip(names, disks, strict=False)]


def _volume(disk: Disk) -> dict[str, Any]:
    key = {"KmsKeyId": disk.kms_key} if disk.kms_key else {}
    return {
        "VolumeSize": disk.gb, "VolumeType": disk.kind or _USUAL_DISK, "Encrypted": True, "DeleteOnTermination": True,
    } | key  # fmt: skip


def _spot_options(order: Order) -> dict[str, Any]:
    """One-time, never persistent: a persistent request would launch again what was ended."""
    cap = {"MaxPrice": order.price_cap} if order.price_cap is not None else {}
    return {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"} | cap

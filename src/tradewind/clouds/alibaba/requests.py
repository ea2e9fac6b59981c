"""What ECS is asked, as values. Pure: an order in, a flat query out; the same order gives the same query."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, Decimal

from tradewind.ports.compute import CloudFault, Disk, Order

USER_DATA_BYTES = 32 * 1024  # before it is encoded
BANDWIDTH_MBPS = "100"  # outward, of a public address: the most that is paid by traffic
DISK_KIND = "cloud_essd"
SOONEST_END = timedelta(minutes=32)  # ECS takes no release sooner than in 30 minutes; two for the way there
_CAP_PLACES = Decimal("0.001")  # a price limit has three decimals at most
SPOT = "spot"


def to_request(order: Order) -> dict[str, str]:
    """RunInstances for one machine. Always paid as it goes, never prepaid.

    Raises:
        CloudFault: ``invalid``, before anything is sent: the user-data is too long; a spot machine on hardware of its
            own, of which ECS would drop the price cap without a word; a cap below its smallest.
    """
    return {
        "RegionId": order.region, "Amount": "1", "InstanceChargeType": "PostPaid", "ClientToken": order.token,
        "InstanceType": order.instance_type, **_given("ImageId", order.image), **_given("ZoneId", order.zone),
        **_given("VSwitchId", order.subnet), **numbered("SecurityGroupIds", order.groups),
        **to_address(order), **to_purchase(order), **_launch_disks(order.disks), **to_tags(order.tags),
        "HttpEndpoint": "enabled", "HttpTokens": "required", **_given("RamRoleName", order.role),
        **({"Tenancy": "host"} if order.dedicated else {}), **_user_data(order.user_data),
        "AutoReleaseTime": released_at(datetime.fromisoformat(order.cloud_end or order.hard_end)),
    }  # fmt: skip


def to_price_query(order: Order) -> dict[str, str]:
    """DescribePrice for an hour of the machine of an order, bought as the order buys it."""
    disk = order.disks[0] if order.disks else Disk(40)
    spot = {"SpotStrategy": "SpotAsPriceGo", "SpotDuration": "0"} if order.purchase == SPOT else {}
    return {
        "RegionId": order.region, "ResourceType": "instance", "InstanceType": order.instance_type, "PriceUnit": "Hour",
        "Period": "1", "Amount": "1", "SystemDisk.Category": disk.kind or DISK_KIND, "SystemDisk.Size": str(disk.gb),
        **_given("ZoneId", order.zone), **spot,
    }  # fmt: skip


def to_stock_query(order: Order) -> dict[str, str]:
    """DescribeAvailableResource for the zones that have the machine of an order."""
    return {
        "RegionId": order.region, "DestinationResource": "InstanceType", "InstanceChargeType": "PostPaid",
        "InstanceType": order.instance_type, **({"SpotStrategy": "SpotAsPriceGo"} if order.purchase == SPOT else {}),
    }  # fmt: skip


def to_address(order: Order) -> dict[str, str]:
    """Whether the machine gets a public address: ECS gives one to what may send anything outward."""
    if not order.public_ip:
        return {"InternetMaxBandwidthOut": "0"}
    return {"InternetMaxBandwidthOut": BANDWIDTH_MBPS, "InternetChargeType": "PayByTraffic"}


def to_purchase(order: Order) -> dict[str, str]:
    """How it is bought. Spot without the hour of protection that ECS sells by default, and ended when it is reclaimed.

    Raises:
        CloudFault: ``invalid``: see :func:`to_request`.
    """
    if order.purchase != SPOT:
        return {}
    if order.dedicated:
        raise CloudFault("invalid", "a spot machine cannot be on a host of its own", sent="no")
    spot = {"SpotDuration": "0", "SpotInterruptionBehavior": "Terminate"}
    if order.price_cap is None:
        return {"SpotStrategy": "SpotAsPriceGo", **spot}
    cap = Decimal(order.price_cap).quantize(_CAP_PLACES, ROUND_DOWN)
    if not cap:
        raise CloudFault("invalid", f"a price cap of {order.price_cap} is below a thousandth", sent="no")
    return {"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": str(cap), **spot}


def cloud_end(hard_end: datetime, now: datetime) -> datetime:
    """When ECS is to end a machine: at its hard end, or as soon after it as ECS takes; to the minute, never before."""
    at = max(hard_end, now + SOONEST_END)
    return at + -(at - at.replace(second=0, microsecond=0)) % timedelta(minutes=1)


def released_at(at: datetime) -> str:
    """An instant as AutoReleaseTime wants it: UTC, at a full minute, rounded up."""
    return f"{cloud_end(at, at - SOONEST_END).astimezone(UTC):%Y-%m-%dT%H:%M:00Z}"


def to_tags(tags: Mapping[str, str]) -> dict[str, str]:
    """Tags as ECS and VPC number them. ECS puts them on the machine, its disks and its first interface."""
    return {
        f"Tag.{number}.{part}": word
        for number, (name, value) in enumerate(sorted(tags.items()), 1)
        for part, word in (("Key", name), ("Value", value))
    }  # fmt: skip


def numbered(name: str, values: Iterable[str]) -> dict[str, str]:
    """A list as these interfaces take it: ``name.1``, ``name.2`` …"""
    return {f"{name}.{number}": value for number, value in enumerate(values, 1)}


def _launch_disks(disks: tuple[Disk, ...]) -> dict[str, str]:
    """All of them encrypted; the first goes with its machine by itself, the others are told to."""
    query = {
        f"{'SystemDisk' if number == 0 else f'DataDisk.{number}'}.{name}": value
        for number, disk in enumerate(disks) for name, value in _disk(disk).items()
    }  # fmt: skip
    return query | {f"DataDisk.{number}.DeleteWithInstance": "true" for number in range(1, len(disks))}


def _disk(disk: Disk) -> dict[str, str]:
    return {
        "Category": disk.kind or DISK_KIND, "Size": str(disk.gb), "Encrypted": "true",
        **_given("KMSKeyId", disk.kms_key),
    }  # fmt: skip


def _user_data(words: str) -> dict[str, str]:
    raw = words.encode()
    if len(raw) > USER_DATA_BYTES:
        words = f"the user-data has {len(raw)} bytes, {USER_DATA_BYTES} are the most"
        raise CloudFault("invalid", words, sent="no")
    return {"UserData": base64.b64encode(raw).decode()} if raw else {}


def _given(name: str, value: str | None) -> dict[str, str]:
    return {} if value is None else {name: value}

"""What the credentials may do in a region, by dry runs: nothing is made, and nothing that is there is touched."""

from __future__ import annotations

from collections.abc import Iterator

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.instances import MARK
from tradewind.clouds.alibaba.requests import to_tags
from tradewind.clouds.answers import Odd, listed, text
from tradewind.ports.cloud import Checked, Verdict
from tradewind.ports.compute import CloudFault

_LISTS = {
    "ecs": ("DescribeInstances", "DescribeDisks", "DescribeImages", "DescribeSecurityGroups"),
    "vpc": ("DescribeVpcs", "DescribeVSwitches", "DescribeNatGateways", "DescribeEipAddresses"),
}
# What is only allowed on things with our tag is tried on a machine that is nobody's: a refusal says nothing then.
_NOBODYS = "i-00000000000000000000"
_CHANGES = {
    "DeleteInstances": {"InstanceId.1": _NOBODYS, "Force": "true"}, "StopInstance": {"InstanceId": _NOBODYS},
    "StartInstance": {"InstanceId": _NOBODYS},
}  # fmt: skip
# Small machines of families that nearly every region has; what is asked for is not meant.
_SMALL = ("ecs.g6.large", "ecs.g7.large", "ecs.c6.large", "ecs.c7.large", "ecs.g8i.large", "ecs.c8i.large")
_IMAGE = "acs:ubuntu_22_04_x64"
_NO_REGION = frozenset({"StopInstance", "StartInstance"})
_NAME_CODE = "RealNameAuthentication"


def tried(api: Api, region: str, owner: str, *, makes_networks: bool) -> Iterator[Checked]:
    """Each right that can be tried."""
    for service, actions in _LISTS.items():
        for action in actions:
            yield _tried(api, service, region, action)
    tags = to_tags({f"{MARK}owner": owner})
    if makes_networks:
        yield _tried(api, "vpc", region, "CreateVpc", **tags)
    for action, query in _CHANGES.items():
        yield _tried(api, "ecs", region, action, **query)
    try:
        launch = _smallest(api, region)
    except (CloudFault, Odd) as fault:
        yield Checked("right", "unknown", {"action": "ecs:RunInstances", "region": region}, str(fault))
        return
    yield _tried(api, "ecs", region, "RunInstances", **launch, **tags)


def _tried(api: Api, service: str, region: str, action: str, **query: str) -> Checked:
    facts = {"action": f"{service}:{action}", "region": region}
    try:
        api.allowed(service, region, action, **({"RegionId": region} if action not in _NO_REGION else {}), **query)
    except CloudFault as fault:
        if fault.kind == "money" or (fault.code or "").startswith(_NAME_CODE):
            return Checked("account", "missing", {"region": region}, fault.words)
        verdict = _verdict(action, fault)
        return Checked("right", verdict, facts, None if verdict == "ok" else fault.words)
    return Checked("right", "ok", facts)


def _verdict(action: str, fault: CloudFault) -> Verdict:
    """What a refusal says of a right; rights are looked at before what the request itself lacks."""
    if action in _CHANGES:
        return "ok" if fault.kind == "not_found" else "unknown"
    if fault.kind == "auth":
        return "missing"
    return "warning" if action == "RunInstances" and fault.kind in ("invalid", "capacity", "quota") else "unknown"


def _smallest(api: Api, region: str) -> dict[str, str]:
    """A launch of a small machine that is in stock, in the default VPC; what that lacks is not named."""
    zones = _stock(api, region)
    named = next((name for name in _SMALL if name in zones), _SMALL[0])
    launch = {
        "InstanceType": named, "ImageFamily": _IMAGE, "Amount": "1", "InstanceChargeType": "PostPaid",
        "SystemDisk.Category": "cloud_essd", "SystemDisk.Size": "40",
    }  # fmt: skip
    for row in api.numbered("vpc", region, "DescribeVSwitches", "VSwitches", "VSwitch", IsDefault="true"):
        if text(row, "ZoneId") in zones.get(named, ()):
            return launch | {"ZoneId": text(row, "ZoneId"), "VSwitchId": text(row, "VSwitchId")}
    return launch


def _stock(api: Api, region: str) -> dict[str, set[str]]:
    """Machine types in stock, and their zones."""
    answer = api.ask(
        "ecs", region, "DescribeAvailableResource", RegionId=region, DestinationResource="InstanceType",
        InstanceChargeType="PostPaid",
    )  # fmt: skip
    zones: dict[str, set[str]] = {}
    for zone in listed(answer, "AvailableZones", "AvailableZone"):
        for kind in listed(zone, "AvailableResources", "AvailableResource"):
            for resource in listed(kind, "SupportedResources", "SupportedResource"):
                if text(resource, "Status") == "Available":
                    zones.setdefault(text(resource, "Value"), set()).add(text(zone, "ZoneId"))
    return zones

"""The account that the AWS of the lab plays: what it may do, what there is for rent, what it costs, how much of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from shipped import read_csv

from lab.aws_moto import ACCOUNT, Moto
from lab.aws_prices import Aws, product
from lab.engine import Call, Refused, Told
from lab.fleet import Fleet, Rented
from lab.rights import Policy

REGIONS = ("us-east-1", "us-east-2", "us-west-2", "eu-central-1", "ap-northeast-1")
IDENTITY = {"UserId": "AIDALAB", "Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/lab"}
# Code of a quota: its name, the first letters of the types that count, whether of spot machines. The rest is standard.
QUOTAS: dict[str, tuple[str, tuple[str, ...], bool]] = {
    "L-417A185B": ("Running On-Demand P instances", ("p",), False),
    "L-DB2E81BA": ("Running On-Demand G and VT instances", ("g", "vt"), False),
    "L-1216C47A": ("Running On-Demand Standard instances", ("a", "c", "d", "h", "i", "m", "r", "t", "z"), False),
    "L-7212CCBC": ("All P5, P4, P3, P2 Spot Instance Requests", ("p",), True),
    "L-3819A6DF": ("All G and VT Spot Instance Requests", ("g", "vt"), True),
    "L-34B43A08": ("All Standard Spot Instance Requests", ("a", "c", "d", "h", "i", "m", "r", "t", "z"), True),
}
_USUAL_QUOTA = 192
# Systems of images by what SSM's public parameters are called: GiB of their root disk.
_IMAGES = {
    f"/aws/service/deeplearning/ami/{arch}/base-oss-nvidia-driver-gpu-ubuntu-{release}/latest/ami-id": (arch, 75)
    for arch in ("x86_64", "arm64") for release in ("22.04", "24.04")
} | {
    f"/aws/service/canonical/ubuntu/server/{release}/stable/current/{arch}/hvm/ebs-gp3/ami-id": (arch, 8)
    for arch in ("amd64", "arm64") for release in ("22.04", "24.04")
}  # fmt: skip
_OFFERED = Callable[["Account", Call], Told]
PLAYED: dict[str, _OFFERED] = {}


def plays(*names: str) -> Callable[[_OFFERED], _OFFERED]:
    """Let a function play operations, by service and name."""

    def told(function: _OFFERED) -> _OFFERED:
        PLAYED.update(dict.fromkeys(names, function))
        return function

    return told


@dataclass
class Account:
    """One account, and what a test changes of it.

    Attributes:
        denied: operations that it may not call, by service and name (``ec2:RunInstances``).
        policy: what it may do, as an IAM document; None: all.
        disabled: regions that it has not turned on.
        prices: list prices for an hour by (region, type), and ``spot`` by (zone id, type), over the catalog's.
        quotas: vCPUs by (region, code of the quota), over the usual.
        stock: (zone id, type) → how many are left; not named: any number.
        roles: names of the instance profiles that there are.
        protected: machines that may not be terminated.
        page_size: how many machines a list gives at once.
        over: machines that ended, by id; AWS remembers them for about an hour.
        requests: spot requests by region and id.
    """

    moto: Moto
    fleet: Fleet
    now: Callable[[], datetime]
    denied: set[str] = field(default_factory=set)
    policy: Policy | None = None
    disabled: set[str] = field(default_factory=set)
    prices: dict[tuple[str, str], Decimal] = field(default_factory=dict)
    spot: dict[tuple[str, str], Decimal] = field(default_factory=dict)
    quotas: dict[tuple[str, str], int] = field(default_factory=dict)
    stock: Counter[tuple[str, str]] = field(default_factory=Counter)
    roles: set[str] = field(default_factory=set)
    protected: set[str] = field(default_factory=set)
    page_size: int = 1000
    over: dict[str, tuple[Rented, datetime]] = field(default_factory=dict)
    requests: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def price(self, region: str, machine_type: str) -> Decimal | None:
        """The list price for an hour in USD; None: it is not sold there."""
        return self.prices.get((region, machine_type)) or _shipped().get((region, "", machine_type))

    def spot_price(self, region: str, zone_id: str, machine_type: str) -> Decimal | None:
        """What a spot machine costs now."""
        return self.spot.get((zone_id, machine_type)) or _shipped().get((region, zone_id, machine_type))

    def quota(self, region: str, code: str) -> int:
        """vCPUs that may run at once."""
        return self.quotas.get((region, code), _USUAL_QUOTA)

    def zones(self, region: str) -> dict[str, str]:
        """Zone ids by the account's names for them."""
        told = self.moto.fixed(region, "DescribeAvailabilityZones")
        return {each["ZoneName"]: each["ZoneId"] for each in told["AvailabilityZones"]}

    def machine_type(self, region: str, name: str) -> dict[str, Any]:
        """What DescribeInstanceTypes tells of a type."""
        told = self.moto.fixed(region, "DescribeInstanceTypes", InstanceTypes=[name])
        return dict(told["InstanceTypes"][0])


@cache
def _shipped() -> dict[tuple[str, str, str], Decimal]:
    """The catalog's prices by region, zone and type: the lab's market is as the plans know it."""
    return {
        (row["region"], row["zone"], row["instance_type"]): Decimal(row["price_per_hour"])
        for row in read_csv("prices.csv")
        if row["cloud"] == "aws" and row["region"] in REGIONS and row["purchase"] in ("on_demand", "spot")
    }


def quota_of(machine_type: str, *, spot: bool) -> str | None:
    """The code of the quota that a type counts for; None: none that is played."""
    for code, (_, letters, of_spot) in QUOTAS.items():
        if of_spot == spot and machine_type.rstrip("0123456789.").startswith(letters):
            return code
    return None


def images(region: str) -> dict[str, dict[str, Any]]:
    """The public images of a region by id, as DescribeImages tells them."""
    return {
        image_id(region, name): {
            "ImageId": image_id(region, name), "Name": name, "Architecture": arch.replace("amd64", "x86_64"),
            "RootDeviceName": "/dev/sda1", "RootDeviceType": "ebs", "State": "available", "Public": True,
            "OwnerId": "099720109477", "CreationDate": "2026-11-01T00:00:00.000Z", "VirtualizationType": "hvm",
            "BlockDeviceMappings": [{
                "DeviceName": "/dev/sda1",
                "Ebs": {"VolumeSize": gib, "VolumeType": "gp3", "DeleteOnTermination": True},
            }],
        }
        for name, (arch, gib) in _IMAGES.items()
    }  # fmt: skip


def image_id(region: str, parameter: str) -> str:
    """The image that an SSM parameter names in a region: every region has ids of its own."""
    number = list(_IMAGES).index(parameter) * 256 + REGIONS.index(region)
    return f"ami-0{number:016x}"


@plays("sts:GetCallerIdentity")
def _identity(account: Account, call: Call) -> Told:
    return dict(IDENTITY)


@plays("ssm:GetParameter")
def _parameter(account: Account, call: Call) -> Told:
    name = call.asked["Name"]
    if name not in _IMAGES:
        raise Refused(400, "ParameterNotFound", f"Parameter {name} not found.")
    return {"Parameter": {"Name": name, "Type": "String", "Value": image_id(call.region, name), "Version": 1}}


@plays("service-quotas:GetServiceQuota")
def _service_quota(account: Account, call: Call) -> Told:
    code = call.asked["QuotaCode"]
    if call.asked["ServiceCode"] != "ec2" or code not in QUOTAS:
        raise Refused(400, "NoSuchResourceException", f"The quota {code} was not found.")
    told = {"ServiceCode": "ec2", "QuotaCode": code, "QuotaName": QUOTAS[code][0], "Unit": "None", "Adjustable": True}
    return {"Quota": {**told, "Value": float(account.quota(call.region, code))}}


@plays("pricing:GetProducts")
def _products(account: Account, call: Call) -> Told:
    wanted = {each["Field"]: each["Value"] for each in call.asked.get("Filters", [])}
    places = [(region, name) for region, zone, name in _shipped() if not zone] + list(account.prices)
    rows = [
        product(name, region, str(account.price(region, name)))
        for region, name in dict.fromkeys(places)
        if wanted.get("regionCode", region) == region and wanted.get("instanceType", name) == name
    ]
    return Aws({}, products=rows).price_list(call.asked)


@plays("ec2:DescribeSpotPriceHistory")
def _spot_history(account: Account, call: Call) -> Told:
    """One point a zone and type: the price that holds, since an hour before the zone was first asked of."""
    types, zones = call.asked.get("InstanceTypes", []), account.zones(call.region)
    wanted = {call.asked.get("AvailabilityZone"), zones.get(call.asked.get("AvailabilityZone", ""))} - {None}
    wanted |= {call.asked["AvailabilityZoneId"]} if "AvailabilityZoneId" in call.asked else set()
    since = account.now() - timedelta(hours=1)
    rows = [
        {"AvailabilityZone": name, "AvailabilityZoneId": zone, "InstanceType": each, "SpotPrice": f"{price:.6f}",
         "ProductDescription": "Linux/UNIX", "Timestamp": since.astimezone(UTC)}
        for name, zone in zones.items() if not wanted or {name, zone} & wanted
        for each in types if (price := account.spot_price(call.region, zone, each)) is not None
    ]  # fmt: skip
    return {"SpotPriceHistory": rows}


@plays("ec2:DescribeRegions")
def _regions(account: Account, call: Call) -> Told:
    names = call.asked.get("RegionNames", REGIONS)
    shown = [each for each in names if call.asked.get("AllRegions") or each not in account.disabled]
    status = {True: "not-opted-in", False: "opt-in-not-required"}
    return {"Regions": [{"RegionName": each, "OptInStatus": status[each in account.disabled],
                         "Endpoint": f"ec2.{each}.amazonaws.com"} for each in shown]}  # fmt: skip


@plays("ec2:DescribeImages")
def _images(account: Account, call: Call) -> Told:
    known = images(call.region)
    asked = call.asked.get("ImageIds", list(known))
    if unknown := [each for each in asked if each not in known]:
        raise Refused(400, "InvalidAMIID.NotFound", f"The image id '[{', '.join(unknown)}]' does not exist")
    return {"Images": [known[each] for each in asked]}

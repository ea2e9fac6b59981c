"""What the Alibaba Cloud of the lab tells of itself: regions, types, stock, prices, the account, its quotas."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from lab.alibaba_account import ACCOUNT_ID, Account, missing, plays, second
from lab.alibaba_prices import machine
from lab.engine import Call, Refused, Told
from lab.market import MachineType, Market

_HISTORY = timedelta(days=30)
_DISK_PRICE = Decimal("0.05")  # an hour of the disk that a machine boots from, which its price holds too
_QUOTAS = {False: "max-postpaid-instance-vcpu-count", True: "max-spot-instance-vcpu-count"}
PLENTY = 1000  # vCPUs, where a market sets no quota


def usual_market() -> Market:
    """Some types in some regions, at list prices of 2024-12-31 (GPU types, as the catalog has them)."""
    types = [
        MachineType("ecs.gn7i-c8g1.2xlarge", 8, 30, Decimal("9.5326"), "NVIDIA A10", 1, 24, 16),
        MachineType("ecs.gn6i-c4g1.xlarge", 4, 15, Decimal("11.63"), "NVIDIA T4", 1, 16, 4),
        MachineType("ecs.gn6v-c8g1.2xlarge", 8, 32, Decimal("26.46"), "NVIDIA V100", 1, 16, 2.5),
        MachineType("ecs.gn6e-c12g1.3xlarge", 12, 92, Decimal("19.739"), "NVIDIA V100", 1, 32, 5),
        MachineType("ecs.gn7e-c16g1.4xlarge", 16, 125, Decimal("34.742"), "NVIDIA A100", 1, 80, 8),
        MachineType("ecs.g7.large", 2, 8, Decimal("0.5"), gbps=2),
        MachineType("ecs.g7.xlarge", 4, 16, Decimal("1.0"), gbps=3),
    ]
    gn7i, gn6i, gn6v, gn6e, gn7e, *small = (each.name for each in types)
    return Market(
        currency="CNY", types={each.name: each for each in types},
        zones={
            "cn-beijing": {
                "cn-beijing-h": (gn6i, gn6v, gn6e, *small), "cn-beijing-k": (gn7i, gn6i, gn7e, *small),
                "cn-beijing-l": (gn7i, gn6i, gn7e, *small),
            },
            "cn-hangzhou": {"cn-hangzhou-i": (gn7i, gn6i, *small), "cn-hangzhou-j": (gn7i, gn7e, *small)},
            "cn-shanghai": {"cn-shanghai-b": (gn6v, gn6i, *small), "cn-shanghai-l": (gn7i, *small)},
            "ap-southeast-1": {"ap-southeast-1a": (gn6i, *small), "ap-southeast-1c": (gn7i, gn6i, *small)},
        },
        prices={("ap-southeast-1", gn7i): Decimal("18.065"), ("ap-southeast-1", gn6i): Decimal("8.896")},
    )  # fmt: skip


@plays("ecs:DescribeRegions", "ResourceType", "InstanceChargeType", "AcceptLanguage")
def describe_regions(account: Account, call: Call) -> Told:
    """All of them."""
    rows = [
        {"RegionId": name, "RegionEndpoint": f"ecs.{name}.aliyuncs.com", "LocalName": name, "Status": "available"}
        for name in account.market.zones
    ]
    return {"Regions": {"Region": rows}}


@plays("ecs:DescribeZones", "InstanceChargeType", "SpotStrategy", "Verbose", "AcceptLanguage")
def describe_zones(account: Account, call: Call) -> Told:
    """A region's."""
    rows = [
        {"ZoneId": zone, "LocalName": zone, "ZoneType": "AvailabilityZone",
         "AvailableInstanceTypes": {"InstanceTypes": list(types)},
         "AvailableResourceCreation": {"ResourceTypes": ["VSwitch", "Instance", "Disk"]},
         "AvailableDiskCategories": {"DiskCategories": ["cloud_essd", "cloud_auto"]}}
        for zone, types in account.market.zones[call.region].items()
    ]  # fmt: skip
    return {"Zones": {"Zone": rows}}


@plays("ecs:DescribeInstanceTypes", "InstanceTypes", "InstanceTypeFamily")
def describe_instance_types(account: Account, call: Call) -> Told:
    """All types, of all regions, or those named."""
    names = call.asked.get("InstanceTypes", list(account.market.types))
    rows = [
        machine(each.name, each.gpu, each.gpus, each.gpu_memory_gib, each.cpus, each.memory_gib, int(each.gbps * 1e6))
        for each in account.market.types.values()
        if each.name in names
    ]
    return {"InstanceTypes": {"InstanceType": rows}, "NextToken": ""}


@plays(
    "ecs:DescribeAvailableResource", "DestinationResource", "InstanceChargeType", "SpotStrategy", "SpotDuration",
    "ZoneId", "InstanceType", "ResourceType", "NetworkCategory", "IoOptimized", "SystemDiskCategory",
)  # fmt: skip
def describe_available_resource(account: Account, call: Call) -> Told:
    """The stock of machine types by zone."""
    asked = call.asked
    if asked["DestinationResource"] != "InstanceType":
        raise Refused(403, "InvalidParameter.DestinationResource", "Only stock of machine types is told here.")
    zones = [
        {"RegionId": call.region, "ZoneId": zone, "Status": "Available", "StatusCategory": "WithStock",
         "AvailableResources": {"AvailableResource": [{"Type": "InstanceType", "SupportedResources": {
             "SupportedResource": [_stock(account, zone, each) for each in types],
         }}]}}
        for zone, offered in account.market.zones[call.region].items()
        if asked.get("ZoneId") in (None, zone)
        and (types := [each for each in offered if asked.get("InstanceType") in (None, each)])
    ]  # fmt: skip
    return {"AvailableZones": {"AvailableZone": zones}}


@plays(
    "ecs:DescribePrice", "ResourceType", "InstanceType", "PriceUnit", "Period", "Amount", "SpotStrategy",
    "SpotDuration", "ZoneId", "SystemDisk", "DataDisk", "ImageId", "InstanceNetworkType", "IoOptimized",
    "InternetMaxBandwidthOut", "InternetChargeType",
)  # fmt: skip
def describe_price(account: Account, call: Call) -> Told:
    """What one costs an hour now, with the disk that it boots from."""
    asked, machine_type = call.asked, call.asked.get("InstanceType", "")
    zones = account.market.offers(call.region, machine_type)
    if not zones or asked.get("ZoneId", zones[0]) not in zones:
        raise Refused(403, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported here.")
    if asked.get("PriceUnit", "Hour") != "Hour":
        raise Refused(400, "InvalidPriceUnit.ValueNotSupported", "The specified PriceUnit is not supported.")
    listed = account.market.price(call.region, machine_type)
    paid = listed
    if asked.get("SpotStrategy", "NoSpot") != "NoSpot":
        paid = account.market.spot_price(call.region, asked.get("ZoneId", zones[0]), machine_type, account.now())
    rows = [
        _price("systemDisk", _DISK_PRICE, _DISK_PRICE),
        _price("instanceType", listed, paid),
    ]
    whole = {name: _price("", listed + _DISK_PRICE, paid + _DISK_PRICE)[name] for name in _PRICES}
    return {"PriceInfo": {
        "Price": {"Currency": account.market.currency, "DetailInfos": {"DetailInfo": rows}, **whole},
        "Rules": {"Rule": []},
    }}  # fmt: skip


@plays(
    "ecs:DescribeSpotPriceHistory", "InstanceType", "NetworkType", "ZoneId", "StartTime", "EndTime", "SpotDuration",
    "OSType", "IoOptimized", "Offset",
)  # fmt: skip
def describe_spot_price_history(account: Account, call: Call) -> Told:
    """What spot machines of a type cost, since when, in each zone; 30 days of it."""
    asked, market_ = call.asked, account.market
    machine_type, begin = asked["InstanceType"], account.now() - _HISTORY
    if "StartTime" in asked:
        begin = max(begin, datetime.fromisoformat(asked["StartTime"]))
    rows = []
    for zone in market_.offers(call.region, machine_type):
        since = market_.spot.get((zone, machine_type), [(begin, Decimal(0))])
        for at in sorted({max(begin, at) for at, _ in since if at <= account.now()}):
            price = market_.spot_price(call.region, zone, machine_type, at)
            rows.append({
                "ZoneId": zone, "InstanceType": machine_type, "NetworkType": "vpc", "IoOptimized": "optimized",
                "Timestamp": second(at), "SpotPrice": float(price),
                "OriginPrice": float(market_.price(call.region, machine_type)),
            })  # fmt: skip
    shown = [row for row in rows if asked.get("ZoneId") in (None, row["ZoneId"])]
    return {"Currency": market_.currency, "SpotPrices": {"SpotPriceType": shown}, "NextOffset": 0}


@plays("ecs:DescribeAccountAttributes", "AttributeName", "ZoneId")
def describe_account_attributes(account: Account, call: Call) -> Told:
    """Whether its owner is known, and how many vCPUs it may have and has."""
    told = {"real-name-authentication": "none" if account.unnamed else "yes"}
    for spot, name in _QUOTAS.items():
        told[name] = str(account.market.quota.get((call.region, spot), PLENTY))
        running = [each for each in account.fleet.all(call.region) if each.spot is spot and each.occupies()]
        used = sum(account.market.types[each.machine_type].cpus for each in running)
        told[name.replace("max-", "used-")] = str(used)
    names = call.asked.get("AttributeName", list(told))
    rows = [
        {"AttributeName": name, "AttributeValues": {"ValueItem": [{"Value": told[name]}]}}
        for name in names
        if name in told
    ]
    return {"AccountAttributeItems": {"AccountAttributeItem": rows}}


@plays("sts:GetCallerIdentity")
def get_caller_identity(account: Account, call: Call) -> Told:
    """Who asks."""
    return {
        "AccountId": ACCOUNT_ID, "Arn": f"acs:ram::{ACCOUNT_ID}:user/tradewind", "IdentityType": "RAMUser",
        "PrincipalId": "20732900249392", "UserId": "20732900249392",
    }  # fmt: skip


@plays("quotas:ListProductQuotas", "ProductCode", "QuotaActionCode", "KeyWord", "Dimensions", "QuotaCategory")
def list_product_quotas(account: Account, call: Call) -> Told:
    """The vCPUs that the account may have, on demand and spot."""
    dimensions = {each["Key"]: each["Value"] for each in call.asked.get("Dimensions", [])}
    if call.asked["ProductCode"] != "ecs" or dimensions.get("regionId") not in account.market.zones:
        raise missing("quota", "QUOTA.NOT.EXISTS")
    rows: list[dict[str, Any]] = [
        {"ProductCode": "ecs", "QuotaActionCode": f"q_{name}", "QuotaName": name, "QuotaUnit": "vCPU",
         "TotalQuota": float(account.market.quota.get((dimensions["regionId"], spot), PLENTY)),
         "Dimensions": dimensions, "Adjustable": True, "QuotaItems": []}
        for spot, name in _QUOTAS.items()
        if call.asked.get("QuotaActionCode") in (None, f"q_{name}")
    ]  # fmt: skip
    return {"Quotas": rows, "TotalCount": len(rows)}


_PRICES = ("OriginalPrice", "TradePrice", "DiscountPrice")


def _price(resource: str, listed: Decimal, paid: Decimal) -> dict[str, Any]:
    return {
        "Resource": resource, "OriginalPrice": float(listed), "TradePrice": float(paid),
        "DiscountPrice": float(listed - paid),
    }  # fmt: skip


def _stock(account: Account, zone: str, machine_type: str) -> dict[str, str]:
    left = account.market.left(zone, machine_type)
    there = left is None or left > 0
    return {
        "Value": machine_type, "Status": "Available" if there else "SoldOut",
        "StatusCategory": "WithStock" if there else "WithoutStock",
    }  # fmt: skip

"""RunInstances of the AWS of the lab: what moto lets pass and AWS does not, and the machine behind what moto notes."""

from __future__ import annotations

import base64
import secrets
from collections import Counter
from typing import Any

from lab.aws_account import QUOTAS, Account, images, plays, quota_of
from lab.aws_moto import ACCOUNT
from lab.aws_shown import shown
from lab.engine import Call, Refused, Told
from lab.fleet import Phase
from lab.machines import Guest

_USER_DATA_BYTES = 16384
_NOT_FOR_MOTO = {"DryRun", "UserData", "IamInstanceProfile"}  # the last: it would have to be made at its IAM
# What nvidia-smi calls the GPUs that EC2 calls so.
_GPU_NAMES = {"T4": "Tesla T4", "V100": "Tesla V100-SXM2-16GB", "A10G": "NVIDIA A10G", "A100": "NVIDIA A100-SXM4-40GB"}


@plays("ec2:RunInstances")
def run_instances(account: Account, call: Call) -> Told:
    """One machine, pending."""
    asked, region = call.asked, call.region
    if (asked["MinCount"], asked["MaxCount"]) != (1, 1):
        raise Refused(400, "InvalidParameterValue", "The lab launches one machine at a time.")
    zone, zone_id = _place(account, call)
    machine_type, spot = asked["InstanceType"], _spot_options(asked)
    user_data = base64.b64decode(asked.get("UserData", ""))
    if len(user_data) > _USER_DATA_BYTES:
        raise Refused(400, "InvalidParameterValue", "User data is limited to 16384 bytes")
    if asked["ImageId"] not in images(region):
        raise Refused(400, "InvalidAMIID.NotFound", f"The image id '[{asked['ImageId']}]' does not exist")
    _check_role(account, asked.get("IamInstanceProfile"))
    _check_type(account, region, zone_id, machine_type)
    if spot is not None:
        _check_spot(account, region, zone_id, machine_type, spot)
    _check_room(account, region, machine_type, spot=spot is not None)
    _check_stock(account, zone_id, machine_type)
    told = account.moto.ask(region, "RunInstances", **_as_moto_takes_it(asked, zone))
    made = told["Instances"][0]
    _tag_interfaces(account, region, made, asked)
    extras = {
        "zone_id": zone_id, "public": _public(asked), "image": asked["ImageId"],
        "request": _spot_request(account, call, made["InstanceId"], spot),
        "failure": (call.fault.code if call.fault else None) or "Server.InsufficientInstanceCapacity",
    }  # fmt: skip
    guest = _guest(account, call, made["InstanceId"], zone, user_data)
    rented = account.fleet.launch(
        guest, spot=spot is not None, tags=_tags(asked, "instance"), hard_end=None, told=extras, fault=call.fault
    )
    return {**told, "Instances": [shown(made, rented, Phase.PENDING, account.now())]}


def _place(account: Account, call: Call) -> tuple[str, str]:
    """Name and id of the zone: the subnet's, with which a given zone has to agree."""
    subnet = _interface(call.asked).get("SubnetId") or call.asked.get("SubnetId")
    placement = call.asked.get("Placement", {})
    if subnet is None:
        zones = account.zones(call.region)
        named = {zone_id: name for name, zone_id in zones.items()}
        name = placement.get("AvailabilityZone") or named.get(placement.get("AvailabilityZoneId", ""), min(zones))
        return name, zones[name]
    found = account.moto.ask(call.region, "DescribeSubnets", SubnetIds=[subnet])["Subnets"][0]
    name, zone_id = found["AvailabilityZone"], found["AvailabilityZoneId"]
    if placement.get("AvailabilityZone", name) != name or placement.get("AvailabilityZoneId", zone_id) != zone_id:
        raise Refused(400, "InvalidParameterValue", f"The subnet {subnet} is not in the availability zone asked for.")
    return name, zone_id


def zone_of(account: Account, call: Call) -> str | None:
    """The id of the zone that a launch goes to, as far as it can be told."""
    try:
        return _place(account, call)[1]
    except (Refused, KeyError):
        return None


def _spot_options(asked: dict[str, Any]) -> dict[str, Any] | None:
    market = asked.get("InstanceMarketOptions", {})
    return market.get("SpotOptions", {}) if market.get("MarketType") == "spot" else None


def _check_role(account: Account, profile: dict[str, str] | None) -> None:
    name = profile and (profile.get("Name") or profile.get("Arn", "").rpartition("/")[2])
    if name is not None and name not in account.roles:
        words = f"Value ({name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name"
        raise Refused(400, "InvalidParameterValue", words)


def _check_type(account: Account, region: str, zone_id: str, machine_type: str) -> None:
    offered = account.moto.fixed(
        region, "DescribeInstanceTypeOfferings", LocationType="availability-zone-id",
        Filters=[{"Name": "instance-type", "Values": [machine_type]}],
    )["InstanceTypeOfferings"]  # fmt: skip
    if not offered:
        raise Refused(400, "InvalidParameterValue", f"Invalid value '{machine_type}' for InstanceType.")
    if zone_id not in {each["Location"] for each in offered}:
        words = f"Your requested instance type ({machine_type}) is not supported in your requested Availability Zone."
        raise Refused(400, "Unsupported", words)


def _check_spot(account: Account, region: str, zone_id: str, machine_type: str, options: dict[str, Any]) -> None:
    if options.get("SpotInstanceType", "one-time") == "persistent":
        raise Refused(400, "InvalidParameterCombination", "The lab knows no persistent requests.")
    price = account.spot_price(region, zone_id, machine_type)
    if price is None:
        raise Refused(500, "InsufficientInstanceCapacity", "There is no Spot capacity available that matches.")
    if "MaxPrice" in options and price > type(price)(options["MaxPrice"]):
        words = (
            f"Your Spot request price of {options['MaxPrice']} is lower than the minimum required Spot request "
            f"fulfillment price of {price}."
        )
        raise Refused(400, "SpotMaxPriceTooLow", words)


def _check_room(account: Account, region: str, machine_type: str, *, spot: bool) -> None:
    """The vCPUs of the account's quota."""
    code = quota_of(machine_type, spot=spot)
    if code is None:
        return
    names = [each.machine_type for each in account.fleet.all(region) if each.occupies() and each.spot == spot]
    counted = Counter(name for name in [*names, machine_type] if quota_of(name, spot=spot) == code)
    wanted = sum(
        count * account.machine_type(region, name)["VCpuInfo"]["DefaultVCpus"] for name, count in counted.items()
    )
    if wanted > account.quota(region, code):
        if spot:
            raise Refused(400, "MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
        words = (
            f"You have requested more vCPU capacity than your current vCPU limit of {account.quota(region, code)} "
            f"allows for the instance bucket that the specified instance type belongs to ({QUOTAS[code][0]})."
        )
        raise Refused(400, "VcpuLimitExceeded", words)


def _check_stock(account: Account, zone_id: str, machine_type: str) -> None:
    left = account.stock.get((zone_id, machine_type))
    if left is not None:
        if left < 1:
            words = (
                f"We currently do not have sufficient {machine_type} capacity in the Availability Zone you requested."
            )
            raise Refused(500, "InsufficientInstanceCapacity", words)
        account.stock[zone_id, machine_type] -= 1


def _as_moto_takes_it(asked: dict[str, Any], zone: str) -> dict[str, Any]:
    """Without what moto makes nothing of, and with the zone by its name."""
    kept = {name: value for name, value in asked.items() if name not in _NOT_FOR_MOTO}
    placement = {name: value for name, value in asked.get("Placement", {}).items() if name != "AvailabilityZoneId"}
    return {**kept, "Placement": {**placement, "AvailabilityZone": zone}}


def _tags(asked: dict[str, Any], kind: str) -> dict[str, str]:
    specified = [each for each in asked.get("TagSpecifications", []) if each["ResourceType"] == kind]
    return {tag["Key"]: tag["Value"] for each in specified for tag in each["Tags"]}


def _tag_interfaces(account: Account, region: str, made: dict[str, Any], asked: dict[str, Any]) -> None:
    """moto tags instances and volumes alone."""
    if tags := _tags(asked, "network-interface"):
        ids = [each["NetworkInterfaceId"] for each in made["NetworkInterfaces"]]
        account.moto.ask(
            region, "CreateTags", Resources=ids, Tags=[{"Key": key, "Value": value} for key, value in tags.items()]
        )


def _public(asked: dict[str, Any]) -> bool:
    """Whether it gets a public address: as its interface says, else as in a default subnet."""
    return bool(_interface(asked).get("AssociatePublicIpAddress", True))


def _interface(asked: dict[str, Any]) -> dict[str, Any]:
    """The one that it is made with; empty: it is not said."""
    given: list[dict[str, Any]] = asked.get("NetworkInterfaces") or [{}]
    return given[0]


def _spot_request(account: Account, call: Call, id_: str, spot: dict[str, Any] | None) -> str | None:
    if spot is None:
        return None
    request = f"sir-{secrets.token_hex(4)}"
    account.requests[call.region, request] = {
        "SpotInstanceRequestId": request, "InstanceId": id_, "Type": spot.get("SpotInstanceType", "one-time"),
        "State": "active", "Status": {"Code": "fulfilled", "Message": "Your spot request is fulfilled."},
        "CreateTime": account.now(),
        "Tags": [{"Key": k, "Value": v} for k, v in _tags(call.asked, "spot-instances-request").items()],
    } | ({"SpotPrice": spot["MaxPrice"]} if "MaxPrice" in spot else {})  # fmt: skip
    return request


def _guest(account: Account, call: Call, id_: str, zone: str, user_data: bytes) -> Guest:
    asked = call.asked
    gpus = account.machine_type(call.region, asked["InstanceType"]).get("GpuInfo", {}).get("Gpus", [])
    gpu = gpus[0] if gpus else None
    return Guest(
        id_, "aws", user_data, region=call.region, zone=zone, instance_type=asked["InstanceType"],
        shutdown="terminate" if asked.get("InstanceInitiatedShutdownBehavior") == "terminate" else "stop",
        gpu=_GPU_NAMES.get(gpu["Name"], f"NVIDIA {gpu['Name']}") if gpu else None, gpus=gpu["Count"] if gpu else 0,
        gpu_memory_mib=gpu["MemoryInfo"]["SizeInMiB"] if gpu else 0, identity={"account": ACCOUNT},
        token_required=asked.get("MetadataOptions", {}).get("HttpTokens") == "required",
    )  # fmt: skip

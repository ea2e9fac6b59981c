"""What an order says at the Alibaba Cloud of the lab, and all that it is refused for, in the cloud's words."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lab.alibaba_account import Account, flag, missing, tags
from lab.alibaba_images import image
from lab.engine import Call, Refused
from lab.estate import Thing
from lab.stub import Objection

_SOONEST_END, _LATEST_END = timedelta(minutes=30), timedelta(days=3 * 365)
_USER_DATA_BYTES = 32 * 1024
_CATEGORIES = {"cloud_essd", "cloud_auto", "cloud_essd_entry", "cloud_ssd", "cloud_efficiency"}
_STRATEGIES = {"NoSpot", "SpotWithPriceLimit", "SpotAsPriceGo"}


@dataclass(frozen=True)
class Place:
    """Where a machine goes."""

    zone: str
    subnet: Thing
    groups: list[str]


@dataclass(frozen=True)
class Order:
    """What is ordered; ``text``: what runs at the first boot."""

    place: Place
    image_id: str
    machine_type: str
    count: int
    spot: bool
    tags: dict[str, str]
    hard_end: datetime | None
    text: bytes


def understood(account: Account, call: Call) -> Order:
    """The order of a call, which could be carried out now."""
    asked = call.asked
    _check_account(account)
    place = _place(account, call)
    order = Order(
        place, image(asked.get("ImageId"), asked.get("ImageFamily"))["ImageId"], _type(account, call, place.zone),
        int(asked.get("Amount", 1)), _is_spot(asked), tags(asked),
        release_time(asked.get("AutoReleaseTime"), account.now()), _user_data(asked),
    )  # fmt: skip
    _check_disks(account, asked)
    _check_role(account, asked)
    if order.spot:
        _check_spot(account, call, place.zone)
    _check_room(account, call.region, order)
    return order


def release_time(told: str | None, now: datetime) -> datetime | None:
    """AutoReleaseTime, to the minute; None: never."""
    if not told:
        return None
    malformed = Refused(
        400, "InvalidAutoReleaseTime.Malformed", "The specified parameter AutoReleaseTime is not valid."
    )
    try:
        at = datetime.strptime(told, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise malformed from None
    if not now + _SOONEST_END <= at <= now + _LATEST_END:
        raise malformed
    return at.replace(second=0)


def check_stock(account: Account, zone: str, machine_type: str, count: int) -> None:
    """Refuse what is sold out."""
    left = account.market.left(zone, machine_type)
    if left is not None and left < count:
        raise Refused(403, "OperationDenied.NoStock", "The requested resource is sold out in the specified zone.")


def _check_account(account: Account) -> None:
    if account.unnamed:
        raise Refused(
            403, "RealNameAuthenticationError", "Your account has not passed the real-name authentication yet."
        )
    if account.arrears:
        raise Refused(403, "InvalidAccountStatus.NotEnoughBalance", "Your account does not have enough balance.")


def _place(account: Account, call: Call) -> Place:
    asked, zones = call.asked, account.market.zones[call.region]
    zone = asked.get("ZoneId")
    if asked.get("SpotStrategy", "NoSpot") != "NoSpot" and not (zone or asked.get("VSwitchId")):
        raise Refused(400, "InvalidSpotParam.EmptyZoneID", "The specified ZoneId is empty when instance is spot.")
    if zone and zone not in zones:
        raise missing("ZoneId", "InvalidZoneId.NotFound")
    if "VSwitchId" not in asked:
        raise Refused(400, "MissingParameter", "The input parameter VSwitchId that is mandatory is not supplied.")
    subnet = account.things.get("vsw", asked["VSwitchId"], call.region)
    if subnet is None or zone not in (None, subnet.told["ZoneId"]):
        raise missing("VSwitchId", "InvalidVSwitchId.NotFound")
    if "SecurityGroupId" in asked and "SecurityGroupIds" in asked:
        raise Refused(400, "InvalidParameter.Conflict", "SecurityGroupId and SecurityGroupIds exclude each other.")
    groups = asked.get("SecurityGroupIds", [asked["SecurityGroupId"]] if "SecurityGroupId" in asked else [])
    for id_ in groups:
        group = account.things.get("sg", id_, call.region)
        if group is None:
            raise missing("SecurityGroupId", "InvalidSecurityGroupId.NotFound")
        if group.told["VpcId"] != subnet.told["VpcId"]:
            raise Refused(
                403, "InvalidParameter.Mismatch", "Specified security group and virtual switch are not in the same VPC."
            )
    if not groups and not flag(asked, "DryRun"):
        raise Objection("a machine without a group goes into the default one, which lets the world in")
    return Place(subnet.told["ZoneId"], subnet, groups)


def _type(account: Account, call: Call, zone: str) -> str:
    machine_type = str(call.asked.get("InstanceType", ""))
    if not account.market.offers(call.region, machine_type):
        raise Refused(403, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.")
    if zone not in account.market.offers(call.region, machine_type):
        raise Refused(404, "InvalidResourceType.NotSupported", "User doesn't support this resource type in the zone.")
    return machine_type


def _is_spot(asked: Mapping[str, Any]) -> bool:
    """On a dedicated host a machine is silently no spot machine. Nothing is bought for a month here."""
    if asked.get("InstanceChargeType", "PostPaid") != "PostPaid":
        raise Objection(f"a machine is bought {asked['InstanceChargeType']}: it would be paid in advance")
    strategy = asked.get("SpotStrategy", "NoSpot")
    if strategy not in _STRATEGIES:
        raise Refused(400, "InvalidSpotStrategy", "The specified SpotStrategy is not valid.")
    return strategy != "NoSpot" and not _dedicated(asked)


def _dedicated(asked: Mapping[str, Any]) -> bool:
    return "DedicatedHostId" in asked or asked.get("Tenancy") == "host"


def _user_data(asked: Mapping[str, Any]) -> bytes:
    try:
        text = base64.b64decode(asked.get("UserData", ""), validate=True)
    except binascii.Error:
        raise Refused(400, "InvalidUserData.Base64FormatInvalid", "UserData must be Base64 encoded.") from None
    if len(text) > _USER_DATA_BYTES:
        raise Refused(400, "InvalidUserData.SizeExceeded", "The specified UserData exceeds the maximum size.")
    return text


def _check_disks(account: Account, asked: Mapping[str, Any]) -> None:
    for name, each in [
        ("SystemDisk", asked.get("SystemDisk", {})),
        *(("DataDisk", one) for one in asked.get("DataDisk", [])),
    ]:
        if each.get("Category", "cloud_essd") not in _CATEGORIES:
            raise Refused(
                403, f"Invalid{name}Category.ValueNotSupported", "The specified disk category is not supported."
            )
        if not 20 <= int(each.get("Size", "40" if name == "SystemDisk" else "0")) <= 65536:
            raise Refused(403, f"Invalid{name}Size.ValueNotSupported", "The specified disk size is not supported.")
        if "KMSKeyId" in each and each["KMSKeyId"] not in account.kms_keys:
            raise Refused(400, "InvalidParameter.KMSKeyId.CMKUnauthorized", "The specified KMS key is not authorized.")


def _check_role(account: Account, asked: Mapping[str, Any]) -> None:
    if asked.get("RamRoleName", next(iter(account.roles), None)) not in {*account.roles, None}:
        raise Refused(401, "InvalidRamRole.NotEcsRole", "The specified RAM role is not authorized for ECS.")
    if _dedicated(asked) and asked.get("DedicatedHostId", next(iter(account.hosts), None)) not in account.hosts:
        raise Refused(403, "NoAvaliableDedicatedHost", "No dedicated host of the account has room.")


def _check_spot(account: Account, call: Call, zone: str) -> None:
    asked = call.asked
    if asked.get("SpotDuration", "1") not in {"0", "1"}:
        raise Refused(400, "InvalidSpotDuration", "The specified SpotDuration is not valid.")
    limit = asked.get("SpotPriceLimit")
    if asked["SpotStrategy"] != "SpotWithPriceLimit":
        return
    if limit is None or Decimal(limit) <= 0 or Decimal(limit) != round(Decimal(limit), 3):
        raise Refused(400, "InvalidSpotPriceLimit", "The specified SpotPriceLimit is not valid.")
    if Decimal(limit) < account.market.spot_price(call.region, zone, asked["InstanceType"], account.now()):
        raise Refused(
            400, "InvalidSpotPriceLimit.LowerThanPublicPrice",
            "The specified parameter spotPriceLimit can't be lower than current public price.",
        )  # fmt: skip


def _check_room(account: Account, region: str, order: Order) -> None:
    """Quota and stock."""
    if not 1 <= order.count <= 100:
        raise Refused(400, "InvalidParameter.Amount", "The specified Amount should be in the range 1 to 100.")
    running = [each.machine_type for each in account.fleet.all(region) if each.spot is order.spot and each.occupies()]
    if not account.market.within_quota(
        region, spot=order.spot, running=running, wanted=order.machine_type, count=order.count
    ):
        raise Refused(
            403, "QuotaExceed.ElasticQuota", "The number of the specified ECS instances has exceeded the quota."
        )
    check_stock(account, order.place.zone, order.machine_type, order.count)

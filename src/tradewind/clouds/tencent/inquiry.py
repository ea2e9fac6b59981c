"""What InquiryPriceRunInstances is asked and answers: the price of a launch that is never made. Pure.

It is asked for what the list of the zones leaves without a price, one machine a question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.clouds.answers import Odd, amount, price, text
from tradewind.clouds.tencent.tables import CLOUD, READINGS
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase

OPERATION = "InquiryPriceRunInstances"
LINUX = "Ubuntu"  # its public images cost nothing
DISK_GIB = 20  # the least that a system disk can have: no machine is priced without one
MOST = 50  # questions of one part
_MONTHS = {Purchase.SUBSCRIPTION_MONTH: 1, Purchase.SUBSCRIPTION_YEAR: 12}
# What CVM answers for a machine that it lists and does not sell here, this way, or to this account now.
NOT_SOLD = ("InvalidParameter", "InvalidInstance", "InvalidZone", "InvalidImageId", "ResourceInsufficient",
            "ResourcesSoldOut", "ResourceUnavailable", "UnsupportedOperation", "LimitExceeded")  # fmt: skip


def image_question() -> dict[str, Any]:
    """The parameters of DescribeImages that find what to price a launch with."""
    filters = (("image-type", "PUBLIC_IMAGE"), ("platform", LINUX))
    return {"Filters": [{"Name": name, "Values": [value]} for name, value in filters], "Limit": 100}


def image_of(images: Sequence[Any]) -> str:
    """The id of a public Linux image for x86_64.

    Raises:
        Odd: there is none, or one is of another shape.
    """
    for image in images:
        if text(image, "Architecture") == "x86_64" and text(image, "Platform") == LINUX:
            return text(image, "ImageId")
    raise Odd(f"no public image of {LINUX} for x86_64")


def to_question(zone: str, instance_type: str, purchase: Purchase, image: str) -> dict[str, Any]:
    """The parameters that ask for one machine with the smallest disk, no traffic, and Linux."""
    asked = {
        "Placement": {"Zone": zone}, "ImageId": image, "InstanceType": instance_type, "InstanceCount": 1,
        "InstanceChargeType": READINGS[purchase][0], "SystemDisk": {"DiskSize": DISK_GIB},
        "InternetAccessible": {"InternetMaxBandwidthOut": 0},
    }  # fmt: skip
    if purchase in _MONTHS:
        asked["InstanceChargePrepaid"] = {"Period": _MONTHS[purchase], "RenewFlag": "NOTIFY_AND_MANUAL_RENEW"}
    return asked


def to_price(
    told: Mapping[str, Any], region: str, zone: str, instance_type: str, purchase: Purchase, currency: str, as_of: str
) -> ListedPrice:
    """``Price.InstancePrice`` as the price of an hour in a zone; of a term it is what the whole costs.

    Raises:
        Odd: it has none.
    """
    _, field, hours = READINGS[purchase]
    if hours > 1:
        field = "DiscountPrice"  # the question says the term: what is told is its
    elif text(told, "ChargeUnit") != "HOUR":
        raise Odd(f"ChargeUnit is {told['ChargeUnit']!r}")
    return ListedPrice(
        cloud=CLOUD, region=region, zone=zone, instance_type=instance_type, purchase=purchase,
        payment="all upfront" if hours > 1 else None, currency=currency,
        price_per_hour=price(amount(told, field) / hours), as_of=as_of,
        source=f"CVM 2017-03-12 {OPERATION}, {field}, with a system disk of {DISK_GIB} GiB",
    )  # fmt: skip

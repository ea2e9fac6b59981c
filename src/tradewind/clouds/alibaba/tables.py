"""What ECS tells, as values. Pure: answers in, machines and prices out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from tradewind.clouds.answers import Odd, amount, listed, pick, price, text
from tradewind.domain.market import ListedMachine, ListedPrice, SpotPoint
from tradewind.domain.offer import Purchase

CLOUD = "alibaba"

# Purchase → how DescribePrice is asked for one period of it, and the hours that the period is spread over.
PERIODS = {
    Purchase.ON_DEMAND: ("Hour", 1),
    Purchase.SUBSCRIPTION_MONTH: ("Month", 730),
    Purchase.SUBSCRIPTION_YEAR: ("Year", 8760),
}
_ARCHITECTURES = {"X86": "x86_64", "ARM": "arm64"}
_GB_IN_GIB = 1.073741824
_SLICED = re.compile(r"^(?P<gpu>.+?)\s*\*\s*1/(?P<parts>\d+)$")  # "NVIDIA A10*1/6"


def to_machines(row: Any) -> Iterator[ListedMachine]:
    """An element of DescribeInstanceTypes as a machine; nothing for one without an accelerator.

    ``EriQuantity`` tells that there is eRDMA and not how wide it is.

    Raises:
        Odd: something is missing, or the processors are of no architecture that we know.
    """
    label, count = pick(row, "GPUSpec"), amount(row, "GPUAmount")
    if not isinstance(label, str):
        raise Odd(f"GPUSpec is {label!r}, not text")
    if not label and not count:
        return
    gpu, gpus = _slices(label, count, text(row, "InstanceTypeFamily"))
    architecture = str(row.get("CpuArchitecture", "X86"))
    if architecture not in _ARCHITECTURES:
        raise Odd(f"CpuArchitecture is {architecture!r}")
    yield ListedMachine(
        cloud=CLOUD,
        instance_type=text(row, "InstanceTypeId"),
        gpu=gpu or None,
        gpus=gpus,
        gpu_memory_gib=_known(row, "GPUMemorySize"),
        cpus=int(amount(row, "CpuCoreCount")),
        memory_gib=float(amount(row, "MemorySize")),
        network_gbps=_gbps(_known(row, "InstanceBandwidthRx")),
        rdma="eRDMA (Gbps not sourced)" if _known(row, "EriQuantity") else None,
        local_nvme_gb=_local_gb(row),
        arch=_ARCHITECTURES[architecture],
    )


def to_price(answer: Any, region: str, instance_type: str, purchase: Purchase, as_of: str) -> ListedPrice:
    """DescribePrice's answer as the price of the machine alone, without the system disk that it counts in.

    On demand it is the list price; of a subscription what is paid, since nothing else tells what the term saves.

    Raises:
        Odd: no price of the machine is in it.
    """
    told = pick(answer, "PriceInfo", "Price")
    field = "OriginalPrice" if purchase is Purchase.ON_DEMAND else "TradePrice"
    details = listed(told, "DetailInfos", "DetailInfo")
    machine = next((detail for detail in details if pick(detail, "Resource") == "instanceType"), None)
    if machine is None:
        raise Odd("DetailInfos has no instanceType")
    return ListedPrice(
        cloud=CLOUD, region=region, zone=None, instance_type=instance_type, purchase=purchase,
        payment=None if purchase is Purchase.ON_DEMAND else "all upfront", currency=text(told, "Currency"),
        price_per_hour=price(amount(machine, field) / PERIODS[purchase][1]), as_of=as_of,
        source=f"ECS 2014-05-26 DescribePrice, {field}",
    )  # fmt: skip


def to_points(answer: Any, region: str) -> Iterator[SpotPoint]:
    """DescribeSpotPriceHistory's answer as points; what has no price is left out.

    Raises:
        Odd: something is missing.
    """
    currency = text(answer, "Currency")
    for row in listed(answer, "SpotPrices", "SpotPriceType"):
        told = amount(row, "SpotPrice")
        if told:
            yield SpotPoint(
                cloud=CLOUD, region=region, zone=text(row, "ZoneId"), instance_type=text(row, "InstanceType"),
                at=_instant(text(row, "Timestamp")), currency=currency, price_per_hour=price(told),
            )  # fmt: skip


def newest(points: Iterable[SpotPoint], as_of: str) -> tuple[ListedPrice, ...]:
    """The spot price of each zone: that of its last point."""
    last: dict[str | None, SpotPoint] = {}
    for point in sorted(points, key=lambda point: point.at):
        last[point.zone] = point
    return tuple(
        ListedPrice(
            cloud=CLOUD, region=point.region, zone=zone, instance_type=point.instance_type, purchase=Purchase.SPOT,
            payment=None, currency=point.currency, price_per_hour=point.price_per_hour, as_of=as_of,
            source="ECS 2014-05-26 DescribeSpotPriceHistory",
        )
        for zone, point in sorted(last.items(), key=lambda item: item[0] or "")
    )  # fmt: skip


def _slices(label: str, count: Decimal, family: str) -> tuple[str, Decimal | None]:
    """The GPU's name and how many; families of slices (``vgn``, ``sgn``) count slices, whose size the name may tell."""
    sliced = _SLICED.match(label)
    if sliced:
        return sliced["gpu"], round(max(count, Decimal(1)) / int(sliced["parts"]), 4).normalize()
    return label, None if family.removeprefix("ecs.").startswith(("vgn", "sgn")) or not count else count


def _gbps(kbps: float | None) -> float | None:
    """ECS counts 1,024,000 kbit/s to a Gbit/s: 16 Gbit/s are told as 16384000."""
    return None if kbps is None else kbps / 1_024_000


def _local_gb(row: Any) -> float | None:
    category = row.get("LocalStorageCategory")
    disks, each_gib = _known(row, "LocalStorageAmount"), _known(row, "LocalStorageCapacity")
    if category == "":
        return 0.0
    if category != "local_ssd_pro" or disks is None or each_gib is None:  # the other category is spinning disks
        return None
    return round(disks * each_gib * _GB_IN_GIB, 1)


def _known(row: Any, name: str) -> float | None:
    """A number that not every row has; ECS writes 0 for some that it does not tell."""
    return float(amount(row, name)) or None if row.get(name) is not None else None


def _instant(told: str) -> datetime:
    try:
        return datetime.fromisoformat(told)
    except ValueError:
        raise Odd(f"Timestamp is {told!r}") from None

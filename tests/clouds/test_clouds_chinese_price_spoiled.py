"""Whatever becomes of one value of an answer of the Chinese clouds: it is read, named, or refused as a fault."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

import pytest
from lab.alibaba_prices import machine
from lab.huawei_prices import flavor
from lab.tencent_prices import hourly

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.prices import AlibabaPrices
from tradewind.clouds.huawei.openapi import OpenApi
from tradewind.clouds.huawei.prices import HuaweiPrices
from tradewind.clouds.tencent.cvm import Cvm
from tradewind.clouds.tencent.prices import TencentPrices
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Prices

INSTEAD: tuple[Any, ...] = (None, [], {}, "", "x", "1/0", -1, 0, True, [1], {"a": 1}, 1e30, Decimal("1e999999"))
NOW = datetime(2026, 11, 21, tzinfo=UTC)
LOCAL = {"LocalStorageCategory": "local_ssd_pro", "LocalStorageAmount": 1, "LocalStorageCapacity": 2}
CARDS = '[{"name": "NVIDIA V100", "count": 1, "memory_mb": 32768}]'
NAME = "ecs.sgn7i-vws-m4.2xlarge"
ANSWERS: dict[str, dict[str, Any]] = {
    "alibaba": {
        "DescribeRegions": {"Regions": {"Region": [{"RegionId": "cn-beijing"}]}},
        "DescribeInstanceTypes": {
            "InstanceTypes": {"InstanceType": [machine(NAME, "NVIDIA A10*1/6", 1, 4, 8, 30, 16_384_000, **LOCAL)]},
            "NextToken": "",
        },
        "DescribeAvailableResource": {"AvailableZones": {"AvailableZone": [{"AvailableResources": {
            "AvailableResource": [{"SupportedResources": {"SupportedResource": [{"Value": NAME}]}}],
        }}]}},
        "DescribePrice": {"PriceInfo": {"Price": {"Currency": "CNY", "DetailInfos": {"DetailInfo": [
            {"Resource": "instanceType", "OriginalPrice": Decimal("3.1177"), "TradePrice": Decimal(3)},
        ]}}}},
        "DescribeSpotPriceHistory": {"Currency": "CNY", "NextOffset": 0, "SpotPrices": {"SpotPriceType": [
            {"ZoneId": "z", "InstanceType": NAME, "Timestamp": "2026-11-20T08:00:00Z", "SpotPrice": Decimal("1.1")},
        ]}},
    },
    "tencent": {
        "DescribeRegions": {"RegionSet": [{"Region": "ap-guangzhou"}]},
        "DescribeZoneInstanceConfigInfos": {"InstanceTypeQuotaSet": [
            hourly("GN7.LARGE20", 0.25, 4, 20, 1.5, 3.39), hourly("GN7.2XLARGE32", 1, 8, 32, 3, 0, Price=None),
        ]},
        "DescribeImages": {"ImageSet": [{"ImageId": "img-1", "Platform": "Ubuntu", "Architecture": "x86_64"}]},
        "InquiryPriceRunInstances": {"Price": {"InstancePrice": {
            "UnitPrice": Decimal("8.7"), "UnitPriceDiscount": Decimal("1.7"), "ChargeUnit": "HOUR",
            "DiscountPrice": Decimal(2500),
        }}},
    },
    "huawei": {
        "projects": {"projects": [{"id": "1", "name": "cn-north-4", "domain_id": "d", "enabled": True}]},
        "flavors": {"flavors": [
            flavor("p2s.1", 8, 64, info__gpus=CARDS, quota__max_rate="1000", quota__nvme_ssd="1.6T:large:1600:True"),
            flavor("g7v.1", 8, 64, pci_passthrough__gpu_specs="a40_8q:virt:1", cond__operation__az="a(normal)"),
            flavor("p1.1", 8, 64, pci_passthrough__alias="nvidia-p100:1", cond__operation__charge="demand"),
            flavor("x.1", 8, 64, info__gpus=[{"name": "A", "count": 1, "memory_mb": 1024}]),
        ]},
        "ratings": {"currency": "CNY", "product_rating_results": [
            {"id": "p2s.1", "official_website_amount": Decimal(2), "measure_id": 1},
        ]},
        "periods": {"currency": "CNY", "official_website_rating_result": {"product_rating_results": [
            {"id": "p2s.1", "official_website_amount": Decimal(7300), "measure_id": 1},
        ]}},
    },
}  # fmt: skip


class Told:
    """All three interfaces, which answer from a table."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._answers = answers

    def ask(self, *asked: Any, **_: object) -> Any:
        return next(self._answers[each] for each in asked if isinstance(each, str) and each in self._answers)

    def get(self, path: str, **_: str) -> Any:
        return self._answers["projects" if path.endswith("projects") else "flavors"]

    def post(self, path: str, _: object) -> Any:
        return self._answers["periods" if "period" in path else "ratings"]

    def name_account(self, _: str) -> None:
        """Nothing to do: nobody checks a signature here."""


def reading(cloud: str, told: Any) -> Prices:
    if cloud == "alibaba":
        return AlibabaPrices(cast(Api, told), lambda: NOW)
    if cloud == "tencent":
        return TencentPrices(cast(Cvm, told), "CNY", lambda: NOW)
    iam = bss = ecs = cast(OpenApi, told)
    return HuaweiPrices(iam, bss, lambda _, __: ecs, "CNY", lambda: NOW)


def read_all(prices: Prices) -> int:
    """How many prices all parts tell."""
    count = len(list(prices.spot_history("cn-beijing", [NAME], NOW.replace(day=1))))
    for part in prices.parts():
        cursor, asked = None, 0
        while asked == 0 or cursor is not None:
            assert asked < 20, "these pages never end"
            page = prices.page(part, cursor)
            cursor, asked, count = page.cursor, asked + 1, count + len(page.prices)
            assert all(each.price_per_hour > 0 for each in page.prices)
    return count


def places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value within ``node``."""
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield (*at, key)
        yield from places(node[key], (*at, key))


@pytest.mark.parametrize("cloud", ANSWERS)
def test_one_spoiled_value_is_never_more_than_odd_or_a_fault(cloud: str) -> None:
    assert read_all(reading(cloud, Told(ANSWERS[cloud]))) > 0
    for way in places(ANSWERS[cloud]):
        for value in INSTEAD if len(way) > 1 else ({}, {"a": 1}):
            answers = deepcopy(ANSWERS[cloud])
            node = answers
            for step in way[:-1]:
                node = node[step]
            node[way[-1]] = value
            try:
                read_all(reading(cloud, Told(answers)))
            except CloudFault as fault:
                assert fault.kind in {"invalid", "auth"}, (way, value)
            except Exception as other:
                raise AssertionError(f"{way} = {value!r} raised {other!r}") from other

"""Orders as ECS is asked for them: checked against what Alibaba Cloud publishes of its operations."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from alibaba_ground import SCRIPT, furnished
from hypothesis import given
from hypothesis import strategies as st
from lab.alibaba_spec import check_request

from tradewind.clouds.alibaba.requests import (
    USER_DATA_BYTES,
    cloud_end,
    released_at,
    to_price_query,
    to_request,
    to_stock_query,
)
from tradewind.ports.compute import CloudFault, Disk, Order, read_order

ECS = "2014-05-26"
ORDERS = {
    "on demand": furnished(),
    "spot with a cap": furnished(purchase="spot", price_cap="3.1415"),
    "spot without one": furnished(purchase="spot"),
    "private": furnished(public_ip=False),
    "with a role, a key and data disks": furnished(
        role="trainer", disks=(Disk(200, kms_key="key-1"), Disk(500), Disk(1000, kind="cloud_auto"))
    ),
    "dedicated": furnished(dedicated=True),
    "in two groups": furnished(groups=("sg-1", "sg-2")),
}


@pytest.mark.parametrize("name", ORDERS)
def test_every_order_is_a_published_request(name: str) -> None:
    for action, query in (
        ("RunInstances", to_request(ORDERS[name])), ("DescribePrice", to_price_query(ORDERS[name])),
        ("DescribeAvailableResource", to_stock_query(ORDERS[name])),
    ):  # fmt: skip
        check_request(ECS, action, query, {})


@pytest.mark.parametrize("name", ORDERS)
def test_the_same_order_gives_the_same_bytes_also_after_it_was_stored(name: str) -> None:
    def sent(order: Order) -> str:
        return json.dumps(to_request(order))

    assert sent(ORDERS[name]) == sent(ORDERS[name]) == sent(read_order(ORDERS[name].to_json()))


def test_a_machine_is_paid_as_it_goes_carries_the_token_and_all_tags() -> None:
    order = furnished()
    query = to_request(order)
    assert (query["InstanceChargeType"], query["Amount"], query["ClientToken"]) == ("PostPaid", "1", order.token)
    told = {query[f"Tag.{number}.Key"]: query[f"Tag.{number}.Value"] for number in range(1, len(order.tags) + 1)}
    assert told == order.tags
    assert query["HttpTokens"] == "required"
    assert "SpotStrategy" not in query


def test_the_first_boot_gets_the_text_as_it_is() -> None:
    assert base64.b64decode(to_request(furnished())["UserData"]).decode() == SCRIPT
    assert "UserData" not in to_request(furnished(user_data=""))


def test_the_text_of_the_first_boot_has_a_limit_in_bytes() -> None:
    most = "中" * (USER_DATA_BYTES // 3) + "x" * (USER_DATA_BYTES % 3)
    assert len(base64.b64decode(to_request(furnished(user_data=most))["UserData"])) == USER_DATA_BYTES
    with pytest.raises(CloudFault, match="32769 bytes") as met:
        to_request(furnished(user_data=most + "x"))
    assert (met.value.kind, met.value.sent) == ("invalid", "no")


def test_a_spot_machine_has_its_cap_in_three_decimals_and_never_above_it() -> None:
    query = to_request(furnished(purchase="spot", price_cap="3.1419"))
    assert (query["SpotStrategy"], query["SpotPriceLimit"]) == ("SpotWithPriceLimit", "3.141")
    assert (query["SpotDuration"], query["SpotInterruptionBehavior"]) == ("0", "Terminate")
    free = to_request(furnished(purchase="spot"))
    assert (free["SpotStrategy"], "SpotPriceLimit" in free, free["SpotDuration"]) == ("SpotAsPriceGo", False, "0")


@pytest.mark.parametrize(
    "order",
    [furnished(purchase="spot", dedicated=True), furnished(purchase="spot", price_cap="0.0004")],
    ids=["spot on a host of its own", "a cap of nothing"],
)
def test_what_ecs_would_take_otherwise_than_meant_is_not_sent(order: Order) -> None:
    with pytest.raises(CloudFault) as met:
        to_request(order)
    assert (met.value.kind, met.value.sent) == ("invalid", "no")


def test_all_disks_are_encrypted_and_go_with_their_machine() -> None:
    query = to_request(ORDERS["with a role, a key and data disks"])
    assert [query[f"{disk}.Encrypted"] for disk in ("SystemDisk", "DataDisk.1", "DataDisk.2")] == ["true"] * 3
    assert [query[f"DataDisk.{number}.DeleteWithInstance"] for number in (1, 2)] == ["true", "true"]
    assert (query["SystemDisk.KMSKeyId"], query["SystemDisk.Size"], query["SystemDisk.Category"]) == (
        "key-1", "200", "cloud_essd",
    )  # fmt: skip
    assert (query["DataDisk.2.Category"], query["DataDisk.2.Size"], query["RamRoleName"]) == (
        "cloud_auto", "1000", "trainer",
    )  # fmt: skip


def test_only_who_may_send_outward_gets_a_public_address() -> None:
    public, private = to_request(ORDERS["on demand"]), to_request(ORDERS["private"])
    assert (public["InternetMaxBandwidthOut"], public["InternetChargeType"]) == ("100", "PayByTraffic")
    assert (private["InternetMaxBandwidthOut"], "InternetChargeType" in private) == ("0", False)


NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hard_end", "released"),
    [
        (NOON + timedelta(hours=2), "2026-11-22T14:00:00Z"),
        (NOON + timedelta(hours=2, seconds=1), "2026-11-22T14:01:00Z"),
        (NOON + timedelta(minutes=10), "2026-11-22T12:32:00Z"),  # sooner than ECS takes
        (NOON - timedelta(hours=1), "2026-11-22T12:32:00Z"),
    ],
)
def test_ecs_ends_a_machine_at_its_hard_end_or_as_soon_after_as_it_takes(hard_end: datetime, released: str) -> None:
    end = cloud_end(hard_end, NOON)
    assert (
        to_request(furnished(hard_end=hard_end.isoformat(), cloud_end=end.isoformat()))["AutoReleaseTime"] == released
    )


def test_without_another_word_the_hard_end_is_sent() -> None:
    order = replace(furnished(), hard_end="2026-11-22T20:00:30+08:00", cloud_end=None)
    assert to_request(order)["AutoReleaseTime"] == "2026-11-22T12:01:00Z"


@given(microseconds=st.integers(0, 10**14))
def test_a_release_is_at_a_full_minute_and_never_before_the_hard_end(microseconds: int) -> None:
    at = NOON + timedelta(microseconds=microseconds)
    told = released_at(at)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:00Z", told)
    assert timedelta(0) <= datetime.fromisoformat(told) - at < timedelta(minutes=1)


def test_a_price_is_asked_as_the_machine_is_bought() -> None:
    query = to_price_query(ORDERS["spot with a cap"])
    assert (query["SpotStrategy"], query["SpotDuration"], query["ZoneId"]) == ("SpotAsPriceGo", "0", "cn-beijing-l")
    assert (query["SystemDisk.Size"], query["PriceUnit"]) == ("200", "Hour")
    assert "SpotStrategy" not in to_price_query(ORDERS["on demand"])
    assert "ZoneId" not in to_price_query(replace(ORDERS["on demand"], zone=None))

"""Rows of ECS as machines and leftovers: every state, every address, every odd value."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tradewind.clouds.alibaba.instances import STATES, owner_of, to_instance, to_leftover, to_tags
from tradewind.clouds.answers import Odd
from tradewind.ports.compute import InstanceState, Leftover, Query

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
TAGS = {
    "tradewind:owner": "installation-1", "tradewind:lease": "lease-1", "tradewind:token": "token-1",
    "tradewind:price": "12.5 CNY", "tradewind:expires": "2026-11-22T20:00:00+00:00",
}  # fmt: skip
ROW: dict[str, Any] = {
    "InstanceId": "i-2ze1", "Status": "Running", "CreationTime": "2026-11-22T11:59Z", "RegionId": "cn-beijing",
    "InstanceType": "ecs.gn7i-c8g1.2xlarge", "ZoneId": "cn-beijing-l", "SpotStrategy": "SpotWithPriceLimit",
    "PublicIpAddress": {"IpAddress": ["203.0.113.9"]}, "EipAddress": {"IpAddress": "", "AllocationId": ""},
    "VpcAttributes": {"PrivateIpAddress": {"IpAddress": ["172.16.0.9"]}}, "OperationLocks": {"LockReason": []},
    "Tags": {"Tag": [{"TagKey": name, "TagValue": value} for name, value in TAGS.items()]},
}  # fmt: skip
DISK: dict[str, Any] = {"DiskId": "d-1", "Status": "Available", "InstanceId": "", "Tags": ROW["Tags"]}


def disk(query: Query, **other: Any) -> Leftover | None:
    return to_leftover("disk", "DiskId", {**DISK, **other}, query)


def test_a_machine_is_told_with_what_leasing_wrote_on_it() -> None:
    told = to_instance(ROW, NOW, private=False)
    assert (told.id, told.token, told.lease, told.owner) == ("i-2ze1", "token-1", "lease-1", "installation-1")
    assert told.tags == TAGS
    assert (told.region, told.zone, told.instance_type, told.purchase) == (
        "cn-beijing", "cn-beijing-l", "ecs.gn7i-c8g1.2xlarge", "spot",
    )  # fmt: skip
    assert (told.launched_at, told.address) == (NOW - timedelta(minutes=1), "203.0.113.9")
    assert (told.why, told.reclaim_at, told.words) == (None, None, None)


def test_every_published_status_is_a_state() -> None:
    published = {"Pending", "Starting", "Running", "Stopping", "Stopped"}  # ECS, DescribeInstances, Status
    assert set(STATES) == published
    told = {word: to_instance({**ROW, "Status": word}, NOW, private=False).state for word in published}
    assert told == {
        "Pending": InstanceState.PENDING, "Starting": InstanceState.PENDING, "Running": InstanceState.RUNNING,
        "Stopping": InstanceState.STOPPING, "Stopped": InstanceState.STOPPED,
    }  # fmt: skip


def test_another_status_is_odd_and_no_guess() -> None:
    with pytest.raises(Odd, match="Hibernating"):
        to_instance({**ROW, "Status": "Hibernating"}, NOW, private=False)


@pytest.mark.parametrize(
    ("strategy", "purchase"), [("NoSpot", "on_demand"), ("SpotAsPriceGo", "spot"), (None, "on_demand")]
)
def test_how_it_is_bought_is_told_by_its_strategy(strategy: str | None, purchase: str) -> None:
    assert to_instance({**ROW, "SpotStrategy": strategy}, NOW, private=False).purchase == purchase


def test_a_machine_that_is_being_taken_says_so_with_until_when() -> None:
    locked = {**ROW, "OperationLocks": {"LockReason": [{"LockReason": "Recycling"}]}}
    told = to_instance(locked, NOW, private=False)
    assert (told.why, told.reclaim_at, told.words) == ("reclaimed", NOW + timedelta(minutes=5), "locked: Recycling")
    owing = to_instance({**ROW, "OperationLocks": {"LockReason": [{"LockReason": "financial"}]}}, NOW, private=False)
    assert (owing.why, owing.reclaim_at, owing.words) == (None, None, "locked: financial")


@pytest.mark.parametrize(
    ("addresses", "private", "expected"),
    [
        ({}, False, "203.0.113.9"),
        ({"EipAddress": {"IpAddress": "198.51.100.1"}}, False, "198.51.100.1"),
        ({"PublicIpAddress": {"IpAddress": []}}, False, ""),
        ({"PublicIpAddress": {"IpAddress": []}}, True, "172.16.0.9"),
        ({"PublicIpAddress": {"IpAddress": []}, "VpcAttributes": {"PrivateIpAddress": {"IpAddress": []}}}, True, ""),
    ],
)
def test_it_is_reached_by_its_public_address_or_else_by_its_own(
    addresses: dict[str, Any], private: bool, expected: str
) -> None:
    assert to_instance({**ROW, **addresses}, NOW, private=private).address == expected


def test_only_what_carries_all_three_tags_is_ours() -> None:
    assert owner_of(TAGS) == "installation-1"
    for name in ("owner", "lease", "token"):
        assert not owner_of({key: value for key, value in TAGS.items() if key != f"tradewind:{name}"})


def test_tags_are_read_in_both_spellings() -> None:
    assert to_tags({"Tags": {"Tag": [{"Key": "a", "Value": "b: c+d"}]}}) == {"a": "b: c+d"}
    assert to_tags({"Tags": {"Tag": [{"TagKey": "a", "TagValue": ""}]}}) == {"a": ""}
    assert to_tags({}) == to_tags({"Tags": None}) == {}


@pytest.mark.parametrize("name", [*ROW, "CreationTime without a zone"])
@pytest.mark.parametrize("value", [None, 7, "x", [], {"x": 1}, {"Tag": [1]}, {"IpAddress": 5}], ids=repr)
def test_whatever_one_value_is_the_row_is_read_or_odd(name: str, value: Any) -> None:
    row = deepcopy(ROW)
    row[name] = "2026-11-22T11:59" if "zone" in name else value
    try:
        to_instance(row, NOW, private=True)
    except Odd as odd:
        assert str(odd)


def test_a_disk_that_nobody_has_is_left() -> None:
    assert disk(Query(owner="installation-1")) == Leftover("disk", "d-1", "lease-1")
    assert disk(Query(owner="installation-1"), Status="In_use", InstanceId="i-2ze1") is None
    assert disk(Query(owner="installation-1"), Tags={"Tag": []}) is None


def test_the_disk_of_a_machine_that_is_going_is_left_until_it_goes_too() -> None:
    query = Query(owner="installation-1", lease="lease-1", ids=("i-2ze1",))
    assert disk(query, Status="In_use", InstanceId="i-2ze1") == Leftover("disk", "d-1", "lease-1")
    assert disk(query, Status="In_use", InstanceId="i-2ze2") is None


def test_a_leftover_that_is_asked_for_by_its_id_is_told_alone() -> None:
    assert disk(Query(lease="lease-1", ids=("d-1",))) is not None
    assert disk(Query(lease="lease-1", ids=("d-2",))) is None
    assert disk(Query(lease="lease-1", ids=("",))) is not None


def test_what_belongs_to_a_network_is_not_a_machines() -> None:
    tags = {"Tag": [*ROW["Tags"]["Tag"], {"TagKey": "tradewind:network", "TagValue": "private"}]}
    assert disk(Query(owner="installation-1"), Tags=tags) is None

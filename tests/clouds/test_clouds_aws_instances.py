"""What EC2 tells of machines, read: every state that its model has, and why a machine is going or gone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from lab.aws_model import model

from tradewind.clouds.answers import Odd
from tradewind.clouds.aws.instances import STATES, to_instance
from tradewind.ports.compute import Instance, InstanceState

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
ZONES = {"us-east-1a": "use1-az4"}


def told(state: str = "running", **other: Any) -> dict[str, Any]:
    """A machine of ours as DescribeInstances tells of it."""
    return {
        "InstanceId": "i-0abc", "State": {"Code": 16, "Name": state}, "LaunchTime": NOW, "InstanceType": "g5.xlarge",
        "PrivateIpAddress": "10.0.0.5", "PublicIpAddress": "198.51.100.9",
        "Placement": {"AvailabilityZone": "us-east-1a", "AvailabilityZoneId": "use1-az6"},
        "Tags": [
            {"Key": "tradewind:owner", "Value": "o"}, {"Key": "tradewind:lease", "Value": "l"},
            {"Key": "tradewind:token", "Value": "t"}, {"Key": "tradewind:price", "Value": "12.5 USD"},
        ],
        **other,
    }  # fmt: skip


def read(state: str = "running", *, private: bool = False, **other: Any) -> Instance:
    return to_instance(told(state, **other), "us-east-1", ZONES, private=private)


def test_every_state_that_ec2_s_model_has_is_known() -> None:
    words = model("ec2").shape_for("InstanceStateName").enum
    assert set(words) == set(STATES)
    assert {word: read(word).state for word in words} == STATES


def test_a_state_that_nobody_knows_is_odd() -> None:
    with pytest.raises(Odd, match="hibernating"):
        read("hibernating")


def test_a_machine_is_read_whole() -> None:
    seen = read(InstanceLifecycle="spot")
    assert (seen.id, seen.owner, seen.lease, seen.token) == ("i-0abc", "o", "l", "t")
    assert (seen.address, seen.zone, seen.region, seen.purchase) == ("198.51.100.9", "use1-az6", "us-east-1", "spot")
    assert (seen.launched_at, seen.why, seen.ended_at, seen.words) == (NOW, None, None, None)
    assert seen.tags["tradewind:price"] == "12.5 USD"
    assert read().purchase == "on_demand"


def test_an_answer_without_zone_ids_is_read_by_the_account_s_names() -> None:
    assert read(Placement={"AvailabilityZone": "us-east-1a"}).zone == "use1-az4"


def test_the_private_address_is_used_only_where_it_is_meant() -> None:
    assert read(private=True).address == "198.51.100.9"
    assert read(PublicIpAddress=None, private=True).address == "10.0.0.5"
    assert read(PublicIpAddress=None).address == ""


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("Server.SpotInstanceTermination", "reclaimed"),
        ("Server.SpotInstanceShutdown", "reclaimed"),
        ("Client.UserInitiatedShutdown", "ours"),
        ("Client.InstanceInitiatedShutdown", "ours"),
        ("Server.InsufficientInstanceCapacity", "capacity"),
        ("Client.VolumeLimitExceeded", "quota"),
        ("Client.InternalError", "kms"),
        ("Server.InternalError", "host"),
        ("Server.SomethingNew", "unknown"),
    ],
)
def test_the_reason_says_why_it_is_gone(code: str, why: str) -> None:
    seen = read(
        "terminated",
        StateReason={"Code": code, "Message": f"{code}: for a test"},
        StateTransitionReason="User initiated (2026-11-21 08:22:05 GMT)",
    )
    assert (seen.state, seen.why, seen.words) == (InstanceState.GONE, why, f"{code}: for a test")
    assert seen.ended_at == datetime(2026, 11, 21, 8, 22, 5, tzinfo=UTC)


def test_an_end_that_is_not_told_is_not_known() -> None:
    assert read("terminated", StateTransitionReason="Server.SpotInstanceTermination").ended_at is None
    assert read("terminated").why == "unknown"


@pytest.mark.parametrize("missing", ["InstanceId", "State", "LaunchTime"])
def test_a_machine_of_another_shape_is_odd(missing: str) -> None:
    row = told()
    del row[missing]
    with pytest.raises(Odd):
        to_instance(row, "us-east-1", ZONES, private=False)


def test_a_machine_without_our_tags_is_nobody_s() -> None:
    seen = read(Tags=[{"Key": "Name", "Value": "somebody's"}])
    assert (seen.owner, seen.lease, seen.token) == ("", "", "")

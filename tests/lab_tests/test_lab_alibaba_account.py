"""The Alibaba Cloud of the lab: who asks, what they may, what they are told of the cloud; requests by the book."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest
from lab.alibaba import AlibabaCloud, rights
from lab.alibaba_account import PLAYED
from lab.alibaba_asking import REGION, TYPE, ZONE, Asking
from lab.alibaba_spec import check_answer, check_request, described, nested
from lab.control import Control
from lab.machines import NoHypervisor
from lab.stub import Objection

ECS = "2014-05-26"
ORDER = {"RegionId": REGION, "InstanceType": TYPE}


@pytest.fixture
def control() -> Control:
    return Control()


@pytest.fixture
def ask(control: Control) -> Iterator[Asking]:
    with AlibabaCloud(NoHypervisor(), control) as cloud:
        yield Asking(cloud)


def test_every_operation_that_is_described_is_played_and_no_other() -> None:
    assert set(PLAYED) == {f"{service}:{name}" for (_, name), (service, _) in described().items()}


@pytest.mark.parametrize(
    ("operation", "asked", "words"),
    [
        ("RunInstances", {"Bogus": "1"}, "no parameter Bogus"),
        ("RunInstances", {"Tag.1.Name": "a"}, "no parameter Tag.1.Name"),
        ("RunInstances", {"SystemDisk.Colour": "red"}, "no parameter SystemDisk.Colour"),
        ("RunInstances", {"SystemDisk": "{}"}, "no parameter SystemDisk"),
        ("RunInstances", {"SecurityGroupIds": "sg-1"}, "no parameter SecurityGroupIds"),
        ("RunInstances", {"Amount": "one"}, "no Integer"), ("RunInstances", {"DryRun": "True"}, "no Boolean"),
        ("RunInstances", {"SpotPriceLimit": "1,5"}, "no Float"),
        ("RunInstances", {"DataDisk.1.Size": "big"}, "no Integer"),
        ("DeleteInstances", {"Force": "true"}, "misses InstanceId"),
        ("TagResources", {"ResourceType": "disk", "ResourceId.1": "d", "Tag.1.Key": "k"}, "Tag.1 misses Value"),
    ],
)  # fmt: skip
def test_a_request_that_is_not_described_is_objected_to(operation: str, asked: dict[str, str], words: str) -> None:
    with pytest.raises(Objection, match=words):
        check_request(ECS, operation, {"RegionId": REGION, **asked}, {})


def test_what_is_described_only_as_a_struct_is_known_by_the_sdk() -> None:
    disk = {"SystemDisk.Category": "cloud_essd", "SystemDisk.Encrypted": "true", "SystemDisk.KMSKeyId": "key-1"}
    check_request(ECS, "RunInstances", {**ORDER, **disk, "SecurityGroupIds.1": "sg-1", "DataDisk.1.Size": "40"}, {})
    assert nested({"Tag.1.Key": "a", "Tag.2.Key": "b", **disk})["Tag"] == [{"Key": "a"}, {"Key": "b"}]
    with pytest.raises(Objection, match="without gaps"):
        nested({"Tag.1.Key": "a", "Tag.3.Key": "b"})


def test_what_has_its_place_in_the_body_is_not_taken_from_the_query() -> None:
    check_request("2020-05-10", "ListProductQuotas", {}, {"ProductCode": "ecs", "Dimensions.1.Key": "regionId"})
    with pytest.raises(Objection, match="in the query"):
        check_request("2020-05-10", "ListProductQuotas", {"ProductCode": "ecs"}, {})


@pytest.mark.parametrize(
    "machine", [{"Cpu": "8"}, {"Cpu": True}, {"Colour": "red"}, {"InstanceId": 7}, {"Tags": {"Tag": [{"Key": "a"}]}}]
)
def test_an_answer_that_the_sdk_would_not_read_back_is_noticed(machine: dict[str, object]) -> None:
    with pytest.raises(AssertionError):
        check_answer("ecs", "DescribeInstances", {"Instances": {"Instance": [machine]}})


def test_a_request_that_was_objected_to_fails_the_test_that_sent_it() -> None:
    with pytest.raises(AssertionError, match="no parameter Colour"), AlibabaCloud(NoHypervisor(), Control()) as cloud:
        assert Asking(cloud).no("ecs:DescribeInstances", Colour="red") == "InvalidParameter"


def test_what_the_cloud_has_and_the_lab_overlooks_is_objected_to_too() -> None:
    with (
        pytest.raises(AssertionError, match="does not heed HpcClusterId"),
        AlibabaCloud(NoHypervisor(), Control()) as cloud,
    ):
        Asking(cloud).no("ecs:DescribeInstances", HpcClusterId="hpc-1")


def test_nobody_asks_without_the_right_secret(ask: Asking) -> None:
    assert ask("sts:GetCallerIdentity")["IdentityType"] == "RAMUser"
    assert replace(ask, secret="another").no("sts:GetCallerIdentity") == "SignatureDoesNotMatch"
    assert replace(ask, key_id="AKIDnobody").no("sts:GetCallerIdentity") == "InvalidAccessKeyId.NotFound"


def test_a_security_token_is_known_and_has_an_end(ask: Asking) -> None:
    assert replace(ask, security_token="what").no("sts:GetCallerIdentity") == "InvalidSecurityToken.Malformed"
    ask.cloud.dialect.tokens |= {"over": datetime.now(UTC) - timedelta(1), "good": datetime.now(UTC) + timedelta(1)}
    assert replace(ask, security_token="over").no("sts:GetCallerIdentity") == "InvalidSecurityToken.Expired"
    assert "AccountId" in replace(ask, security_token="good")("sts:GetCallerIdentity")


def test_a_request_that_is_sent_a_second_time_is_refused(ask: Asking) -> None:
    ask("ecs:DescribeRegions")
    [heard] = ask.cloud.engine.stub.log
    again = urllib.request.Request(ask.cloud.endpoints["ecs"] + heard.target, b"", heard.headers, method=heard.method)
    with pytest.raises(urllib.error.HTTPError) as refused, urllib.request.urlopen(again):
        pass
    with refused.value as answer:
        assert json.loads(answer.read())["Code"] == "SignatureNonceUsed"


def test_a_clock_that_is_off_is_refused_and_the_date_says_by_how_much(ask: Asking, control: Control) -> None:
    control.set("alibaba", clock_skew_s=1200)
    assert ask.no("ecs:DescribeRegions") == "InvalidTimeStamp.Expired"
    with pytest.raises(urllib.error.HTTPError) as refused, urllib.request.urlopen(ask.cloud.endpoints["ecs"]):
        pass
    with refused.value as answer:
        ahead = parsedate_to_datetime(answer.headers["Date"]) - datetime.now(UTC)
    assert timedelta(seconds=1190) < ahead < timedelta(seconds=1210)


def test_a_policy_lets_end_only_what_carries_the_tag(ask: Asking) -> None:
    ours = ask.launch("t-1")
    other = ask.launch("t-2", Tag__1__Value="somebody else")
    owner = {"StringEquals": {"acs:ResourceTag/tradewind:owner": ["o-1"]}}
    made = {"StringEquals": {"acs:RequestTag/tradewind:owner": ["o-1"]}}
    ask.cloud.account.policy = {"Version": "1", "Statement": [
        {"Effect": "Allow", "Action": ["ecs:Describe*", "vpc:Describe*"], "Resource": "*"},
        {"Effect": "Allow", "Action": "ecs:RunInstances", "Resource": "*", "Condition": made},
        {"Effect": "Allow", "Action": ["ecs:DeleteInstances"], "Resource": "*", "Condition": owner},
    ]}  # fmt: skip
    assert ask.no("ecs:DeleteInstances", InstanceId__1=ours, InstanceId__2=other, Force="true") == "Forbidden.RAM"
    assert ask.no("ecs:StopInstance", InstanceId=ours) == "Forbidden.RAM"
    ask.end(ours)
    assert list(ask.machines()) == [other]
    assert ask.no("ecs:RunInstances", **ask.order("t-3", Tag__1__Value="nobody")) == "Forbidden.RAM"
    assert ask.no("ecs:RunInstances", **ask.order("t-3", RamRoleName="node")) == "Forbidden.RAM"
    ask.launch("t-3")
    ask.cloud.account.policy["Statement"].append({"Effect": "Deny", "Action": "*", "Resource": "*"})
    assert ask.no("ecs:DescribeRegions") == "Forbidden.RAM"
    assert rights(ask.cloud.asked("ecs:DeleteInstances", "ecs:StopInstance")) == {
        "ecs:DeleteInstances",
        "ecs:StopInstance",
    }


def test_stock_is_told_by_zone(ask: Asking) -> None:
    ask.cloud.account.market.stock[ZONE, TYPE] = 0
    told = ask("ecs:DescribeAvailableResource", DestinationResource="InstanceType", InstanceType=TYPE)
    seen = {
        zone["ZoneId"]: each["StatusCategory"]
        for zone in told["AvailableZones"]["AvailableZone"]
        for each in zone["AvailableResources"]["AvailableResource"][0]["SupportedResources"]["SupportedResource"]
    }
    assert seen == {"cn-beijing-k": "WithStock", "cn-beijing-l": "WithoutStock"}
    assert {each["ZoneId"] for each in ask("ecs:DescribeZones")["Zones"]["Zone"]} >= set(seen)
    assert REGION in {each["RegionId"] for each in ask("ecs:DescribeRegions")["Regions"]["Region"]}
    [gn7i] = ask("ecs:DescribeInstanceTypes", InstanceTypes__1=TYPE)["InstanceTypes"]["InstanceType"]
    assert (gn7i["GPUSpec"], gn7i["GPUAmount"], gn7i["CpuCoreCount"]) == ("NVIDIA A10", 1, 8)


def test_images_are_found_by_their_family_and_their_name(ask: Asking) -> None:
    newest = ask("ecs:DescribeImageFromFamily", ImageFamily="acs:ubuntu_22_04_x64")["Image"]
    assert newest["ImageId"].endswith("20261010.vhd")
    assert "Image" not in ask("ecs:DescribeImageFromFamily", ImageFamily="acs:none")
    drivers = ask("ecs:DescribeImages", ImageOwnerAlias="system", ImageName="*nvidia*")["Images"]["Image"]
    assert len(drivers) == 2
    assert all(each["IsSupportCloudinit"] and "ubuntu_22_04" in each["ImageName"] for each in drivers)


def test_an_account_tells_its_quotas_and_what_it_uses_of_them(ask: Asking) -> None:
    ask.cloud.account.market.quota[REGION, True] = 16
    ask.launch("t-1", SpotStrategy="SpotAsPriceGo")
    names = {"AttributeName__1": "max-spot-instance-vcpu-count", "AttributeName__2": "used-spot-instance-vcpu-count"}
    told = ask("ecs:DescribeAccountAttributes", **names)["AccountAttributeItems"]["AccountAttributeItem"]
    assert [each["AttributeValues"]["ValueItem"][0]["Value"] for each in told] == ["16", "8"]
    quotas = ask(
        "quotas:ListProductQuotas", ProductCode="ecs", Dimensions__1__Key="regionId", Dimensions__1__Value=REGION
    )
    assert [each["TotalQuota"] for each in quotas["Quotas"]] == [1000, 16]

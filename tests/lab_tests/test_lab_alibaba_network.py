"""Networks of the Alibaba Cloud of the lab: what lies in what, what takes a while, and the order in which it goes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from lab.alibaba import AlibabaCloud
from lab.alibaba_asking import ZONE, Asking
from lab.control import Control
from lab.machines import NoHypervisor

OWNER = {"Tag__1__Key": "tradewind:owner", "Tag__1__Value": "o-1"}
SSH = {"IpProtocol": "tcp", "PortRange": "22/22"}


@pytest.fixture
def ask() -> Iterator[Asking]:
    with AlibabaCloud(NoHypervisor(), Control()) as cloud:
        yield Asking(cloud)


def rules(ask: Asking, group: str) -> list[tuple[str, str, str]]:
    told = ask("ecs:DescribeSecurityGroupAttribute", SecurityGroupId=group, Direction="ingress")
    return [(each["IpProtocol"], each["PortRange"], each["SourceCidrIp"]) for each in told["Permissions"]["Permission"]]


def private(ask: Asking) -> dict[str, str]:
    """A network with a way out and none in: its parts."""
    vpc = ask("vpc:CreateVpc", CidrBlock="10.20.0.0/16", **OWNER)["VpcId"]
    vswitch = ask("vpc:CreateVSwitch", VpcId=vpc, ZoneId=ZONE, CidrBlock="10.20.1.0/24", **OWNER)["VSwitchId"]
    nat = ask("vpc:CreateNatGateway", VpcId=vpc, VSwitchId=vswitch, NatType="Enhanced", **OWNER)
    eip = ask("vpc:AllocateEipAddress", InternetChargeType="PayByTraffic", Bandwidth="100", **OWNER)
    ask("vpc:AssociateEipAddress", AllocationId=eip["AllocationId"], InstanceId=nat["NatGatewayId"], InstanceType="Nat")
    table = nat["SnatTableIds"]["SnatTableId"][0]
    snat = ask("vpc:CreateSnatEntry", SnatTableId=table, SourceVSwitchId=vswitch, SnatIp=eip["EipAddress"])
    return {
        "vpc": vpc, "vsw": vswitch, "nat": nat["NatGatewayId"], "table": table, "eip": eip["AllocationId"],
        "snat": snat["SnatEntryId"],
    }  # fmt: skip


def test_a_private_network_is_found_by_its_tags_with_all_its_parts(ask: Asking) -> None:
    made = private(ask)
    [vpc] = ask("vpc:DescribeVpcs", **OWNER)["Vpcs"]["Vpc"]
    [nat] = ask("vpc:DescribeNatGateways", **OWNER)["NatGateways"]["NatGateway"]
    [eip] = ask("vpc:DescribeEipAddresses", **OWNER)["EipAddresses"]["EipAddress"]
    [snat] = ask("vpc:DescribeSnatTableEntries", NatGatewayId=made["nat"])["SnatTableEntries"]["SnatTableEntry"]
    assert (vpc["VpcId"], vpc["VSwitchIds"]["VSwitchId"], vpc["IsDefault"]) == (made["vpc"], [made["vsw"]], False)
    assert nat["IpLists"]["IpList"] == [{"AllocationId": made["eip"], "IpAddress": eip["IpAddress"]}]
    assert (eip["Status"], eip["InstanceId"], snat["SnatIp"]) == ("InUse", made["nat"], eip["IpAddress"])
    assert vpc["Tags"]["Tag"] == [{"Key": "tradewind:owner", "Value": "o-1"}]
    assert ask("vpc:DescribeVSwitches", Tag__1__Key="tradewind:owner", Tag__1__Value="other")["TotalCount"] == 0


def test_a_network_goes_only_in_the_order_of_what_hangs_on_what(ask: Asking) -> None:
    made = private(ask)
    group = ask("ecs:CreateSecurityGroup", VpcId=made["vpc"], **OWNER)["SecurityGroupId"]
    for operation, asked in (
        ("DeleteVpc", {"VpcId": made["vpc"]}), ("DeleteVSwitch", {"VSwitchId": made["vsw"]}),
        ("DeleteNatGateway", {"NatGatewayId": made["nat"]}),
    ):  # fmt: skip
        assert ask.no(f"vpc:{operation}", **asked) == "DependencyViolation"
    assert ask.no("vpc:ReleaseEipAddress", AllocationId=made["eip"]) == "IncorrectEipStatus"
    ask("vpc:DeleteSnatEntry", SnatTableId=made["table"], SnatEntryId=made["snat"])
    ask("vpc:UnassociateEipAddress", AllocationId=made["eip"], InstanceId=made["nat"], InstanceType="Nat")
    ask("vpc:DeleteNatGateway", NatGatewayId=made["nat"])
    ask("vpc:ReleaseEipAddress", AllocationId=made["eip"])
    ask("vpc:DeleteVSwitch", VSwitchId=made["vsw"])
    assert ask.no("vpc:DeleteVpc", VpcId=made["vpc"]) == "DependencyViolation"
    ask("ecs:DeleteSecurityGroup", SecurityGroupId=group)
    ask("vpc:DeleteVpc", VpcId=made["vpc"])
    assert ask("vpc:DescribeVpcs", **OWNER)["Vpcs"]["Vpc"] == []
    assert ask.no("vpc:DeleteVpc", VpcId=made["vpc"]) == "InvalidVpcId.NotFound"


def test_a_gateway_goes_by_force_and_sets_its_address_free(ask: Asking) -> None:
    made = private(ask)
    ask("vpc:DeleteNatGateway", NatGatewayId=made["nat"], Force="true")
    [eip] = ask("vpc:DescribeEipAddresses", **OWNER)["EipAddresses"]["EipAddress"]
    assert (eip["Status"], eip["InstanceId"]) == ("Available", "")


def test_what_is_made_is_not_ready_at_once(ask: Asking) -> None:
    now = datetime.now(UTC)
    control = Control()
    with AlibabaCloud(NoHypervisor(), control, clock=lambda: now) as cloud:
        asking = Asking(cloud)
        control.set("alibaba", state_delay_s=30)
        vpc = asking("vpc:CreateVpc", CidrBlock="10.20.0.0/16", **OWNER)["VpcId"]
        switch = {"VpcId": vpc, "ZoneId": ZONE, "CidrBlock": "10.20.1.0/24"}
        assert asking.no("vpc:CreateVSwitch", **switch) == "IncorrectVpcStatus"
        assert asking("vpc:DescribeVpcs", VpcId=vpc)["Vpcs"]["Vpc"][0]["Status"] == "Pending"
        now += timedelta(seconds=30)
        vswitch = asking("vpc:CreateVSwitch", **switch)["VSwitchId"]
        now += timedelta(seconds=30)
        nat = asking("vpc:CreateNatGateway", VpcId=vpc, VSwitchId=vswitch, NatType="Enhanced", **OWNER)["NatGatewayId"]
        now += timedelta(seconds=30)
        asking("vpc:DeleteNatGateway", NatGatewayId=nat)
        assert asking("vpc:DescribeNatGateways", **OWNER)["NatGateways"]["NatGateway"][0]["Status"] == "Deleting"
        assert asking.no("vpc:DeleteVSwitch", VSwitchId=vswitch) == "DependencyViolation"
        now += timedelta(seconds=30)
        asking("vpc:DeleteVSwitch", VSwitchId=vswitch)


def test_switches_lie_within_their_network_and_beside_each_other(ask: Asking) -> None:
    vpc = ask("vpc:CreateVpc", CidrBlock="10.20.0.0/16")["VpcId"]
    ask("vpc:CreateVSwitch", VpcId=vpc, ZoneId=ZONE, CidrBlock="10.20.0.0/20")
    for block, code in (
        ("10.20.8.0/24", "InvalidCidrBlock.Overlapped"),
        ("10.21.0.0/24", "InvalidCidrBlock.Malformed"),
    ):
        assert ask.no("vpc:CreateVSwitch", VpcId=vpc, ZoneId=ZONE, CidrBlock=block) == code
    assert (
        ask.no("vpc:CreateVSwitch", VpcId=vpc, ZoneId="cn-none", CidrBlock="10.20.16.0/20") == "InvalidZoneId.NotFound"
    )


def test_a_group_lets_in_whom_its_rules_name_and_a_rule_is_made_once(ask: Asking) -> None:
    group = ask("ecs:CreateSecurityGroup", VpcId=ask.vpc(), **OWNER)["SecurityGroupId"]
    assert rules(ask, group) == []
    for _ in range(2):
        ask("ecs:AuthorizeSecurityGroup", SecurityGroupId=group, SourceCidrIp="203.0.113.7/32", **SSH)
    more = {f"Permissions__1__{key}": value for key, value in {**SSH, "SourceCidrIp": "198.51.100.0/24"}.items()}
    ask("ecs:AuthorizeSecurityGroup", SecurityGroupId=group, **more)
    assert rules(ask, group) == [("TCP", "22/22", "203.0.113.7/32"), ("TCP", "22/22", "198.51.100.0/24")]
    told = ask("ecs:DescribeSecurityGroupAttribute", SecurityGroupId=group)["Permissions"]["Permission"]
    ask("ecs:RevokeSecurityGroup", SecurityGroupId=group, SecurityGroupRuleId__1=told[0]["SecurityGroupRuleId"])
    ask("ecs:RevokeSecurityGroup", SecurityGroupId=group, **more)
    assert rules(ask, group) == []
    [found] = ask("ecs:DescribeSecurityGroups", **OWNER)["SecurityGroups"]["SecurityGroup"]
    assert found["SecurityGroupId"] == group


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"SourceCidrIp": "203.0.113.7/24"}, "InvalidSourceCidrIp.Malformed"), ({}, "MissingParameter.Source"),
        ({"SourceCidrIp": "203.0.113.7/32", "PortRange": "22"}, "InvalidPortRange.Malformed"),
        ({"SourceCidrIp": "203.0.113.7/32", "IpProtocol": "smtp"}, "InvalidIpProtocol.ValueNotSupported"),
    ],
)  # fmt: skip
def test_a_rule_that_means_nothing_is_refused(ask: Asking, rule: dict[str, str], code: str) -> None:
    group = ask("ecs:CreateSecurityGroup", VpcId=ask.vpc())["SecurityGroupId"]
    assert ask.no("ecs:AuthorizeSecurityGroup", SecurityGroupId=group, **{**SSH, **rule}) == code


def test_a_group_with_a_machine_in_it_stays(ask: Asking) -> None:
    id_ = ask.launch("t-1")
    [group] = ask.machines()[id_]["SecurityGroupIds"]["SecurityGroupId"]
    assert ask.no("ecs:DeleteSecurityGroup", SecurityGroupId=group) == "DependencyViolation"
    ask.end(id_)
    ask("ecs:DeleteSecurityGroup", SecurityGroupId=group)


def test_things_are_tagged_after_they_are_made(ask: Asking) -> None:
    id_, vpc = ask.launch("t-1"), ask.vpc()
    tag = {"Tag__1__Key": "tradewind:lease", "Tag__1__Value": "l-1"}
    ask("ecs:TagResources", ResourceType="instance", ResourceId__1=id_, **tag)
    ask("vpc:TagResources", ResourceType="VPC", ResourceId__1=vpc, **tag)
    assert list(ask.machines(**tag)) == [id_]
    assert ask("vpc:DescribeVpcs", **tag)["TotalCount"] == 1
    assert (
        ask.no("ecs:TagResources", ResourceType="disk", ResourceId__1="d-none", **tag) == "InvalidResourceId.NotFound"
    )

"""The least rights that renting needs, as a RAM policy: what is made carries our tag, only what carries it is changed.

Sources: RAM's "policy structure and syntax", and the action tables of ECS and VPC in its authorisation reference (read
2026-11).
"""

from __future__ import annotations

from typing import Any

from tradewind.clouds.alibaba.instances import MARK

# Reading takes no condition: lists are asked by tag, and what they are of is often the cloud's own.
LOOKS = frozenset({
    "ecs:DescribeAccountAttributes", "ecs:DescribeAvailableResource", "ecs:DescribeDisks",
    "ecs:DescribeImageFromFamily", "ecs:DescribeImages", "ecs:DescribeInstances", "ecs:DescribeInstanceTypes",
    "ecs:DescribeNetworkInterfaces", "ecs:DescribePrice", "ecs:DescribeRegions",
    "ecs:DescribeSecurityGroupAttribute", "ecs:DescribeSecurityGroups", "ecs:DescribeSpotPriceHistory",
    "ecs:DescribeZones", "sts:GetCallerIdentity", "vpc:DescribeEipAddresses", "vpc:DescribeNatGateways",
    "vpc:DescribeSnatTableEntries", "vpc:DescribeVpcs", "vpc:DescribeVSwitches",
})  # fmt: skip
# What these make carries our tags from its first moment.
MAKES = frozenset({
    "ecs:CreateSecurityGroup", "ecs:RunInstances", "vpc:AllocateEipAddress", "vpc:CreateNatGateway", "vpc:CreateVpc",
    "vpc:CreateVSwitch",
})  # fmt: skip
# What these are done to carries them.
CHANGES = frozenset({
    "ecs:AuthorizeSecurityGroup", "ecs:DeleteDisk", "ecs:DeleteInstances", "ecs:DeleteNetworkInterface",
    "ecs:DeleteSecurityGroup", "ecs:GetInstanceConsoleOutput", "ecs:ModifyInstanceAutoReleaseTime",
    "ecs:ModifyInstanceSpec", "ecs:RevokeSecurityGroup", "ecs:StartInstance", "ecs:StopInstance",
    "vpc:AssociateEipAddress", "vpc:DeleteNatGateway", "vpc:DeleteVpc", "vpc:DeleteVSwitch", "vpc:ReleaseEipAddress",
})  # fmt: skip
UNTAGGED = frozenset({"vpc:CreateSnatEntry"})  # done to a gateway's table, which cannot carry a tag
ACTIONS = LOOKS | MAKES | CHANGES | UNTAGGED


def document(owner: str, role: str | None = None) -> dict[str, Any]:
    """The policy for one installation; ``role``: what its machines get."""
    statements = [
        _allow(LOOKS),
        _allow(MAKES, {f"acs:RequestTag/{MARK}owner": [owner]}),
        _allow(CHANGES, {f"acs:ResourceTag/{MARK}owner": [owner]}),
        _allow(UNTAGGED),
    ]
    if role is not None:
        handed = _allow(frozenset({"ram:PassRole"}), {"acs:Service": ["ecs.aliyuncs.com"]})
        statements.append({**handed, "Resource": f"acs:ram:*:*:role/{role}"})
    return {"Version": "1", "Statement": statements}


def _allow(actions: frozenset[str], condition: dict[str, list[str]] | None = None) -> dict[str, Any]:
    only = {"Condition": {"StringEquals": condition}} if condition else {}
    return {"Effect": "Allow", "Action": sorted(actions), "Resource": "*", **only}

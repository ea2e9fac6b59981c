"""The least rights that renting needs, as an IAM policy: what is made carries our tag, only what carries it is changed.

Sources: Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2" (read 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tradewind.clouds.aws import tags

# Reading takes no resource.
LOOKS = frozenset({
    "ec2:DescribeAddresses", "ec2:DescribeAvailabilityZones", "ec2:DescribeImages", "ec2:DescribeInstances",
    "ec2:DescribeInstanceTypeOfferings", "ec2:DescribeInstanceTypes", "ec2:DescribeInternetGateways",
    "ec2:DescribeNatGateways", "ec2:DescribeNetworkInterfaces", "ec2:DescribeRegions", "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups", "ec2:DescribeSpotInstanceRequests", "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets", "ec2:DescribeVolumes", "ec2:DescribeVpcs", "pricing:GetProducts",
    "servicequotas:GetServiceQuota", "ssm:GetParameter", "sts:GetCallerIdentity",
})  # fmt: skip
# What each of these makes, all of it with our tags from the first moment.
MAKES: Mapping[str, tuple[str, ...]] = {
    "ec2:RunInstances": ("instance", "volume", "network-interface", "spot-instances-request"),
    "ec2:CreateSecurityGroup": ("security-group",),
    "ec2:CreateVpc": ("vpc",),
    "ec2:CreateSubnet": ("subnet",),
    "ec2:CreateInternetGateway": ("internet-gateway",),
    "ec2:CreateRouteTable": ("route-table",),
    "ec2:CreateNatGateway": ("natgateway",),
    "ec2:AllocateAddress": ("elastic-ip",),
}
# What these use may be the account's own: it is neither changed nor ended.
USES: Mapping[str, tuple[str, ...]] = {
    "ec2:RunInstances": ("image", "subnet", "security-group"), "ec2:CreateSecurityGroup": ("vpc",),
}  # fmt: skip
# What these are done to is ours.
CHANGES = frozenset({
    "ec2:AssociateRouteTable", "ec2:AttachInternetGateway", "ec2:AuthorizeSecurityGroupIngress",
    "ec2:CancelSpotInstanceRequests", "ec2:CreateNatGateway", "ec2:CreateRoute", "ec2:CreateRouteTable",
    "ec2:CreateSubnet", "ec2:DeleteInternetGateway", "ec2:DeleteNatGateway", "ec2:DeleteNetworkInterface",
    "ec2:DeleteRouteTable", "ec2:DeleteSecurityGroup", "ec2:DeleteSubnet", "ec2:DeleteVolume", "ec2:DeleteVpc",
    "ec2:DetachInternetGateway", "ec2:DisassociateRouteTable", "ec2:GetConsoleOutput", "ec2:ModifyInstanceAttribute",
    "ec2:ReleaseAddress", "ec2:RevokeSecurityGroupIngress", "ec2:StartInstances", "ec2:StopInstances",
    "ec2:TerminateInstances",
})  # fmt: skip
ACTIONS = LOOKS | frozenset(MAKES) | CHANGES  # all that is called; what a call needs beside itself is in the document
_KEY_USES = ("kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKeyWithoutPlaintext",
             "kms:ReEncryptFrom", "kms:ReEncryptTo")  # fmt: skip


def document(owner: str, partition: str, role: str | None = None, kms_key: str | None = None) -> dict[str, Any]:
    """The policy for one installation. ``role`` and ``kms_key``: what machines get, and what encrypts their disks."""
    requested = {f"aws:RequestTag/{tags.OWNER}": owner}
    ours = {"StringEquals": {f"aws:ResourceTag/{tags.OWNER}": owner}}
    creating = {"ec2:CreateAction": sorted(action.removeprefix("ec2:") for action in MAKES)}
    made = sorted({each for kinds in MAKES.values() for each in kinds})

    def things(kinds: Iterable[str]) -> list[str]:
        return [f"arn:{partition}:ec2:*:*:{kind}/*" for kind in kinds]

    statements = [
        _allow("Look", sorted(LOOKS), "*"),
        _allow("MakeWithOurTag", sorted(MAKES), things(made), {"StringEquals": requested}),
        *(_allow(f"Use{action[4:]}", [action], _used(partition, kinds)) for action, kinds in USES.items()),
        _allow("TagWhatIsMade", ["ec2:CreateTags"], things(made), {"StringEquals": requested | creating}),
        _allow("ChangeOurs", sorted(CHANGES), f"arn:{partition}:ec2:*:*:*/*", ours),
        _allow(
            "SpotOnce", ["iam:CreateServiceLinkedRole"],
            f"arn:{partition}:iam::*:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot",
            {"StringEquals": {"iam:AWSServiceName": "spot.amazonaws.com"}},
        ),
    ]  # fmt: skip
    if role:
        passed = f"arn:{partition}:iam::*:role/{role.rpartition('/')[2]}"
        to = {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}
        statements.append(_allow("GiveRole", ["iam:PassRole"], passed, to))
    if kms_key:
        key = kms_key if kms_key.startswith("arn:") else f"arn:{partition}:kms:*:*:key/{kms_key}"
        statements.append(_allow("UseKey", list(_KEY_USES), key))
    return {"Version": "2012-10-17", "Statement": statements}


def _used(partition: str, kinds: tuple[str, ...]) -> list[str]:
    """Images have no account in their names."""
    return [f"arn:{partition}:ec2:*:{'' if kind == 'image' else '*'}:{kind}/*" for kind in kinds]


def _allow(
    name: str, actions: list[str], resources: list[str] | str, condition: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    statement = {"Sid": name, "Effect": "Allow", "Action": actions, "Resource": resources}
    return statement | ({"Condition": condition} if condition else {})

"""A policy is enforced at the AWS of the lab as IAM does: on each thing that a call makes, uses or changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from lab.aws_front import AwsFront
from lab.control import Control
from lab.machines import NoHypervisor

from lab_tests.aws_asking import Asking

OURS = {"StringEquals": {"aws:ResourceTag/tradewind:owner": "me"}}
MADE = {"StringEquals": {"aws:RequestTag/tradewind:owner": "me"}}
THINGS = [f"arn:aws:ec2:*:*:{kind}/*" for kind in ("instance", "volume", "network-interface")]
LOOK = {"Effect": "Allow", "Action": ["ec2:Describe*", "ssm:GetParameter"], "Resource": "*"}
MAKE = {"Effect": "Allow", "Action": "ec2:RunInstances", "Resource": THINGS, "Condition": MADE}
USE = {
    "Effect": "Allow", "Action": "ec2:RunInstances",
    "Resource": ["arn:aws:ec2:*::image/*", "arn:aws:ec2:*:*:subnet/*", "arn:aws:ec2:*:*:security-group/*"],
}  # fmt: skip
TAG = {
    "Effect": "Allow", "Action": "ec2:CreateTags", "Resource": THINGS,
    "Condition": {"StringEquals": {**MADE["StringEquals"], "ec2:CreateAction": ["RunInstances"]}},
}  # fmt: skip
END = {"Effect": "Allow", "Action": "ec2:TerminateInstances", "Resource": "arn:aws:ec2:*:*:*/*", "Condition": OURS}
ROLE = {
    "Effect": "Allow", "Action": "iam:PassRole", "Resource": "arn:aws:iam::*:role/trainer",
    "Condition": {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
}  # fmt: skip


@pytest.fixture
def ask() -> Iterator[Asking]:
    with AwsFront(NoHypervisor(), Control()) as cloud:
        yield Asking(cloud)


def allow(ask: Asking, *statements: Mapping[str, Any]) -> None:
    ask.cloud.account.policy = {"Version": "2012-10-17", "Statement": list(statements)}


def others(ask: Asking) -> str:
    """A machine of somebody else's in the account."""
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "tradewind:owner", "Value": "they"}]}]
    return ask.launch("theirs", TagSpecifications=tags)


def test_what_the_policy_names_can_be_done_and_nothing_else(ask: Asking) -> None:
    theirs = others(ask)
    allow(ask, LOOK, MAKE, USE, TAG, END)
    id_ = ask.launch("t-1")
    assert set(ask.machines()) == {theirs, id_}
    assert ask.no("ec2:stop_instances", InstanceIds=[id_]) == "UnauthorizedOperation"
    assert ask.no("ec2:terminate_instances", InstanceIds=[id_, theirs]) == "UnauthorizedOperation"
    ask("ec2:terminate_instances", InstanceIds=[id_])
    assert ask.no("ec2:terminate_instances", InstanceIds=["i-0123456789abcdef0"]) == "InvalidInstanceID.NotFound"
    assert ask.no("pricing:get_products", ServiceCode="AmazonEC2") == "AccessDeniedException"
    assert ask.no("ec2:create_security_group", GroupName="g", Description="d") == "UnauthorizedOperation"


@pytest.mark.parametrize("missing", [MAKE, USE, TAG], ids=["make", "use", "tag"])
def test_a_launch_needs_all_that_belongs_to_it(ask: Asking, missing: Mapping[str, Any]) -> None:
    allow(ask, *(each for each in (LOOK, MAKE, USE, TAG) if each is not missing))
    assert ask.no("ec2:run_instances", **ask.order("t-1")) == "UnauthorizedOperation"


def test_a_launch_must_tag_all_that_it_makes(ask: Asking) -> None:
    allow(ask, LOOK, MAKE, USE, TAG)
    order = ask.order("t-1")
    order["TagSpecifications"] = [each for each in order["TagSpecifications"] if each["ResourceType"] != "volume"]
    assert ask.no("ec2:run_instances", **order) == "UnauthorizedOperation"


def test_a_role_is_given_only_where_that_is_allowed(ask: Asking) -> None:
    ask.cloud.account.roles |= {"trainer", "admin"}
    allow(ask, LOOK, MAKE, USE, TAG, ROLE)
    assert ask.launch("t-1", IamInstanceProfile={"Name": "trainer"})
    order = ask.order("t-2", IamInstanceProfile={"Name": "admin"})
    assert ask.no("ec2:run_instances", **order) == "UnauthorizedOperation"


def test_a_denial_wins(ask: Asking) -> None:
    allow(ask, LOOK, MAKE, USE, TAG, END)
    id_ = ask.launch("t-1")
    allow(ask, LOOK, END, {"Effect": "Deny", "Action": "ec2:Terminate*", "Resource": "*"})
    assert ask.no("ec2:terminate_instances", InstanceIds=[id_]) == "UnauthorizedOperation"

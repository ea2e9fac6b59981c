"""The policy: what is called is allowed, what is changed carries our tag, and nothing more."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore import xform_name
from lab.aws_model import model

from tradewind.clouds import aws
from tradewind.clouds.aws import policy

SERVICES = {
    "ec2": "ec2",
    "sts": "sts",
    "ssm": "ssm",
    "pricing": "pricing",
    "service-quotas": "servicequotas",
}  # and how rights call them
DOCUMENT = policy.document(
    "installation-1", "aws", "arn:aws:iam::1:instance-profile/node", "arn:aws:kms:eu-west-1:1:key/k"
)
ENDINGS = {"ec2:TerminateInstances", "ec2:DeleteVolume", "ec2:DeleteVpc", "ec2:ReleaseAddress", "ec2:StopInstances"}


def named_in_the_sources() -> Iterator[str]:
    """The rights to all operations whose names stand in the adapter's sources."""
    known = {
        xform_name(operation): f"{right}:{operation}"
        for service, right in SERVICES.items()
        for operation in model(service).operation_names
    }
    for source in Path(aws.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in known:
                yield known[node.value]


def statements(action: str) -> list[dict[str, Any]]:
    return [each for each in DOCUMENT["Statement"] if action in each["Action"]]


def test_it_allows_what_the_adapter_may_call_and_nothing_else() -> None:
    assert set(named_in_the_sources()) == policy.ACTIONS


def test_what_ends_or_changes_something_is_allowed_on_what_carries_our_tag_alone() -> None:
    for action in sorted(policy.CHANGES):
        *made, changed = statements(action)
        assert changed["Condition"] == {"StringEquals": {"aws:ResourceTag/tradewind:owner": "installation-1"}}
        assert all("aws:RequestTag/tradewind:owner" in each["Condition"]["StringEquals"] for each in made)
    assert ENDINGS <= policy.CHANGES


def test_what_is_made_carries_our_tag_from_the_first_moment() -> None:
    for action, kinds in policy.MAKES.items():
        (making,) = (each for each in statements(action) if each["Sid"] == "MakeWithOurTag")
        assert making["Condition"] == {"StringEquals": {"aws:RequestTag/tradewind:owner": "installation-1"}}
        assert {f"arn:aws:ec2:*:*:{kind}/*" for kind in kinds} <= set(making["Resource"])


def test_what_a_launch_uses_of_the_account_is_neither_made_nor_changed_by_it() -> None:
    for action, kinds in policy.USES.items():
        (using,) = (each for each in statements(action) if "Condition" not in each)
        made = {f"arn:aws:ec2:*:*:{kind}/*" for kind in policy.MAKES[action]}
        assert not made & set(using["Resource"])
        assert len(using["Resource"]) == len(kinds)


def test_tags_are_written_only_while_something_is_made() -> None:
    (tagging,) = statements("ec2:CreateTags")
    told = tagging["Condition"]["StringEquals"]
    assert told["aws:RequestTag/tradewind:owner"] == "installation-1"
    assert {f"ec2:{each}" for each in told["ec2:CreateAction"]} == set(policy.MAKES)
    assert not statements("ec2:DeleteTags")


def test_one_role_is_given_and_one_key_is_used() -> None:
    (giving,) = statements("iam:PassRole")
    assert giving["Resource"] == "arn:aws:iam::*:role/node"
    assert giving["Condition"] == {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}
    (using,) = statements("kms:CreateGrant")
    assert using["Resource"] == "arn:aws:kms:eu-west-1:1:key/k"
    plain = policy.document("installation-1", "aws-cn")
    assert {each["Sid"] for each in DOCUMENT["Statement"]} - {each["Sid"] for each in plain["Statement"]} == {
        "GiveRole",
        "UseKey",
    }
    assert all("arn:aws-cn:" in json.dumps(each["Resource"]) or each["Resource"] == "*" for each in plain["Statement"])


def test_no_action_is_a_pattern_and_all_of_it_fits_into_one_managed_policy() -> None:
    actions = [action for each in DOCUMENT["Statement"] for action in each["Action"]]
    assert not [each for each in actions if "*" in each]
    assert len("".join(json.dumps(DOCUMENT).split())) <= 6144  # AWS's limit, which counts no white space


@pytest.mark.parametrize("given", ["1234abcd-12ab-34cd-56ef-1234567890ab"])
def test_a_key_by_its_id_is_used_wherever_it_is(given: str) -> None:
    made = policy.document("installation-1", "aws", kms_key=given)["Statement"][-1]
    assert made["Resource"] == f"arn:aws:kms:*:*:key/{given}"

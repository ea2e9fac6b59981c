"""An order as RunInstances takes it: by botocore's service model, the same each time, and checked before it is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from aws_ground import OWNER, furnished
from botocore.validate import ParamValidator
from lab.aws_model import model

from tradewind.clouds.aws.requests import to_request
from tradewind.ports.compute import CloudFault, Disk, Order, read_order

FULL = furnished(
    purchase="spot", price_cap="0.2105", role="tradewind-node", dedicated=True,
    disks=(Disk(200, device="/dev/sda1"), Disk(1000, "io2", "arn:aws:kms:us-east-1:1:key/k"), Disk(50)),
)  # fmt: skip


def validated(order: Order) -> dict[str, Any]:
    """The request, if EC2's model takes it."""
    request = to_request(order)
    report = ParamValidator().validate(request, model("ec2").operation_model("RunInstances").input_shape)
    assert not report.has_errors(), report.generate_report()
    return request


def test_the_model_of_ec2_takes_it_whole() -> None:
    assert validated(FULL)["ClientToken"] == FULL.token


def test_an_order_that_was_stored_gives_the_same_request() -> None:
    again = read_order(FULL.to_json())
    assert to_request(again) == to_request(FULL)
    assert list(to_request(replace(FULL, tags=dict(reversed(FULL.tags.items()))))["TagSpecifications"]) == list(
        to_request(FULL)["TagSpecifications"]
    )


def test_it_ends_with_its_machine_and_by_its_shutdown() -> None:
    request = validated(FULL)
    assert request["InstanceInitiatedShutdownBehavior"] == "terminate"
    assert all(each["Ebs"]["DeleteOnTermination"] for each in request["BlockDeviceMappings"])
    assert [each["DeleteOnTermination"] for each in request["NetworkInterfaces"]] == [True]


def test_disks_are_encrypted_by_the_key_that_is_named_or_by_aws_s_own() -> None:
    boot, data, further = validated(FULL)["BlockDeviceMappings"]
    assert (boot["DeviceName"], boot["Ebs"]["VolumeType"], boot["Ebs"]["Encrypted"]) == ("/dev/sda1", "gp3", True)
    assert "KmsKeyId" not in boot["Ebs"]
    assert (data["Ebs"]["KmsKeyId"], data["Ebs"]["VolumeType"]) == ("arn:aws:kms:us-east-1:1:key/k", "io2")
    assert further["Ebs"]["Encrypted"]
    assert len({each["DeviceName"] for each in (boot, data, further)}) == 3


def test_a_spot_machine_is_bought_once_with_its_cap() -> None:
    assert validated(FULL)["InstanceMarketOptions"] == {
        "MarketType": "spot",
        "SpotOptions": {
            "SpotInstanceType": "one-time",
            "InstanceInterruptionBehavior": "terminate",
            "MaxPrice": "0.2105",
        },
    }
    assert "MaxPrice" not in validated(replace(FULL, price_cap=None))["InstanceMarketOptions"]["SpotOptions"]
    assert "InstanceMarketOptions" not in validated(replace(FULL, purchase="on_demand", price_cap=None))


def test_everything_that_is_made_carries_the_tags() -> None:
    told = {each["ResourceType"]: each["Tags"] for each in validated(FULL)["TagSpecifications"]}
    assert set(told) == {"instance", "volume", "network-interface", "spot-instances-request"}
    for tags in told.values():
        assert {each["Key"]: each["Value"] for each in tags} == FULL.tags
    assert FULL.tags["tradewind:owner"] == OWNER


def test_the_metadata_service_wants_a_token_and_reaches_a_container() -> None:
    options = validated(FULL)["MetadataOptions"]
    assert (options["HttpTokens"], options["HttpPutResponseHopLimit"]) == ("required", 2)


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("tradewind-node", {"Name": "tradewind-node"}),
        ("arn:aws:iam::1:instance-profile/n", {"Arn": "arn:aws:iam::1:instance-profile/n"}),
    ],
)
def test_a_role_is_named_or_given_by_its_arn(role: str, told: dict[str, str]) -> None:
    assert validated(replace(FULL, role=role))["IamInstanceProfile"] == told


def test_a_public_address_is_asked_for_where_it_is_wanted_and_refused_where_not() -> None:
    for wanted in (True, False):
        (interface,) = validated(replace(FULL, public_ip=wanted))["NetworkInterfaces"]
        assert interface["AssociatePublicIpAddress"] is wanted


def test_a_machine_of_its_own_is_where_nobody_else_is() -> None:
    assert validated(FULL)["Placement"] == {"Tenancy": "dedicated"}
    assert "Placement" not in validated(replace(FULL, dedicated=False))


def test_user_data_is_taken_to_the_last_byte() -> None:
    text = "中文" * 2730 + "abcd"
    assert len(text.encode()) == 16384
    assert validated(replace(FULL, user_data=text))["UserData"] == text
    with pytest.raises(CloudFault) as met:
        to_request(replace(FULL, user_data=text + "e"))
    assert (met.value.kind, met.value.sent) == ("invalid", "no")
    assert "16385" in met.value.words


@pytest.mark.parametrize(
    "odd",
    [
        {"tags": {f"k{n}": "v" for n in range(51)}},
        {"image": None},
        {"subnet": None},
        {"disks": ()},
        {"disks": (Disk(8),) * 13},
        {"currency": "CNY"},
    ],
)
def test_what_ec2_would_not_take_is_not_sent(odd: dict[str, Any]) -> None:
    with pytest.raises(CloudFault) as met:
        to_request(replace(FULL, **odd))
    assert (met.value.kind, met.value.sent) == ("invalid", "no")


def test_what_is_run_there_is_not_in_what_an_order_is_shown_as() -> None:
    assert "a-private-key" not in repr(replace(FULL, user_data="a-private-key"))

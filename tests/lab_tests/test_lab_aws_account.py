"""The account at the AWS of the lab: credentials, rights, regions, prices, quotas, and what is an objection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from lab.aws_front import AwsFront
from lab.control import Control, Fault
from lab.machines import NoHypervisor
from shipped import read_csv

from lab_tests.aws_asking import GPU_IMAGE, REGION, TYPE, ZONE, Asking


@pytest.fixture
def control() -> Control:
    return Control()


@pytest.fixture
def ask(control: Control) -> Iterator[Asking]:
    with AwsFront(NoHypervisor(), control) as cloud:
        yield Asking(cloud)


@pytest.mark.parametrize("wrong, ec2, sts, quotas", [
    ({"key_id": "AKIDNOBODY"}, "AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException"),
    ({"secret": "wrong"}, "AuthFailure", "SignatureDoesNotMatch", "InvalidSignatureException"),
    ({"session_token": "expired"}, "RequestExpired", "ExpiredToken", "ExpiredToken"),
])  # fmt: skip
def test_wrong_credentials_are_refused_in_the_words_of_each_service(
    ask: Asking, wrong: dict[str, Any], ec2: str, sts: str, quotas: str
) -> None:
    other = Asking(ask.cloud, **wrong)
    assert other.no("ec2:describe_regions") == ec2
    assert other.no("sts:get_caller_identity") == sts
    assert other.no("service-quotas:get_service_quota", ServiceCode="ec2", QuotaCode="L-DB2E81BA") == quotas
    assert ask("sts:get_caller_identity")["Account"] == "123456789012"


def test_a_clock_that_is_far_off_is_refused_and_the_answer_tells_the_time(ask: Asking, control: Control) -> None:
    control.set("aws", clock_skew_s=3600)
    assert ask.no("ec2:describe_regions") == "RequestExpired"
    assert ask.no("sts:get_caller_identity") == "SignatureDoesNotMatch"
    ahead = ask.cloud.engine.stub.now() - datetime.now(UTC)
    assert round(ahead.total_seconds()) == 3600
    control.set("aws", clock_skew_s=600)
    assert ask("ec2:describe_regions")["Regions"]


def test_what_is_denied_is_refused_with_and_without_a_dry_run(ask: Asking) -> None:
    ask.cloud.account.denied |= {"ec2:RunInstances", "pricing:GetProducts"}
    for dry in (True, False):
        assert ask.no("ec2:run_instances", **ask.order("t-1", DryRun=dry)) == "UnauthorizedOperation"
    assert ask.no("pricing:get_products", ServiceCode="AmazonEC2") == "AccessDeniedException"


def test_a_dry_run_makes_nothing(ask: Asking) -> None:
    for operation, asked in (
        ("create_security_group", {"GroupName": "g", "Description": "d"}),
        ("create_vpc", {"CidrBlock": "10.0.0.0/16"}),
        ("allocate_address", {}),
    ):
        assert ask.no(f"ec2:{operation}", **asked, DryRun=True) == "DryRunOperation"
    assert len(ask("ec2:describe_vpcs")["Vpcs"]) == 1
    assert ask("ec2:describe_addresses")["Addresses"] == []


def test_a_region_that_is_not_turned_on_is_told_and_lets_nobody_in(ask: Asking) -> None:
    ask.cloud.account.disabled.add("us-west-2")
    shown = {each["RegionName"] for each in ask("ec2:describe_regions")["Regions"]}
    told = {each["RegionName"]: each["OptInStatus"] for each in ask("ec2:describe_regions", AllRegions=True)["Regions"]}
    assert set(told) - shown == {"us-west-2"}
    assert told["us-west-2"] == "not-opted-in"
    assert Asking(ask.cloud, region="us-west-2").no("ec2:describe_vpcs") == "AuthFailure"


def test_regions_do_not_know_each_others_machines(ask: Asking) -> None:
    elsewhere = Asking(ask.cloud, region="us-east-2", zone="use2-az1")
    id_ = ask.launch("t-1")
    assert elsewhere.machines() == {}
    assert elsewhere.no("ec2:terminate_instances", InstanceIds=[id_]) == "InvalidInstanceID.NotFound"
    assert elsewhere.launch("t-1") != id_  # tokens are a region's, too


def test_an_image_is_found_by_its_parameter_and_described(ask: Asking) -> None:
    image = ask("ssm:get_parameter", Name=GPU_IMAGE)["Parameter"]["Value"]
    (told,) = ask("ec2:describe_images", ImageIds=[image])["Images"]
    assert told["RootDeviceName"] == told["BlockDeviceMappings"][0]["DeviceName"]
    assert told["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] == 75
    assert ask.no("ssm:get_parameter", Name="/aws/service/nothing") == "ParameterNotFound"


def test_prices_are_the_catalogs_until_a_test_says_otherwise(ask: Asking) -> None:
    shipped = {
        (row["region"], row["zone"]): row["price_per_hour"]
        for row in read_csv("prices.csv")
        if row["cloud"] == "aws" and row["instance_type"] == TYPE and row["purchase"] in ("on_demand", "spot")
    }
    assert _on_demand(ask) == Decimal(shipped[REGION, ""])
    assert _spot(ask)[ZONE] == Decimal(shipped[REGION, ZONE])
    ask.cloud.account.prices[REGION, TYPE] = Decimal("7.5")
    ask.cloud.account.spot[ZONE, TYPE] = Decimal("0.25")
    assert (_on_demand(ask), _spot(ask)[ZONE]) == (Decimal("7.5"), Decimal("0.25"))


def _on_demand(ask: Asking) -> Decimal:
    wanted = {"instanceType": TYPE, "regionCode": REGION, "operatingSystem": "Linux", "tenancy": "Shared"}
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    (text,) = ask("pricing:get_products", ServiceCode="AmazonEC2", Filters=filters)["PriceList"]
    (term,) = json.loads(text)["terms"]["OnDemand"].values()
    (dimension,) = term["priceDimensions"].values()
    return Decimal(dimension["pricePerUnit"]["USD"])


def _spot(ask: Asking) -> dict[str, Decimal]:
    told = ask("ec2:describe_spot_price_history", InstanceTypes=[TYPE], ProductDescriptions=["Linux/UNIX"])
    return {each["AvailabilityZoneId"]: Decimal(each["SpotPrice"]) for each in told["SpotPriceHistory"]}


def test_a_quota_is_told(ask: Asking) -> None:
    ask.cloud.account.quotas[REGION, "L-417A185B"] = 0
    told = ask("service-quotas:get_service_quota", ServiceCode="ec2", QuotaCode="L-417A185B")["Quota"]
    assert (told["Value"], told["QuotaName"]) == (0, "Running On-Demand P instances")
    nothing = {"ServiceCode": "ec2", "QuotaCode": "L-00000000"}
    assert ask.no("service-quotas:get_service_quota", **nothing) == "NoSuchResourceException"


def test_a_throttle_says_how_long_to_wait(ask: Asking, control: Control) -> None:
    control.add(Fault("throttle", "aws", "DescribeVpcs", seconds=7))
    assert ask.no("ec2:describe_vpcs") == "RequestLimitExceeded"
    control.add(Fault("gateway-page", "aws", "DescribeVpcs"))
    assert ask.no("ec2:describe_vpcs") == "502"
    assert ask("ec2:describe_vpcs")["Vpcs"]


@pytest.mark.parametrize("operation, asked", [
    ("describe_key_pairs", {}),  # nobody looked at how moto plays it
    ("describe_volumes", {"Filters": [{"Name": "colour", "Values": ["red"]}]}),
    ("describe_instance_type_offerings", {"LocationType": "planet"}),
])  # fmt: skip
def test_what_is_not_published_or_not_played_fails_whoever_sent_it(
    control: Control, operation: str, asked: dict[str, Any]
) -> None:
    with pytest.raises(AssertionError), AwsFront(NoHypervisor(), control) as cloud:
        assert Asking(cloud).no(f"ec2:{operation}", **asked) == "InvalidParameterValue"

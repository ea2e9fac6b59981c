"""What an order needs before it is sent, asked of AWS: image, zone, subnet, group, disks; and its price just now."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from aws_ground import G4, HOME, Ground, order
from lab.aws_account import image_id

from tradewind.clouds.aws.completing import choose
from tradewind.clouds.aws.images import Machine, parameter_for
from tradewind.domain.money import Money
from tradewind.ports.compute import CloudFault, Disk, Order

WITH_DRIVER = "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
PLAIN = "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id"
PLAIN_ARM = "/aws/service/canonical/ubuntu/server/24.04/stable/current/arm64/hvm/ebs-gp3/ami-id"


def completed(ground: Ground, *, settings: dict[str, Any] | None = None, **asked: Any) -> Order:
    asked.setdefault("network", ground.reached())
    return ground.provider(**(settings or {})).cloud(HOME).complete(order(**asked))


def fault_of(ground: Ground, *, settings: dict[str, Any] | None = None, **asked: Any) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        completed(ground, settings=settings, **asked)
    return met.value


@pytest.mark.parametrize(
    ("instance_type", "parameter", "gb"),
    [(G4, WITH_DRIVER, 125), ("m5.large", PLAIN, 58), ("m6g.large", PLAIN_ARM, 58)],
)
def test_a_machine_boots_the_official_image_for_what_it_has(
    ground: Ground, instance_type: str, parameter: str, gb: int
) -> None:
    told = completed(ground, instance_type=instance_type)
    assert told.image == image_id(HOME, parameter)
    assert told.disks == (Disk(gb, device="/dev/sda1"),)
    assert (told.groups, told.public_ip, bool(told.subnet)) == ((ground.reached(),), True, True)


def test_a_gpu_that_no_image_of_aws_s_drives_wants_one_that_is_named(ground: Ground) -> None:
    fault = fault_of(ground, instance_type="p3dn.24xlarge")
    assert (fault.kind, "name one as `image`" in fault.words) == ("invalid", True)
    named = image_id(HOME, WITH_DRIVER)
    assert completed(ground, instance_type="p3dn.24xlarge", settings={"image": named}).image == named


@pytest.mark.parametrize(
    ("gpu", "driven"),
    [("NVIDIA T4", True), ("NVIDIA H100", True), ("NVIDIA V100", False), ("NVIDIA M60", False),
     ("AMD Radeon Pro V520", False), ("Habana Gaudi HL-205", False)],
)  # fmt: skip
def test_the_official_image_drives_what_is_of_turing_or_younger(gpu: str, driven: bool) -> None:
    machine = Machine("x.large", "x86_64", gpu)
    if driven:
        assert parameter_for(machine) == WITH_DRIVER
    else:
        with pytest.raises(CloudFault, match=r"x\.large"):
            parameter_for(machine)


def test_what_an_order_says_stays(ground: Ground) -> None:
    given = {"zone": "use1-az6", "image": image_id(HOME, PLAIN), "groups": ("sg-1",), "role": "other"}
    told = completed(ground, settings={"role": "usual", "disk_gb": 500}, **given)
    assert {name: getattr(told, name) for name in given} == given
    assert told.disks[0].gb == 500
    assert completed(ground, settings={"role": "usual"}).role == "usual"


def test_a_disk_holds_its_image_and_is_encrypted_by_the_key_of_the_settings(ground: Ground) -> None:
    told = completed(ground, settings={"kms_key": "key-1"}, disks=(Disk(10), Disk(900, kms_key="key-2")))
    assert told.disks == (Disk(75, None, "key-1", "/dev/sda1"), Disk(900, None, "key-2"))


def test_zones_that_offer_the_type_take_turns_by_token(ground: Ground) -> None:
    offering = [f"use1-az{n}" for n in (1, 2, 4, 5, 6)]  # g4dn is not offered in the third
    for token in ("token-1", "token-2", "token-3"):
        assert completed(ground, token=token).zone == choose(offering, token)
    assert {choose(offering, f"token-{n}") for n in range(40)} == set(offering)
    assert choose(["b", "a"], "t") == choose(["a", "b"], "t")


def test_a_zone_that_does_not_offer_the_type_has_none(ground: Ground) -> None:
    assert fault_of(ground, zone="use1-az3").kind == "capacity"


@pytest.mark.parametrize(
    ("settings", "asked", "words"),
    [
        ({}, {"instance_type": "g99.xlarge"}, "no machine type g99.xlarge"),
        ({"image": "ami-0ffffffffffffffff"}, {}, "does not exist"),
        ({"image": image_id(HOME, PLAIN_ARM)}, {}, "is for arm64"),
        ({}, {"network": "sg-0ffffffffffffffff"}, "is not there"),
        ({"network": "given"}, {"network": None}, "no network to be in"),
    ],
)
def test_what_is_not_there_is_refused_by_name(
    ground: Ground, settings: dict[str, Any], asked: dict[str, Any], words: str
) -> None:
    fault = fault_of(ground, settings=settings, **asked)
    assert (fault.kind, words in fault.words) == ("invalid", True)


def test_a_given_network_is_used_as_it_is_given(ground: Ground) -> None:
    subnets = ground.account.moto.ask(HOME, "DescribeSubnets")["Subnets"]
    named = {each["AvailabilityZoneId"]: each["SubnetId"] for each in subnets}
    settings: dict[str, Any] = {
        "network": "given", "subnets": (named["use1-az4"], named["use1-az2"]), "groups": ("sg-theirs",),
        "public_address": False,
    }  # fmt: skip
    told = completed(ground, settings=settings, network=None)
    assert (told.subnet, told.groups, told.public_ip) == (named[str(told.zone)], ("sg-theirs",), False)
    assert told.zone in ("use1-az4", "use1-az2")


def test_what_was_asked_holds_for_an_hour(ground: Ground) -> None:
    cloud, network = ground.provider().cloud(HOME), ground.reached()
    first = cloud.complete(order(network=network, token="t"))
    before = len(ground.control.recorded)
    assert cloud.complete(order(network=network, token="t")) == first
    assert ground.operations(before) == ["DescribeSecurityGroups", "DescribeSubnets"]
    ground.clock.sleep(3601)
    cloud.complete(order(network=network))
    assert {"GetParameter", "DescribeImages", "DescribeInstanceTypes"} <= set(ground.operations(before))


# --- prices ---


def quoted(ground: Ground, **asked: Any) -> Money | None:
    return ground.provider().cloud(HOME).quote(order(token="", lease="", **asked))


def test_a_spot_machine_costs_what_its_zone_asks_or_the_cheapest_does(ground: Ground) -> None:
    zones = [f"use1-az{n}" for n in range(1, 7)]
    ground.account.spot |= {(zone, G4): Decimal(f"0.2{n}") for n, zone in enumerate(zones)}
    assert quoted(ground, purchase="spot", zone="use1-az4") == Money(Decimal("0.23"), "USD")
    assert quoted(ground, purchase="spot") == Money(Decimal("0.2"), "USD")


def test_on_demand_costs_what_the_price_list_says(ground: Ground) -> None:
    ground.account.prices |= {(HOME, G4): Decimal("0.526"), (HOME, "m5.large"): Decimal("0.096")}
    assert quoted(ground) == Money(Decimal("0.526"), "USD")
    assert quoted(ground, instance_type="m5.large") == Money(Decimal("0.096"), "USD")


def test_what_aws_does_not_tell_is_no_price(ground: Ground) -> None:
    assert quoted(ground, instance_type="g99.xlarge") is None
    assert quoted(ground, instance_type="g99.xlarge", purchase="spot") is None


@pytest.mark.parametrize(
    ("purchase", "right"), [("on_demand", "pricing:GetProducts"), ("spot", "ec2:DescribeSpotPriceHistory")]
)
def test_a_price_that_may_not_be_asked_is_a_fault(ground: Ground, purchase: str, right: str) -> None:
    ground.account.denied.add(right)
    with pytest.raises(CloudFault, match="auth"):
        quoted(ground, purchase=purchase)

"""AWS's price list, instance types and spot prices, by boto3 from a stub that checks requests by botocore's models."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import create_loader
from lab.aws_model import CREDENTIALS, refused
from lab.aws_prices import Aws, product
from lab.stub import Stub, again, broken, cut_off, gateway_page, replying

from tradewind import catalog
from tradewind.clouds.aws.prices import AwsPrices, connect
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page, Prices

P4D = "p4d.24xlarge"
NOW = datetime.now(UTC).replace(microsecond=0)


def machine(name: str, gpu: str, count: int, memory_mib: int, **other: Any) -> dict[str, Any]:
    """An element of InstanceTypes as EC2 words it."""
    return {
        "InstanceType": name,
        "VCpuInfo": {"DefaultVCpus": 96},
        "MemoryInfo": {"SizeInMiB": 1179648},
        "GpuInfo": {
            "Gpus": [{"Name": gpu, "Manufacturer": "NVIDIA", "Count": count, "MemoryInfo": {"SizeInMiB": memory_mib}}]
        },
        "NetworkInfo": {
            "NetworkPerformance": "4x 100 Gigabit",
            "NetworkCards": [{"NetworkCardIndex": n, "BaselineBandwidthInGbps": 100.0} for n in range(4)],
            "EfaSupported": True,
        },
        "InstanceStorageSupported": True,
        "InstanceStorageInfo": {"TotalSizeInGB": 8000},
        "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]},
        **other,
    }


def spot(name: str, zone: str, usd: str, hours_ago: float) -> dict[str, Any]:
    return {
        "InstanceType": name, "AvailabilityZone": zone, "SpotPrice": usd, "ProductDescription": "Linux/UNIX",
        "Timestamp": NOW - timedelta(hours=hours_ago),
    }  # fmt: skip


@pytest.fixture
def aws() -> Aws:
    return Aws(
        zones={
            "us-east-1": {"us-east-1a": "use1-az4", "us-east-1b": "use1-az6"},
            "eu-west-1": {"eu-west-1a": "euw1-az1"},
        },
        machines=[machine(P4D, "A100", 8, 40960), machine("m5.large", "none", 0, 0)],
        products=[
            product(
                P4D, "us-east-1", "21.9576420000",
                {
                    "1yr standard No Upfront": ("0", "13.9210940000"),
                    "1yr standard Partial Upfront": ("58071", "6.6290920000"),
                    "1yr standard All Upfront": ("113819", "0.0000000000"),
                    "3yr standard All Upfront": ("214420", "0.0000000000"),
                    "1yr convertible No Upfront": ("0", "16.0000000000"),
                },
            ),
            product("p5.48xlarge", "us-east-1", "55.04", {"1yr convertible No Upfront": ("0", "43.2")}),
            product("m5.large", "us-east-1", "0.096"),
            product(P4D, "eu-west-1", "23.9"),
        ],
        spot=[
            spot(P4D, "us-east-1a", "13.993300", 3),
            spot(P4D, "us-east-1a", "12.5", 30),
            spot(P4D, "us-east-1b", "11.787000", 1),
            spot("m5.large", "us-east-1b", "0.04", 1),
        ],
    )  # fmt: skip


_shared_loader = cache(create_loader)  # the SDK parses its models for each session: a third of a second each time


@pytest.fixture
def stub(aws: Aws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stub]:
    monkeypatch.setattr("botocore.session.create_loader", _shared_loader)
    with aws.stub() as running:
        for name, value in {
            "AWS_ACCESS_KEY_ID": CREDENTIALS.access_key, "AWS_SECRET_ACCESS_KEY": CREDENTIALS.secret_key,
            "AWS_ENDPOINT_URL": running.url, "AWS_EC2_METADATA_DISABLED": "true", "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_CONFIG_FILE": str(tmp_path / "config"), "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "HTTP_PROXY", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield running


def pages(prices: Prices, part: str) -> list[Page]:
    told = [prices.page(part, None)]
    while told[-1].cursor is not None:
        told.append(prices.page(part, told[-1].cursor))
    return told


def prices_of(part: str) -> list[ListedPrice]:
    return [each for page in pages(connect(), part) for each in page.prices]


def fault_of(part: str = "us-east-1/prices") -> CloudFault:
    prices = connect()
    with pytest.raises(CloudFault) as met:
        prices.page(part, None)
    return met.value


def test_each_region_that_is_turned_on_has_three_parts(stub: Stub) -> None:
    assert connect().parts() == (
        "eu-west-1/machines", "eu-west-1/prices", "eu-west-1/spot",
        "us-east-1/machines", "us-east-1/prices", "us-east-1/spot",
    )  # fmt: skip


def test_known_machines_come_with_their_price_per_hour(stub: Stub) -> None:
    told = {(each.instance_type, each.purchase, each.payment): each for each in prices_of("us-east-1/prices")}
    assert {key: each.price_per_hour for key, each in told.items()} == {
        (P4D, Purchase.ON_DEMAND, None): Decimal("21.957642"),
        (P4D, Purchase.RESERVED_1Y, "no upfront"): Decimal("13.921094"),
        (P4D, Purchase.RESERVED_1Y, "partial upfront"): Decimal("13.258202"),  # 58071 / 8760 + 6.629092
        (P4D, Purchase.RESERVED_1Y, "all upfront"): Decimal("12.993037"),
        (P4D, Purchase.RESERVED_3Y, "all upfront"): Decimal("8.159056"),
        ("p5.48xlarge", Purchase.ON_DEMAND, None): Decimal("55.04"),
        ("p5.48xlarge", Purchase.RESERVED_1Y, "no upfront convertible"): Decimal("43.2"),
    }
    assert {each.currency for each in told.values()} == {"USD"}
    assert {each.as_of for each in told.values()} <= stub.days


def test_the_shipped_catalog_agrees_on_what_a_reservation_costs_an_hour(stub: Stub) -> None:
    with (Path(catalog.__file__).parent / "data" / "prices.csv").open(encoding="utf-8", newline="") as lines:
        shipped = {
            (row["purchase"], row["payment"]): Decimal(row["price_per_hour"])
            for row in csv.DictReader(lines)
            if (row["region"], row["instance_type"]) == ("us-east-1", P4D) and row["purchase"].startswith("reserved")
        }
    ours = {
        (each.purchase.value, each.payment): each.price_per_hour
        for each in prices_of("us-east-1/prices")
        if each.instance_type == P4D and each.payment
    }
    assert len(ours) == 4
    assert ours.items() <= shipped.items()


def test_a_machine_comes_with_its_hardware(stub: Stub) -> None:
    (page,) = pages(connect(), "us-east-1/machines")
    (told,) = page.machines
    assert (told.instance_type, told.gpu, told.gpus, told.gpu_memory_gib) == (P4D, "NVIDIA A100", Decimal(8), 40.0)
    assert (told.cpus, told.memory_gib, told.network_gbps, told.rdma) == (96, 1152.0, 400.0, "EFA 400")
    assert (told.local_nvme_gb, told.arch, told.nvlink) == (8000.0, "x86_64", None)


def test_a_share_of_a_gpu_is_counted_as_that(stub: Stub, aws: Aws) -> None:
    share = {"Name": "L4", "Manufacturer": "NVIDIA", "Count": 1, "LogicalGpuCount": 1, "GpuPartitionSize": 0.125,
             "MemoryInfo": {"SizeInMiB": 2861}}  # fmt: skip
    aws.machines = [machine("g6f.large", "L4", 1, 2861, GpuInfo={"Gpus": [share]})]
    (told,) = connect().page("us-east-1/machines", None).machines
    assert (told.gpus, told.gpu_memory_gib) == (Decimal("0.125"), 2.8)


def test_spot_prices_are_the_latest_of_each_zone_by_its_id(stub: Stub) -> None:
    told = prices_of("us-east-1/spot")
    assert {each.zone: each.price_per_hour for each in told} == {
        "use1-az4": Decimal("13.9933"), "use1-az6": Decimal("11.787"),
    }  # fmt: skip
    assert {(each.instance_type, each.purchase, each.currency) for each in told} == {(P4D, Purchase.SPOT, "USD")}


def test_spot_history_goes_back_as_far_as_asked_page_by_page(stub: Stub, aws: Aws) -> None:
    aws.page_size = 10
    aws.spot = [spot(P4D, "us-east-1a", f"{10 + hour}.5", hour) for hour in range(1, 26)]
    told = list(connect().spot_history("us-east-1", [P4D], NOW - timedelta(hours=20, minutes=30)))
    assert len(told) == 21  # twenty since then, and the one that held then
    assert told[0].at == NOW - timedelta(hours=1)
    assert {(each.zone, each.currency) for each in told} == {("use1-az4", "USD")}


def test_in_china_prices_are_in_yuan_and_asked_there(stub: Stub, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "cn-north-1")
    aws.zones = {"cn-north-1": {"cn-north-1a": "cnn1-az1"}}
    aws.products = [product(P4D, "cn-north-1", "230.5", currency="CNY")]
    aws.spot = [spot(P4D, "cn-north-1a", "70.25", 2)]
    (listed,), (cheap,) = prices_of("cn-north-1/prices"), prices_of("cn-north-1/spot")
    assert (listed.currency, listed.price_per_hour) == ("CNY", Decimal("230.5"))
    assert (cheap.currency, cheap.zone) == ("CNY", "cnn1-az1")
    assert any("/cn-northwest-1/pricing/" in heard.headers["authorization"] for heard in stub.log)


@pytest.mark.parametrize("kind", ["machines", "prices", "spot"])
def test_pages_are_followed_to_the_end_with_one_request_each(stub: Stub, aws: Aws, kind: str) -> None:
    aws.page_size = 10
    names = [f"p4d.{n}xlarge" for n in range(1, 36)]
    aws.machines = [machine(name, "A100", 8, 40960) for name in names]
    aws.products = [product(name, "us-east-1", "1.5") for name in names]
    aws.spot = [spot(name, "us-east-1a", "0.5", 1) for name in names]
    told = pages(connect(), f"us-east-1/{kind}")
    assert [len(page.machines) + len(page.prices) for page in told] == [10, 10, 10, 5]
    assert len(stub.log) == 4 + (kind == "spot")  # before spot prices, the zones


@pytest.mark.parametrize("kind", ["machines", "prices", "spot"])
def test_the_same_cursor_gives_the_same_page_to_another_process(stub: Stub, aws: Aws, kind: str) -> None:
    aws.page_size = 1
    aws.machines.append(machine("g5.xlarge", "A10G", 1, 22888))
    part = f"us-east-1/{kind}"
    cursor = connect().page(part, None).cursor
    assert cursor is not None
    assert connect().page(part, cursor) == connect().page(part, cursor)


def test_a_page_that_is_told_twice_ends_the_refresh(stub: Stub, aws: Aws) -> None:
    aws.page_size = 1
    prices = connect()
    cursor = prices.page("us-east-1/prices", None).cursor
    stub.meet(1, again)
    with pytest.raises(CloudFault) as met:
        prices.page("us-east-1/prices", cursor)
    assert met.value.kind == "invalid"


@pytest.mark.parametrize(
    ("part", "service", "code", "kind"),
    [
        ("us-east-1/prices", "pricing", "ThrottlingException", "throttle"),
        ("us-east-1/machines", "ec2", "RequestLimitExceeded", "throttle"),
        ("us-east-1/machines", "ec2", "ServiceUnavailable", "unavailable"),
        ("us-east-1/machines", "ec2", "InternalError", "unavailable"),
        ("us-east-1/machines", "ec2", "OptInRequired", "auth"),
        ("us-east-1/prices", "pricing", "ExpiredNextTokenException", "invalid"),
    ],
)
def test_a_refusal_is_told_by_its_kind_and_not_sent_again(
    stub: Stub, part: str, service: str, code: str, kind: str
) -> None:
    stub.meet(1, replying(refused(service, code, "for a test", 503 if service == "ec2" else 400)))
    assert fault_of(part).kind == kind
    assert len(stub.log) == 1


def test_throttling_tells_how_long_to_wait(stub: Stub) -> None:
    late = {"Retry-After": stub.date(later=timedelta(seconds=40))}
    stub.meet(1, replying(refused("pricing", "ThrottlingException", "slow down", 400, **{"Retry-After": "9"})))
    stub.meet(2, replying(refused("pricing", "ThrottlingException", "slow down", 400, **late)))
    assert fault_of().retry_after_s == 9
    assert fault_of().retry_after_s == pytest.approx(40, abs=2)


@pytest.mark.parametrize("part", ["us-east-1/prices", "us-east-1/machines"])
@pytest.mark.parametrize("fault", [broken, cut_off, gateway_page(502)])
def test_no_answer_or_half_of_one_is_unavailable_and_never_an_empty_list(stub: Stub, part: str, fault: Any) -> None:
    stub.meet(1, fault)
    assert fault_of(part).kind == "unavailable"
    assert len(stub.log) == 1


@pytest.mark.parametrize(
    ("part", "operation"),
    [
        ("us-east-1/prices", "GetProducts"),
        ("us-east-1/machines", "DescribeInstanceTypes"),
        ("us-east-1/spot", "DescribeSpotPriceHistory"),
        ("us-east-1/spot", "DescribeAvailabilityZones"),
    ],
)
def test_not_allowed_is_told_as_that_and_never_as_an_empty_list(
    stub: Stub, aws: Aws, part: str, operation: str
) -> None:
    aws.denied = {operation}
    assert fault_of(part).kind == "auth"


def test_a_part_that_fails_leaves_the_others(stub: Stub, aws: Aws) -> None:
    aws.denied = {"DescribeSpotPriceHistory"}
    prices = connect()
    with pytest.raises(CloudFault):
        prices.page("us-east-1/spot", None)
    assert prices.page("us-east-1/prices", None).prices


@pytest.mark.parametrize("part", ["us-east-1/prices", "us-east-1/machines"])
@pytest.mark.parametrize("ahead", [timedelta(hours=2), timedelta(hours=-2)])
def test_a_clock_that_is_off_is_told_as_that(stub: Stub, part: str, ahead: timedelta) -> None:
    stub.ahead = ahead
    assert fault_of(part).kind == "clock"


def test_a_clock_that_is_a_little_off_does_no_harm(stub: Stub) -> None:
    stub.ahead = timedelta(minutes=-10)
    assert len(prices_of("us-east-1/spot")) == 2


def test_a_wrong_secret_is_told_as_that(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    assert fault_of("us-east-1/prices").kind == "auth"
    assert fault_of("us-east-1/machines").kind == "auth"


def test_without_credentials_nothing_is_sent(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    fault = fault_of()
    assert (fault.kind, fault.sent) == ("auth", "no")
    assert stub.log == []


def test_a_server_that_is_not_there_was_not_asked(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    with Aws({}).stub() as gone:
        monkeypatch.setenv("AWS_ENDPOINT_URL", gone.url)
    fault = fault_of()
    assert (fault.kind, fault.sent) == ("unavailable", "no")


def odd_product(path: list[str], value: Any) -> dict[str, Any]:
    """A product in which one thing is not as published."""
    made = product("p3.2xlarge", "us-east-1", "3.06")
    at: Any = made
    for step in path[:-1]:
        at = at[step] if step in at else next(iter(at.values()))
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return made


DIMENSION = ["terms", "OnDemand", "*", "priceDimensions", "*"]


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ([*DIMENSION, "pricePerUnit"], {"USD": "0.0000000000"}, "the price is 0"),
        ([*DIMENSION, "pricePerUnit"], {"USD": "a lot"}, "not an amount"),
        ([*DIMENSION, "pricePerUnit"], {"USD": "-1"}, "not an amount"),
        ([*DIMENSION, "pricePerUnit"], {}, "in no currency"),
        ([*DIMENSION, "unit"], "Month", "per Month"),
        ([*DIMENSION, "unit"], "Quantity", "paid once"),
        (["terms", "OnDemand"], None, "OnDemand is missing"),
    ],
)
def test_one_odd_product_is_named_and_the_others_hold(
    stub: Stub, aws: Aws, path: list[str], value: Any, why: str
) -> None:
    aws.products.append(odd_product(path, value))
    page = connect().page("us-east-1/prices", None)
    assert {each.instance_type for each in page.prices} == {P4D, "p5.48xlarge"}
    (odd,) = page.skipped
    assert odd.startswith("p3.2xlarge: ")
    assert why in odd


def test_a_zone_that_the_account_does_not_have_is_named(stub: Stub, aws: Aws) -> None:
    aws.zones["us-east-1"].pop("us-east-1b")
    strange = spot(P4D, "us-east-1b", "9", 2)
    aws._spot_prices = lambda asked, region: {"SpotPriceHistory": [*aws.spot[:1], strange]}  # type: ignore[method-assign]
    page = connect().page("us-east-1/spot", None)
    assert [each.zone for each in page.prices] == ["use1-az4"]
    assert page.skipped == (f"{P4D} in us-east-1b: zone us-east-1b is not among the account's",)


def test_a_price_list_of_another_shape_is_refused_whole(stub: Stub, aws: Aws) -> None:
    made = [product(f"p4d.{n}xlarge", "us-east-1", "1.5") for n in range(1, 6)]
    aws.products = [{"product": each["product"], "offers": each["terms"]} for each in made]
    aws.products += [product(f"m5.{n}xlarge", "us-east-1", "1.5") for n in range(1, 20)]
    fault = fault_of()
    assert fault.kind == "invalid"
    assert "terms is missing" in fault.words


@pytest.mark.parametrize("body", [b"{}", b"<html><body>Sign in to this network</body></html>"])
@pytest.mark.parametrize("kind", ["machines", "prices", "spot"])
def test_an_answer_without_its_list_is_another_schema(stub: Stub, kind: str, body: bytes) -> None:
    text = body if kind == "prices" else body.replace(b"{}", b"<Response/>")
    stub.meet(1 + (kind == "spot"), lambda reply, _: replace(reply, body=text))
    assert fault_of(f"us-east-1/{kind}").kind == "invalid"


def test_the_sdk_is_imported_when_it_is_used_and_not_before() -> None:
    asks = "import sys, tradewind.clouds.aws, tradewind.clouds.aws.prices; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", f"import json; {asks}"], capture_output=True, check=True)
    assert not {"boto3", "botocore", "google.auth", "requests"} & set(json.loads(run.stdout))


def test_it_is_the_port() -> None:
    assert AwsPrices.name == "aws"
    assert AwsPrices.calls_per_second > 0


def test_without_the_sdk_the_missing_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ModuleNotFoundError) as met:
        connect()
    assert met.value.name == "boto3"


def test_a_region_without_any_price_is_no_answer(stub: Stub, aws: Aws) -> None:
    aws.products = []
    fault = fault_of()
    assert (fault.kind, fault.words) == ("invalid", "GetProducts: the list is empty")


def test_a_region_without_gpus_is_an_answer(stub: Stub, aws: Aws) -> None:
    aws.machines, aws.spot = [], []
    assert connect().page("us-east-1/machines", None) == Page((), (), None)
    assert connect().page("us-east-1/spot", None) == Page((), (), None)


def test_a_machine_that_is_booked_as_a_block_has_no_on_demand_price(stub: Stub, aws: Aws) -> None:
    block = product("p5en.48xlarge", "us-east-1", "0.0000000000")
    block["product"]["attributes"]["marketoption"] = "CapacityBlock"
    aws.products.append(block)
    page = connect().page("us-east-1/prices", None)
    assert {each.instance_type for each in page.prices} == {P4D, "p5.48xlarge"}
    assert page.skipped == ()

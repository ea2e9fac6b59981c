"""What Tencent Cloud lists without a price is asked for, machine after machine, checked by the SDK's own models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from lab.signatures import sign_in
from lab.stub import Reply, Stub, broken, cut_off, replying
from lab.tencent_prices import Cvm, hourly, refusal

from tradewind.clouds.tencent import inquiry
from tradewind.clouds.tencent.prices import TencentPrices, connect
from tradewind.domain.market import ListedPrice
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

T4, V100 = "GN7.2XLARGE32", "GN10Xp.20XLARGE320"
Z3, Z4 = "ap-guangzhou-3", "ap-guangzhou-4"
CHARGES = {"on_demand": "POSTPAID_BY_HOUR", "spot": "SPOTPAID", "subscription_month": "PREPAID 1",
           "subscription_year": "PREPAID 12"}  # fmt: skip
BY_HOUR = {"UnitPrice": 8.7, "UnitPriceDiscount": 1.74, "ChargeUnit": "HOUR", "Discount": 20.0}
MONTH = {"OriginalPrice": 3000.0, "DiscountPrice": 2500.0, "Discount": 83.3}
YEAR = {"OriginalPrice": 36000.0, "DiscountPrice": 24900.0, "Discount": 69.2}


def rows(*zones: str, **other: Any) -> list[dict[str, Any]]:
    """A T4 without a price in each zone, for every way to pay."""
    ways = sorted({charge.split()[0] for charge in CHARGES.values()})
    return [hourly(T4, 1, 8, 32, 3.0, 0, Charge=way, Price=None, Zone=zone, **other) for way in ways for zone in zones]


@pytest.fixture
def cvm() -> Cvm:
    told: dict[str, dict[str, Any]] = dict(zip(CHARGES.values(), (BY_HOUR, BY_HOUR, MONTH, YEAR), strict=True))
    launches = {(Z3, T4, charge): price for charge, price in told.items()}
    return Cvm({"ap-guangzhou": [*rows(Z3), hourly(V100, 8, 80, 320, 24.0, 145.83)]}, launches)


@pytest.fixture
def stub(cvm: Cvm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    sign_in("tencent", monkeypatch)
    with Stub(cvm.answer) as running:
        yield running


@pytest.fixture
def prices(stub: Stub) -> TencentPrices:
    return connect(endpoint=stub.url)


def pages(prices: TencentPrices, purchase: str = "on_demand") -> list[Page]:
    told = [prices.page(f"ap-guangzhou/{purchase}", None)]
    while told[-1].cursor is not None:
        assert told[-1].cursor not in {page.cursor for page in told[:-1]}, "these pages never end"
        told.append(prices.page(f"ap-guangzhou/{purchase}", told[-1].cursor))
    return told


def listed(prices: TencentPrices, purchase: str = "on_demand") -> dict[tuple[str, str | None], Decimal]:
    told = [each for page in pages(prices, purchase) for each in page.prices]
    return {(each.instance_type, each.zone): each.price_per_hour for each in told}


def actions(stub: Stub) -> list[str]:
    return [heard.headers["x-tc-action"] for heard in stub.log]


@pytest.mark.parametrize(
    ("purchase", "price", "payment", "field"),
    [
        ("on_demand", "8.7", None, "UnitPrice"), ("spot", "1.74", None, "UnitPriceDiscount"),
        ("subscription_month", "3.424658", "all upfront", "DiscountPrice"),
        ("subscription_year", "2.842466", "all upfront", "DiscountPrice"),
    ],
)  # fmt: skip
def test_each_way_of_buying_is_asked_in_its_own_words(
    prices: TencentPrices, purchase: str, price: str, payment: str | None, field: str
) -> None:
    told: ListedPrice = pages(prices, purchase)[1].prices[0]
    assert (told.instance_type, told.zone, told.price_per_hour) == (T4, Z3, Decimal(price))
    assert (told.purchase, told.payment, told.currency) == (purchase, payment, "CNY")
    assert told.source == f"CVM 2017-03-12 InquiryPriceRunInstances, {field}, with a system disk of 20 GiB"


def test_only_what_the_list_leaves_out_is_asked_for_one_machine_a_page(prices: TencentPrices, stub: Stub) -> None:
    told = pages(prices)
    assert [len(page.prices) for page in told] == [1, 1]
    assert actions(stub) == ["DescribeZoneInstanceConfigInfos", "DescribeImages", "InquiryPriceRunInstances"]
    assert {each.instance_type for each in told[0].machines} == {T4, V100}


@pytest.mark.parametrize("price", [None, {}, {"UnitPrice": None, "ChargeUnit": "HOUR"}, {"UnitPrice": 0.0}])
def test_no_price_is_null_or_missing_or_zero(prices: TencentPrices, cvm: Cvm, price: Any) -> None:
    cvm.rows["ap-guangzhou"] = [hourly(T4, 1, 8, 32, 3.0, 0, Price=price)]
    assert listed(prices) == {(T4, Z3): Decimal("8.7")}


def test_the_price_of_one_zone_is_not_told_as_the_regions_while_another_is_unknown(
    prices: TencentPrices, cvm: Cvm
) -> None:
    cvm.rows["ap-guangzhou"] = [hourly(T4, 1, 8, 32, 3.0, 8.68, Zone=Z4), hourly(T4, 1, 8, 32, 3.0, 0, Price=None)]
    assert listed(prices) == {(T4, Z4): Decimal("8.68"), (T4, Z3): Decimal("8.7")}


def test_the_image_is_a_public_linux_one_for_this_processor_and_is_looked_up_once(
    prices: TencentPrices, cvm: Cvm, stub: Stub
) -> None:
    cvm.rows["ap-guangzhou"] = rows(Z3, Z4)
    pages(prices)
    asked = [json.loads(heard.body) for heard in stub.log if heard.headers["x-tc-action"].startswith("Inquiry")]
    assert [each["ImageId"] for each in asked] == ["img-lin", "img-lin"]
    assert actions(stub).count("DescribeImages") == 1


def test_what_is_not_sold_is_named_and_the_next_is_asked(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.rows["ap-guangzhou"] = rows(Z3, Z4)
    cvm.launches = {(Z4, T4, "POSTPAID_BY_HOUR"): BY_HOUR}
    told = pages(prices)
    assert [page.skipped for page in told[1:]] == [
        (f"{Z3}/{T4}: ResourceInsufficient.SpecifiedInstanceType: The specified instance type is sold out.",), (),
    ]  # fmt: skip
    assert [each.zone for each in told[2].prices] == [Z4]


def test_a_launch_without_a_price_is_named(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.launches[Z3, T4, "POSTPAID_BY_HOUR"] = {"UnitPrice": 0.0, "ChargeUnit": "HOUR"}
    assert pages(prices)[1].skipped == (f"{Z3}/{T4}: the price is 0",)


def test_a_price_in_another_unit_is_named(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.launches[Z3, T4, "POSTPAID_BY_HOUR"] = {"UnitPrice": 8.7, "ChargeUnit": "GB"}
    assert pages(prices)[1].skipped == (f"{Z3}/{T4}: ChargeUnit is 'GB'",)


def test_without_an_image_nothing_can_be_asked_and_that_is_named(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.images = [("img-win", "Windows", "x86_64")]
    assert pages(prices)[1].skipped == (f"{Z3}/{T4}: no public image of Ubuntu for x86_64",)


@pytest.mark.parametrize("denied", ["InquiryPriceRunInstances", "DescribeImages"])
def test_who_may_not_ask_keeps_the_list_and_is_told_once(
    prices: TencentPrices, cvm: Cvm, stub: Stub, denied: str
) -> None:
    cvm.rows["ap-guangzhou"] += rows(Z4)
    cvm.denied = {denied}
    told = pages(prices)
    assert [len(page.prices) for page in told] == [1, 0]
    (words,) = told[1].skipped
    assert words.startswith(f"{Z3}/{T4} and what comes after it: UnauthorizedOperation: ")
    assert actions(stub).count(denied) == 1


def test_questions_are_bounded_and_what_is_left_is_named(prices: TencentPrices, cvm: Cvm, stub: Stub) -> None:
    count = inquiry.MOST + 2
    cvm.rows["ap-guangzhou"] = [hourly(f"GN7.{n:03}", 1, 8, 32, 3.0, 0, Price=None) for n in range(count)]
    told = pages(prices)
    assert actions(stub).count("InquiryPriceRunInstances") == inquiry.MOST
    assert told[0].skipped == (f"{Z3}/GN7.050: no price", f"{Z3}/GN7.051: no price")


def test_another_process_goes_on_with_the_same_page(prices: TencentPrices, cvm: Cvm, stub: Stub) -> None:
    cvm.rows["ap-guangzhou"] = rows(Z3, Z4)
    cvm.launches[Z4, T4, "POSTPAID_BY_HOUR"] = BY_HOUR
    first, second, third = pages(prices)
    another = connect(endpoint=stub.url)
    assert another.page("ap-guangzhou/on_demand", first.cursor) == second
    assert another.page("ap-guangzhou/on_demand", second.cursor) == third


@pytest.mark.parametrize("number", [1, 2], ids=["the image", "the price"])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (replying(refusal("RequestLimitExceeded", "Slower.")), "throttle"), (broken, "unavailable"),
        (cut_off, "unavailable"), (replying(refusal("AuthFailure.SecretIdNotFound", "No.")), "auth"),
        (replying(Reply(body=b'{"Response": {"RequestId": "1"}}')), "invalid"),
    ],
    ids=["throttled", "503", "half an answer", "no such secret", "another shape"],
)  # fmt: skip
def test_a_question_that_failed_is_a_fault_and_can_be_asked_again(
    prices: TencentPrices, stub: Stub, number: int, fault: Any, kind: str
) -> None:
    cursor = prices.page("ap-guangzhou/on_demand", None).cursor
    stub.meet(number, fault)
    with pytest.raises(CloudFault) as met:
        prices.page("ap-guangzhou/on_demand", cursor)
    assert (met.value.kind, len(stub.log)) == (kind, 1 + number)
    assert len(prices.page("ap-guangzhou/on_demand", cursor).prices) == 1

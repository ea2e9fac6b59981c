"""Tencent Cloud's machines and prices: read by its SDK from a stub that checks each request by the SDK's models."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from lab.signatures import sign_in
from lab.stub import Reply, Stub, replying
from lab.tencent_prices import Cvm, hourly, refusal

from tradewind.clouds.tencent.prices import TencentPrices, connect
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault

T4, V100, QUARTER = "GN7.2XLARGE32", "GN10Xp.20XLARGE320", "GN7.LARGE20"
ON_DEMAND = "ap-guangzhou/on_demand"
PREPAID = {
    "OriginalPrice": 3000.0, "DiscountPrice": 2500.0, "Discount": 83.3, "OriginalPriceOneYear": 36000.0,
    "DiscountPriceOneYear": 24900.0, "DiscountOneYear": 69.2,
}  # fmt: skip
SPOT = {"UnitPrice": 8.68, "UnitPriceDiscount": 1.736, "ChargeUnit": "HOUR", "Discount": 20.0}
DEARER = {**SPOT, "UnitPriceDiscount": 2.1}


@pytest.fixture
def cvm() -> Cvm:
    """List prices of 2020, as the catalog has them."""
    return Cvm({"ap-guangzhou": [
        hourly(T4, 1, 8, 32, 3.0, 8.68),
        hourly(T4, 1, 8, 32, 3.0, 8.68, Zone="ap-guangzhou-4"),
        hourly(QUARTER, 0.25, 4, 20, 1.5, 3.39),
        hourly(V100, 8, 80, 320, 24.0, 145.83),
        hourly("S5.LARGE8", 0, 4, 8, 1.5, 0.74),
        hourly(T4, 1, 8, 32, 3.0, 0, Charge="SPOTPAID", Price=SPOT),
        hourly(T4, 1, 8, 32, 3.0, 0, Charge="SPOTPAID", Price=DEARER, Zone="ap-guangzhou-4"),
        hourly(T4, 1, 8, 32, 3.0, 0, Charge="PREPAID", Price=PREPAID),
    ], "ap-beijing": []})  # fmt: skip


@pytest.fixture
def stub(cvm: Cvm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    sign_in("tencent", monkeypatch)
    with Stub(cvm.answer) as running:
        yield running


@pytest.fixture
def prices(stub: Stub) -> TencentPrices:
    return connect(endpoint=stub.url)


def listed(prices: TencentPrices, purchase: str) -> dict[tuple[str, str | None], Decimal]:
    page = prices.page(f"ap-guangzhou/{purchase}", None)
    return {(each.instance_type, each.zone): each.price_per_hour for each in page.prices}


def fault_of(prices: TencentPrices, part: str = ON_DEMAND) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        prices.page(part, None)
    return met.value


def test_a_refresh_is_each_region_by_purchase(prices: TencentPrices) -> None:
    assert prices.parts() == tuple(
        f"{region}/{purchase}" for region in ("ap-beijing", "ap-guangzhou")
        for purchase in ("on_demand", "spot", "subscription_month", "subscription_year")
    )  # fmt: skip


def test_known_machines_come_with_their_gpus_and_shares(prices: TencentPrices) -> None:
    told = {each.instance_type: each for each in prices.page(ON_DEMAND, None).machines}
    assert {name: each.gpus for name, each in told.items()} == {T4: 1, V100: 8, QUARTER: Decimal("0.25")}
    assert (told[V100].cpus, told[V100].memory_gib, told[V100].network_gbps) == (80, 320, 24)
    assert {each.gpu for each in told.values()} == {None}  # CVM does not tell which


def test_where_only_the_older_field_tells_the_gpus_it_is_read(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.rows["ap-guangzhou"] = [hourly("GN8.14XLARGE448", 10, 56, 448, 10.0, 123.52, GpuCount=None)]
    assert str(prices.page(ON_DEMAND, None).machines[0].gpus) == "10"


def test_known_machines_come_with_their_list_price(prices: TencentPrices) -> None:
    assert listed(prices, "on_demand") == {
        (T4, None): Decimal("8.68"), (QUARTER, None): Decimal("3.39"), (V100, None): Decimal("145.83"),
    }  # fmt: skip


def test_where_zones_differ_each_has_its_price(prices: TencentPrices) -> None:
    assert listed(prices, "spot") == {
        (T4, "ap-guangzhou-3"): Decimal("1.736"), (T4, "ap-guangzhou-4"): Decimal("2.1"),
    }  # fmt: skip


def test_subscriptions_are_spread_over_their_hours(prices: TencentPrices) -> None:
    assert listed(prices, "subscription_month") == {(T4, None): Decimal("3.424658")}  # 2500 / 730
    assert listed(prices, "subscription_year") == {(T4, None): Decimal("2.842466")}  # 24900 / 8760
    assert prices.page("ap-guangzhou/subscription_year", None).prices[0].payment == "all upfront"


def test_prices_that_fall_with_use_are_taken_at_their_beginning(prices: TencentPrices, cvm: Cvm) -> None:
    steps = {"UnitPrice": 8.68, "UnitPriceSecondStep": 7.5, "UnitPriceThirdStep": 6.0, "ChargeUnit": "HOUR"}
    cvm.rows["ap-guangzhou"] = [hourly(T4, 1, 8, 32, 3.0, 0, Price=steps)]
    assert listed(prices, "on_demand") == {(T4, None): Decimal("8.68")}


def test_the_site_of_the_account_says_the_currency(stub: Stub, prices: TencentPrices) -> None:
    abroad = connect("international", stub.url)
    assert {each.currency for each in prices.page(ON_DEMAND, None).prices} == {"CNY"}
    assert {each.currency for each in abroad.page(ON_DEMAND, None).prices} == {"USD"}


def test_a_price_says_its_day_and_interface(prices: TencentPrices) -> None:
    price = prices.page(ON_DEMAND, None).prices[0]
    assert (price.region, price.purchase, price.payment) == ("ap-guangzhou", Purchase.ON_DEMAND, None)
    assert price.as_of == datetime.now(UTC).date().isoformat()
    assert "DescribeZoneInstanceConfigInfos" in price.source


def test_a_part_is_one_request(prices: TencentPrices, stub: Stub) -> None:
    assert prices.page(ON_DEMAND, None).cursor is None
    assert len(stub.log) == 1


def test_a_region_that_sells_no_gpu_is_empty(prices: TencentPrices) -> None:
    assert prices.page("ap-beijing/on_demand", None).prices == ()


def test_there_is_no_history_of_spot_prices(prices: TencentPrices, stub: Stub) -> None:
    assert list(prices.spot_history("ap-guangzhou", [T4], datetime.now(UTC))) == []
    assert stub.log == []


def test_no_region_at_all_means_that_we_may_not_look(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.rows = {}
    with pytest.raises(CloudFault, match="regions") as met:
        prices.parts()
    assert met.value.kind == "auth"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("RequestLimitExceeded", "throttle"), ("RequestLimitExceeded.UinLimitExceeded", "throttle"),
        ("AuthFailure.SecretIdNotFound", "auth"), ("UnauthorizedOperation", "auth"), ("InternalError", "unavailable"),
        ("InvalidFilter", "invalid"),
    ],
)  # fmt: skip
def test_refusals_come_under_200_and_are_told_apart_by_their_code(
    prices: TencentPrices, stub: Stub, code: str, kind: str
) -> None:
    stub.meet(1, replying(refusal(code, "No.")))
    fault = fault_of(prices)
    assert (fault.kind, fault.sent, len(stub.log)) == (kind, "yes", 1)


def test_a_clock_that_is_off_is_told_as_such(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.ahead = timedelta(minutes=10)
    assert fault_of(prices).kind == "clock"


def test_a_wrong_secret_is_refused_by_the_signature(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in("tencent", monkeypatch, secret="another")
    assert fault_of(connect(endpoint=stub.url)).kind == "auth"


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        (b'{"Response": {"Items": []}}', "InstanceTypeQuotaSet is missing"),
        (b'{"Answer": {}}', "not the published one"),
        (b'{"Response": {"InstanceTypeQuotaSet": [{"A": 1}, {"A": 1}, {"A": 1}, {"A": 1}]}}', "rows are odd"),
    ],
)  # fmt: skip
def test_another_shape_is_invalid_and_says_what_is_missing(
    prices: TencentPrices, stub: Stub, body: bytes, missing: str
) -> None:
    stub.meet(1, replying(Reply(body=body)))
    fault = fault_of(prices)
    assert (fault.kind, missing in fault.words) == ("invalid", True)


def test_a_single_odd_row_is_skipped_by_name(prices: TencentPrices, cvm: Cvm) -> None:
    cvm.rows["ap-guangzhou"][3]["Price"] = {"UnitPrice": 145.83, "ChargeUnit": "GB"}
    page = prices.page(ON_DEMAND, None)
    assert page.skipped == (f"{V100} in ap-guangzhou-3: ChargeUnit is 'GB'",)
    assert len(page.prices) == 2

"""Alibaba Cloud's machines and prices: read by its SDK from a stub that checks each request by the SDK's models."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from lab.alibaba_prices import Ecs, machine, refusal
from lab.signatures import sign_in
from lab.stub import Reply, Stub, replying

from tradewind.clouds.alibaba.prices import AlibabaPrices, connect
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

GN7I, GN6E, GN7E = "ecs.gn7i-c8g1.2xlarge", "ecs.gn6e-c12g1.3xlarge", "ecs.gn7e-c16g1.32xlarge"
SLICE = "ecs.sgn7i-vws-m4.2xlarge"
BEIJING = "cn-beijing"


@pytest.fixture
def ecs() -> Ecs:
    """List prices of 2024-12-31, as the catalog has them."""
    return Ecs(
        machines=[
            machine(GN7I, "NVIDIA A10", 1, 24.0, 8, 30.0, 16_384_000),
            machine("ecs.g6.large", "", 0, 0.0, 2, 8.0, 1_024_000),
            machine(GN6E, "NVIDIA V100", 1, 32.0, 12, 92.0, 5_120_000),
            machine(GN7E, "NVIDIA A100", 8, 80.0, 128, 1000.0, 65_536_000, EriQuantity=2),
            machine(SLICE, "NVIDIA A10*1/6", 1, 4.0, 8, 31.0, 2_662_400),
        ],
        zones={
            BEIJING: {"cn-beijing-l": [GN7I, "ecs.g6.large", GN7E], "cn-beijing-k": [GN7I, GN6E]},
            "cn-hangzhou": {"cn-hangzhou-i": ["ecs.g6.large"]},
        },
        prices={
            (BEIJING, GN7I, "Hour"): (9.5326, 7.0), (BEIJING, GN6E, "Hour"): (19.739, 19.739),
            (BEIJING, GN7E, "Hour"): (277.933, 277.933), (BEIJING, GN7I, "Month"): (4575.65, 4389.78),
            (BEIJING, GN7I, "Year"): (54907.8, 46671.63),
        },
        spot=[
            point("2026-11-20T08:00:00Z", "cn-beijing-k", 1.1), point("2026-11-20T09:00:00Z", "cn-beijing-k", 1.3),
            point("2026-11-20T10:00:00Z", "cn-beijing-l", 0.953), point("2026-11-20T11:00:00Z", "cn-beijing-l", 0.98),
            point("2026-11-20T12:00:00Z", "cn-beijing-k", 1.2),
        ],
    )  # fmt: skip


def point(at: str, zone: str, price: float) -> dict[str, object]:
    return {
        "InstanceType": GN7I, "Timestamp": at, "ZoneId": zone, "SpotPrice": price, "OriginPrice": 9.5326,
        "NetworkType": "vpc", "IoOptimized": "optimized",
    }  # fmt: skip


@pytest.fixture
def stub(ecs: Ecs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    sign_in("alibaba", monkeypatch)
    with Stub(ecs.answer) as running:
        yield running


@pytest.fixture
def prices(stub: Stub) -> AlibabaPrices:
    return connect(stub.url)


def pages(prices: AlibabaPrices, part: str) -> list[Page]:
    told = [prices.page(part, None)]
    while told[-1].cursor is not None:
        assert told[-1].cursor not in {page.cursor for page in told[:-1]}, "these pages never end"
        told.append(prices.page(part, told[-1].cursor))
    return told


def listed(prices: AlibabaPrices, part: str) -> dict[tuple[str, str | None], Decimal]:
    return {
        (each.instance_type, each.zone): each.price_per_hour for page in pages(prices, part) for each in page.prices
    }


def fault_of(prices: AlibabaPrices, part: str, cursor: str | None = None) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        prices.page(part, cursor)
    return met.value


def test_a_refresh_is_the_machines_and_each_region_by_purchase(prices: AlibabaPrices) -> None:
    assert prices.parts() == (
        "machines",
        *(f"{region}/{purchase}" for region in ("cn-beijing", "cn-hangzhou")
          for purchase in ("on_demand", "subscription_month", "subscription_year", "spot")),
    )  # fmt: skip


def test_known_machines_come_with_their_gpus(prices: AlibabaPrices) -> None:
    told = {each.instance_type: each for page in pages(prices, "machines") for each in page.machines}
    assert set(told) == {GN7I, GN6E, GN7E, SLICE}
    assert (told[GN7I].gpu, told[GN7I].gpus, told[GN7I].gpu_memory_gib) == ("NVIDIA A10", Decimal(1), 24.0)
    assert (told[GN6E].gpu, told[GN6E].gpus, told[GN6E].gpu_memory_gib) == ("NVIDIA V100", Decimal(1), 32.0)
    assert (told[GN7E].gpu, told[GN7E].gpus, told[GN7E].gpu_memory_gib) == ("NVIDIA A100", Decimal(8), 80.0)
    assert (told[GN7I].cpus, told[GN7I].memory_gib, told[GN7I].network_gbps) == (8, 30, 16)
    assert (told[GN7I].rdma, told[GN7E].rdma) == (None, "eRDMA (Gbps not sourced)")
    assert told[GN7I].local_nvme_gb == 0


def test_a_slice_is_the_share_of_a_card_that_its_name_says(prices: AlibabaPrices, ecs: Ecs) -> None:
    ecs.machines.append(machine("ecs.vgn6i-m4.xlarge", "NVIDIA T4", 1, 4.0, 4, 23.0, 3_072_000))
    told = {each.instance_type: each for page in pages(prices, "machines") for each in page.machines}
    assert (told[SLICE].gpu, told[SLICE].gpus, told[SLICE].gpu_memory_gib) == ("NVIDIA A10", Decimal("0.1667"), 4)
    assert told["ecs.vgn6i-m4.xlarge"].gpus is None  # a family of slices whose size is not told: never guessed


def test_local_disks_count_when_they_are_nvme(prices: AlibabaPrices, ecs: Ecs) -> None:
    disks = {"LocalStorageCategory": "local_ssd_pro", "LocalStorageAmount": 2, "LocalStorageCapacity": 440}
    ecs.machines = [machine("ecs.gn5-c8g1.4xlarge", "NVIDIA P100", 2, 16.0, 16, 120.0, 5_120_000, **disks)]
    assert prices.page("machines", None).machines[0].local_nvme_gb == pytest.approx(944.9)


def test_machines_are_paged_by_the_token(prices: AlibabaPrices, ecs: Ecs, stub: Stub) -> None:
    ecs.page_size = 2
    told = pages(prices, "machines")
    assert [len(page.machines) for page in told] == [1, 2, 1]
    assert len(stub.log) == 3
    assert prices.page("machines", told[0].cursor) == told[1]


def test_known_machines_come_with_their_list_price_without_disks(prices: AlibabaPrices) -> None:
    told = listed(prices, f"{BEIJING}/on_demand")
    assert told == {
        (GN7I, None): Decimal("9.5326"), (GN6E, None): Decimal("19.739"), (GN7E, None): Decimal("277.933"),
    }  # fmt: skip


def test_a_price_says_its_currency_day_and_interface(prices: AlibabaPrices) -> None:
    price = prices.page(f"{BEIJING}/on_demand", GN7I).prices[0]
    assert (price.currency, price.region, price.purchase, price.payment) == ("CNY", BEIJING, Purchase.ON_DEMAND, None)
    assert price.as_of == datetime.now(UTC).date().isoformat()
    assert "DescribePrice" in price.source


def test_subscriptions_are_spread_over_their_hours(prices: AlibabaPrices) -> None:
    assert listed(prices, f"{BEIJING}/subscription_month") == {(GN7I, None): Decimal("6.013397")}  # 4389.78 / 730
    assert listed(prices, f"{BEIJING}/subscription_year") == {(GN7I, None): Decimal("5.327812")}  # 46671.63 / 8760
    assert prices.page(f"{BEIJING}/subscription_year", GN7I).prices[0].payment == "all upfront"


def test_what_is_not_sold_this_way_is_skipped_by_name(prices: AlibabaPrices) -> None:
    skipped = [each for page in pages(prices, f"{BEIJING}/subscription_month") for each in page.skipped]
    assert [each.split(":")[0] for each in skipped] == [GN6E, GN7E]


def test_one_type_is_one_page_with_one_request(prices: AlibabaPrices, stub: Stub) -> None:
    pages(prices, f"{BEIJING}/on_demand")
    actions = [heard.headers["x-acs-action"] for heard in stub.log]
    assert actions == ["DescribeAvailableResource", "DescribeInstanceTypes", *["DescribePrice"] * 3]


def test_another_process_goes_on_at_the_same_cursor(prices: AlibabaPrices, stub: Stub) -> None:
    first = prices.page(f"{BEIJING}/on_demand", None)
    assert connect(stub.url).page(f"{BEIJING}/on_demand", first.cursor) == prices.page(
        f"{BEIJING}/on_demand", first.cursor
    )


def test_a_region_without_accelerated_machines_has_one_empty_page(prices: AlibabaPrices) -> None:
    assert pages(prices, "cn-hangzhou/on_demand") == [Page((), (), None)]


def test_the_spot_price_is_the_newest_of_each_zone(prices: AlibabaPrices) -> None:
    assert listed(prices, f"{BEIJING}/spot") == {
        (GN7I, "cn-beijing-k"): Decimal("1.2"), (GN7I, "cn-beijing-l"): Decimal("0.98"),
    }  # fmt: skip


def test_the_history_comes_whole_and_from_30_days_back_at_most(prices: AlibabaPrices, stub: Stub, ecs: Ecs) -> None:
    at = datetime.now(UTC).replace(microsecond=0)
    ecs.spot = [
        point((at - timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ"), "cn-beijing-k", 1.0) for day in range(5)
    ]
    assert len(list(prices.spot_history(BEIJING, [GN7I], at - timedelta(days=400)))) == 5
    assert len(stub.log) == 3  # two points an answer
    started = datetime.fromisoformat(stub.log[0].query["StartTime"])
    assert timedelta(days=29, hours=23) < at - started <= timedelta(days=30)
    points = list(prices.spot_history(BEIJING, [GN7I], at - timedelta(days=2)))
    assert [each.at for each in points] == [at, at - timedelta(days=1), at - timedelta(days=2)]


@pytest.mark.parametrize("emptied", ["machines", "zones"])
def test_an_empty_list_means_that_we_may_not_look(prices: AlibabaPrices, ecs: Ecs, emptied: str) -> None:
    if emptied == "machines":
        ecs.machines = []
        assert fault_of(prices, "machines").kind == "auth"
    else:
        ecs.zones = {BEIJING: {}}
        assert fault_of(prices, f"{BEIJING}/on_demand").kind == "auth"


def test_no_region_at_all_means_that_we_may_not_look(prices: AlibabaPrices, ecs: Ecs) -> None:
    ecs.zones = {}
    with pytest.raises(CloudFault, match="regions") as met:
        prices.parts()
    assert met.value.kind == "auth"


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "Throttling.User", "throttle"), (429, "TooManyRequests", "throttle"), (403, "Forbidden.RAM", "auth"),
        (404, "InvalidAccessKeyId.NotFound", "auth"), (503, "ServiceUnavailable", "unavailable"),
        (400, "InvalidParameter", "invalid"),
    ],
)  # fmt: skip
def test_refusals_are_told_apart_by_their_code(
    prices: AlibabaPrices, stub: Stub, status: int, code: str, kind: str
) -> None:
    stub.meet(1, replying(refusal(status, code, "No.")))
    assert fault_of(prices, "machines").kind == kind
    assert len(stub.log) == 1


def test_the_time_to_wait_is_passed_on_in_seconds(prices: AlibabaPrices, stub: Stub) -> None:
    stub.meet(1, replying(refusal(400, "Throttling.Api", "No.", **{"x-acs-retry-after": "2500"})))
    assert fault_of(prices, "machines").retry_after_s == 2.5


def test_a_clock_that_is_off_is_told_as_such(prices: AlibabaPrices, ecs: Ecs) -> None:
    ecs.ahead = timedelta(hours=1)
    assert fault_of(prices, "machines").kind == "clock"


def test_a_wrong_secret_is_refused_by_the_signature(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in("alibaba", monkeypatch, secret="another")
    assert fault_of(connect(stub.url), "machines").kind == "auth"


def test_a_fault_of_one_type_ends_the_page_and_the_others_are_kept(prices: AlibabaPrices, stub: Stub) -> None:
    first = prices.page(f"{BEIJING}/on_demand", None)
    stub.meet(1, replying(refusal(400, "Throttling.User", "No.")))
    assert fault_of(prices, f"{BEIJING}/on_demand", first.cursor).kind == "throttle"
    assert len(prices.page(f"{BEIJING}/on_demand", first.cursor).prices) == 1


@pytest.mark.parametrize(
    ("part", "body", "missing"),
    [
        ("machines", b"{}", "InstanceTypes is missing"),
        (f"{BEIJING}/on_demand", b'{"PriceInfo": {"Cost": {}}}', "PriceInfo.Price is missing"),
        (f"{BEIJING}/spot", b'{"Currency": "CNY", "SpotPrices": []}', "SpotPrices.SpotPriceType is missing"),
    ],
)
def test_another_shape_is_invalid_and_says_what_is_missing(
    prices: AlibabaPrices, stub: Stub, part: str, body: bytes, missing: str
) -> None:
    cursor = prices.page(part, None).cursor if part != "machines" else None
    stub.meet(1, replying(Reply(body=body)))
    fault = fault_of(prices, part, cursor)
    assert (fault.kind, missing in fault.words) == ("invalid", True)


def test_a_single_odd_row_is_skipped_by_name(prices: AlibabaPrices, ecs: Ecs) -> None:
    del ecs.machines[0]["CpuCoreCount"]
    page = prices.page("machines", None)
    assert len(page.machines) == 3
    assert page.skipped == (f"{GN7I}: CpuCoreCount is missing",)

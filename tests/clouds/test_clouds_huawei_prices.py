"""Huawei Cloud's machines and prices: read by its SDK from a stub that checks each request by the SDK's models."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from lab.huawei_prices import Huawei, flavor, refusal
from lab.signatures import sign_in
from lab.stub import Reply, Stub, replying

from tradewind.clouds.huawei import prices as adapter
from tradewind.clouds.huawei.prices import HuaweiPrices, connect
from tradewind.domain.market import ListedMachine
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

P2S, PI2, SLICE = "p2s.2xlarge.8", "pi2.4xlarge.4", "g7v.2xlarge.8"
MACHINES, ON_DEMAND = "cn-north-4/machines", "cn-north-4/on_demand"
MONTH, YEAR = "cn-north-4/subscription_month", "cn-north-4/subscription_year"
V100 = '[{"name": "NVIDIA V100", "count": 1, "memory_mb": 32768}]'


@pytest.fixture
def huawei() -> Huawei:
    """The prices are made up: no public source tells any."""
    return Huawei(
        flavors={"cn-north-4": [
            flavor(P2S, 8, 64, info__gpus=V100, quota__max_rate="10000"),
            flavor(PI2, 16, 64, pci_passthrough__gpu_specs="nvidia-t4:direct_graphics:2"),
            flavor(SLICE, 8, 64, pci_passthrough__gpu_specs="a40_8q:virt:1"),
            flavor("s6.small.1", 1, 1, ecs__performancetype="normal"),
        ], "ap-southeast-3": []},
        prices={("cn-north-4", P2S): 21.88, ("cn-north-4", PI2): 12.5, ("cn-north-4", SLICE): 4.03},
        periods={
            ("cn-north-4", P2S, "month"): 10950.0, ("cn-north-4", PI2, "month"): 6000.0,
            ("cn-north-4", SLICE, "month"): 2000.0, ("cn-north-4", P2S, "year"): 109500.0,
            ("cn-north-4", PI2, "year"): 60000.0, ("cn-north-4", SLICE, "year"): 20000.0,
        },
    )  # fmt: skip


@pytest.fixture
def stub(huawei: Huawei, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stub]:
    monkeypatch.setenv("HOME", str(tmp_path))  # where the SDK keeps a number that it makes for this computer
    sign_in("huawei", monkeypatch)
    with Stub(huawei.answer) as running:
        yield running


@pytest.fixture
def prices(stub: Stub) -> HuaweiPrices:
    return connect(endpoint=stub.url)


def pages(prices: HuaweiPrices, part: str) -> list[Page]:
    told = [prices.page(part, None)]
    while told[-1].cursor is not None:
        assert told[-1].cursor not in {page.cursor for page in told[:-1]}, "these pages never end"
        told.append(prices.page(part, told[-1].cursor))
    return told


def listed(prices: HuaweiPrices, part: str = ON_DEMAND) -> dict[str, Decimal]:
    return {each.instance_type: each.price_per_hour for page in pages(prices, part) for each in page.prices}


def machines(prices: HuaweiPrices) -> dict[str, ListedMachine]:
    return {each.instance_type: each for page in pages(prices, MACHINES) for each in page.machines}


def fault_of(prices: HuaweiPrices, part: str = MACHINES, cursor: str | None = None) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        prices.page(part, cursor)
    return met.value


def test_a_refresh_is_the_machines_and_prices_of_each_region_with_a_project(prices: HuaweiPrices) -> None:
    assert prices.parts() == (
        *(part.replace("cn-north-4", "ap-southeast-3") for part in (MACHINES, ON_DEMAND, MONTH, YEAR)),
        MACHINES, ON_DEMAND, MONTH, YEAR,
    )  # fmt: skip


def test_known_machines_come_with_their_gpus(prices: HuaweiPrices) -> None:
    told = machines(prices)
    assert set(told) == {P2S, PI2, SLICE}
    assert (told[P2S].gpu, told[P2S].gpus, told[P2S].gpu_memory_gib) == ("NVIDIA V100", Decimal(1), 32.0)
    assert (told[PI2].gpu, told[PI2].gpus, told[PI2].gpu_memory_gib) == ("nvidia-t4", Decimal(2), None)
    assert (told[P2S].cpus, told[P2S].memory_gib, told[P2S].network_gbps) == (8, 64, 10)


def test_a_slice_is_a_share_of_its_card_by_memory(prices: HuaweiPrices) -> None:
    told = machines(prices)[SLICE]
    assert (told.gpu, told.gpus, told.gpu_memory_gib) == ("a40", Decimal("0.1667"), 8)  # 8 of 48 GiB


@pytest.mark.parametrize(
    ("specs", "gpu", "gpus"),
    [
        ({"pci_passthrough__alias": "nvidia-p100:4"}, "nvidia-p100", 4),
        ({"info__gpus": "", "pci_passthrough__alias": "nvidia-p100:1"}, "nvidia-p100", 1),
        ({"info__asic_accelerators": '[{"name": "Ascend 310", "count": 2, "memory_mb": 8192}]'}, "Ascend 310", 2),
        ({"pci_passthrough__gpu_specs": "v100_8q:virt:1"}, "v100", None),  # of 16 or of 32 GiB: never guessed
    ],
    ids=["pass-through", "an empty one", "Ascend", "a card of two sizes"],
)
def test_older_fields_and_other_accelerators_are_read_too(
    prices: HuaweiPrices, huawei: Huawei, specs: dict[str, object], gpu: str, gpus: int | None
) -> None:
    huawei.flavors["cn-north-4"] = [flavor("any.large.4", 8, 64, **specs)]
    told = machines(prices)["any.large.4"]
    assert (told.gpu, told.gpus) == (gpu, gpus)


def test_kunpeng_machines_are_arm(prices: HuaweiPrices, huawei: Huawei) -> None:
    huawei.flavors["cn-north-4"] = [flavor(P2S, 8, 64, info__gpus=V100, ecs__instance_architecture="arm64")]
    assert machines(prices)[P2S].arch == "arm64"


def test_flavours_are_paged_by_the_last_one(
    prices: HuaweiPrices, stub: Stub, huawei: Huawei, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "FLAVORS_A_PAGE", 2)
    huawei.page_size = 2
    assert [len(page.machines) for page in pages(prices, MACHINES)] == [2, 1, 0]
    assert [heard.query.get("marker") for heard in stub.log[1:]] == [None, PI2, "s6.small.1"]
    assert listed(prices) == {P2S: Decimal("21.88"), PI2: Decimal("12.5"), SLICE: Decimal("4.03")}


def test_known_machines_come_with_their_list_price(prices: HuaweiPrices) -> None:
    assert listed(prices) == {P2S: Decimal("21.88"), PI2: Decimal("12.5"), SLICE: Decimal("4.03")}


def test_a_month_and_a_year_are_spread_over_their_hours_at_the_list_price(prices: HuaweiPrices) -> None:
    assert listed(prices, MONTH) == {P2S: Decimal(15), PI2: Decimal("8.219178"), SLICE: Decimal("2.739726")}
    assert listed(prices, YEAR) == {P2S: Decimal("12.5"), PI2: Decimal("6.849315"), SLICE: Decimal("2.283105")}
    (price, *_) = pages(prices, YEAR)[1].prices
    assert (price.purchase, price.payment) == (Purchase.SUBSCRIPTION_YEAR, "all upfront")
    assert price.source == "BSS v2 ListRateOnPeriodDetail, official_website_amount"


def test_more_flavours_than_a_question_holds_are_asked_in_several(
    prices: HuaweiPrices, huawei: Huawei, stub: Stub
) -> None:
    names = [f"p2s.{n}xlarge.8" for n in range(100, 160)]
    huawei.flavors["cn-north-4"] = [flavor(name, 8, 64, info__gpus=V100) for name in names]
    huawei.periods = {("cn-north-4", name, "month"): 7300.0 for name in names}
    told = pages(prices, MONTH)
    assert [len(page.prices) for page in told] == [0, 50, 10]
    assert sum(heard.path.endswith("/subscribe-rate") for heard in stub.log) == 2
    assert HuaweiPrices.page(connect(endpoint=stub.url), MONTH, told[1].cursor) == told[2]


def test_a_period_that_one_flavour_does_not_have_costs_no_other_its_price(prices: HuaweiPrices, huawei: Huawei) -> None:
    del huawei.periods["cn-north-4", PI2, "year"]
    told = pages(prices, YEAR)
    assert {each.instance_type for page in told for each in page.prices} == {P2S, SLICE}
    assert [name for page in told for name in page.skipped] == [f"{PI2}: CBC.6006: Can not find product."]


@pytest.mark.parametrize("part", [ON_DEMAND, MONTH, YEAR])
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [(429, "APIGW.0308", "throttle"), (403, "CBC.0151", "auth"), (500, "CBC.0999", "unavailable")],
)
def test_a_rating_that_is_refused_is_a_fault_and_can_be_asked_again(
    prices: HuaweiPrices, stub: Stub, part: str, status: int, code: str, kind: str
) -> None:
    cursor = prices.page(part, None).cursor
    stub.meet(1, replying(refusal(status, code, "No.")))
    assert fault_of(prices, part, cursor).kind == kind
    assert len(prices.page(part, cursor).prices) == 3


def test_an_account_without_rights_in_bss_fails_alone_where_prices_are_asked(prices: HuaweiPrices, stub: Stub) -> None:
    cursor = prices.page(MONTH, None).cursor
    stub.meet(1, replying(refusal(403, "CBC.0151", "Access denied.")))
    assert fault_of(prices, MONTH, cursor).words == "CBC.0151: Access denied."
    assert len(machines(prices)) == 3


@pytest.mark.parametrize(
    ("site", "hosts"),
    [
        ("china", ("https://bss.myhuaweicloud.com", "https://iam.myhuaweicloud.com", "myhuaweicloud.com")),
        ("international", ("https://bss-intl.myhuaweicloud.com", "https://iam.myhuaweicloud.com", "myhuaweicloud.com")),
        ("europe", ("https://bss.myhuaweicloud.eu", "https://iam.myhuaweicloud.eu", "myhuaweicloud.eu")),
    ],
)
def test_a_site_has_its_own_hosts(site: adapter.Site, hosts: tuple[str, str, str]) -> None:
    known = adapter.SITES[site]
    assert (known.bss, known.iam, known.domain) == hosts


def test_only_at_the_chinese_site_no_currency_means_yuan(stub: Stub, huawei: Huawei) -> None:
    huawei.currency = ""
    abroad = connect("europe", stub.url)
    cursor = abroad.page(ON_DEMAND, None).cursor
    fault = fault_of(abroad, ON_DEMAND, cursor)
    assert (fault.kind, "currency is missing" in fault.words) == ("invalid", True)


@pytest.mark.parametrize(("told", "currency"), [("CNY", "CNY"), ("USD", "USD"), ("", "CNY")])
def test_the_answer_says_the_currency_and_none_is_yuan(
    prices: HuaweiPrices, huawei: Huawei, told: str, currency: str
) -> None:
    huawei.currency = told
    assert {each.currency for page in pages(prices, ON_DEMAND) for each in page.prices} == {currency}


def test_a_price_says_its_day_and_interface(prices: HuaweiPrices) -> None:
    price = pages(prices, ON_DEMAND)[1].prices[0]
    assert (price.region, price.zone, price.purchase) == ("cn-north-4", None, Purchase.ON_DEMAND)
    assert price.as_of == datetime.now(UTC).date().isoformat()
    assert "ListOnDemandResourceRatings" in price.source


@pytest.mark.parametrize(
    ("specs", "asked"),
    [
        ({"cond__operation__status": "abandon"}, False),
        (
            {"cond__operation__status": "abandon", "cond__operation__az": "cn-north-4a(sellout), cn-north-4b(abandon)"},
            True,
        ),
        ({"cond__operation__charge": "period"}, False),
        ({"cond__operation__charge": "period,demand"}, True),
    ],
    ids=["withdrawn", "sold out in one zone", "by the month only", "both"],
)
def test_only_what_is_sold_by_the_hour_is_asked_for(
    prices: HuaweiPrices, huawei: Huawei, specs: dict[str, object], asked: bool
) -> None:
    huawei.flavors["cn-north-4"] = [flavor(P2S, 8, 64, info__gpus=V100, **specs)]
    assert listed(prices) == ({P2S: Decimal("21.88")} if asked else {})


@pytest.mark.parametrize(("charge", "asked"), [("demand", False), ("period", True), ("period,demand", True)])
def test_only_what_is_sold_by_the_month_is_asked_for_by_the_month(
    prices: HuaweiPrices, huawei: Huawei, charge: str, asked: bool
) -> None:
    huawei.flavors["cn-north-4"] = [flavor(P2S, 8, 64, info__gpus=V100, cond__operation__charge=charge)]
    assert listed(prices, MONTH) == ({P2S: Decimal(15)} if asked else {})


def test_a_flavour_that_is_not_rated_is_found_and_skipped_and_costs_no_other_its_price(
    prices: HuaweiPrices, huawei: Huawei, stub: Stub
) -> None:
    names = [f"p2s.{n}xlarge.8" for n in range(10, 30)]
    huawei.flavors["cn-north-4"] = [flavor(name, 8, 64, info__gpus=V100) for name in names]
    huawei.prices = {("cn-north-4", name): 20.5 for name in names if name != "p2s.17xlarge.8"}
    told = pages(prices, ON_DEMAND)
    assert {each.instance_type for page in told for each in page.prices} == set(names) - {"p2s.17xlarge.8"}
    assert [name for page in told for name in page.skipped] == ["p2s.17xlarge.8: CBC.6006: Can not find product."]
    assert len(stub.log) <= 2 + 12
    assert prices.page(ON_DEMAND, told[2].cursor) == told[3]


def test_a_flavour_that_is_left_out_of_the_answer_is_told(prices: HuaweiPrices, stub: Stub) -> None:
    first = prices.page(ON_DEMAND, None)
    stub.meet(1, replying(Reply(body=b'{"currency": "CNY", "product_rating_results": []}')))
    page = prices.page(ON_DEMAND, first.cursor)
    assert page.skipped == (f"{SLICE}: not rated", f"{P2S}: not rated", f"{PI2}: not rated")


def test_there_is_no_history_of_spot_prices(prices: HuaweiPrices, stub: Stub) -> None:
    assert list(prices.spot_history("cn-north-4", [P2S], datetime.now(UTC))) == []
    assert stub.log == []


def test_no_project_at_all_means_that_we_may_not_look(prices: HuaweiPrices, huawei: Huawei) -> None:
    huawei.flavors = {}
    with pytest.raises(CloudFault, match="project") as met:
        prices.parts()
    assert met.value.kind == "auth"


def test_a_region_without_a_project_is_refused_before_it_is_asked(prices: HuaweiPrices, stub: Stub) -> None:
    fault = fault_of(prices, "eu-west-0/machines")
    assert (fault.kind, fault.sent, len(stub.log)) == ("auth", "no", 1)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, "APIGW.0308", "throttle"), (401, "APIGW.0301", "auth"), (403, "APIGW.0802", "auth"),
        (500, "Ecs.0000", "unavailable"), (404, "Ecs.0114", "not_found"), (400, "Ecs.0005", "invalid"),
    ],
)  # fmt: skip
def test_refusals_are_told_apart(prices: HuaweiPrices, stub: Stub, status: int, code: str, kind: str) -> None:
    prices.parts()
    stub.meet(1, replying(refusal(status, code, "No.")))
    assert fault_of(prices).kind == kind
    assert len(stub.log) == 2


def test_a_clock_that_is_off_is_told_as_such(prices: HuaweiPrices, huawei: Huawei) -> None:
    huawei.ahead = timedelta(hours=1)
    assert fault_of(prices).kind == "clock"


def test_a_wrong_secret_is_refused_by_the_signature(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in("huawei", monkeypatch, secret="another")
    assert fault_of(connect(endpoint=stub.url)).kind == "auth"


@pytest.mark.parametrize(
    ("part", "body", "missing"),
    [
        (MACHINES, b'{"items": []}', "flavors is missing"),
        (ON_DEMAND, b'{"currency": "CNY", "results": []}', "product_rating_results is missing"),
        (MONTH, b'{"currency": "CNY", "product_rating_results": []}', "official_website_rating_result is missing"),
        (YEAR, b'{"currency": "CNY", "official_website_rating_result": {"product_rating_results": {}}}', "is no list"),
    ],
)
def test_another_shape_is_invalid_and_says_what_is_missing(
    prices: HuaweiPrices, stub: Stub, part: str, body: bytes, missing: str
) -> None:
    prices.parts()
    cursor = None if part == MACHINES else prices.page(part, None).cursor
    stub.meet(1, replying(Reply(body=body)))
    fault = fault_of(prices, part, cursor)
    assert (fault.kind, missing in fault.words) == ("invalid", True)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("pci_passthrough:gpu_specs", "nvidia-t4", "'nvidia-t4' has not 3 fields"),
        ("pci_passthrough:gpu_specs", "nvidia-t4:direct_graphics:two", "count is 'two', not an amount"),
        ("info:gpus", "T4", "info:gpus is 'T4'"),
        ("info:gpus", '[{"name": "A", "count": 1}, {"name": "B", "count": 1}]', "info:gpus names 2 kinds"),
    ],
)  # fmt: skip
def test_a_single_odd_row_is_skipped_by_name(
    prices: HuaweiPrices, huawei: Huawei, field: str, value: str, why: str
) -> None:
    huawei.flavors["cn-north-4"][1]["os_extra_specs"][field] = value
    page = prices.page(MACHINES, None)
    assert len(page.machines) == 2
    assert page.skipped == (f"{PI2}: {why}",)
    assert PI2 not in listed(prices)

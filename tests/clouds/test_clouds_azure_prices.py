"""Azure's retail prices: read page by page from a stub that checks each request by the documented grammar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from lab.azure_prices import RetailPrices, item
from lab.stub import Reply, Stub, again, broken, cut_off, gateway_page, replying, throttled

from tradewind.clouds.azure.prices import AzurePrices
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

NC24 = "Standard_NC24ads_A100_v4"
SPOT = {"skuName": "NC24ads A100 v4 Spot", "meterName": "NC24ads A100 v4 Spot"}
YEAR = {"type": "Reservation", "reservationTerm": "1 Year"}


@pytest.fixture
def service() -> RetailPrices:
    return RetailPrices([
        item(NC24, "eastus", 3.673),
        item(NC24, "eastus", 0.67877, **SPOT),
        item(NC24, "eastus", 20267.0, **YEAR),
        item(NC24, "eastus", 43512.0, type="Reservation", reservationTerm="3 Years"),
        item("Standard_ND96isr_H100_v5", "westeurope", 127.816),
    ])  # fmt: skip


@pytest.fixture
def stub(service: RetailPrices) -> Iterator[Stub]:
    with Stub(service.answer) as running:
        yield running


def pages(prices: AzurePrices, part: str) -> list[Page]:
    told = [prices.page(part, None)]
    while told[-1].cursor is not None:
        told.append(prices.page(part, told[-1].cursor))
    return told


def all_prices(stub: Stub) -> list[ListedPrice]:
    prices = AzurePrices(stub.url)
    return [each for part in prices.parts() for page in pages(prices, part) for each in page.prices]


def fault_of(stub: Stub, part: str = "on_demand_and_spot") -> CloudFault:
    with pytest.raises(CloudFault) as met:
        AzurePrices(stub.url).page(part, None)
    return met.value


def test_known_machines_come_with_their_price_per_hour(stub: Stub) -> None:
    told = {(each.instance_type, each.purchase): each for each in all_prices(stub)}
    assert told[NC24, Purchase.ON_DEMAND].price_per_hour == Decimal("3.673")
    assert told[NC24, Purchase.SPOT].price_per_hour == Decimal("0.67877")
    assert told[NC24, Purchase.RESERVED_1Y].price_per_hour == Decimal("2.313584")  # 20267 / 8760
    assert told[NC24, Purchase.RESERVED_3Y].price_per_hour == Decimal("1.655708")  # 43512 / 26280
    assert told["Standard_ND96isr_H100_v5", Purchase.ON_DEMAND].region == "westeurope"
    assert {each.payment for each in told.values()} == {None, "monthly"}
    assert {each.currency for each in told.values()} == {"USD"}
    assert {each.as_of for each in told.values()} <= stub.days


@pytest.mark.parametrize(
    "other",
    [
        {"productName": "Virtual Machines NCads A100 v4 Series Windows"},
        {"skuName": "NC24ads A100 v4 Low Priority"},
        {"productName": "NCads A100 v4 Series Cloud Services"},
        {"effectiveEndDate": "2024-01-01T00:00:00Z"},
        {"effectiveStartDate": "2099-01-01T00:00:00Z"},
    ],
    ids=["windows", "low priority", "cloud services", "ended", "not begun"],
)
def test_what_is_no_price_of_a_linux_machine_today_is_left_out_without_a_word(
    stub: Stub, service: RetailPrices, other: dict[str, Any]
) -> None:
    service.items = [item(NC24, "eastus", 3.673), item(NC24, "eastus", 9.9, **other)]
    page = AzurePrices(stub.url).page("on_demand_and_spot", None)
    assert [each.price_per_hour for each in page.prices] == [Decimal("3.673")]
    assert page.skipped == ()


def test_other_sizes_are_not_even_asked_for(stub: Stub, service: RetailPrices) -> None:
    service.items.append(item("Standard_D4s_v5", "eastus", 0.192))
    assert all(each.instance_type.startswith("Standard_N") for each in all_prices(stub))


def test_pages_are_followed_to_the_end_with_one_request_each(stub: Stub, service: RetailPrices) -> None:
    service.page_size = 10
    service.items = [item(f"Standard_NC{n}ads_A100_v4", "eastus", 1 + n) for n in range(35)]
    told = pages(AzurePrices(stub.url), "on_demand_and_spot")
    assert [len(page.prices) for page in told] == [10, 10, 10, 5]
    assert len(stub.log) == 4
    assert len({each.instance_type for page in told for each in page.prices}) == 35


def test_the_same_cursor_gives_the_same_page_to_another_process(stub: Stub, service: RetailPrices) -> None:
    service.page_size = 2
    first = AzurePrices(stub.url).page("on_demand_and_spot", None)
    assert AzurePrices(stub.url).page("on_demand_and_spot", first.cursor) == AzurePrices(stub.url).page(
        "on_demand_and_spot", first.cursor
    )


def test_the_next_page_is_asked_of_the_same_server_whatever_its_link_says(stub: Stub, service: RetailPrices) -> None:
    service.page_size = 1
    pages(AzurePrices(stub.url), "on_demand_and_spot")
    assert {heard.headers["host"] for heard in stub.log} == {stub.url.removeprefix("http://")}


def test_a_page_that_is_told_twice_ends_the_refresh(stub: Stub, service: RetailPrices) -> None:
    service.page_size = 1
    prices = AzurePrices(stub.url)
    first = prices.page("on_demand_and_spot", None)
    stub.meet(1, again)
    with pytest.raises(CloudFault) as met:
        prices.page("on_demand_and_spot", first.cursor)
    assert met.value.kind == "invalid"


@pytest.mark.parametrize("link", ["https://prices.azure.com/?$skip=0", "https://prices.azure.com/", "?$skip=x", 5])
def test_a_link_that_leads_nowhere_is_another_schema(stub: Stub, link: Any) -> None:
    body = {"Items": [item(NC24, "eastus", 3.673)], "NextPageLink": link}
    stub.meet(1, replying(Reply(body=json.dumps(body).encode())))
    assert fault_of(stub).kind == "invalid"


def test_throttling_tells_how_long_to_wait(stub: Stub) -> None:
    stub.meet(1, throttled("17"))
    fault = fault_of(stub)
    assert (fault.kind, fault.retry_after_s) == ("throttle", 17.0)
    assert len(stub.log) == 1


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(hours=5), timedelta(days=-3)])
def test_a_wait_until_a_date_counts_by_the_clouds_clock(stub: Stub, ahead: timedelta) -> None:
    stub.ahead = ahead
    reply = Reply(429, b"", {"Date": stub.date(), "Retry-After": stub.date(later=timedelta(seconds=90))})
    stub.meet(1, replying(reply))
    assert fault_of(stub).retry_after_s == pytest.approx(90, abs=1)


def test_the_day_of_a_price_is_the_clouds_day(stub: Stub) -> None:
    stub.ahead = timedelta(days=400)
    assert {each.as_of for each in all_prices(stub)} <= stub.days
    assert all(day > datetime.now(UTC).date().isoformat() for day in stub.days)


@pytest.mark.parametrize("fault", [broken, cut_off, gateway_page(502), gateway_page(200)])
def test_no_answer_or_half_of_one_is_unavailable_and_never_an_empty_list(stub: Stub, fault: Any) -> None:
    stub.meet(1, fault)
    assert fault_of(stub).kind == "unavailable"
    assert len(stub.log) == 1


def test_a_page_after_one_that_failed_can_be_asked_again(stub: Stub, service: RetailPrices) -> None:
    service.page_size = 1
    prices = AzurePrices(stub.url)
    cursor = prices.page("on_demand_and_spot", None).cursor
    stub.meet(1, broken)
    with pytest.raises(CloudFault):
        prices.page("on_demand_and_spot", cursor)
    assert len(prices.page("on_demand_and_spot", cursor).prices) == 1


def test_a_server_that_is_not_there_was_not_asked() -> None:
    with Stub(RetailPrices([]).answer) as gone:
        url = gone.url
    with pytest.raises(CloudFault) as met:
        AzurePrices(url).page("reserved", None)
    assert (met.value.kind, met.value.sent) == ("unavailable", "no")


@pytest.mark.parametrize("status", [401, 403])
def test_not_allowed_is_told_as_that(stub: Stub, status: int) -> None:
    stub.meet(1, replying(Reply(status, json.dumps({"Error": {"Code": "x", "Message": "blocked"}}).encode())))
    fault = fault_of(stub)
    assert (fault.kind, fault.words) == ("auth", "blocked")


def test_a_redirect_is_not_followed(stub: Stub) -> None:
    stub.meet(1, replying(Reply(302, b"", {"Location": f"{stub.url}/elsewhere"})))
    assert fault_of(stub).kind == "invalid"
    assert len(stub.log) == 1


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"retailPrice": 0.0}, "the price is 0"),
        ({"retailPrice": -1.0}, "not an amount"),
        ({"retailPrice": "cheap"}, "not an amount"),
        ({"unitOfMeasure": "1/Month"}, "the unit is"),
        ({"armRegionName": ""}, "armRegionName"),
        ({"tierMinimumUnits": 100.0}, "higher use"),
        ({"effectiveStartDate": "soon"}, "the date is"),
    ],
)
def test_one_odd_item_is_named_and_the_others_hold(
    stub: Stub, service: RetailPrices, other: dict[str, Any], why: str
) -> None:
    service.items.append(item("Standard_NC48ads_A100_v4", "eastus", 7.346) | other)
    page = AzurePrices(stub.url).page("on_demand_and_spot", None)
    assert len(page.prices) == 3
    (odd,) = page.skipped
    assert odd.startswith("Standard_NC48ads_A100_v4 in")
    assert why in odd


def test_an_unknown_term_is_named(stub: Stub, service: RetailPrices) -> None:
    service.items.append(item(NC24, "eastus", 90000.0, type="Reservation", reservationTerm="5 Years"))
    page = AzurePrices(stub.url).page("reserved", None)
    assert len(page.prices) == 2
    assert page.skipped == (f"{NC24} in eastus: the reservation is for '5 Years'",)


@pytest.mark.parametrize("missing", ["retailPrice", "armSkuName", "unitOfMeasure"])
def test_a_field_that_is_gone_from_all_items_is_another_schema(stub: Stub, service: RetailPrices, missing: str) -> None:
    items = [item(f"Standard_NC{n}ads_A100_v4", "eastus", 1.0) for n in range(5)]
    bare = [{name: value for name, value in each.items() if name != missing} for each in items]
    stub.meet(1, replying(Reply(body=json.dumps({"Items": bare, "NextPageLink": None}).encode())))
    fault = fault_of(stub)
    assert fault.kind == "invalid"
    assert f"{missing} is missing" in fault.words


@pytest.mark.parametrize("body", [b"{}", b'{"items": []}', b'{"Items": []}', b"[]", b'{"Items": {}}', b"null"])
def test_an_answer_without_items_is_another_schema(stub: Stub, body: bytes) -> None:
    stub.meet(1, replying(Reply(body=body)))
    assert fault_of(stub).kind == "invalid"


def test_azure_tells_no_spot_history() -> None:
    assert list(AzurePrices().spot_history("eastus", [NC24], datetime(2026, 11, 1, tzinfo=UTC))) == []

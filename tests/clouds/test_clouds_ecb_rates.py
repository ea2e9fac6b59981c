"""Exchange rates of the ECB, and what a home makes of them: kept, refused when they are not to be believed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lab.ecb_rates import ReferenceRates
from lab.stub import Reply, Stub, broken, cut_off, gateway_page, replying, throttled

from tradewind.app.catalog import HomeCatalog
from tradewind.app.exchange import asked_for, in_force
from tradewind.app.market import rates_of
from tradewind.app.settings import Settings
from tradewind.catalog import rates
from tradewind.clouds.ecb.rates import EcbRates
from tradewind.domain.errors import CloudRefused
from tradewind.domain.money import parse_money
from tradewind.ports.compute import CloudFault

DAY, RATES = "2026-11-20", {"CNY": 7.8, "USD": 1.16}


@pytest.fixture
def service() -> ReferenceRates:
    return ReferenceRates(DAY, dict(RATES))


@pytest.fixture
def stub(service: ReferenceRates) -> Iterator[Stub]:
    with Stub(service.answer) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    return Settings(tmp_path)


def test_the_newest_rate_of_each_currency_comes_with_its_day(stub: Stub) -> None:
    told = EcbRates(stub.url).rates()
    assert [(each.base, each.quote, each.value, each.as_of) for each in told] == [
        ("EUR", "CNY", Decimal("7.8"), DAY), ("EUR", "USD", Decimal("1.16"), DAY),
    ]  # fmt: skip
    assert len(stub.log) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(throttled("7"), "throttle"), (broken, "unavailable"), (cut_off, "unavailable"),
     (gateway_page(502), "unavailable"), (replying(Reply(200, b"{}")), "invalid"),
     (replying(Reply(200, b"[1]")), "invalid")],
)  # fmt: skip
def test_what_is_no_answer_is_a_fault_and_never_a_rate(stub: Stub, fault: Any, kind: str) -> None:
    stub.meet(1, fault)
    with pytest.raises(CloudFault) as met:
        EcbRates(stub.url).rates()
    assert met.value.kind == kind


@pytest.mark.parametrize("value", [0, -1.2, float("nan"), "seven", None])
def test_a_rate_that_is_none_is_another_schema(service: ReferenceRates, stub: Stub, value: Any) -> None:
    told = service.told(["CNY", "USD"])
    told["dataSets"][0]["series"]["0:0:0:0:0"]["observations"]["0"][0] = value  # type: ignore[index]
    stub.meet(1, replying(Reply(200, json.dumps(told).encode())))
    with pytest.raises(CloudFault) as met:
        EcbRates(stub.url).rates()
    assert met.value.kind == "invalid"


def test_todays_rates_win_over_the_shipped_ones_and_ones_own_over_both(stub: Stub, home: Settings) -> None:
    asked_for(home, EcbRates(stub.url))
    found = rates.converted(parse_money("1 USD"), "CNY", rates_of(home))
    assert found is not None
    money, rate = found
    assert (str(money.amount.quantize(Decimal("0.0001"))), rate.as_of) == ("6.7241", DAY)  # 7.8 ÷ 1.16
    assert [each["from"] for each in in_force(home)] == ["refreshed"] * 3 + ["shipped"] * 2
    (home.catalog / "own-rates.csv").write_text("base,quote,value,as_of,source\nUSD,CNY,7.0,2026-11-21,our bank\n")
    assert in_force(home)[0]["source"] == "our bank"
    assert HomeCatalog(home).rates(refresh=False) == in_force(home)


def test_rates_that_cannot_be_true_are_refused_and_the_last_good_ones_stay(
    service: ReferenceRates, stub: Stub, home: Settings
) -> None:
    asked_for(home, EcbRates(stub.url))
    before = in_force(home)
    service.rates["CNY"] = 0.78  # a decimal point lost
    with pytest.raises(CloudRefused, match="rates-implausible"):
        asked_for(home, EcbRates(stub.url))
    stub.meet(1, broken)
    with pytest.raises(CloudRefused, match="rates-not-answered"):
        asked_for(home, EcbRates(stub.url))
    assert in_force(home) == before

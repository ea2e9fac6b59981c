"""Cost of jobs: sums by currency and in one, beside on-demand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.domain.money import Money, Rate
from tradewind.domain.records import Event
from tradewind.ledger import costs, total_in

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = START + timedelta(hours=1)
CNY = Rate("USD", "CNY", Decimal("7.1"), "2026-11-20", "made up")
EUR = Rate("EUR", "CNY", Decimal("7.7"), "2026-10-01", "made up")


def money(text: str, currency: str = "USD") -> Money:
    return Money(Decimal(text), currency)


def accepted(number: int, price: Money | None, on_demand: Money | None = None, job: str = "j1") -> Event:
    data: dict[str, Any] = {
        "paid_from": "2026-11-21T12:00:00Z",
        "offer": {"cloud": "aws"},
        "price_per_hour": price and price.to_json(),
        "on_demand_price_per_hour": on_demand and on_demand.to_json(),
    }
    return Event(number, START, "test", "lease-accepted", f"l{number}", job, None, None, None, data)


def test_spot_beside_on_demand() -> None:
    (cost,) = costs([accepted(1, money("1"), money("3")), accepted(2, money("2"), money("5"))], HOUR, lambda job: "USD")
    assert cost.total == (money("3.000000"),)
    assert cost.total_in
    assert cost.total_in.to_json() == {"money": money("3").to_json(), "rate": None, "rate_date": None}
    assert (cost.on_demand_total, cost.saved) == (money("8.000000"), money("5.000000"))


def test_several_currencies_are_kept_apart_and_summed_by_dated_rates() -> None:
    leases = [accepted(1, money("1")), accepted(2, money("10", "CNY")), accepted(3, money("1", "EUR"))]
    (cost,) = costs(leases, HOUR, lambda job: "CNY", (CNY, EUR))
    assert cost.total == (money("10.000000", "CNY"), money("1.000000", "EUR"), money("1.000000"))
    assert cost.total_in
    assert cost.total_in.money == money("24.800000", "CNY")
    assert cost.total_in.rates == (EUR, CNY)
    assert cost.total_in.to_json()["rate_date"] == "2026-10-01"


def test_a_missing_rate_makes_the_total_unknown_not_smaller() -> None:
    (cost,) = costs([accepted(1, money("1")), accepted(2, money("1", "EUR"))], HOUR, lambda job: "USD", (CNY,))
    assert cost.total_in is None
    assert len(cost.total) == 2


def test_a_missing_on_demand_price_makes_the_saving_unknown() -> None:
    leases = [accepted(1, money("1"), money("3")), accepted(2, money("2"))]
    (cost,) = costs(leases, HOUR, lambda job: None)
    assert (cost.on_demand_total, cost.saved) == (None, None)


def test_free_machines_are_in_no_sum() -> None:
    (cost,) = costs([accepted(1, None)], HOUR, lambda job: "USD")
    assert (cost.total, cost.total_in, cost.on_demand_total, cost.saved) == ((), None, None, None)
    (mixed,) = costs([accepted(1, None), accepted(2, money("1"), money("3"))], HOUR, lambda job: None)
    assert mixed.saved == money("2.000000")


def test_jobs_are_apart_and_json() -> None:
    found = costs([accepted(1, money("1")), accepted(2, money("2"), job="j2")], HOUR, lambda job: "USD")
    told = json.loads(json.dumps([cost.to_json() for cost in found]))
    assert [each["job"] for each in told] == ["j1", "j2"]
    assert told[1]["lines"] == [
        {"lease": "l2", "offer": {"cloud": "aws"}, "from": "2026-11-21T12:00:00Z", "to": None,
         "money": {"amount": "2.00", "currency": "USD"}},
    ]  # fmt: skip
    assert costs([], HOUR, lambda job: "USD") == []


@settings(deadline=None)
@given(prices=st.lists(st.none() | st.decimals("0.000001", "99", places=6), max_size=8))
def test_lines_sum_exactly_to_the_total(prices: list[Decimal | None]) -> None:
    leases = [accepted(number, None if price is None else Money(price, "USD")) for number, price in enumerate(prices)]
    for cost in costs(leases, START + timedelta(seconds=1234), lambda job: "USD"):
        summed = sum((line.money.amount for line in cost.lines if line.money), Decimal(0))
        assert sum((each.amount for each in cost.total), Decimal(0)) == summed
        assert (cost.total_in.money.amount if cost.total_in else Decimal(0)) == summed


def test_nothing_to_sum_is_no_total() -> None:
    assert total_in([], "USD", ()) is None

"""Usage by hand, and its laws."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.domain.billing import billed_seconds
from tradewind.domain.money import Money, total
from tradewind.domain.records import Event
from tradewind.ledger import PricedAt, usage

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
LAW = settings(deadline=None)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def text(seconds: float) -> str:
    return at(seconds).isoformat().replace("+00:00", "Z")


def event(number: int, seconds: float, kind: str, what: str, data: dict[str, Any], job: str = "j1") -> Event:
    return Event(number, at(seconds), "test", kind, what, job, None, None, None, data)


def accepted(number: int, lease: str, since: float, price: str | None = "3.6", **data: Any) -> Event:
    cost = None if price is None else {"amount": price, "currency": "USD"}
    facts = {"paid_from": text(since), "offer": {"cloud": "aws"}, "price_per_hour": cost} | data
    job = facts.pop("job", "j1")
    return event(number, since + 1, "lease-accepted", lease, facts, job)


def released(number: int, lease: str, until: float, kind: str = "lease-released") -> Event:
    return event(number, until + 60, kind, lease, {"paid_to": text(until)})


def test_a_lease_is_paid_from_acceptance_to_release() -> None:
    (line,) = usage([accepted(1, "l1", 0), released(2, "l1", 1800)], at(9999))
    assert (line.lease, line.job, line.offer) == ("l1", "j1", {"cloud": "aws"})
    assert (line.started_at, line.ended_at, line.billed_seconds) == (at(0), at(1800), 1800)
    assert line.unit_price == Money(Decimal("3.6"), "USD")
    assert line.money == Money(Decimal("1.800000"), "USD")


def test_a_lease_that_was_accepted_twice_is_paid_once() -> None:
    twice = [accepted(1, "l1", 0), accepted(2, "l1", 5), released(3, "l1", 60), released(4, "l1", 90)]
    (line,) = usage(twice, at(9999))
    assert (line.started_at, line.ended_at) == (at(0), at(60))


def test_an_open_lease_is_paid_up_to_now() -> None:
    (line,) = usage([accepted(1, "l1", 0)], at(1000.5))
    assert line.ended_at is None
    assert line.billed_seconds == 1001  # a second begun
    assert line.money == Money(Decimal("1.001000"), "USD")


def test_a_lease_refused_late_stops_its_clock() -> None:
    (line,) = usage([accepted(1, "l1", 0), released(2, "l1", 100, "lease-refused")], at(9999))
    assert line.billed_seconds == 100


def test_what_was_never_accepted_costs_nothing() -> None:
    assert usage([released(1, "l1", 100, "lease-refused"), event(2, 0, "job-queued", "j1", {})], at(9999)) == []


def test_without_a_price_there_is_no_money() -> None:
    (line,) = usage([accepted(1, "l1", 0, None)], at(100))
    assert (line.unit_price, line.money, line.billed_seconds) == (None, None, 100)


@pytest.mark.parametrize(
    ("used", "granularity", "minimum", "billed"),
    [(0, 1, 60, 60), (59, 1, 60, 60), (61.2, 1, 60, 62), (61, 3600, 0, 3600), (0.1 + 0.2, 0.1, 0, 0.3), (0, 1, 0, 0)],
)
def test_rounding_and_minimum(used: float, granularity: float, minimum: float, billed: float) -> None:
    assert billed_seconds(used, granularity, minimum) == pytest.approx(billed, abs=1e-9)


def test_the_minimum_counts_for_each_lease() -> None:
    events = [accepted(n, f"l{n}", n * 100, minimum_s=60, granularity_s=1) for n in (1, 2, 3)]
    events += [released(n + 3, f"l{n}", n * 100 + 10) for n in (1, 2, 3)]
    assert [line.billed_seconds for line in usage(events, at(9999))] == [60, 60, 60]


def test_the_latest_time_scale_of_a_job_counts_for_all_its_leases_before_rounding() -> None:
    events = [
        accepted(1, "l1", 0, minimum_s=60),
        released(2, "l1", 10),
        accepted(3, "l2", 20),
        released(4, "l2", 20.5),
        accepted(5, "other", 0, job="j2"),
        released(6, "other", 10),
        event(7, 5, "time-scale", "j1", {"value": 2.0}),
        event(8, 30, "time-scale", "j1", {"value": 100.5}),
    ]
    seconds = {line.lease: line.billed_seconds for line in usage(events, at(9999))}
    assert seconds == {"l1": 1005, "l2": 51, "other": 10}


def test_instants_fall_back_to_the_events_own() -> None:
    opened = event(1, 0, "lease-accepted", "l1", {"price_per_hour": None})
    closed = event(2, 30, "lease-released", "l1", {"paid_to": None})
    (line,) = usage([opened, closed], at(9999))
    assert (line.started_at, line.ended_at) == (at(0), at(30))


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Leases of two jobs, some open, some scaled, ids in the order of the draw."""
    events: list[Event] = []
    for index in range(draw(st.integers(0, 6))):
        since = draw(st.integers(0, 5000))
        price = draw(st.sampled_from([None, "3.6", "0.0123", "98.32"]))
        job = draw(st.sampled_from(["j1", "j2"]))
        terms = {"granularity_s": draw(st.sampled_from([1, 60, 3600])), "minimum_s": draw(st.sampled_from([0, 60]))}
        events.append(accepted(len(events), f"l{index}", since, price, job=job, **terms))
        if draw(st.booleans()):
            events.append(released(len(events), f"l{index}", since + draw(st.integers(0, 9000))))
        if draw(st.booleans()):
            scale = draw(st.sampled_from([0.5, 1, 12.5]))
            events.append(event(len(events), draw(st.integers(0, 9000)), "time-scale", job, {"value": scale}, job))
    return events


@LAW
@given(events=histories(), seed=st.integers(0, 99))
def test_neither_order_nor_repetition_nor_strangers_matter(events: list[Event], seed: int) -> None:
    stranger = event(999, 5, "job-running", "j1", {"paid_from": text(0)})
    mixed = [*events, *events[::2], stranger]
    random.Random(seed).shuffle(mixed)
    assert usage(mixed, at(9999)) == usage(events, at(9999))


@LAW
@given(events=histories(), now=st.integers(0, 20_000), later=st.integers(0, 20_000))
def test_cost_never_falls_as_time_goes_on(events: list[Event], now: int, later: int) -> None:
    for before, after in zip(usage(events, at(now)), usage(events, at(now + later)), strict=True):
        assert before.billed_seconds <= after.billed_seconds
        assert before.money is None or (after.money is not None and before.money <= after.money)


@LAW
@given(events=histories())
def test_a_lease_stands_once_and_alone(events: list[Event]) -> None:
    lines = usage(events, at(9999))
    leases = [line.lease for line in lines]
    assert sorted(leases) == sorted({each.what for each in events if each.kind == "lease-accepted"})
    whole = total(line.money for line in lines if line.money)
    apart = [
        line.money
        for lease in leases
        for line in usage([each for each in events if each.what == lease or each.kind == "time-scale"], at(9999))
        if line.money
    ]
    assert total(apart) == whole


@LAW
@given(events=histories())
def test_paid_and_on_demand_bill_the_same_seconds(events: list[Event]) -> None:
    paid, instead = usage(events, at(9999)), usage(events, at(9999), PricedAt.ON_DEMAND)
    assert [line.billed_seconds for line in paid] == [line.billed_seconds for line in instead]

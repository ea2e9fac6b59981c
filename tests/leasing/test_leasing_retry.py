"""Pauses after faults, and the circuit that opens when a cloud only fails."""

from __future__ import annotations

from datetime import timedelta
from typing import get_args, get_type_hints

import pytest
from doubles import OddCloud, SimClock
from hypothesis import given
from hypothesis import strategies as st

from tradewind.leasing import retry
from tradewind.leasing.breaker import FAILURES, OPEN_SECONDS, Guarded
from tradewind.ports.compute import CloudFault, Query

KINDS = get_args(get_type_hints(CloudFault.__init__)["kind"])


@given(kind=st.sampled_from(KINDS), faults=st.integers(1, 10_000), draw=st.floats(0, 1), least=st.floats(0, 300))
def test_a_pause_is_drawn_below_its_ceiling_and_never_shorter_than_asked(
    kind: str, faults: int, draw: float, least: float
) -> None:
    ceiling = retry.CEILINGS[retry.class_of(kind)]
    found = retry.pause(kind, faults, draw, least)
    assert timedelta(seconds=least) <= found <= timedelta(seconds=max(ceiling.longest_s, least))
    assert found > timedelta(0)


def test_every_kind_of_fault_has_a_class_of_its_own_making() -> None:
    assert {retry.class_of(kind) for kind in KINDS} == set(retry.FaultClass)
    assert retry.class_of("never heard of") is retry.FaultClass.TRANSIENT


def test_ceilings_double_and_the_draw_spreads_over_the_whole() -> None:
    tops = [retry.pause("unavailable", faults, 1.0).total_seconds() for faults in range(1, 9)]
    assert tops == [1, 2, 4, 8, 16, 32, 60, 60]
    assert retry.pause("capacity", 20, 1.0) == timedelta(minutes=15)
    assert retry.pause("unavailable", 4, 0.0) == timedelta(seconds=0.8)  # no draw makes a loop


@pytest.fixture
def clock() -> SimClock:
    return SimClock()


@pytest.fixture
def cloud(clock: SimClock) -> OddCloud:
    return OddCloud(clock)


def down(query: Query) -> None:
    raise CloudFault("unavailable", "no route", sent="no")


def fail(guarded: Guarded, times: int) -> None:
    for _ in range(times):
        with pytest.raises(CloudFault):
            guarded.find(Query())


def test_a_circuit_opens_for_its_operation_only_and_closes_with_one_answer(cloud: OddCloud, clock: SimClock) -> None:
    guarded, find = Guarded(cloud, clock), cloud.find
    cloud.find = down  # type: ignore[method-assign, assignment]
    fail(guarded, FAILURES)
    cloud.find = find  # type: ignore[method-assign]
    with pytest.raises(CloudFault) as opened:
        guarded.find(Query())
    assert (opened.value.sent, opened.value.retry_after_s) == ("no", OPEN_SECONDS)
    guarded.end(("m-1",))  # another operation of the same account
    clock.sleep(OPEN_SECONDS)
    assert guarded.find(Query()).complete
    assert guarded.find(Query()).complete


def test_a_half_open_circuit_lets_one_call_through_and_opens_again_when_it_fails(
    cloud: OddCloud, clock: SimClock
) -> None:
    asked = []

    def count(query: Query) -> None:
        asked.append(query)
        down(query)

    cloud.find = count  # type: ignore[method-assign, assignment]
    guarded = Guarded(cloud, clock)
    fail(guarded, FAILURES + 3)
    assert len(asked) == FAILURES
    clock.sleep(OPEN_SECONDS)
    fail(guarded, 3)
    assert len(asked) == FAILURES + 1


def test_a_refusal_is_an_answer_and_opens_no_circuit(cloud: OddCloud, clock: SimClock) -> None:
    def refuse(query: Query) -> None:
        raise CloudFault("auth", "no", sent="yes")

    find, guarded = cloud.find, Guarded(cloud, clock)
    cloud.find = refuse  # type: ignore[method-assign, assignment]
    fail(guarded, FAILURES * 2)
    cloud.find = find  # type: ignore[method-assign]
    assert guarded.find(Query()).complete

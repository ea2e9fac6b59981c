"""Losses of spot machines: the renewal function against what can be computed otherwise; what evidence says."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.domain.trace import SpotTrace
from tradewind.planning.evidence import LEAST, MOST, POOLED_SHARE, by_share, by_trace
from tradewind.planning.interruption import expected_losses, exposure, hazard_at, mean_life_hours, survival
from tradewind.planning.spot.hazards import LOSSES

multipliers = st.floats(LEAST, MOST)


def by_hand(age: float) -> float:
    """Losses to expect until an age, summed in small steps."""
    step = 1e-3
    return sum(hazard_at((k + 0.5) * step) * step for k in range(round(age / step)))


@pytest.mark.parametrize("age", [0.1, 1.0, 20.0])
def test_survival_is_what_the_hazards_leave(age: float) -> None:
    assert survival(0) == 1
    assert exposure(age) == pytest.approx(by_hand(age), rel=2e-3)
    assert survival(age) == pytest.approx(math.exp(-by_hand(age)), rel=1e-2)
    assert survival(age, multiplier=0.5) == pytest.approx(math.sqrt(survival(age)))


def test_hazards_change_at_the_ages_of_the_table_and_fall() -> None:
    assert [hazard_at(age) for age, _ in LOSSES] == [rate for _, rate in LOSSES]
    assert hazard_at(1e6) == LOSSES[-1][1] < hazard_at(0.0) == LOSSES[0][1]


def test_a_gang_is_lost_more_often_than_one_machine_and_far_less_than_each_by_itself() -> None:
    """16 machines of one pool were lost 1.40 times as often as one, as measured."""
    assert hazard_at(1.0, nodes=16) == pytest.approx(1.40 * hazard_at(1.0), rel=5e-3)
    assert mean_life_hours(16) < mean_life_hours(2) < mean_life_hours()


@pytest.mark.parametrize("multiplier", [LEAST, 1.0, MOST])
def test_mean_life_is_the_integral_of_survival(multiplier: float) -> None:
    step = 0.02 / multiplier
    integral = sum(survival((k + 0.5) * step, multiplier=multiplier) * step for k in range(20_000))  # until all is lost
    assert mean_life_hours(multiplier=multiplier) == pytest.approx(integral, rel=2e-3)


@pytest.mark.parametrize(("hours", "multiplier"), [(0.3, 1.0), (10.0, 1.0), (60.0, LEAST), (4.0, MOST)])
def test_expected_losses_agree_with_drawn_histories(hours: float, multiplier: float) -> None:
    """The mean of drawn histories, each a chain of lives by inversion of the hazards."""
    chance = random.Random(7)

    def life() -> float:
        left = chance.expovariate(multiplier)
        for (start, rate), (end, _) in zip(LOSSES, [*LOSSES[1:], (math.inf, 0.0)], strict=True):
            if left <= rate * (end - start):
                return start + left / rate
            left -= rate * (end - start)
        raise AssertionError("the last hazard has no end")

    def losses() -> int:
        age, count = life(), 0
        while age <= hours:
            age, count = age + life(), count + 1
        return count

    drawn = sum(losses() for _ in range(3_000)) / 3_000
    assert expected_losses(hours, multiplier=multiplier) == pytest.approx(drawn, rel=0.07)


@pytest.mark.parametrize("multiplier", [LEAST, 1.0, MOST])
def test_losses_go_on_steadily_past_the_grid(multiplier: float) -> None:
    later = expected_losses(2000.0, multiplier=multiplier) - expected_losses(1000.0, multiplier=multiplier)
    assert later == pytest.approx(1000 / mean_life_hours(multiplier=multiplier))
    before = expected_losses(500.0, multiplier=multiplier) - expected_losses(400.0, multiplier=multiplier)
    assert before == pytest.approx(later / 10, rel=1e-3)


@settings(deadline=None)
@given(hours=st.floats(0, 600), more=st.floats(0, 50), nodes=st.sampled_from([1, 2, 8, 64]), multiplier=multipliers)
def test_more_hours_more_nodes_and_more_hazard_never_lose_less(
    hours: float, more: float, nodes: int, multiplier: float
) -> None:
    losses = expected_losses(hours, nodes, multiplier)
    assert 0 <= losses <= expected_losses(hours + more, nodes, multiplier) + 1e-12
    assert losses <= expected_losses(hours, 2 * nodes, multiplier) + 1e-9
    assert losses <= expected_losses(hours, nodes, min(2 * multiplier, MOST)) + 1e-9


def test_a_share_counts_beside_that_of_the_pooled_machines() -> None:
    assert by_share(POOLED_SHARE, "2025-11-30").multiplier == 1.0
    half = 1 - math.sqrt(1 - POOLED_SHARE)  # of which a month's fleet loses as many in two months
    found = by_share(half, "2025-11-30")
    assert (found.multiplier, found.source, found.as_of) == (0.5, "advisor", "2025-11-30")


@given(st.floats(0.0, 0.999), st.floats(0.0, 0.999))
def test_a_greater_share_is_never_a_smaller_hazard_and_none_is_believed_beyond_the_bounds(a: float, b: float) -> None:
    low, high = (by_share(share, None).multiplier for share in sorted((a, b)))
    assert LEAST <= low <= high <= MOST


def spot_trace(*zones: tuple[str, str], nodes: int = 1) -> SpotTrace:
    """A trace of 6-minute ticks: ``1`` up, ``0`` down."""
    ticks = tuple(bytes(int(tick) for tick in text) for _, text in zones)
    names, ones = tuple(name for name, _ in zones), (1.0,) * len(zones)
    return SpotTrace("t", names, 360.0, ticks, tuple((1.0,) for _ in zones), ones, nodes, start="2025-10-04, noon")


def test_a_trace_counts_losses_against_those_to_expect_at_the_ages_seen() -> None:
    found = by_trace(spot_trace(("us-east4-b", "1101100111"), ("us-west1-a", "0" * 10)), "us-east4")
    expected = exposure(0.2) + exposure(0.3)  # the first run began before the trace, the last outlives it
    assert found is not None
    assert found.multiplier == round((10 + 1) / (10 + expected), 2)
    assert (found.source, found.as_of) == ("trace", "2025-10-04")


def test_a_trace_says_nothing_of_other_regions_and_a_gang_nothing_of_one_machine() -> None:
    here = ("us-east4-b", "0110")
    assert by_trace(spot_trace(here), "us-east") is None
    assert by_trace(spot_trace(here), "us-east40") is None
    assert by_trace(spot_trace(here, nodes=16), "us-east4") is None

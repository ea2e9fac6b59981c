"""Losses of spot machines: the renewal function against what can be computed otherwise."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.planning.market import HAZARDS, expected_losses, mean_life_hours, survival


def test_survival_by_hand() -> None:
    assert survival(0) == 1
    assert survival(0.1) == pytest.approx(math.exp(-0.19))
    assert survival(1.0) == pytest.approx(math.exp(-0.19 - 0.44 - 0.335))
    assert survival(20.0) == pytest.approx(math.exp(-0.19 - 0.44 - 0.335 - 0.96 - 1.12 - 0.4))


def test_a_gang_survives_only_if_every_node_does() -> None:
    assert survival(2.0, nodes=4) == pytest.approx(survival(2.0) ** 4)


def test_mean_life_is_the_integral_of_survival() -> None:
    step = 0.005
    integral = sum(survival((k + 0.5) * step) * step for k in range(40_000))  # to 200 h, where nothing is left
    assert mean_life_hours() == pytest.approx(integral, rel=1e-3)


def test_expected_losses_agree_with_drawn_histories() -> None:
    """The mean of 4,000 drawn histories of 10 hours, each a chain of lifetimes by inversion of the hazards."""
    chance = random.Random(7)

    def lifetime() -> float:
        left = chance.expovariate(1.0)
        for (start, rate), (end, _) in zip(HAZARDS, [*HAZARDS[1:], (math.inf, 0.0)], strict=True):
            if left <= rate * (end - start):
                return start + left / rate
            left -= rate * (end - start)
        raise AssertionError("the last hazard has no end")

    def losses(hours: float) -> int:
        age, count = lifetime(), 0
        while age <= hours:
            age, count = age + lifetime(), count + 1
        return count

    drawn = sum(losses(10.0) for _ in range(4_000)) / 4_000
    assert expected_losses(10.0) == pytest.approx(drawn, rel=0.05)


def test_losses_go_on_steadily_past_the_grid() -> None:
    assert expected_losses(24.0) == pytest.approx(expected_losses(23.999), rel=1e-3)
    hundred = expected_losses(124.0) - expected_losses(24.0)
    assert hundred == pytest.approx(100 / mean_life_hours())


@settings(deadline=None)
@given(hours=st.floats(0, 200), more=st.floats(0, 50), nodes=st.sampled_from([1, 2, 8]))
def test_more_hours_and_more_nodes_never_lose_less(hours: float, more: float, nodes: int) -> None:
    assert 0 <= expected_losses(hours, nodes) <= expected_losses(hours + more, nodes) + 1e-12
    assert expected_losses(hours) <= expected_losses(hours, nodes) + 1e-9

"""What nobody beats: the bound, the exact optimum and every policy stand in this order, and not far apart."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from market_makers import Script, market, worlds
from optimum import optimum

from tradewind.catalog.traces import trace
from tradewind.planning.simulation import Market, SimJob, UniformProgress, bound, markets, run
from tradewind.planning.simulation.policies import POLICIES

MINUTE = 1 / 60
ROUNDING = 1e-6


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_bound_optimum_policies(world: tuple[SimJob, Market]) -> None:
    job, made = world
    least, exact = bound(job, made), optimum(job, made)
    assert least <= exact + ROUNDING
    for name, policy in POLICIES.items():
        told = run(job, made, policy())
        assert told.missed or exact <= told.cost + ROUNDING, name


@pytest.mark.parametrize(
    ("zones", "work", "deadline", "overhead", "best"),
    [
        (("######",), 40, 60, 5, "00000"),
        (("......",), 40, 60, 5, "ooooo"),
        (("###...", "...###"), 50, 60, 5, "000111"),
        (("##.##.",), 30, 60, 5, "oo.00."),  # two starts on spot, 20 minutes of them paid on demand, would cost more
    ],
)
def test_the_optimum_of_small_markets_is_what_one_finds_by_hand(
    zones: tuple[str, ...], work: int, deadline: int, overhead: int, best: str
) -> None:
    made = market(*zones)
    job = made.job(work * MINUTE, deadline * MINUTE, overhead * MINUTE)
    told = run(job, made, Script(best + "." * 6))
    tried = [run(job, made, Script(letters)) for letters in _scripts(made, job.steps)]
    cheapest = min(each.cost for each in tried if not each.missed)
    assert optimum(job, made) == pytest.approx(cheapest)
    assert told.missed or told.cost >= cheapest - ROUNDING


def _scripts(made: Market, steps: int) -> list[str]:
    """Everything that can be done in so many steps."""
    found = [""]
    for index in range(steps):
        able = ".o" + "".join(str(zone) for zone, up in enumerate(made.available[index]) if up)
        found = [letters + letter for letters in found for letter in able]
    return found


def test_the_bound_is_near_the_optimum_on_measured_markets() -> None:
    for name in ("v100-2023-02-dev", "h100x16-gcp-2025-10-dev"):
        for made in markets(trace(name), 24, seed=1, runs=3):
            job = made.job(18, 24, 0.2)
            exact = optimum(job, made)
            assert 0.94 * exact <= bound(job, made) <= exact + ROUNDING
            assert exact < run(job, made, UniformProgress()).cost + ROUNDING


@pytest.mark.parametrize(
    ("zone", "price", "work", "deadline", "overhead"),
    [(".##########.", 1.0, 88, 118, 30), ("########", 2.9, 70, 76, 6)],
)
def test_a_job_without_slack_is_bound_by_what_it_costs_although_its_hours_are_no_binary_fractions(
    zone: str, price: float, work: int, deadline: int, overhead: int
) -> None:
    made = market(zone, prices=(price,))
    job = made.job(work * MINUTE, deadline * MINUTE, overhead * MINUTE)
    assert bound(job, made) == pytest.approx(optimum(job, made))


def test_nobody_is_in_time_where_even_on_demand_is_late() -> None:
    made = market("######")
    job = made.job(58 * MINUTE, 60 * MINUTE, 5 * MINUTE)
    assert bound(job, made) == optimum(job, made) == math.inf


def test_the_bound_ends_with_the_deadline_also_within_a_step() -> None:
    made = market("....##")
    whole, cut = (made.job(40 * MINUTE, minutes * MINUTE, 5 * MINUTE) for minutes in (60, 55))
    assert bound(whole, made) < bound(cut, made) <= optimum(cut, made) + ROUNDING


def test_starts_that_take_less_than_stated_lower_the_bound() -> None:
    made = market("###...", "...###")
    job = made.job(50 * MINUTE, 60 * MINUTE, 5 * MINUTE)
    assert bound(job, replace(made, overheads=(MINUTE,))) < bound(job, made)


def test_the_optimum_refuses_what_it_cannot_reckon_exactly() -> None:
    made = market("######")
    job = made.job(50 * MINUTE, 60 * MINUTE, 5 * MINUTE)
    for harmed, why in (
        (replace(made, overheads=(1 * MINUTE, 2 * MINUTE)), "differ"),
        (replace(made, start_cost=(1.0, 1.0)), "cost more"),
    ):
        with pytest.raises(ValueError, match=why):
            optimum(job, harmed)
    with pytest.raises(ValueError, match="whole seconds"):
        optimum(made.job(math.pi / 7, 1, 5 * MINUTE), made)

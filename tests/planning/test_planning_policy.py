"""The policy on markets that mean harm, and on small ones where what is right can be said."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from market_makers import STEP, market, worlds

from tradewind.planning.simulation import Choice, Market, SimJob, UniformProgress, run
from tradewind.planning.spot import Policy

MINUTE = 1 / 60
CODES = {"keep-spot", "take-spot", "move-spot", "wait", "take-on-demand", "keep-on-demand", "deadline", "no-on-demand"}


def decided(job: dict[str, Any] | None = None, policy: Policy | None = None, **now: Any) -> tuple[Choice, Policy]:
    """One decision of a fresh policy: 20 hours of work in 30, two equal zones that have been up for two hours."""
    asked: dict[str, Any] = {"work": 20.0, "deadline": 30.0, "overhead": 0.2, "step": STEP, "od_price": 3.0}
    asked["spot_price"] = (1.0, 1.0)
    asked |= job or {}
    zones = len(asked["spot_price"])
    seen: dict[str, Any] = {
        "t": 2.0, "work_done": 0.0, "work_left": 20.0, "time_left": 28.0, "overhead": asked["overhead"], "step": STEP,
        "available": (True,) * zones, "spot_price": asked["spot_price"], "od_price": asked["od_price"], "kind": "none",
        "zone": -1, "overhead_left": 0.0, "preempted": False, "history": [(True,) * zones] * 12,
    } | now  # fmt: skip
    chosen = policy or Policy()
    chosen.reset(SimpleNamespace(zones=tuple(map(str, range(zones))), **asked))
    return chosen.decide(SimpleNamespace(**seen)), chosen


# --- in time, whatever happens ---------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_no_market_makes_it_late(world: tuple[SimJob, Market]) -> None:
    job, made = world
    told = run(job, made, Policy(), record=True)
    assert not told.missed
    assert {step.why[0] for step in told.steps if step.why} <= CODES


@settings(max_examples=30, deadline=None)
@given(worlds(most_zones=2, most_steps=24), st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6))
def test_starts_shorter_than_stated_never_make_it_late(world: tuple[SimJob, Market], shares: list[float]) -> None:
    job, made = world
    quicker = replace(made, overheads=tuple(share * job.overhead for share in shares))
    assert not run(replace(job, overhead_mean=0.6 * job.overhead), quicker, Policy()).missed


@pytest.mark.parametrize("zone", ["." * 72, "#." * 36, "##." * 24, "#" * 30 + "." * 42, ("." * 9 + "#" * 3) * 6])
@pytest.mark.parametrize("minutes", [1, 12, 30])
def test_nothing_there_flapping_and_dying_late_end_in_time(zone: str, minutes: int) -> None:
    for work in (12.0 - minutes / 60, 11.0, 9.0):
        for made in (market(zone), market(zone, zone[::-1], prices=(0.5, 1.0)), market(zone, prices=(3.5,))):
            job = made.job(work, 12.0, minutes / 60)
            if job.work <= job.deadline - job.overhead:
                assert not run(job, made, Policy()).missed, work


def test_a_death_at_the_last_safe_minute_is_survived() -> None:
    """Up until each step in turn and then down for ever: whatever was the last moment, it is among them."""
    for last in range(72):
        made = market("#" * last + "." * (72 - last))
        assert not run(made.job(10.9, 12.0, 0.5), made, Policy()).missed, last


def test_on_demand_that_is_refused_for_ever_is_given_up_for_whatever_spot_there_is() -> None:
    choice, policy = decided({"od_granted": False, "spot_price": (3.5,)}, time_left=20.0, history=[(True,)])
    assert choice == ("spot", 0), "dearer and too late, but progress"
    choice, policy = decided({"od_granted": False}, time_left=20.0, available=(False, False), history=[(False, False)])
    assert (choice, policy.why[0]) == (("none", -1), "no-on-demand")
    choice, _ = decided({"od_granted": False}, time_left=20.0, kind="spot", zone=1, history=[(True, True)])
    assert choice == ("spot", 1), "what runs is not let go"


# --- what is cheaper -------------------------------------------------------------------------------------------------


def test_a_zone_that_costs_more_than_on_demand_is_never_taken() -> None:
    made = market("#" * 72, prices=(3.01,))
    told = run(made.job(6.0, 12.0, 0.1), made, Policy())
    assert (told.spot_hours, told.preemptions) == (0.0, 0)


def test_the_cheaper_zone_is_taken_and_of_equals_the_calmer() -> None:
    assert decided({"spot_price": (2.0, 1.0)})[0] == ("spot", 1)
    flapping = [(row % 3 > 0, True) for row in range(36)]
    assert decided(history=flapping)[0] == ("spot", 1)
    assert decided(history=[row[::-1] for row in flapping])[0] == ("spot", 0)


def test_a_machine_that_runs_well_is_kept_and_a_much_cheaper_zone_is_moved_to() -> None:
    running: dict[str, Any] = {"kind": "spot", "zone": 0}
    assert decided({"spot_price": (1.0, 0.95)}, **running)[0] == ("spot", 0)
    choice, policy = decided({"spot_price": (2.5, 0.5), "overhead": 0.05}, **running)
    assert (choice, policy.why[0]) == (("spot", 1), "move-spot")


def test_waiting_is_for_those_who_have_time() -> None:
    out: dict[str, Any] = {"available": (False,), "history": [(True,)] * 40 + [(False,)]}
    one = {"spot_price": (0.6,)}
    assert decided(one, time_left=40.0, **out)[0] == ("none", -1)
    assert decided(one, time_left=20.3, **out)[0] == ("od", -1)


def test_a_young_outage_is_waited_out_and_an_old_one_is_not() -> None:
    slack = next(
        hours / 4 for hours in range(2, 60)
        if decided({"spot_price": (1.0,)}, time_left=20 + hours / 4, available=(False,),
                   history=[(True,)] * 60 + [(False,)])[0][0] == "none"
    )  # fmt: skip
    old = [(True,)] * 12 + [(False,)] * 140
    assert decided({"spot_price": (1.0,)}, time_left=20 + slack, available=(False,), history=old)[0] == ("od", -1)


def test_on_demand_is_left_when_spot_is_back_and_there_is_time_for_it() -> None:
    back: dict[str, Any] = {"kind": "od", "history": [(False,)] * 12 + [(True,)] * 30}
    assert decided({"spot_price": (0.6,)}, time_left=26.0, **back)[0] == ("spot", 0)
    assert decided({"spot_price": (0.6,)}, time_left=20.3, **back)[0] == ("od", -1)


# --- what else may be known ------------------------------------------------------------------------------------------


def test_the_guard_takes_the_p99_of_a_start_and_the_expectation_its_mean() -> None:
    tight: dict[str, Any] = {"time_left": 20.9, "history": [(True,)] * 12}
    one = {"spot_price": (1.0,), "overhead": 0.5}
    assert decided(one, **tight)[0] == ("od", -1), "no time for two starts of half an hour"
    assert decided(one | {"overhead_mean": 0.05}, **tight)[0] == ("od", -1), "however short they mostly are"
    roomy: dict[str, Any] = {"time_left": 30.0, "history": [(True,)] * 12}
    costs = [min(decided(one | {"overhead_mean": mean}, **roomy)[1].options, key=lambda each: each[2])[2]
             for mean in (0.05, 0.5)]  # fmt: skip
    assert costs[0] < costs[1]


def test_a_zone_known_to_be_wild_is_avoided() -> None:
    assert decided({"hazard": (4.0, 0.5)})[0] == ("spot", 1)
    assert decided({"hazard": (0.5, 4.0)})[0] == ("spot", 0)
    calm, wild = (decided({"spot_price": (1.0,), "hazard": (each,)}, history=[(True,)])[1] for each in (0.5, 4.0))
    assert dict(_costs(calm))["spot"] < dict(_costs(wild))["spot"]


def test_data_that_would_have_to_travel_keeps_a_job_where_it_is() -> None:
    asked = {"spot_price": (2.5, 0.5), "overhead": 0.05}
    running: dict[str, Any] = {"kind": "spot", "zone": 0}
    far = ((0.0, 30.0, 0.0), (30.0, 0.0, 30.0), (0.0, 30.0, 0.0))
    assert decided(asked, **running)[0] == ("spot", 1)
    assert decided(asked | {"transfer_cost": tuple(tuple(4 * each for each in row) for row in far)}, **running)[0] == (
        "spot", 0)  # fmt: skip
    assert decided(asked | {"transfer_hours": far}, **running)[0] == ("spot", 0)


def test_work_that_a_loss_without_warning_would_repeat_calls_for_on_demand_sooner() -> None:
    late: dict[str, Any] = {"time_left": 20.5, "kind": "spot", "zone": 0, "unsaved": 0.3, "history": [(True,)]}
    one = {"spot_price": (1.0,), "overhead": 0.2, "checkpoint_cost": 0.02}
    assert decided(one | {"notice": 0.05}, **late)[0] == ("spot", 0), "the warning is long enough to save"
    choice, policy = decided(one | {"notice": 0.0}, **late)
    assert (choice, policy.why[0]) == (("od", -1), "deadline")


def test_a_zone_that_nobody_saw_may_be_tried_but_counts_neither_as_up_nor_as_down() -> None:
    unseen: Any = [(True, None)] * 12
    assert decided({"spot_price": (1.0, 0.4)}, history=unseen)[0] == ("spot", 1)
    down: Any = [(True, None)] * 12 + [(True, False)]
    assert decided({"spot_price": (1.0, 0.4)}, history=down, available=(True, False))[0] == ("spot", 0)


# --- what it says ----------------------------------------------------------------------------------------------------


def _costs(policy: Policy) -> list[tuple[str, float]]:
    return [(kind, cost) for kind, _, cost in policy.options]


@pytest.mark.parametrize("prices", [(1.0,), (1.0, 2.0)])
def test_the_options_are_told_best_first_and_in_money(prices: tuple[float, ...]) -> None:
    zones = {"spot_price": prices, "od_price": 3.0}
    _, cheap = decided(zones, history=[(True,) * len(prices)] * 12)
    tenfold = {"spot_price": tuple(10 * each for each in prices), "od_price": 30.0}
    _, dear = decided(tenfold, history=[(True,) * len(prices)] * 12)
    assert [each[:2] for each in cheap.options] == [each[:2] for each in dear.options]
    for one, other in zip(cheap.options, dear.options, strict=True):
        assert math.isclose(10 * one[2], other[2], rel_tol=1e-9)
    assert {each[0] for each in cheap.options} == {"none", "spot", "od"}
    assert all(19.0 < cost < 63.0 for _, cost in _costs(cheap)), "between all at the cheapest and all on-demand"
    assert cheap.why[1]["slack_hours"] == pytest.approx(8.0)


@settings(max_examples=15, deadline=None)
@given(worlds(most_steps=20))
def test_the_same_state_gets_the_same_answer_from_a_policy_that_saw_nothing_but_the_history(
    world: tuple[SimJob, Market],
) -> None:
    """What is stored of a decision is enough to repeat it: nothing comes from calls in between."""
    job, made = world
    answers: list[tuple[Choice, Choice]] = []

    class Twice(Policy):
        def decide(self, s: Any) -> Choice:
            fresh = Policy()
            fresh.reset(job)
            first = super().decide(s)
            answers.append((first, fresh.decide(s)))
            return first

    run(job, made, Twice())
    same = sum(one == other for one, other in answers)
    assert same == len(answers) or len(job.zones) > 1, "with one zone always"


def test_one_object_serves_job_after_job() -> None:
    first, second = market("##.#" * 12, "#.##" * 12), market("#" * 30 + "." * 18)
    policy = Policy()
    for made in (first, second, first):
        job = made.job(5.0, 8.0, 0.1)
        assert run(job, made, policy).cost == run(job, made, Policy()).cost


def test_a_long_calm_job_costs_no_more_than_uniform_progress() -> None:
    made = market("#" * 288, prices=(1.0,))
    job = made.job(30.0, 48.0, 0.2)
    assert run(job, made, Policy()).cost <= run(job, made, UniformProgress()).cost + 1e-9

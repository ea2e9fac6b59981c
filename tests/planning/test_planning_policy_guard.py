"""The deadline guard alone: whatever it allows, taken in any order on any market, on-demand still is in time."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from market_makers import STEP, market, worlds

from tradewind.planning.simulation import Choice, Market, Seen, SimJob, run
from tradewind.planning.spot.guard import Guard

MINUTE = 1 / 60


class Reckless:
    """Takes anything that the guard allows, as a list of numbers says; on-demand only where it allows nothing else."""

    def __init__(self, whims: list[int]) -> None:
        self.whims = whims

    def reset(self, job: SimJob) -> None:
        self.guard = Guard(job.overhead, job.step)
        self.taken = 0

    def decide(self, seen: Seen) -> Choice:
        slack = seen.time_left - seen.work_left
        choices: list[Choice] = [("none", -1)] if self.guard.may_wait(slack, -1) else []
        for zone, up in enumerate(seen.available):
            if seen.kind == "spot" and seen.zone == zone:
                allowed = self.guard.may_stay(slack, zone, seen.overhead_left, 0.0)
            else:
                allowed = up and self.guard.may_start(slack, -1, zone)
            if allowed:
                choices.append(("spot", zone))
        whim = self.whims[self.taken % len(self.whims)]
        self.taken += 1
        if not choices or whim == 0:
            return "od", -1
        return choices[whim % len(choices)]


@settings(max_examples=300)
@given(worlds(), st.lists(st.integers(0, 7), min_size=1, max_size=12))
def test_whatever_the_guard_allows_ends_in_time(world: tuple[SimJob, Market], whims: list[int]) -> None:
    job, made = world
    assert not run(job, made, Reckless(whims)).missed


@settings(max_examples=100)
@given(worlds(), st.lists(st.integers(1, 7), min_size=1, max_size=12), st.lists(st.floats(0.01, 1.0), max_size=5))
def test_starts_that_take_less_than_was_stated_end_in_time(
    world: tuple[SimJob, Market], whims: list[int], shares: list[float]
) -> None:
    job, made = world
    shorter = Market(made.step_hours, made.available, made.spot_price, made.od_price,
                     tuple(share * job.overhead for share in shares))  # fmt: skip
    assert not run(job, shorter, Reckless(whims)).missed


@pytest.mark.parametrize("overhead", [1, 6, 12, 30])
def test_a_loss_at_any_minute_is_survived_by_one_who_never_waits_for_it(overhead: int) -> None:
    """Up until each step in turn, then down for ever: among them is the last safe one."""
    for last in range(40):
        made = market("#" * last + "." * (40 - last))
        for work in (400 - overhead, 400 - 2 * overhead, 400 - 2 * overhead - 1, 300):
            job = made.job(work * MINUTE, 400 * MINUTE, overhead * MINUTE)
            assert not run(job, made, Reckless([1])).missed, (last, work)


def test_exactly_enough_for_on_demand_leaves_no_choice() -> None:
    guard = Guard(overhead=0.5, step=STEP)
    assert not guard.may_wait(0.5, -1)
    assert not guard.may_start(0.5, -1, 0)
    assert guard.may_wait(0.5 + STEP + 1e-3, -1)
    assert not guard.may_start(1.0 - 1e-3, -1, 0), "a start that is lost at its last moment has used itself up"
    assert guard.may_start(1.0 + 1e-3, -1, 0)


def test_a_run_that_has_started_may_go_on_with_only_the_reserve_left() -> None:
    guard = Guard(overhead=0.5, step=STEP)
    assert guard.may_stay(0.5, 0, 0.0, 0.0)
    assert not guard.may_stay(0.5, 0, 0.25, 0.0), "what is left of its start is still to be used up"
    assert not guard.may_stay(0.5 - 1e-3, 0, 0.0, 0.0)


def test_work_that_a_loss_would_repeat_counts_as_used() -> None:
    noticed, sudden = Guard(0.5, STEP), Guard(0.5, STEP, repeat=STEP)
    assert not noticed.may_stay(0.6, 0, 0.0, unsaved=0.2)
    assert noticed.may_stay(0.6, 0, 0.0, unsaved=0.05)
    assert not sudden.may_stay(0.6, 0, 0.0, unsaved=0.05), "until the next decision more becomes unsaved"
    assert not sudden.may_start(1.05, -1, 0)
    assert noticed.may_start(1.05, -1, 0)


def test_the_way_of_the_checkpoint_to_on_demand_is_part_of_the_reserve() -> None:
    far = 2.0  # hours from zone 1 to on-demand and to zone 0; zone 0 lies beside on-demand
    guard = Guard(0.5, STEP, transfer=((0.0, far, 0.0), (far, 0.0, far), (0.0, far, 0.0)))
    assert guard.reserve(0) == 0.5
    assert guard.reserve(1) == 2.5
    assert guard.reserve(-1) == 0.5, "without a checkpoint nothing is to be brought"
    assert guard.may_start(1.1, 0, 0)
    assert not guard.may_start(1.1, 0, 1), "from there on-demand would be too late"
    assert guard.may_start(0.5 + far + 0.5 + far + 0.1, 0, 1)


@settings(max_examples=100)
@given(
    st.lists(st.lists(st.floats(0.0, 3.0), min_size=3, max_size=3), min_size=3, max_size=3),
    st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=60, max_size=60),
    st.floats(0.5, 6.0),
)
def test_with_transfers_on_demand_from_any_place_is_in_time(
    transfer: list[list[float]], moves: list[tuple[int, bool]], spare: float
) -> None:
    """Walked by hand, as the simulator knows no transfers: two zones, each loss at the worst moment of a step."""
    overhead = 0.25
    guard = Guard(overhead, STEP, transfer)
    slack, place, kind, left = overhead + spare, -1, "none", 0.0
    for whim, lost in moves:
        if kind == "spot" and lost:
            kind, left = "none", 0.0
        choices = [("none", -1)] if guard.may_wait(slack, place) else []
        choices += [("spot", zone) for zone in (0, 1) if (
            guard.may_stay(slack, zone, left, 0.0) if kind == "spot" and zone == place
            else guard.may_start(slack, place, zone))]  # fmt: skip
        if not choices:
            break
        chosen, zone = choices[whim % len(choices)]
        if chosen == "none":
            kind, left, used = chosen, 0.0, STEP
        else:
            if not (kind == "spot" and zone == place):
                left = guard.start(place, zone)
            used = min(left, STEP)
            kind, place, left = chosen, zone, left - used
        slack -= used
    assert slack >= guard.reserve(place) - 1e-5


@settings(max_examples=50)
@given(worlds())
def test_on_demand_alone_is_never_refused_by_the_guard(world: tuple[SimJob, Market]) -> None:
    job, made = world
    assume(job.work + job.overhead <= job.deadline)
    result = run(job, made, Reckless([0]))
    assert not result.missed
    assert math.isclose(result.od_hours, job.work + job.overhead, abs_tol=1e-6)

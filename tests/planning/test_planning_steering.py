"""Decisions on situations made by hand: what is rented, kept, left, waited for and given up; stored and made again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.planning.steering import Decision, Pool, Situation, decide, runs, steps
from tradewind.planning.steering.asking import asked, moment_of
from tradewind.planning.steering.patience import GIVE_UP_HOURS

STEP, OVERHEAD = 1 / 6, 1 / 3
CHEAP = Pool("one spot", "aws/a", "spot", 1.0, notice=120 / 3600, seen="30?")
OTHER = Pool("other spot", "aws/b", "spot", 1.3, notice=120 / 3600, seen="30?")
SURE = Pool("one on-demand", "aws/a", "on_demand", 4.0, seen="30?")
SURER = Pool("other on-demand", "gcp/b", "on_demand", 4.5, seen="30?")


def situation(*pools: Pool, **more: Any) -> Situation:
    plain: dict[str, Any] = {
        "elapsed": 4.9, "hours_left": 20.0, "work_done": 2.0, "work_left": 8.0, "step": STEP, "overhead": OVERHEAD,
        "overhead_mean": 0.13, "pools": pools or (CHEAP, OTHER, SURE, SURER),
    }  # fmt: skip
    return Situation(**{**plain, **more})


def down(pool: Pool, refusals: int = 1) -> Pool:
    return replace(pool, down_for=STEP, refusals=refusals, seen="29?1d")


def up(pool: Pool) -> Pool:
    return replace(pool, seen="10?20u")


def test_what_was_never_seen_is_tried_the_cheapest_first() -> None:
    decision = decide(situation())
    assert (decision.action, decision.pool) == ("rent", 0)
    assert decision.options


def test_a_pool_that_is_down_is_passed_over() -> None:
    decision = decide(situation(down(CHEAP), OTHER, SURE))
    assert (decision.action, decision.pool) == ("rent", 1)


def test_with_all_spot_down_and_much_time_it_waits_until_one_may_be_back() -> None:
    decision = decide(situation(down(CHEAP), down(OTHER), SURE, work_done=4.5))
    assert (decision.action, decision.pool) == ("wait", None)
    assert 0 < decision.until <= STEP


def test_the_last_resort_is_taken_while_it_is_still_in_time() -> None:
    late = situation(down(CHEAP), down(OTHER), SURE, SURER, hours_left=8.0 + OVERHEAD + 0.1)
    assert (decide(late).action, decide(late).pool) == ("rent", 2)


@pytest.mark.parametrize(("refused", "pool"), [((2,), 3), ((2, 3), None)])
def test_on_demand_that_is_refused_is_asked_for_in_the_next_pool(refused: tuple[int, ...], pool: int | None) -> None:
    pools = [down(CHEAP), down(OTHER), SURE, SURER]
    pools = [down(each) if index in refused else each for index, each in enumerate(pools)]
    decision = decide(situation(*pools, hours_left=8.0 + OVERHEAD + 0.1))
    assert decision.pool == pool
    assert (decision.action, decision.at_risk) == (("rent", False) if pool else ("wait", True))


def test_refused_on_demand_everywhere_any_spot_machine_is_better_than_none() -> None:
    pools = (CHEAP, down(OTHER), down(SURE), down(SURER))
    decision = decide(situation(*pools, hours_left=8.0 + OVERHEAD + 0.1))
    assert (decision.action, decision.pool, decision.at_risk) == ("rent", 0, True)
    assert decision.why == "on-demand-refused"


def test_what_runs_is_kept_when_on_demand_is_refused() -> None:
    pools = (up(CHEAP), OTHER, down(SURE), down(SURER))
    decision = decide(situation(*pools, hours_left=8.0 + OVERHEAD / 2, running=0, age=3.0))
    assert (decision.action, decision.pool, decision.at_risk) == ("keep", 0, True)


def test_a_running_spot_machine_in_time_is_kept() -> None:
    decision = decide(situation(up(CHEAP), OTHER, SURE, running=0, age=3.0))
    assert (decision.action, decision.pool) == ("keep", 0)


def test_on_demand_is_left_for_spot_while_there_is_much_time() -> None:
    decision = decide(situation(CHEAP, OTHER, up(SURE), running=2, age=1.0, work_done=4.5))
    assert (decision.action, decision.pool) == ("switch", 0)


def test_a_machine_is_let_go_to_wait_only_after_an_hour_and_with_time_for_two_restarts() -> None:
    pools = (down(CHEAP, 5), down(OTHER, 5), up(SURE))
    case = situation(*pools, running=2, age=1.5, work_done=2.0, work_left=0.5, hours_left=40.0)
    assert decide(case).action == "wait"
    assert decide(replace(case, age=0.9)).why == "kept-in-hand"
    assert decide(replace(case, hours_left=0.5 + 1.9 * OVERHEAD)).action == "keep"


def test_without_money_for_both_it_is_left_only_with_much_slack() -> None:
    pools = (replace(CHEAP, spare=False), replace(OTHER, spare=False), up(SURE))
    calm = situation(*pools, running=2, age=1.0, work_done=4.5)
    tight = replace(calm, hours_left=8.0 + 1.9 * OVERHEAD)
    assert decide(calm).action == "switch"
    assert decide(tight).action == "keep"


def test_dropped_pools_are_never_tried_and_all_dropped_ends_it() -> None:
    gone = [replace(each, dropped="quota", refusals=1) for each in (CHEAP, OTHER, SURE)]
    assert decide(situation(gone[0], OTHER, SURE)).pool == 1
    decision = decide(situation(*gone))
    assert (decision.action, decision.why) == ("give-up", "refused-for-good")
    assert "one spot (quota)" in str(decision.facts["tried"])


def test_without_any_spot_pool_the_cheapest_on_demand_is_rented_and_kept() -> None:
    assert decide(situation(SURER, SURE)).pool == 1
    assert decide(situation(SURER, up(SURE), running=1)).action == "keep"


def test_without_any_on_demand_pool_spot_is_what_there_is() -> None:
    decision = decide(situation(CHEAP, OTHER, hours_left=8.1))
    assert (decision.action, decision.pool) == ("rent", 0)
    decision = decide(situation(down(CHEAP), down(OTHER), hours_left=8.1))
    assert (decision.action, decision.at_risk) == ("wait", True)


def test_a_job_of_unknown_length_takes_the_cheapest_and_keeps_it() -> None:
    assert decide(situation(work_left=None)).pool == 0
    assert decide(situation(work_left=None, running=1)).action == "keep"
    assert decide(situation(down(CHEAP), down(OTHER), down(SURE), work_left=None)).action == "wait"


def test_without_a_deadline_it_gives_up_after_a_day_without_any_machine() -> None:
    pools = (down(CHEAP), down(SURE))
    assert decide(situation(*pools, hours_left=None, without=GIVE_UP_HOURS - 1)).action == "wait"
    assert decide(situation(*pools, hours_left=None, without=GIVE_UP_HOURS)).why == "nothing-granted"


def test_patience_is_bounded_without_a_deadline() -> None:
    """After one and a half times its work and three restarts nothing is waited for that can be had otherwise."""
    over = situation(down(CHEAP), down(OTHER), SURE, hours_left=None, elapsed=16.5)
    assert (decide(over).action, decide(over).pool) == ("rent", 2)


def test_a_checkpoint_that_has_to_travel_is_counted_between_places_only() -> None:
    far = situation(up(CHEAP), replace(OTHER, egress_per_gb=0.1), SURER, running=0, checkpoint_gb=36.0)
    job = asked(far, [0, 1], 2)
    assert job.transfer_hours[0] == pytest.approx((0.0, 0.1, 0.1))
    assert job.transfer_cost[1] == pytest.approx((3.6, 0.0, 3.6))


def test_what_nobody_saw_is_told_to_the_policy_as_not_known() -> None:
    moment = moment_of(situation(replace(down(CHEAP), seen="2?1d"), replace(OTHER, seen="1?2u")), [0, 1], None)
    assert (moment.available, moment.known) == ((False, True), (True, False))
    assert moment.history == [(None, None), (None, True), (False, True)]


@given(st.text("ud?", max_size=300))
def test_runs_are_read_back(letters: str) -> None:
    assert steps(runs(letters)) == letters


POOLS = st.builds(
    Pool,
    name=st.text("abc", min_size=1, max_size=3),
    place=st.sampled_from(["aws/a", "aws/b", "gcp/a"]),
    purchase=st.sampled_from(["spot", "on_demand"]),
    price=st.floats(0.01, 50),
    hazard=st.floats(0.25, 4),
    notice=st.sampled_from([0.0, 0.033]),
    seen=st.text("ud?", min_size=7, max_size=7).map(runs),
    down_for=st.sampled_from([0.0, 0.1, 1.5]),
    refusals=st.integers(0, 4),
    dropped=st.sampled_from([None, None, None, "quota"]),
    spare=st.booleans(),
)


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    pools = tuple(draw(st.lists(POOLS, min_size=1, max_size=5)))
    running = draw(st.sampled_from([None, *range(len(pools))]))
    if running is not None:
        pools = tuple(replace(each, down_for=0.0, dropped=None) if index == running else each
                      for index, each in enumerate(pools))  # fmt: skip
    return Situation(
        elapsed=draw(st.floats(0, 50)), hours_left=draw(st.one_of(st.none(), st.floats(-1, 60))),
        work_done=draw(st.floats(0, 20)), work_left=draw(st.one_of(st.none(), st.floats(0.01, 40))), step=STEP,
        overhead=draw(st.floats(0.01, 1)), overhead_mean=0.01, pools=pools, running=running,
        age=draw(st.floats(0, 10)) if running is not None else 0.0, lost=running is None and draw(st.booleans()),
        unsaved=draw(st.floats(0, 0.5)) if running is not None else 0.0, checkpoint_gb=draw(st.floats(0, 50)),
        without=draw(st.floats(0, 30)),
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(situations())
def test_every_decision_can_be_carried_out_and_is_made_again_from_its_text(case: Situation) -> None:
    decision = decide(case)
    text = json.dumps([case.to_json(), decision.to_json()], allow_nan=False)
    again, told = json.loads(text)
    assert Situation.from_json(again) == case
    assert Decision.from_json(told) == decision == decide(Situation.from_json(again))
    pool = case.pools[decision.pool] if decision.pool is not None else None
    if decision.action in ("rent", "switch"):
        assert pool is not None and pool.dropped is None and pool.down_for <= 0
    assert (decision.action in ("keep", "switch")) <= (case.running is not None)
    assert (decision.action in ("rent", "give-up")) <= (case.running is None)
    assert (decision.action == "keep") <= (decision.pool == case.running)
    assert decision.action == "give-up" or decision.until > 0

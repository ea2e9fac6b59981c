"""The simulator's rules on markets small enough to be reckoned by hand: steps of ten minutes, on-demand 3 an hour."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from market_makers import STEP, Script, market

from tradewind.planning.simulation import Market, OnDemand, Run, SimJob, run

MINUTE = 1 / 60


def ran(letters: str, made: Market, *, work: float, deadline: float, overhead: float) -> tuple[Run, Script]:
    """The script on the market; all times in minutes."""
    policy = Script(letters)
    return run(made.job(work * MINUTE, deadline * MINUTE, overhead * MINUTE), made, policy, record=True), policy


def minutes(run: Run) -> tuple[float, ...]:
    return tuple(round(hours * 60, 6) for hours in (run.finish_hours, run.wait_hours, run.spot_hours, run.od_hours))


def test_a_start_is_paid_for_and_makes_no_progress_and_keeping_costs_nothing_more() -> None:
    told, policy = ran("000", market("###"), work=20, deadline=30, overhead=4)
    assert minutes(told) == (24, 0, 24, 0), "20 of work and one start of 4"
    assert told.cost == pytest.approx(24 / 60)
    assert [round(left * 60, 6) for *_, left in policy.seen] == [20, 14, 4]
    assert (told.starts, told.preemptions, told.missed) == (1, 0, False)


def test_a_start_longer_than_a_step_goes_on_in_the_next() -> None:
    told, policy = ran("0000", market("####"), work=10, deadline=40, overhead=25)
    assert [round(left * 60, 6) for *_, left in policy.seen] == [10, 10, 10, 5]
    assert minutes(told)[0] == 35


def test_a_lost_machine_takes_no_work_with_it_but_the_next_starts_anew() -> None:
    told, policy = ran("00.0o", market("##.#."), work=20, deadline=50, overhead=4)
    assert policy.seen[2][:3] == ("none", -1, True), "the loss is seen before the decision, as nothing that runs"
    assert not policy.seen[3][2], "and only at the step of the loss"
    assert [round(left * 60, 6) for *_, left in policy.seen] == [20, 14, 4, 4]
    assert minutes(told) == (38, 10, 28, 0), "the second start takes 4, the work left 4"
    assert (told.starts, told.preemptions) == (2, 1)


def test_a_loss_in_the_middle_of_a_start_loses_the_start() -> None:
    told, _ = ran("0.00", market("#.##"), work=5, deadline=40, overhead=12)
    assert minutes(told) == (37, 10, 27, 0), "10 of the first start, 10 waited, 12 of the second and 5 of work"


def test_a_change_of_zone_is_a_start_and_each_zone_has_its_price() -> None:
    told, _ = ran("011", market("###", "###", prices=(1.0, 0.5)), work=16, deadline=30, overhead=4)
    assert told.cost == pytest.approx(10 / 60 * 1.0 + 14 / 60 * 0.5)
    assert told.starts == 2


def test_prices_are_those_of_the_step() -> None:
    made = Market(STEP, [(True,)] * 2, [(1.0,), (2.0,)], 3.0)
    told, _ = ran("00", made, work=16, deadline=20, overhead=4)
    assert told.cost == pytest.approx(10 / 60 * 1.0 + 10 / 60 * 2.0)


def test_what_is_left_at_the_deadline_is_done_and_paid_on_demand_and_counts_as_a_miss() -> None:
    told, _ = ran("..", market("##"), work=15, deadline=20, overhead=4)
    assert told.missed
    assert minutes(told) == (39, 20, 0, 19), "a start of 4 and 15 of work after the deadline"
    assert told.cost == pytest.approx(19 / 60 * 3)
    late, _ = ran(".o", market("##"), work=15, deadline=20, overhead=4)
    assert minutes(late) == (29, 10, 0, 19), "what runs already goes on without another start"
    assert late.missed


def test_a_deadline_within_a_step_is_kept_to_the_minute() -> None:
    told, _ = ran("oo", market(".."), work=11, deadline=15, overhead=4)
    assert (told.missed, minutes(told)[0]) == (False, 15)
    late, _ = ran("oo", market(".."), work=12, deadline=15, overhead=4)
    assert (late.missed, minutes(late)[0]) == (True, 16)


def test_a_refused_request_for_on_demand_leaves_what_runs() -> None:
    told, policy = ran("0ooo", market("####", od_refusals=2), work=30, deadline=40, overhead=0)
    assert [kind for kind, *_ in policy.seen] == ["none", "spot", "spot"], "done by spot before a third request"
    assert (told.refused, told.od_hours) == (2, 0)
    waited, policy = ran("oooo", market("....", od_refusals=2), work=15, deadline=40, overhead=4)
    assert [kind for kind, *_ in policy.seen] == ["none", "none", "none", "od"]
    assert minutes(waited) == (39, 20, 0, 19)


def test_on_demand_that_is_refused_for_ever_is_a_miss() -> None:
    told, _ = ran("oo", market("..", od_refusals=math.inf), work=5, deadline=20, overhead=4)
    assert told.missed
    assert told.refused == 2


def test_starts_may_take_as_long_as_the_market_says_and_cost_money_of_their_own() -> None:
    made = replace(market("####"), overheads=(2 * MINUTE, 6 * MINUTE), start_cost=(0.25, 5.0))
    told, _ = ran("0.0o", made, work=30, deadline=40, overhead=9)
    assert minutes(told)[2:] == (20, 24), "starts of 2, 6 and, from then on, 6: 8, 4 and 18 of work"
    assert told.cost == pytest.approx(2 * 0.25 + 5.0 + 20 / 60 + 24 / 60 * 3)
    assert told.missed


@pytest.mark.parametrize("letter", ["0", "7"])
def test_a_zone_that_is_down_or_unknown_cannot_be_asked_for(letter: str) -> None:
    with pytest.raises(ValueError, match="not up"):
        ran(letter, market("."), work=5, deadline=10, overhead=1)


def test_a_market_that_ends_before_the_deadline_is_none() -> None:
    with pytest.raises(ValueError, match="ends after 1 steps"):
        ran("oo", market("."), work=5, deadline=20, overhead=1)


def test_a_policy_sees_the_history_and_is_told_the_job() -> None:
    class Watching(OnDemand):
        def reset(self, job: SimJob) -> None:
            self.job, self.rows = job, list[tuple[bool, ...]]()

        def decide(self, seen: object) -> tuple[str, int]:
            self.rows = list(seen.history)  # type: ignore[attr-defined]
            return "od", -1

    policy, made = Watching(), market("#.#", "..#", prices=(1.0, 0.5))
    job = made.job(20 * MINUTE, 30 * MINUTE, 4 * MINUTE, ("east", "west"))
    run(job, made, policy)
    assert policy.job is job
    assert (job.zones, job.spot_price, job.od_price) == (("east", "west"), (1.0, 0.5), 3.0)
    assert policy.rows == [(True, False), (False, False), (True, True)]


def test_every_step_can_be_recorded() -> None:
    told, _ = ran("0.o", market("#.."), work=12, deadline=30, overhead=4)
    assert [(step.kind, step.zone, step.preempted) for step in told.steps] == [
        ("spot", 0, False), ("none", -1, True), ("od", -1, False),
    ]  # fmt: skip
    assert [round(step.work_left * 60) for step in told.steps] == [12, 6, 6]

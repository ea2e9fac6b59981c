"""Work of which the length, or the model, is not known."""

from __future__ import annotations

import json

from planning_makers import make_offer, make_plan, money

from tradewind.domain.offer import Purchase
from tradewind.domain.plan import Plan
from tradewind.domain.plan_json import plan_of
from tradewind.domain.workload import Accelerators, Budget, Resources, Schedule
from tradewind.planning import Ask, Dataset

WISH = Resources(Accelerators("T4", 1, 8), nodes_open=True)
T4, DEAR = make_offer(), make_offer(instance_type="t4.dear", price="3")
A100 = make_offer(gpu="A100-80GB", instance_type="a100", price="4")


def unknown(found: Plan) -> None:
    for placed in (found.chosen, *found.fallbacks, *found.alternatives):
        assert placed
        nothing = (placed.hours, placed.cost, placed.cost_parts, placed.finish_by, placed.on_time_probability)
        assert (*nothing, placed.carbon_g) == (None,) * 6
    assert (found.front, found.points) == ((), ())
    told = found.to_json()
    assert plan_of(json.loads(json.dumps(told))).to_json() == told


def test_by_resources_alone_the_cheapest_hour_is_chosen_and_nothing_else_is_claimed() -> None:
    found = make_plan(Ask(None, WISH), [DEAR, T4, A100], fit_of=None)
    assert found.chosen
    assert (found.chosen.offer, found.chosen.fit) == (T4, None)
    assert "length-unknown ranked=per-hour" in found.assumptions
    assert [(each.why, each.count) for each in found.rejected] == [("accelerators", 1)]
    unknown(found)


def test_limits_that_cannot_be_judged_are_told() -> None:
    ask = Ask(None, WISH, schedule=Schedule(deadline_seconds=60), budget=Budget(money("0.01")))
    found = make_plan(ask, [T4], fit_of=None)
    assert found.chosen
    assert (found.chosen.deadline_guarantee, found.chosen.guarantee_why) == ("conditional", "length-unknown")
    assert "limits-unjudged" in found.assumptions
    unknown(found)


def test_a_model_without_a_length_is_ranked_by_the_step() -> None:
    found = make_plan(Ask(None), [T4, A100])
    assert found.chosen
    assert found.chosen.offer == A100  # eight times as fast for four times the price
    assert found.chosen.fit
    assert "length-unknown ranked=per-step" in found.assumptions
    unknown(found)
    spot = make_offer(purchase=Purchase.SPOT, price="0.1")
    losses = make_plan(Ask(None), [spot, T4]).chosen.interruption  # type: ignore[union-attr]
    assert losses
    assert losses.losses is None


def test_a_longest_duration_is_the_upper_end_of_an_unknown_length() -> None:
    ask = Ask(None, WISH, schedule=Schedule(max_duration_seconds=10 * 3600.0))
    found = make_plan(ask, [DEAR, T4], fit_of=None)
    assert found.chosen and found.chosen.hours and found.chosen.cost and found.chosen.cost_parts
    assert (found.chosen.hours.value, found.chosen.hours.high) == (10.0, 10.0)
    assert found.chosen.hours.low < 0.1
    assert found.chosen.cost.value == found.chosen.cost.high == money("10")
    assert found.chosen.cost_parts.sum() == money("10")
    assert "length-at-most hours=10" in found.assumptions
    assert len(found.front) == 1


def test_set_up_and_losses_are_within_a_longest_duration() -> None:
    far = Dataset("s3://b/x", "gcp", None, 4500.0)  # ten hours away, and again after every loss
    ask = Ask(None, WISH, schedule=Schedule(max_duration_seconds=12 * 3600.0), datasets=(far,))
    placed = make_plan(ask, [make_offer(purchase=Purchase.SPOT)], fit_of=None).chosen
    assert placed
    assert placed.cost
    assert placed.cost_parts
    assert placed.cost_parts.setup.amount + placed.cost_parts.preemption.amount == 12
    assert placed.cost.value == placed.cost_parts.sum() == money("12")


def test_limits_hold_for_the_upper_end() -> None:
    def plan_within(hours: float, limit: str) -> Plan:
        schedule = Schedule(deadline_seconds=hours * 3600, max_duration_seconds=10 * 3600.0)
        return make_plan(Ask(None, WISH, schedule=schedule, budget=Budget(money(limit))), [T4], fit_of=None)

    assert plan_within(11, "11").chosen
    late, dear = plan_within(9, "11"), plan_within(11, "9")
    assert [each.why for each in late.rejected] == ["over-deadline"]
    assert late.infeasible
    assert [(each.set, each.to) for each in late.infeasible.changes] == [("schedule.deadline", "10h")]
    assert dear.infeasible
    assert [(each.set, each.to) for each in dear.infeasible.changes] == [("budget.limit", "11 USD")]

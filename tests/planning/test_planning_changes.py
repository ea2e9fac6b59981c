"""What would make an infeasible plan feasible."""

from __future__ import annotations

import pytest
from planning_makers import NOW, fit_of, make_fit, make_offer, make_plan, money

from tradewind.domain.fit import Fit
from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.plan import Plan
from tradewind.domain.workload import Accelerators, Budget, Placement, Resources, Schedule
from tradewind.planning import Ask, Interruption

STEPS = 36_000  # ten hours on a T4, 1.25 on an A100
HOUR = 3600.0


def a100(**given: object) -> Offer:
    return make_offer(**({"gpu": "A100-80GB", "instance_type": "a100", "price": "20"} | given))


def changes(found: Plan) -> dict[str, tuple[str, str | None]]:
    assert found.chosen is None
    assert found.infeasible is not None
    return {each.set: (each.to, each.by) for each in found.infeasible.changes}


CASES = [
    (Ask(STEPS, schedule=Schedule(deadline_seconds=HOUR)),
     {"schedule.deadline": ("1.4h", "+0.4h"), "resources.nodes": ("2", None)}),
    (Ask(STEPS, schedule=Schedule(deadline_at=NOW)), {"schedule.deadline": ("1.4h", "+1.4h")}),
    (Ask(STEPS, schedule=Schedule(max_duration_seconds=HOUR)),
     {"schedule.max_duration": ("1.4h", "+0.4h"), "resources.nodes": ("2", None)}),
    (Ask(STEPS, budget=Budget(money("5"))), {"budget.limit": ("11 USD", "+6 USD")}),
    (Ask(STEPS, placement=Placement(clouds=("gcp",))), {"placement.clouds": ("aws", None)}),
    (Ask(STEPS, placement=Placement(residency="CN")), {"placement.residency": ("US", None)}),
    (Ask(STEPS, budget=Budget(purchase="spot")), {"budget.purchase": ("auto", None)}),
    (Ask(STEPS, resources=Resources(cpus=16)), {"resources.cpus": ("8", None)}),
    (Ask(STEPS, resources=Resources(Accelerators("L4", 1, 1))), {"resources.accelerators": ("T4:1", None)}),
    (Ask(STEPS, schedule=Schedule(deadline_seconds=2 * HOUR), budget=Budget(money("15"))),
     {"schedule.deadline": ("10.2h", "+8.2h"), "budget.limit": ("28 USD", "+13 USD"), "resources.nodes": ("8", None)}),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "wanted"), CASES)
def test_each_change_alone_helps_and_is_the_smallest(ask: Ask, wanted: dict[str, tuple[str, str | None]]) -> None:
    found = make_plan(ask, [make_offer(), a100()])
    assert changes(found) == wanted
    assert found.infeasible
    assert found.infeasible.together == ()
    told = found.to_json()["infeasible"]
    assert [each["set"] for each in told["changes"]] == sorted(wanted)
    assert told["together"] == []


def test_two_changes_are_proposed_where_none_alone_helps() -> None:
    ask = Ask(STEPS, placement=Placement(clouds=("gcp",), regions=("r9",)))
    found = make_plan(ask, [make_offer(), a100(cloud="azure", region="r2")])
    assert found.infeasible
    assert found.infeasible.changes == ()
    assert [(each.set, each.to) for each in found.infeasible.together] == [
        ("placement.clouds", "aws"), ("placement.regions", "r1"),
    ]  # fmt: skip


def test_of_two_changes_the_smallest_pair_is_proposed() -> None:
    ask = Ask(STEPS, schedule=Schedule(deadline_seconds=9 * HOUR), budget=Budget(money("9"), "on_demand"))
    spot = make_offer(purchase=Purchase.SPOT, price="0.5")
    found = make_plan(ask, [make_offer(network_gbps=None), spot], fit_of=one_machine)
    assert found.infeasible
    assert found.infeasible.changes == ()
    assert [(each.set, each.to, each.by) for each in found.infeasible.together] == [
        ("budget.limit", "11 USD", "+2 USD"), ("schedule.deadline", "10.2h", "+1.2h"),
    ]  # fmt: skip


def one_machine(offer: Offer, nodes: int) -> Fit | str:
    return fit_of(offer, nodes) if nodes == 1 else "batch-indivisible"


def test_three_changes_are_too_many_to_propose() -> None:
    ask = Ask(STEPS, placement=Placement(clouds=("gcp",), regions=("r9",), residency="CN"))
    found = make_plan(ask, [make_offer()])
    assert found.infeasible
    assert (found.infeasible.changes, found.infeasible.together) == ((), ())


def test_activation_checkpointing_is_proposed_where_a_fit_comes_with_it() -> None:
    def plain(offer: Offer, nodes: int) -> Fit:
        return make_fit(fits=False, nodes=nodes)

    found = make_plan(Ask(STEPS), [make_offer()], fit_of=plain, full_fit_of=one_machine)
    assert changes(found) == {"training.activation_checkpointing": ("full", None)}
    assert changes(make_plan(Ask(STEPS), [make_offer()], fit_of=plain)) == {}


def test_a_deadline_is_moved_until_the_last_resort_keeps_it() -> None:
    """Spot machines alone would be in time sooner; what is proposed is when on-demand ones would be."""
    spot = a100(purchase=Purchase.SPOT, price="2")
    slow = make_offer()
    ask = Ask(STEPS, schedule=Schedule(deadline_seconds=2 * HOUR), budget=Budget(money("12")))
    found = make_plan(ask, [spot, slow], fit_of=one_machine)
    assert [(each.why, each.nearest) for each in found.rejected] == [
        ("last-resort-late", None), ("over-deadline", "8.1 h late"),
    ]  # fmt: skip
    assert changes(found) == {"schedule.deadline": ("10.2h", "+8.2h")}
    fast = a100(price="9")
    held = make_plan(ask, [spot, slow, fast], fit_of=one_machine)
    assert held.chosen
    assert held.chosen.offer == spot


def test_a_deadline_is_moved_for_a_spot_way_whose_last_resort_the_budget_does_not_pay() -> None:
    ask = Ask(STEPS, schedule=Schedule(deadline_seconds=1.7 * HOUR), budget=Budget(money("12")))
    offers = [a100(purchase=Purchase.SPOT, price="2"), a100()]
    wanted = {"budget.limit": ("28 USD", "+16 USD"), "schedule.deadline": ("1.8h", "+0.1h")}
    calm = Interruption(0.1, "trace", "2025-10")
    assert changes(make_plan(ask, offers, fit_of=one_machine, interruption_of=lambda offer: calm)) == wanted


def test_nothing_offered_is_infeasible_without_a_change() -> None:
    found = make_plan(Ask(STEPS), [])
    assert (found.chosen, found.rejected) == (None, ())
    assert changes(found) == {}

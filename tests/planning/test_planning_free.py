"""Machines of one's own in a plan: what is free costs nothing, is known to, and there is one of it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_makers import make_offer, make_plan, money, offer_lists

from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus
from tradewind.domain.plan import Placed, Plan, Tariff
from tradewind.domain.plan_json import plan_of
from tradewind.domain.workload import Accelerators, Budget, Placement, Resources, Schedule
from tradewind.planning import Ask
from tradewind.planning.ask import Dataset, Terms

STEPS = 36_000  # ten hours on one T4
NOTHING = Money(Decimal(0), "USD")
OWN = Terms(1.0, 1.0, quota="ok", shared=True)


def free(**given: Any) -> Offer:
    own = {"cloud": "machines", "region": "box", "instance_type": "1x-T4", "price": None,
           "price_status": PriceStatus.FREE, "country": None, "carbon_g_per_kwh": None, "stock": 1}  # fmt: skip
    return make_offer(**(own | given))


def chosen(found: Plan) -> Placed:
    assert found.chosen is not None
    return found.chosen


def test_a_free_machine_is_chosen_before_all_that_cost_and_its_cost_is_known_to_be_nothing() -> None:
    found = make_plan(Ask(STEPS), [make_offer(price="0.01"), free()])
    placed = chosen(found)
    assert placed.offer.region == "box"
    assert placed.cost is not None
    assert placed.cost_parts is not None
    assert (placed.cost.low, placed.cost.value, placed.cost.high) == (NOTHING,) * 3
    assert placed.cost_parts.sum() == NOTHING
    told = found.to_json()
    assert (told["chosen"]["offer"]["price_per_hour"], told["chosen"]["offer"]["price_status"]) == (None, "free")
    assert told["on_demand_price_per_hour"] is None
    assert plan_of(told).to_json() == told


def test_what_is_free_is_told_in_the_currency_of_the_budget() -> None:
    found = make_plan(Ask(STEPS, budget=Budget(money("1", "CNY"))), [free()])
    placed = chosen(found)
    assert placed.cost is not None
    assert placed.cost.value.currency == found.currency == "CNY"


def test_a_machine_without_any_price_is_still_rejected_as_unknown() -> None:
    unknown = make_offer(price=None, price_status=PriceStatus.UNKNOWN)
    found = make_plan(Ask(STEPS), [unknown])
    assert [(each.why, each.count) for each in found.rejected] == [("price-unknown", 1)]


def test_fetching_data_is_paid_for_on_a_free_machine_too() -> None:
    data = Dataset("s3://b/x", "aws", "r1", 100.0)
    out = Tariff("egress", "GB", money("0.09"), "2026-11", "test")
    placed = chosen(make_plan(Ask(STEPS, datasets=(data,)), [free()], egress_of=lambda cloud, region: out))
    assert placed.cost is not None
    assert placed.cost.value == money("9")


def test_a_promise_that_rests_on_ones_own_machine_is_conditional_since_others_may_use_it() -> None:
    ask = Ask(STEPS, schedule=Schedule(deadline_seconds=100 * 3600))
    placed = chosen(make_plan(ask, [free()], terms_of=lambda cloud: OWN))
    assert (placed.deadline_guarantee, placed.guarantee_why) == ("conditional", "may-be-taken cloud=machines")
    alone = chosen(make_plan(ask, [free()], terms_of=lambda cloud: replace(OWN, shared=False)))
    assert alone.deadline_guarantee == "firm"


@pytest.mark.parametrize("wish", [None, Accelerators("T4", 2, 2)])
def test_of_one_machine_nobody_gets_two(wish: Accelerators | None) -> None:
    found = make_plan(Ask(STEPS, resources=Resources(wish, nodes=2)), [free()])
    assert [(each.why, each.count) for each in found.rejected] == [("too-few-machines", 1)]
    plenty = make_plan(Ask(STEPS, resources=Resources(wish, nodes=2)), [free(stock=2)])
    assert chosen(plenty).nodes == 2


def test_a_country_that_nobody_told_keeps_no_residency() -> None:
    found = make_plan(Ask(STEPS, placement=Placement(residency="DE")), [free()])
    assert [each.why for each in found.rejected] == ["residency"]
    assert make_plan(Ask(STEPS, placement=Placement(residency="DE")), [free(country="DE")]).chosen


@settings(max_examples=30, deadline=None)
@given(offer_lists, st.sampled_from(["T4", "L4", "A100-80GB"]))
def test_with_a_free_machine_that_fits_nothing_is_ever_paid(offers: list[Offer], gpu: str) -> None:
    found = make_plan(Ask(STEPS), [*offers, free(gpu=gpu)])
    placed = chosen(found)
    assert placed.offer.free or placed.cost is None
    assert plan_of(found.to_json()).to_json() == found.to_json()

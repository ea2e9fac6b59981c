"""Laws of planning, on random markets."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_makers import fit_of, make_fit, make_plan, money, mostly, offer_lists, some_offers
from planning_naive import Tried, tried

from tradewind.domain.fit import Fit
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import FrontPoint, Objective, Placed, Plan, Tariff
from tradewind.domain.plan_json import plan_of
from tradewind.domain.residency import allowed
from tradewind.domain.workload import Accelerators, Budget, Placement, Resources, Schedule
from tradewind.planning import Ask

LAW = settings(max_examples=40, deadline=None)  # many laws: many draws in all, few seconds
TARIFF = Tariff("block_ssd", "GB-month", money("0.08"), "2026-11", "test")
DISK_HOUR = 50 * 0.08 / 730  # of one machine
OBJECTIVES: tuple[Objective, ...] = ("cost", "time", "carbon", "balanced")


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    """Any ask; most are wide enough that something is left."""
    limit = draw(mostly(None, "0.5", "5", "40", "400"))
    nodes = draw(mostly(0, 1, 2))
    return Ask(
        draw(st.sampled_from([1, 1000, 36_000, 200_000])),
        resources=Resources(
            draw(mostly(None, Accelerators("T4", 1, 4), Accelerators(None, 2, 8), Accelerators("L4", 3, 12))),
            nodes=nodes or 1,
            cpus=draw(mostly(None, 8)),
            nodes_open=nodes == 0,
        ),
        placement=Placement(
            clouds=draw(mostly((), ("aws",), ("aws", "alibaba"))),
            regions=draw(mostly((), ("r1",))),
            residency=draw(mostly(None, "EU", "EEA", "CN")),
        ),
        schedule=Schedule(deadline_seconds=draw(st.sampled_from([None, 1800.0, 20_000.0, 50_000.0, 100_000.0]))),
        budget=Budget(
            limit and money(limit, draw(st.sampled_from(["USD", "CNY"]))), draw(mostly("auto", "spot", "on_demand"))
        ),
    )


def small_fit(offer: Offer, nodes: int) -> Fit | str:
    """As ``fit_of``, but two GPUs at least are needed for the memory of a T4, and no more than eight make sense."""
    gpus = float(offer.gpus) * nodes
    if offer.gpu == "T4" and gpus < 2:
        return make_fit("T4", gpus, fits=False, nodes=nodes)
    return "batch-indivisible" if gpus > 8 else fit_of(offer, nodes)


def planned(ask: Ask, offers: list[Offer], objective: Objective = "cost") -> Plan:
    return make_plan(ask, offers, fit_of=small_fit, tariff_of=lambda cloud, region: TARIFF, objective=objective)


def chosen_point(found: Plan) -> FrontPoint:
    (point,) = [each for each in found.front if each.chosen]
    return point


def merit(point: FrontPoint, objective: Objective) -> float:
    """What the objective has least of in the chosen; unknown carbon is more than any."""
    if objective == "carbon":
        return 1e12 if point.carbon_g is None else point.carbon_g
    return {"cost": point.rank_cost, "time": point.hours, "balanced": point.rank_cost * point.hours}[objective]


def no_worse(after: Plan, before: Plan, objective: Objective) -> bool:
    if not before.chosen:
        return True
    most = merit(chosen_point(before), objective) * (1 + 1e-6) + 1e-3
    return after.chosen is not None and merit(chosen_point(after), objective) <= most


def shown(found: Plan) -> list[Placed]:
    return [found.chosen, *found.fallbacks, *found.alternatives] if found.chosen else []


@LAW
@given(ask=asks(), offers=offer_lists, objective=st.sampled_from(OBJECTIVES))
def test_the_search_finds_what_a_naive_one_finds(ask: Ask, offers: list[Offer], objective: Objective) -> None:
    found = planned(ask, offers, objective)
    every = tried(ask, offers, small_fit, DISK_HOUR)
    assert (found.chosen is not None) == bool(every)
    passing = [offer for offer in offers if any(each.offer is offer for each in every)]
    assert len(passing) + sum(each.count for each in found.rejected) == len(offers)
    assert len({each.why for each in found.rejected}) == len(found.rejected)
    if every:
        best = min(merit(as_point(each), objective) for each in every)
        assert merit(chosen_point(found), objective) == pytest.approx(best, rel=1e-5, abs=1e-3)
        assert all(any(point.hours == pytest.approx(each.hours, abs=1e-5) for each in every) for point in found.front)


def as_point(each: Tried) -> FrontPoint:
    offer = each.offer
    return FrontPoint(
        offer.cloud, offer.instance_type, offer.region, offer.zone, offer.purchase.value, offer.gpu, 1.0, 1,
        each.hours, money("0"), each.cost, each.carbon, False,
    )  # fmt: skip


@LAW
@given(ask=asks(), offers=offer_lists, objective=st.sampled_from(OBJECTIVES))
def test_no_plan_breaks_a_hard_constraint(ask: Ask, offers: list[Offer], objective: Objective) -> None:
    found = planned(ask, offers, objective)
    assert (found.chosen is None) == (found.infeasible is not None)
    for placed in shown(found):
        offer, place = placed.offer, ask.placement
        assert offer in offers
        assert offer.gpu_known
        assert offer.price_status not in {PriceStatus.EXPIRED, PriceStatus.UNKNOWN}
        assert offer.purchase in {Purchase.SPOT, Purchase.ON_DEMAND}
        assert ask.budget.purchase in {"auto", offer.purchase.value}
        assert not place.clouds or offer.cloud in place.clouds
        assert not place.regions or offer.region in place.regions
        assert place.residency is None or offer.country in allowed(place.residency)
        wish = ask.resources.accelerators
        assert wish is None or (wish.gpu in {None, offer.gpu})
        assert wish is None or wish.low <= offer.gpus * placed.nodes <= wish.high
        assert ask.resources.nodes_open or placed.nodes == ask.resources.nodes
        assert placed.nodes == 1 or not ask.resources.nodes_open or offer.network_gbps
        assert placed.hours
        assert placed.hours.value * 3600 <= (ask.schedule.deadline_seconds or float("inf")) + 1e-6
        if placed.last_resort:
            assert placed.last_resort.hours * 3600 <= (ask.schedule.deadline_seconds or 0) + 1e-2
    for point in found.front:
        assert ask.budget.limit is None or point.rank_cost <= float(ask.budget.limit.amount)


@LAW
@given(ask=asks(), offers=offer_lists, objective=st.sampled_from(OBJECTIVES))
def test_the_chosen_is_on_the_front_and_marks_are_true(ask: Ask, offers: list[Offer], objective: Objective) -> None:
    found = planned(ask, offers, objective)
    if not found.chosen:
        assert found.front == ()
        return
    point = chosen_point(found)
    assert (point.instance_type, point.region, point.nodes) == (
        found.chosen.offer.instance_type, found.chosen.offer.region, found.chosen.nodes,
    )  # fmt: skip
    with_carbon = objective == "carbon"
    for one in found.front:
        for other in found.front:
            beats = other.rank_cost <= one.rank_cost and other.hours <= one.hours
            cleaner = (other.carbon_g or 9e9) <= (one.carbon_g or 9e9)
            assert one is other or not (beats and (cleaner or not with_carbon))
    for hours, cost, _, unbeaten, within in found.points:
        if within and not with_carbon:
            beaten = any(each.hours <= hours and each.rank_cost <= cost + 1e-6 for each in found.front)
            assert unbeaten or beaten
    assert not found.chosen.beaten


@LAW
@given(ask=asks(), offers=offer_lists)
def test_parts_sum_exactly_and_ranges_hold(ask: Ask, offers: list[Offer]) -> None:
    for placed in shown(planned(ask, offers)):
        assert placed.cost and placed.cost_parts
        assert placed.cost_parts.sum() == placed.cost.value
        assert placed.cost.low <= placed.cost.value <= placed.cost.high
        assert placed.cost.value.amount == placed.cost.value.rounded().amount
        assert all(getattr(placed.cost_parts, name).amount >= 0 for name in placed.cost_parts.__slots__)


@LAW
@given(ask=asks(), offers=offer_lists, objective=st.sampled_from(OBJECTIVES), seed=st.integers(0, 99))
def test_neither_order_nor_repetition_changes_a_plan(
    ask: Ask, offers: list[Offer], objective: Objective, seed: int
) -> None:
    unique = list(
        {(each.cloud, each.region, each.zone, each.instance_type, each.purchase): each for each in offers}.values()
    )
    mixed = random.Random(seed).sample(unique, len(unique))
    ours = planned(ask, unique, objective)
    assert ours == planned(ask, unique, objective) == planned(ask, mixed, objective)


@LAW
@given(ask=asks(), offers=offer_lists)
def test_a_stored_plan_reads_back_the_same(ask: Ask, offers: list[Offer]) -> None:
    told = planned(ask, offers).to_json()
    assert plan_of(json.loads(json.dumps(told))).to_json() == told


@LAW
@given(ask=asks(), offers=offer_lists, extra=some_offers(), objective=st.sampled_from(OBJECTIVES))
def test_another_offer_never_makes_it_worse(ask: Ask, offers: list[Offer], extra: Offer, objective: Objective) -> None:
    usd = make_plan_currency(ask, [*offers, extra])
    before, after = planned(usd, offers, objective), planned(usd, [*offers, extra], objective)
    assert no_worse(after, before, objective)


def make_plan_currency(ask: Ask, offers: list[Offer]) -> Ask:
    """The ask with a budget so wide that it only fixes the currency of comparison."""
    return ask if ask.budget.limit else replace(ask, budget=replace(ask.budget, limit=money("1e9")))


@LAW
@given(ask=asks(), offers=offer_lists, factor=st.floats(1, 5), objective=st.sampled_from(OBJECTIVES))
def test_more_time_and_money_are_never_worse(
    ask: Ask, offers: list[Offer], factor: float, objective: Objective
) -> None:
    span, limit = ask.schedule.deadline_seconds, ask.budget.limit
    wider = replace(
        ask,
        schedule=replace(ask.schedule, deadline_seconds=span and span * factor),
        budget=replace(ask.budget, limit=limit and limit * factor),
    )
    assert no_worse(planned(wider, offers, objective), planned(ask, offers, objective), objective)


@LAW
@given(ask=asks(), offers=offer_lists, objective=st.sampled_from(OBJECTIVES))
def test_the_currency_changes_nothing_but_the_currency(ask: Ask, offers: list[Offer], objective: Objective) -> None:
    limit = money("1e9") if ask.budget.limit is None else ask.budget.limit
    usd = limit if limit.currency == "USD" else Money(limit.amount / Decimal("7.1"), "USD")
    dollars = planned(replace(ask, budget=replace(ask.budget, limit=usd)), offers, objective)
    yuan = planned(
        replace(ask, budget=replace(ask.budget, limit=Money(usd.amount * Decimal("7.1"), "CNY"))), offers, objective
    )
    assert (dollars.chosen is None) == (yuan.chosen is None)
    if dollars.chosen and yuan.chosen:
        assert yuan.chosen.hours == pytest.approx(dollars.chosen.hours) or objective != "time"
        assert chosen_point(yuan).rank_cost == pytest.approx(chosen_point(dollars).rank_cost * 7.1, rel=1e-6, abs=1e-4)
        assert [each.count for each in yuan.rejected] == [each.count for each in dollars.rejected]


CHANGES = settings(max_examples=25, deadline=None)


@CHANGES
@given(ask=asks(), offers=offer_lists)
def test_each_change_makes_it_feasible(ask: Ask, offers: list[Offer]) -> None:
    told = planned(ask, offers).infeasible
    for change in told.changes if told else ():
        assert planned(changed(ask, change.set, change.to), offers).chosen, change
    if told and told.together:
        assert not told.changes
        first, second = told.together
        assert first.set != second.set
        assert planned(changed(changed(ask, first.set, first.to), second.set, second.to), offers).chosen, told.together


def changed(ask: Ask, key: str, to: str) -> Ask:
    """The ask with one key of the job file set anew."""
    schedule, budget, place, want = ask.schedule, ask.budget, ask.placement, ask.resources
    if key == "schedule.deadline":
        return replace(ask, schedule=replace(schedule, deadline_seconds=float(to.removesuffix("h")) * 3600))
    if key == "budget.limit":
        amount, currency = to.split()
        return replace(ask, budget=replace(budget, limit=money(amount, currency)))
    if key == "budget.purchase":
        return replace(ask, budget=replace(budget, purchase="auto"))
    if key == "resources.accelerators":
        gpu, count = to.split(":")
        return replace(ask, resources=replace(want, accelerators=Accelerators(gpu, int(count), int(count))))
    if key == "resources.cpus":
        return replace(ask, resources=replace(want, cpus=int(to)))
    if key == "resources.nodes":
        return replace(ask, resources=replace(want, nodes=int(to), nodes_open=False))
    name = key.removeprefix("placement.")
    assert name in {"residency", "clouds", "regions"}, key
    return replace(ask, placement=replace(place, **{name: to if name == "residency" else (to,)}))  # type: ignore[arg-type]

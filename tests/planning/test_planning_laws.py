"""Laws of planning, on random markets."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from planning_makers import CNY, make_plan, money, mostly, offer_lists, some_offers

from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import Placed, Plan, Tariff
from tradewind.domain.residency import allowed
from tradewind.domain.workload import Accelerators, Budget, Placement, Resources, Schedule
from tradewind.planning import Ask

LAW = settings(max_examples=40, deadline=None)  # nine laws: many draws in all, few seconds
TARIFF = Tariff("block_ssd", "GB-month", money("0.08"), "2026-11", "test")


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    """Any ask; most are wide enough that something is left."""
    limit = draw(mostly(None, "0.5", "5", "40", "400"))
    return Ask(
        draw(st.sampled_from([1, 1000, 36_000, 200_000])),
        resources=Resources(
            draw(mostly(None, Accelerators("T4", 1, 4), Accelerators(None, 2, 8), Accelerators("L4", 1, 1))),
            nodes=draw(mostly(1, 2)),
            cpus=draw(mostly(None, 8)),
        ),
        placement=Placement(
            clouds=draw(mostly((), ("aws",), ("aws", "alibaba"))),
            regions=draw(mostly((), ("r1",))),
            residency=draw(mostly(None, "EU", "EEA", "CN")),
        ),
        schedule=Schedule(deadline_seconds=draw(mostly(None, 1800.0, 20_000.0, 100_000.0))),
        budget=Budget(limit and money(limit, draw(st.sampled_from(["USD", "CNY"]))), draw(mostly("auto", "spot"))),
    )


def planned(ask: Ask, offers: list[Offer]) -> Plan:
    return make_plan(ask, offers, tariff_of=lambda cloud, region: TARIFF)


def upper_cost(placed: Placed, currency: str) -> Decimal:
    """Cost at the upper end of the price's range, at the expected hours."""
    bounds = placed.offer.price_bounds()
    assert bounds
    assert placed.offer.price_per_hour
    rise = bounds[1].amount / placed.offer.price_per_hour.amount
    parts = placed.cost_parts
    rent = parts.compute + parts.setup + parts.preemption
    whole = Money(rent.amount * rise, rent.currency) + parts.storage
    return (whole if whole.currency == currency else whole.converted(CNY)).amount


def shown(found: Plan) -> list[Placed]:
    assert found.chosen
    return [found.chosen, *found.fallbacks, *found.alternatives]


@LAW
@given(ask=asks(), offers=offer_lists)
def test_no_plan_breaks_a_hard_constraint(ask: Ask, offers: list[Offer]) -> None:
    found = planned(ask, offers)
    assert (found.chosen is None) == (found.changes is not None)
    for placed in shown(found) if found.chosen else []:
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
        assert wish is None or wish.low <= offer.gpus * ask.resources.nodes <= wish.high
        assert placed.hours.value * 3600 <= (ask.schedule.deadline_seconds or float("inf")) + 1e-6
        if ask.budget.limit:
            assert upper_cost(placed, ask.budget.limit.currency) <= ask.budget.limit.amount


@LAW
@given(ask=asks(), offers=offer_lists)
def test_every_offer_is_counted_once(ask: Ask, offers: list[Offer]) -> None:
    found = planned(ask, offers)
    passing = sum(1 for offer in offers if planned(ask, [offer]).chosen)
    assert passing + sum(each.count for each in found.rejected) == len(offers)
    assert len({each.why for each in found.rejected}) == len(found.rejected)


@LAW
@given(ask=asks(), offers=offer_lists)
def test_the_chosen_is_never_beaten_and_marks_are_true(ask: Ask, offers: list[Offer]) -> None:
    found = planned(ask, offers)
    if not found.chosen:
        return
    every = [found.chosen, *found.alternatives]
    for placed in every:
        worse = [
            other
            for other in every
            if other.hours.value <= placed.hours.value
            and upper_cost(other, "USD") < upper_cost(placed, "USD") - Decimal("0.0001")
        ]
        assert placed.beaten or not worse
    assert not found.chosen.beaten


@LAW
@given(ask=asks(), offers=offer_lists)
def test_parts_sum_exactly_and_ranges_hold(ask: Ask, offers: list[Offer]) -> None:
    found = planned(ask, offers)
    for placed in shown(found) if found.chosen else []:
        assert placed.cost_parts.sum() == placed.cost.value
        assert placed.cost.low <= placed.cost.value <= placed.cost.high
        assert placed.cost.value.amount == placed.cost.value.rounded().amount
        assert all(getattr(placed.cost_parts, name).amount >= 0 for name in placed.cost_parts.__slots__)


@LAW
@given(ask=asks(), offers=offer_lists, seed=st.integers(0, 99))
def test_the_order_of_offers_does_not_matter(ask: Ask, offers: list[Offer], seed: int) -> None:
    unique = list(dict.fromkeys(offers))
    mixed = random.Random(seed).sample(unique, len(unique))
    ours, other = planned(ask, unique), planned(ask, mixed)
    assert [each.to_json() for each in ours.rejected] == [each.to_json() for each in other.rejected]
    assert bool(ours.chosen) == bool(other.chosen)
    if ours.chosen and other.chosen:
        assert (ours.chosen.cost.value, ours.chosen.hours) == (other.chosen.cost.value, other.chosen.hours)


@LAW
@given(ask=asks(), offers=offer_lists)
def test_the_same_question_gets_the_same_plan(ask: Ask, offers: list[Offer]) -> None:
    assert planned(ask, offers) == planned(ask, offers)


@LAW
@given(ask=asks(), offers=offer_lists, extra=some_offers())
def test_another_offer_never_makes_it_worse(ask: Ask, offers: list[Offer], extra: Offer) -> None:
    before, after = planned(ask, offers).chosen, planned(ask, [*offers, extra]).chosen
    if before:
        assert after
        assert upper_cost(after, "USD") <= upper_cost(before, "USD") + Decimal("0.0001")


@LAW
@given(ask=asks(), offers=offer_lists, factor=st.floats(1, 5))
def test_more_time_and_money_are_never_worse(ask: Ask, offers: list[Offer], factor: float) -> None:
    span, limit = ask.schedule.deadline_seconds, ask.budget.limit
    wider = replace(
        ask,
        schedule=replace(ask.schedule, deadline_seconds=span and span * factor),
        budget=replace(ask.budget, limit=limit and limit * factor),
    )
    before, after = planned(ask, offers).chosen, planned(wider, offers).chosen
    if before:
        assert after
        assert upper_cost(after, "USD") <= upper_cost(before, "USD") + Decimal("0.0001")


@LAW
@given(ask=asks(), offers=offer_lists)
def test_each_change_makes_it_feasible(ask: Ask, offers: list[Offer]) -> None:
    for change in planned(ask, offers).changes or ():
        assert planned(changed(ask, change.set, change.to), offers).chosen, change


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
    if key == "placement.residency":
        return replace(ask, placement=replace(place, residency=to))
    if key == "placement.clouds":
        return replace(ask, placement=replace(place, clouds=(to,)))
    assert key == "placement.regions", key
    return replace(ask, placement=replace(place, regions=(to,)))

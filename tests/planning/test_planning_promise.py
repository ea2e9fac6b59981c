"""Deadlines on machines that may vanish: what saves them, how firm they are, what refusals do."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from planning_makers import NOW, make_offer, make_plan, money

from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.plan import Placed, Plan
from tradewind.domain.workload import Budget, Schedule
from tradewind.planning import Ask, Dataset, Interruption, Refusal, Terms, expected_losses

STEPS = 36_000  # ten hours on a T4, 1.25 on an A100
SURE = Terms(quota="ok")


def within(hours: float, **given: object) -> Ask:
    return replace(Ask(STEPS, schedule=Schedule(deadline_seconds=hours * 3600)), **given)  # type: ignore[arg-type]


def spot(**given: object) -> Offer:
    return make_offer(**({"purchase": Purchase.SPOT, "price": "0.2", "zone": "a"} | given))


def chosen(found: Plan) -> Placed:
    assert found.chosen is not None, found.rejected
    return found.chosen


def test_without_a_deadline_nothing_is_promised() -> None:
    placed = chosen(make_plan(Ask(STEPS), [make_offer()]))
    assert (placed.deadline_guarantee, placed.guarantee_why) == ("none", "no-deadline")
    assert (placed.last_resort, placed.on_time_probability, placed.on_demand_share) == (None, None, 0.0)


@pytest.mark.parametrize(
    ("hours", "terms", "guarantee", "why"),
    [
        (30, SURE, "firm", "on-demand-in-time"),
        (30, Terms(), "conditional", "quota-unknown cloud=aws"),
        (30, Terms(quota="none"), "conditional", "quota-none cloud=aws"),
        (15, SURE, "conditional", "upper-end-late hours=20.3 deadline=15.0"),
    ],
)
def test_on_demand_a_deadline_is_firm_when_nothing_is_open(
    hours: float, terms: Terms, guarantee: str, why: str
) -> None:
    placed = chosen(make_plan(within(hours), [make_offer()], terms_of=lambda cloud: terms))
    assert (placed.deadline_guarantee, placed.guarantee_why) == (guarantee, why)


@pytest.mark.parametrize(
    ("hours", "terms", "guarantee", "why"),
    [
        (30, SURE, "firm", "last-resort-in-time cloud=gcp"),
        (30, Terms(), "conditional", "fallback-quota-unknown cloud=gcp"),
        (30, Terms(quota="none"), "conditional", "fallback-quota-none cloud=gcp"),
        (20.1, SURE, "conditional", "upper-end-late hours=20.5 deadline=20.1"),
    ],
)
def test_a_spot_machines_deadline_is_as_firm_as_its_last_resort(
    hours: float, terms: Terms, guarantee: str, why: str
) -> None:
    offers = [spot(), make_offer(cloud="gcp")]
    placed = chosen(make_plan(within(hours), offers, terms_of=lambda cloud: terms if cloud == "gcp" else Terms()))
    assert placed.offer.purchase is Purchase.SPOT
    assert (placed.deadline_guarantee, placed.guarantee_why) == (guarantee, why)
    assert placed.last_resort
    assert (placed.last_resort.cloud, placed.last_resort.hours) == ("gcp", 10.5)  # the work, and a slow set-up


def test_a_last_resort_beyond_the_budget_makes_the_promise_conditional() -> None:
    budget = Budget(money("9"))
    found = make_plan(within(30, budget=budget), [spot(), make_offer()], terms_of=lambda cloud: SURE)
    assert chosen(found).guarantee_why == "fallback-over-budget cost=10.13 currency=USD"
    going_on = replace(budget, on_limit="continue_to_deadline")
    found = make_plan(within(30, budget=going_on), [spot(), make_offer()], terms_of=lambda cloud: SURE)
    assert chosen(found).deadline_guarantee == "firm"


def test_spot_is_refused_when_nothing_could_save_the_deadline() -> None:
    found = make_plan(within(13), [spot()])
    assert found.chosen is None
    assert [(each.why, each.count) for each in found.rejected] == [("last-resort-late", 1)]
    slower = make_plan(within(13), [spot(gpu="L4"), make_offer()])  # as many hours, but on a slower machine
    assert chosen(slower).offer.purchase is Purchase.ON_DEMAND
    same = make_plan(within(10.4), [spot(), make_offer()])  # on demand 10.1 h, but 10.5 h with a slow set-up
    assert chosen(same).offer.purchase is Purchase.ON_DEMAND
    assert [(each.why, each.nearest) for each in same.rejected] == [("last-resort-late", "0.1 h late")]


def test_where_spot_alone_is_asked_for_it_is_planned_and_only_hoped_for() -> None:
    ask = within(30, budget=Budget(purchase="spot"))
    placed = chosen(make_plan(ask, [spot(), make_offer()], terms_of=lambda cloud: SURE))
    assert (placed.deadline_guarantee, placed.guarantee_why) == ("conditional", "spot-only")
    assert placed.on_time_probability is not None


def test_the_share_on_demand_grows_as_the_deadline_comes_near() -> None:
    offers = [spot(), make_offer(price="5")]
    ways = [chosen(make_plan(within(hours), offers)) for hours in (20, 12.5, 12.35)]
    shares = [way.on_demand_share for way in ways]
    assert shares[0] == 0 < shares[1] < shares[2] <= 0.25
    costs = [way.cost.value.amount for way in ways if way.cost]
    assert costs[0] < costs[1] < costs[2]
    assert f"on-demand-share value={shares[2]:.3f}" in make_plan(within(12.35), offers).assumptions


def test_the_share_on_demand_by_hand() -> None:
    """Only with twice the expected losses is the deadline too near: then the rest is done on demand, set up once."""
    losses, setup = expected_losses(10.0), 8 / 60
    lost = losses * (setup + 0.05 + 0.2)
    deadline = 10 + setup + lost + 0.1
    over = (10 + 2 * lost + 2 * setup - deadline) / (2 * lost)
    placed = chosen(make_plan(within(deadline), [spot(), make_offer(price="5")]))
    assert placed.on_demand_share == pytest.approx(over / 4, abs=1e-4)
    assert placed.cost_parts
    share, own = placed.on_demand_share, Decimal("0.2") * 10
    assert float(placed.cost_parts.compute.amount) == pytest.approx(float(own) * (1 - share) + 50 * share, abs=1e-3)


def test_a_last_resort_is_never_reckoned_the_cheaper_one() -> None:
    """Else a later deadline, which leaves less to it, would make a dear spot machine dearer."""
    plans = [make_plan(within(hours), [spot(price="5", instance_type="dear"), make_offer()]) for hours in (12.35, 30)]
    near, wide = ([cost for _, cost, purchase, _, _ in found.points if purchase == "spot"] for found in plans)
    assert near == wide
    shown = [placed for found in plans for placed in found.alternatives]
    assert [placed.on_demand_share > 0 for placed in shown] == [True, False]
    assert shown[0].cost_parts == shown[1].cost_parts


def test_a_last_resort_that_would_be_late_saves_nothing_however_cheap() -> None:
    far = make_offer(cloud="gcp", price="0.9", instance_type="far")  # an hour away from the data
    data = Dataset("s3://b/x", "aws", "r1", 450.0)
    placed = chosen(
        make_plan(within(11.2, datasets=(data,)), [calm_spot(), far, make_offer(price="5")], interruption_of=calm)
    )
    assert placed.offer.purchase is Purchase.SPOT
    assert placed.last_resort
    assert placed.last_resort.cloud == "aws"


def calm_spot() -> Offer:
    return spot(instance_type="calm")


def calm(offer: Offer) -> Interruption:
    return Interruption(0.1, "trace", "2025-10")


def test_the_chance_of_being_in_time_is_that_of_the_last_resort() -> None:
    alone = chosen(make_plan(within(13), [make_offer()]))
    saved = chosen(make_plan(within(13), [spot(), make_offer()]))
    assert saved.offer.purchase is Purchase.SPOT
    assert saved.on_time_probability == alone.on_time_probability
    assert saved.hours and alone.hours
    assert saved.hours.value > alone.hours.value
    assert saved.hours.high <= max(13, alone.hours.high)  # the policy goes over to on-demand machines before


def test_what_saves_the_deadline_is_among_the_fallbacks() -> None:
    fast = {"gpu": "A10", "gpus": Decimal(2), "instance_type": "a10"}
    spots = [spot(zone=zone, region=region, **fast) for region in "rst" for zone in "abc"]
    slow, saving = make_offer(cloud="gcp", price="0.9"), make_offer(price="7", **fast)
    found = make_plan(within(12), [*spots, slow, saving])
    assert chosen(found).last_resort
    assert [each.offer for each in found.fallbacks if each.offer.purchase is Purchase.ON_DEMAND] == [saving]
    free = make_plan(Ask(STEPS), [*spots, slow, saving])
    assert [each.offer for each in free.fallbacks if each.offer.purchase is Purchase.ON_DEMAND] == [slow]


def refused(hours_ago: float, **given: object) -> Refusal:
    told = {"cloud": "aws", "region": "r1", "zone": "a", "instance_type": "t4.small", "purchase": "spot"}
    return Refusal(**(told | {"at": NOW - timedelta(hours=hours_ago)} | given))  # type: ignore[arg-type]


TWO = [spot(zone="a"), spot(zone="b")]


def test_a_pool_that_refused_lately_stands_behind_its_equals() -> None:
    assert chosen(make_plan(Ask(STEPS), TWO)).offer.zone == "a"
    found = make_plan(Ask(STEPS), TWO, refusals=[refused(1)])
    assert chosen(found).offer.zone == "b"
    assert [each.offer.zone for each in found.fallbacks] == ["a"]
    assert any(
        text.startswith("refused-lately cloud=aws instance_type=t4.small hours=1.9") for text in found.assumptions
    )


def test_a_refusal_is_forgotten_in_a_day_and_weighs_less_before() -> None:
    assert chosen(make_plan(Ask(STEPS), TWO, refusals=[refused(24)])).offer.zone == "a"
    both = [refused(20), refused(1, zone="b")]
    assert chosen(make_plan(Ask(STEPS), TWO, refusals=both)).offer.zone == "a"
    dearer = [spot(zone="a"), spot(zone="b", price="0.25")]
    assert chosen(make_plan(Ask(STEPS), dearer, refusals=[refused(1)])).offer.zone == "a"  # 0.4 now, 0.6 more in all
    hardly = [spot(zone="a"), spot(zone="b", price="0.21")]
    assert chosen(make_plan(Ask(STEPS), hardly, refusals=[refused(1)])).offer.zone == "b"  # 0.4 now, 0.1 more in all
    elsewhere = [refused(1, region="r2"), refused(1, instance_type="t4.large"), refused(1, purchase="on_demand")]
    assert chosen(make_plan(Ask(STEPS), TWO, refusals=elsewhere)).offer.zone == "a"


def test_without_quota_a_machine_is_not_planned_in_any_zone() -> None:
    found = make_plan(Ask(STEPS), [*TWO, spot(region="r2", price="3")], refusals=[refused(1, kind="quota")])
    assert chosen(found).offer.region == "r2"
    assert [(each.why, each.count) for each in found.rejected] == [("quota-refused", 2)]

"""The search: what is chosen, what it falls back on, what is rejected and why, what would help."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from planning_makers import NOW, make_fit, make_offer, make_plan, money

from tradewind.domain.fit import Fit
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import Objective, Plan
from tradewind.domain.workload import Accelerators, Budget, Placement, Resources, Schedule
from tradewind.planning import Ask

STEPS = 36_000  # ten hours on a T4, 1.25 on an A100


def a100(**given: object) -> Offer:
    return make_offer(**({"gpu": "A100-80GB", "instance_type": "a100", "price": "20"} | given))


def why(found: Plan) -> list[tuple[str, int]]:
    return [(each.why, each.count) for each in found.rejected]


def test_the_cheapest_is_chosen_and_the_faster_is_an_alternative() -> None:
    found = make_plan(Ask(STEPS), [a100(), make_offer()])
    assert found.chosen
    assert found.chosen.offer.gpu == "T4"
    assert [(each.offer.gpu, each.beaten) for each in found.alternatives] == [("A100-80GB", False)]


def test_a_deadline_makes_the_faster_one_chosen() -> None:
    found = make_plan(Ask(STEPS, schedule=Schedule(deadline_seconds=2 * 3600)), [a100(), make_offer()])
    assert found.chosen
    assert found.chosen.offer.gpu == "A100-80GB"
    assert [(each.why, each.nearest) for each in found.rejected] == [("over-deadline", "8.1 h late")]
    instant = Schedule(deadline_at=NOW + timedelta(hours=2))
    again = make_plan(Ask(STEPS, schedule=instant), [a100(), make_offer()])
    assert again.chosen
    assert again.chosen.offer == found.chosen.offer


HELD_BACK: list[tuple[str, Offer, Ask]] = [
    ("no-gpu", make_offer(gpus=Decimal(0)), Ask(STEPS)),
    ("gpu-unknown", make_offer(gpu_known=False), Ask(STEPS)),
    ("no-data-sheet", make_offer(gpu="Nothing-1"), Ask(STEPS)),
    ("price-unknown", make_offer(price=None, price_status=PriceStatus.UNKNOWN), Ask(STEPS)),
    ("price-expired", make_offer(price_status=PriceStatus.EXPIRED), Ask(STEPS)),
    ("rate-unknown", make_offer(currency="JPY"), Ask(STEPS, budget=Budget(money("99")))),
    ("purchase", make_offer(purchase=Purchase.RESERVED_3Y), Ask(STEPS)),
    ("purchase", make_offer(purchase=Purchase.SPOT), Ask(STEPS, budget=Budget(purchase="on_demand"))),
    ("purchase", make_offer(), Ask(STEPS, budget=Budget(purchase="spot"))),
    ("cloud", make_offer(), Ask(STEPS, placement=Placement(clouds=("gcp",)))),
    ("region", make_offer(), Ask(STEPS, placement=Placement(regions=("r2",)))),
    ("residency", make_offer(country="NO"), Ask(STEPS, placement=Placement(residency="EU"))),
    ("residency", make_offer(country=None), Ask(STEPS, placement=Placement(residency="US"))),
    ("accelerators", make_offer(), Ask(STEPS, resources=Resources(Accelerators("L4", 1, 8)))),
    ("accelerators", make_offer(gpus=Decimal(4)), Ask(STEPS, resources=Resources(Accelerators("T4", 1, 2)))),
    ("accelerators", make_offer(gpus=Decimal(2)), Ask(STEPS, resources=Resources(Accelerators(None, 1, 2), nodes=2))),
    ("other-vendor", make_offer(gpu="MI300X"), Ask(STEPS)),
    ("other-processor", make_offer(gpu="T4G", arch="arm64"), Ask(STEPS)),
    ("cpus", make_offer(cpus=None), Ask(STEPS, resources=Resources(cpus=1))),
    ("over-deadline", make_offer(), Ask(STEPS, schedule=Schedule(deadline_seconds=3600))),
    ("over-max-duration", make_offer(), Ask(STEPS, schedule=Schedule(max_duration_seconds=3600))),
    ("over-budget", make_offer(), Ask(STEPS, budget=Budget(money("5")))),
]


@pytest.mark.parametrize(("code", "offer", "ask"), HELD_BACK)
def test_each_constraint_holds_back_and_is_counted(code: str, offer: Offer, ask: Ask) -> None:
    found = make_plan(ask, [offer])
    assert found.chosen is None
    assert why(found) == [(code, 1)]


@pytest.mark.parametrize("country", ["NO", "DE"])
def test_the_eea_holds_more_than_the_eu(country: str) -> None:
    assert make_plan(Ask(STEPS, placement=Placement(residency="EEA")), [make_offer(country=country)]).chosen


def test_too_little_memory_names_the_nearest() -> None:
    fit, other = make_fit(fits=False), "precision-unsupported"
    found = make_plan(
        Ask(STEPS), [make_offer(), a100(), a100()], fit_of=lambda offer, nodes: fit if offer.gpu == "T4" else other
    )
    assert why(found) == [("precision-unsupported", 2), ("too-little-memory", 1)]
    assert found.rejected[1].nearest == "1.2 GiB short on T4"


def test_over_budget_names_the_nearest_in_the_budgets_currency() -> None:
    found = make_plan(Ask(STEPS, budget=Budget(money("71.90", "CNY"))), [make_offer(), a100()])
    assert [(each.why, each.count, each.nearest) for each in found.rejected] == [("over-budget", 2, "0.05 CNY over")]


def test_fallbacks_fail_apart_and_hold_one_on_demand() -> None:
    spots = [make_offer(purchase=Purchase.SPOT, price="0.1", zone=zone, region="r1") for zone in "abcdefg"]
    found = make_plan(Ask(STEPS), [*spots, make_offer(), make_offer(region="r2", price="2")])
    assert found.chosen
    assert (found.chosen.offer.region, found.chosen.offer.zone) == ("r1", "a")
    assert pools(found) == [("r1", zone, "spot") for zone in "bcde"] + [("r2", None, "on_demand")]
    alone = make_plan(Ask(STEPS), [*spots, make_offer()])
    assert pools(alone) == [("r1", zone, "spot") for zone in "bcde"] + [("r1", None, "on_demand")]


def test_fallbacks_are_spread_over_regions_before_they_are_cheap() -> None:
    spots = [make_offer(purchase=Purchase.SPOT, price="0.1", zone=zone) for zone in "abcdef"]
    dear = [
        make_offer(purchase=Purchase.SPOT, price="0.2", zone=zone, region=region) for region, zone in ("ra", "rb", "sa")
    ]
    found = make_plan(Ask(STEPS), [*spots, *dear, make_offer(price="9")])
    assert [region for region, _, _ in pools(found)] == ["r1", "r1", "r", "r", "r1"]
    assert pools(found)[-1] == ("r1", None, "on_demand")


def pools(found: Plan) -> list[tuple[str, str | None, str]]:
    return [(each.offer.region, each.offer.zone, each.offer.purchase.value) for each in found.fallbacks]


def test_alternatives_are_filled_up_with_beaten_ones_and_each_machine_stands_once() -> None:
    offers = [make_offer(region=region, price=price) for region, price in (("r1", "1"), ("r2", "2"), ("r3", "3"))]
    offers += [make_offer(instance_type=f"t4.{size}", price=f"{size}") for size in (4, 5, 6, 7)]
    found = make_plan(Ask(STEPS), offers)
    shown = [(each.offer.instance_type, each.beaten) for each in found.alternatives]
    assert shown == [("t4.4", True), ("t4.5", True), ("t4.6", True)]


def test_on_demand_price_of_the_chosen_spot_machine() -> None:
    spot = make_offer(purchase=Purchase.SPOT, price="0.2", zone="a")
    others = [make_offer(zone=None, price="1.5"), make_offer(region="r2", zone="a", price="0.9")]
    assert make_plan(Ask(STEPS), [spot, *others]).on_demand_price_per_hour == money("1.5")
    in_zone = make_offer(zone="a", price="1.7")
    assert make_plan(Ask(STEPS), [spot, *others, in_zone]).on_demand_price_per_hour == money("1.7")
    assert make_plan(Ask(STEPS), [spot]).on_demand_price_per_hour is None


def test_assumptions_are_codes_with_facts() -> None:
    found = make_plan(Ask(STEPS), [make_offer(purchase=Purchase.SPOT, price_status=PriceStatus.DATED)])
    codes = [text.split(" ")[0] for text in found.assumptions]
    assert codes == [
        "setup-hours", "egress-not-counted", "disk-assumed", "storage-tariff-unknown", "quota-unknown", "price-range",
        "spot-hazards", "interruption", "spot-restarts", "spot-wait", "gpu-power",
    ]  # fmt: skip
    assert all("=" in fact for text in found.assumptions for fact in text.split(" ")[1:])


def test_a_missing_price_tells_which_cloud_to_refresh() -> None:
    unpriced = [
        make_offer(cloud=cloud, price=None, price_status=PriceStatus.UNKNOWN) for cloud in ("gcp", "aws", "gcp")
    ]
    (found,) = make_plan(Ask(STEPS), unpriced).rejected
    assert (found.why, found.count, found.nearest, found.near) == (
        "price-unknown", 3, "2 offers, refresh gcp", "refresh count=2 cloud=gcp",
    )  # fmt: skip


def test_objectives_choose_by_what_they_say() -> None:
    clean = make_offer(instance_type="clean", price="1.5", carbon_g_per_kwh=20.0)
    unknown = make_offer(instance_type="unknown", price="1.2", carbon_g_per_kwh=None)
    fastest = make_offer(gpu="H100-80GB", instance_type="h100", price="60")
    offers = [make_offer(), clean, unknown, a100(price="9"), fastest]

    def chosen(objective: Objective) -> str:
        found = make_plan(Ask(STEPS), offers, objective=objective)
        assert found.chosen
        assert found.objective == objective
        assert [each.chosen for each in found.front].count(True) == 1
        return found.chosen.offer.instance_type

    assert chosen("cost") == "t4.small"
    assert chosen("time") == "h100"
    assert chosen("carbon") == "clean"
    assert chosen("balanced") == "a100"  # 12.45 × 1.38 h, beside 10.13 × 10.13 h and 45.50 × 0.76 h


def test_unknown_carbon_is_last_and_not_nothing() -> None:
    unknown = make_offer(instance_type="unknown", price="0.1", carbon_g_per_kwh=None)
    found = make_plan(Ask(STEPS), [unknown, make_offer(price="5", carbon_g_per_kwh=900.0)], objective="carbon")
    assert found.chosen
    assert found.chosen.carbon_g
    assert {each.carbon_g for each in found.front} == {None, found.chosen.carbon_g}  # the cheaper one is not beaten
    dearer = make_offer(instance_type="dearer", price="0.2", carbon_g_per_kwh=None)
    again = make_plan(Ask(STEPS), [unknown, dearer], objective="carbon")
    assert [each.instance_type for each in again.front] == ["unknown"]


def test_points_draw_all_ways_and_those_over_the_limits() -> None:
    ask = Ask(STEPS, budget=Budget(money("15")))
    found = make_plan(ask, [make_offer(), a100(), make_offer(instance_type="dearer", price="1.2")])
    assert [(cost < 15, unbeaten, within) for _, cost, _, unbeaten, within in found.points] == [
        (True, True, True), (True, False, True), (False, False, False),
    ]  # fmt: skip
    assert found.limits.to_json() == {
        "deadline_hours": None, "budget": {"amount": "15.00", "currency": "USD"}, "max_duration_hours": None,
    }  # fmt: skip
    many = [make_offer(instance_type=f"t{number}", price=f"{1 + number / 1000}") for number in range(900)]
    assert len(make_plan(Ask(STEPS), many).points) == 200


def test_more_machines_are_taken_only_when_nobody_says_how_many() -> None:
    small = make_offer(network_gbps=25.0)
    wish = Resources(Accelerators("T4", 4, 8), nodes_open=True)
    found = make_plan(Ask(STEPS, resources=wish), [small])
    assert found.chosen
    assert found.chosen.nodes == 4
    assert {each.nodes for each in found.front} == {4, 8}
    assert "nodes-open counts=1,2,4,8" in found.assumptions
    assert why(make_plan(Ask(STEPS, resources=wish), [make_offer()])) == [("no-network", 1)]
    assert why(make_plan(Ask(STEPS, resources=replace(wish, nodes_open=False)), [small])) == [("accelerators", 1)]


def test_as_many_machines_as_just_make_up_the_gpus_wished_for_are_tried() -> None:
    three = Resources(Accelerators("T4", 3, 3), nodes_open=True)
    found = make_plan(Ask(STEPS, resources=three), [make_offer(network_gbps=25.0)])
    assert found.chosen
    assert found.chosen.nodes == 3


def test_an_offer_that_passes_on_some_number_of_machines_is_not_counted() -> None:
    ask = Ask(STEPS, resources=Resources(Accelerators("T4", 1, 8), nodes_open=True), budget=Budget(money("11")))
    found = make_plan(ask, [make_offer(network_gbps=25.0)])
    assert found.chosen
    assert (found.chosen.nodes, found.rejected) == (1, ())
    assert [within for *_, within in found.points] == [True, False, False, False]
    none = make_plan(replace(ask, budget=Budget(money("5"))), [make_offer(network_gbps=25.0)])
    assert [(each.why, each.count) for each in none.rejected] == [("over-budget", 1)]


def test_limits_are_kept_to_the_minute() -> None:
    assert why(make_plan(Ask(STEPS, schedule=Schedule(deadline_seconds=10.12 * 3600)), [make_offer()])) == [
        ("over-deadline", 1)
    ]
    assert make_plan(Ask(STEPS, schedule=Schedule(deadline_seconds=10.14 * 3600)), [make_offer()]).chosen


def test_a_longest_duration_counts_paid_hours_and_no_waiting() -> None:
    spot = make_offer(purchase=Purchase.SPOT)
    whole = make_plan(Ask(STEPS), [spot]).chosen
    assert whole
    assert whole.hours
    assert whole.interruption
    assert whole.interruption.losses
    paid = whole.hours.value - 0.2 * whole.interruption.losses
    assert make_plan(Ask(STEPS, schedule=Schedule(max_duration_seconds=(paid + 0.01) * 3600)), [spot]).chosen
    assert not make_plan(Ask(STEPS, schedule=Schedule(max_duration_seconds=(paid - 0.01) * 3600)), [spot]).chosen


def test_more_machines_are_taken_where_the_memory_of_one_does_not_suffice() -> None:
    def fit(offer: Offer, nodes: int) -> Fit:
        return make_fit(gpus=nodes, nodes=nodes, seconds=1 / nodes, fits=nodes >= 4)

    network = make_offer(network_gbps=25.0)
    found = make_plan(Ask(STEPS, resources=Resources(nodes_open=True)), [network, make_offer()], fit_of=fit)
    assert found.chosen
    assert (found.chosen.nodes, why(found)) == (4, [("too-little-memory", 1)])
    named = make_plan(Ask(STEPS, resources=Resources(nodes=8)), [network], fit_of=fit)
    assert named.chosen
    assert named.chosen.nodes == 8


def test_among_equals_fewer_machines_win() -> None:
    wish = Resources(Accelerators("T4", 8, 8), nodes_open=True)
    sizes = [make_offer(instance_type=f"t4.{count}", gpus=Decimal(count), price=str(count), network_gbps=25.0)
             for count in (1, 2, 4, 8)]  # fmt: skip
    found = make_plan(Ask(None, resources=wish), sizes, fit_of=None)
    assert found.chosen
    assert (found.chosen.nodes, found.chosen.offer.instance_type) == (1, "t4.8")


def test_the_plan_is_json() -> None:
    found = make_plan(Ask(STEPS), [make_offer(), a100()])
    told = json.loads(json.dumps(found.to_json()))
    assert told["plan_id"] == found.plan_id
    assert told["chosen"]["cost"]["currency"] == "USD"


def test_work_without_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="total_steps"):
        Ask(0)

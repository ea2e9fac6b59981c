"""The search: what is chosen, what it falls back on, what is rejected and why, what would help."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from planning_makers import NOW, make_fit, make_offer, make_plan, money

from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import Plan
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
        Ask(STEPS), [make_offer(), a100(), a100()], fit_of=lambda offer: fit if offer.gpu == "T4" else other
    )
    assert why(found) == [("precision-unsupported", 2), ("too-little-memory", 1)]
    assert found.rejected[1].nearest == "1.2 GiB short on T4"


def test_over_budget_names_the_nearest_in_the_budgets_currency() -> None:
    found = make_plan(Ask(STEPS, budget=Budget(money("71.90", "CNY"))), [make_offer(), a100()])
    assert [(each.why, each.count, each.nearest) for each in found.rejected] == [("over-budget", 2, "0.05 CNY over")]


def test_fallbacks_fail_apart_and_hold_one_on_demand() -> None:
    spots = [make_offer(purchase=Purchase.SPOT, price="0.1", zone=zone, region="r1") for zone in "abcdef"]
    found = make_plan(Ask(STEPS), [*spots, make_offer(), make_offer(region="r2", price="2")])
    assert found.chosen
    places = [(each.offer.region, each.offer.zone, each.offer.purchase.value) for each in found.fallbacks]
    assert places == [("r1", "b", "spot"), ("r1", "c", "spot"), ("r1", None, "on_demand")]
    assert (found.chosen.offer.region, found.chosen.offer.zone) == ("r1", "a")


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


CHANGES = [
    (Ask(STEPS, schedule=Schedule(deadline_seconds=3600)), {"schedule.deadline": "1.4h"}),
    (Ask(STEPS, budget=Budget(money("5"))), {"budget.limit": "11 USD"}),
    (Ask(STEPS, placement=Placement(clouds=("gcp",))), {"placement.clouds": "aws"}),
    (Ask(STEPS, budget=Budget(purchase="spot")), {"budget.purchase": "auto"}),
    (Ask(STEPS, resources=Resources(Accelerators("L4", 1, 1))), {"resources.accelerators": "T4:1"}),
    (
        Ask(STEPS, schedule=Schedule(deadline_seconds=2 * 3600), budget=Budget(money("15"))),
        {"schedule.deadline": "10.2h", "budget.limit": "28 USD"},
    ),
    (Ask(STEPS, placement=Placement(clouds=("gcp",), regions=("r9",))), {}),
]


@pytest.mark.parametrize(("ask", "changes"), CHANGES)
def test_what_would_make_it_feasible(ask: Ask, changes: dict[str, str]) -> None:
    found = make_plan(ask, [make_offer(), a100()])
    assert found.chosen is None
    assert found.changes is not None
    assert {each.set: each.to for each in found.changes} == changes
    assert found.to_json()["infeasible"]["changes"] == [{"set": key, "to": to} for key, to in sorted(changes.items())]


def test_nothing_offered_is_infeasible_without_a_change() -> None:
    found = make_plan(Ask(STEPS), [])
    assert (found.chosen, found.changes, found.rejected) == (None, (), ())


def test_assumptions_are_codes_with_facts() -> None:
    found = make_plan(Ask(STEPS), [make_offer(purchase=Purchase.SPOT, price_status=PriceStatus.DATED)])
    codes = [text.split(" ")[0] for text in found.assumptions]
    assert codes == [
        "setup-hours", "egress-not-counted", "disk-assumed", "storage-tariff-unknown", "quota-unknown", "price-range",
        "spot-hazards", "spot-restarts", "gpu-power",
    ]  # fmt: skip
    assert all("=" in fact for text in found.assumptions for fact in text.split(" ")[1:])


def test_the_plan_is_json() -> None:
    found = make_plan(Ask(STEPS), [make_offer(), a100()])
    told = json.loads(json.dumps(found.to_json()))
    assert told["plan_id"] == found.plan_id
    assert told["chosen"]["cost"]["currency"] == "USD"


def test_work_without_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="total_steps"):
        Ask(0)

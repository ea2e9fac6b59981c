"""The money and the hours of a plan, by hand."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from planning_makers import CNY, NOW, make_fit, make_offer, make_plan, money

from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import Fit
from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import CostParts, MoneyEstimate, Placed, Plan, Tariff
from tradewind.domain.workload import Resources
from tradewind.planning import Ask, Exchange, Interruption, Terms, expected_losses
from tradewind.planning.outlook import on_time_probability

TEN_HOURS = Ask(36_000)  # steps of one second on a T4


@dataclass(frozen=True)
class Chosen:
    """The chosen way of a plan, of which everything is known."""

    offer: Offer
    nodes: int
    hours: Estimate
    cost: MoneyEstimate
    cost_parts: CostParts
    placed: Placed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.placed, name)


def chosen(found: Plan) -> Chosen:
    placed = found.chosen
    assert placed is not None
    assert placed.hours and placed.cost and placed.cost_parts
    return Chosen(placed.offer, placed.nodes, placed.hours, placed.cost, placed.cost_parts, placed)


def test_on_demand_by_hand() -> None:
    placed = chosen(make_plan(TEN_HOURS, [make_offer(price="3")]))
    setup = Decimal("0.133333")  # eight minutes
    assert placed.hours.value == pytest.approx(10 + 8 / 60, abs=1e-6)
    assert placed.hours.low == pytest.approx(5 + 3 / 60)
    assert placed.hours.high == pytest.approx(20 + 20 / 60)
    parts = placed.cost_parts
    assert parts.setup == money(str(setup * 3))
    assert parts.compute == money("30.000000")
    assert (parts.storage, parts.egress, parts.preemption) == (money("0"), money("0"), money("0"))
    assert placed.cost.value == parts.sum() == money("30.399999")
    assert placed.policy == "on-demand"


def test_spot_adds_the_losses_to_expect() -> None:
    placed = chosen(make_plan(TEN_HOURS, [make_offer(price="3", purchase=Purchase.SPOT)]))
    losses = expected_losses(10.0)
    each = 8 / 60 + 0.05
    assert placed.hours.value == pytest.approx(10 + 8 / 60 + losses * (each + 0.2), abs=1e-5)  # waiting counts
    assert float(placed.cost_parts.preemption.amount) == pytest.approx(3 * losses * each, abs=1e-5)  # and costs nothing
    assert float(placed.cost_parts.compute.amount) == pytest.approx(30, abs=1e-3)  # to a billed second
    assert placed.policy == "spot-with-fallback"
    assert placed.interruption
    assert placed.interruption.losses == pytest.approx(losses, abs=1e-4)
    assert placed.interruption.source == "assumed"


def test_an_offers_own_hazards_change_its_losses() -> None:
    def calm(offer: Offer) -> Interruption:
        return Interruption(0.25 if offer.region == "calm" else 1.0, "advisor", "2025-11-30")

    spots = [make_offer(price="3", purchase=Purchase.SPOT, region=region) for region in ("busy", "calm")]
    placed = chosen(make_plan(TEN_HOURS, spots, interruption_of=calm))
    assert placed.offer.region == "calm"
    assert placed.interruption
    assert placed.interruption.losses == pytest.approx(expected_losses(10.0, 1, 0.25), abs=1e-4)
    assert (placed.interruption.source, placed.interruption.as_of) == ("advisor", "2025-11-30")


def test_storage_is_paid_by_the_month_and_in_the_offers_currency() -> None:
    ask = Ask(36_000, resources=Resources(disk_gb=730))
    tariff = Tariff("block_ssd", "GB-month", money("0.1"), "2026-11", "test")
    offers = [make_offer(cloud="alibaba", price="3", currency="CNY")]
    placed = chosen(make_plan(ask, offers, tariff_of=lambda cloud, region: tariff))
    hours = Decimal(str(placed.hours.value))
    assert placed.cost_parts.storage == money(str(hours * Decimal("0.1") * CNY.value), "CNY").rounded()
    assert (
        "storage-tariff-unknown cloud=alibaba"
        not in make_plan(ask, offers, tariff_of=lambda cloud, region: tariff).assumptions
    )


def test_an_unknown_tariff_is_told() -> None:
    found = make_plan(TEN_HOURS, [make_offer()])
    assert "storage-tariff-unknown cloud=aws" in found.assumptions
    assert "disk-assumed gb=50" in found.assumptions


def test_billing_rounds_up_and_has_a_minimum() -> None:
    terms = Terms(granularity_s=3600, minimum_s=7200)
    assert terms.billed_hours(0.1) == 2
    assert terms.billed_hours(2.0) == 2
    assert terms.billed_hours(2.01) == 3
    placed = chosen(make_plan(TEN_HOURS, [make_offer(price="3")], terms_of=lambda cloud: terms))
    assert placed.cost.value == money("33")


def test_nodes_are_all_paid_for() -> None:
    def fit(offer: Offer, nodes: int) -> Fit:
        return make_fit(gpus=nodes, nodes=nodes)

    ask = Ask(36_000, resources=Resources(nodes=4))
    one, four = (chosen(make_plan(each, [make_offer(price="3")], fit_of=fit)) for each in (TEN_HOURS, ask))
    assert four.nodes == 4
    assert four.cost.value.amount == pytest.approx(one.cost.value.amount * 4, abs=Decimal("0.00001"))


def test_the_range_follows_price_and_hours() -> None:
    placed = chosen(make_plan(TEN_HOURS, [make_offer(price="4", price_status=PriceStatus.OLD)]))
    assert float(placed.cost.low.amount) == pytest.approx(0.75 * 4 * (5 + 3 / 60), rel=1e-3)
    assert float(placed.cost.high.amount) == pytest.approx(1.25 * 4 * (20 + 20 / 60), rel=1e-3)


def test_ranking_takes_the_upper_end_of_the_price() -> None:
    old = make_offer(price="0.9", price_status=PriceStatus.OLD, instance_type="old")
    fresh = make_offer(price="1.0", instance_type="fresh")
    assert chosen(make_plan(TEN_HOURS, [old, fresh])).offer.instance_type == "fresh"


def test_currencies_are_compared_by_the_rate() -> None:
    yuan = make_offer(cloud="alibaba", price="7", currency="CNY", instance_type="yuan")
    dollars = make_offer(price="1", instance_type="dollars")
    placed = chosen(make_plan(TEN_HOURS, [yuan, dollars]))
    assert placed.offer.instance_type == "yuan"
    assert placed.cost.value.currency == "CNY"
    found = make_plan(TEN_HOURS, [yuan, dollars], rates=())
    assert [(each.why, each.count) for each in found.rejected] == [("rate-unknown", 1)]


def test_an_exchange_goes_over_one_currency_between() -> None:
    euros = Rate("EUR", "USD", Decimal("1.1"), "2026-11-20", "made up")
    exchange = Exchange((CNY, euros))
    assert exchange.factor("EUR", "CNY") == Decimal("7.81")
    assert exchange.factor("EUR", "JPY") is None
    assert exchange.convert(money("71", "CNY"), "USD") == money("10")


def test_carbon_is_power_over_the_hours() -> None:
    placed = chosen(make_plan(TEN_HOURS, [make_offer()]))
    assert placed.carbon_g == pytest.approx(0.070 * 0.7 * placed.hours.value * 400, abs=0.01)  # a T4 has 70 W
    assert chosen(make_plan(TEN_HOURS, [make_offer(carbon_g_per_kwh=None)])).carbon_g is None


def test_the_chance_of_being_on_time() -> None:
    hours = Estimate(10.0, 5.0, 20.0)
    assert on_time_probability(hours, 10.0) == 0.5
    assert on_time_probability(hours, 20.0) == pytest.approx(0.95, abs=1e-3)
    assert on_time_probability(hours, 5.0) == pytest.approx(0.05, abs=1e-3)
    assert on_time_probability(Estimate(1.0, 1.0, 1.0), 1.0) == 1.0
    assert on_time_probability(hours, 0) == 0.0


def test_the_end_is_named() -> None:
    placed = chosen(make_plan(TEN_HOURS, [make_offer()]))
    assert placed.finish_by is not None
    assert (placed.finish_by - NOW).total_seconds() == pytest.approx(placed.hours.value * 3600)
    assert placed.on_time_probability is None


def test_bringing_the_results_home_is_paid_once_and_ranked_with() -> None:
    per_gb = Tariff("egress", "GB", Money(Decimal("0.09"), "USD"), "2026-05-06", "test")
    near, far = make_offer(price="3", region="r-known"), make_offer(price="3", region="r-unknown")

    def egress(cloud: str, region: str | None) -> Tariff | None:
        return per_gb if region == "r-known" else None

    ask = Ask(36_000, fetched_gb=10.0)
    found = make_plan(ask, [near], egress_of=egress)
    placed, plain = chosen(found), chosen(make_plan(TEN_HOURS, [near]))
    assert placed.cost_parts.egress == Money(Decimal("0.90"), "USD")
    assert placed.cost.value.amount - plain.cost.value.amount == Decimal("0.90")
    assert "egress-assumed gb=10" in found.assumptions
    dear = chosen(make_plan(ask, [near, make_offer(price="3.05", region="r-unknown")], egress_of=egress))
    assert dear.offer.region == "r-unknown"  # 0.90 once is more than 0.05 for ten hours
    both = make_plan(ask, [near, far], egress_of=egress)
    assert any(text.startswith("egress-tariff-unknown cloud=") for text in both.assumptions)

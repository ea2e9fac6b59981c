"""Data that lie elsewhere: hours and egress money."""

from __future__ import annotations

import pytest
from planning_makers import make_offer, make_plan, money

from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.plan import Placed, Tariff
from tradewind.planning import Ask, Dataset, expected_losses

STEPS = 36_000
DATA = Dataset("s3://bucket/flowers", "aws", "r1", 450.0)


def out(cloud: str, region: str | None) -> Tariff | None:
    return Tariff("egress", "GB", money("0.09"), "2026-05", "test") if cloud == "aws" else None


def across(cloud: str, region: str | None) -> Tariff | None:
    return Tariff("between", "GB", money("0.02"), "2026-05", "test") if cloud == "aws" else None


def placed(offer: Offer, *datasets: Dataset) -> Placed:
    found = make_plan(Ask(STEPS, datasets=datasets), [offer], egress_of=out, across_of=across)
    assert found.chosen
    return found.chosen


def test_near_data_cost_nothing() -> None:
    near, plain = placed(make_offer(), DATA), placed(make_offer())
    assert near.transfer is None
    assert (near.hours, near.cost) == (plain.hours, plain.cost)


@pytest.mark.parametrize(
    ("offer", "hours", "egress"),
    [(make_offer(region="r2"), 0.2, "9"), (make_offer(cloud="gcp"), 1.0, "40.5")],  # 5 and 1 Gbps; 0.02 and 0.09 a GB
)
def test_data_elsewhere_cost_hours_and_money(offer: Offer, hours: float, egress: str) -> None:
    far, plain = placed(offer, DATA), placed(offer)
    assert far.transfer
    assert (far.transfer.gb, far.transfer.hours, far.transfer.origin) == (450.0, hours, "aws r1")
    assert far.transfer.egress == money(egress)
    assert far.cost_parts and plain.cost_parts and far.hours and plain.hours and far.cost
    assert far.cost_parts.egress == money(egress)
    assert far.hours.value == pytest.approx(plain.hours.value + hours)
    assert far.cost_parts.setup.amount - plain.cost_parts.setup.amount == money(str(hours)).amount
    assert far.cost_parts.sum() == far.cost.value


def test_a_lost_machine_fetches_the_data_anew() -> None:
    far = placed(make_offer(cloud="gcp", purchase=Purchase.SPOT), DATA)
    assert far.cost_parts
    losses = expected_losses(10.0)
    assert float(far.cost_parts.egress.amount) == pytest.approx(40.5 * (1 + losses), rel=1e-6)
    assert float(far.cost_parts.preemption.amount) == pytest.approx(losses * (8 / 60 + 1.0 + 0.05), rel=1e-4)


def test_every_copy_counts_in_the_choice() -> None:
    """Sending the data once costs less than the near machine does more; sending it after every loss does not."""
    far = make_offer(cloud="gcp", purchase=Purchase.SPOT, price="0.1")
    near = make_offer(price="6")
    found = make_plan(Ask(STEPS, datasets=(DATA,)), [far, near], egress_of=out, across_of=across)
    assert found.chosen
    assert found.chosen.offer == near


def test_what_is_streamed_is_paid_in_every_epoch_and_waited_for_in_none() -> None:
    streamed = Dataset("s3://bucket/flowers", "aws", "r1", 450.0, reads=3, copied=False)
    far, plain = placed(make_offer(cloud="gcp"), streamed), placed(make_offer(cloud="gcp"))
    assert far.transfer and far.cost_parts and far.hours and plain.hours
    assert (far.transfer.hours, far.hours.value) == (0.0, plain.hours.value)
    assert far.cost_parts.egress == money("121.5")


def test_near_and_dearer_is_chosen_where_far_costs_more() -> None:
    offers = [make_offer(cloud="gcp", price="0.5"), make_offer(price="2")]
    assert make_plan(Ask(STEPS), offers).chosen.offer.cloud == "gcp"  # type: ignore[union-attr]
    found = make_plan(Ask(STEPS, datasets=(DATA,)), offers, egress_of=out, across_of=across)
    assert found.chosen
    assert found.chosen.offer.cloud == "aws"


def test_what_is_not_known_of_data_is_told() -> None:
    datasets = (Dataset("oss://b/x", "alibaba", None, 9.0), Dataset("s3://b/y", "aws", None, None),
                Dataset("gs://b/z", "gcp", "r1", 3.0, size_assumed=True))  # fmt: skip
    found = make_plan(Ask(STEPS, datasets=datasets), [make_offer()])
    told = [text for text in found.assumptions if text.startswith("data-")]
    assert told == [
        "data-size-unknown source=s3://b/y", "data-size-assumed gb=3 source=gs://b/z",
        "data-region-unknown cloud=alibaba", "data-region-unknown cloud=aws",
        "data-far gb=9 hours=0.02 from=alibaba gbps=1", "data-egress-unknown cloud=alibaba region=unknown",
        "data-far gb=3 hours=0.01 from=gcp/r1 gbps=1", "data-egress-unknown cloud=gcp region=r1",
    ]  # fmt: skip
    assert found.chosen
    assert found.chosen.transfer
    assert found.chosen.transfer.egress is None  # not known, and not nothing

"""A search returns what matches, all of it, cheapest first."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.catalog.rates import rate
from tradewind.catalog.search import UNKNOWN_REGION, Query, coverage, search
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.gpus import gpu_ids
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase

TODAY = date(2026, 11, 21)
Row = dict[str, str]


@cache
def everything(snapshot: Snapshot) -> list[Offer]:
    return search(snapshot, Query(), TODAY)


def matches(offer: Offer, query: Query) -> bool:
    """The query's meaning, said a second time without SQL."""
    return (
        query.gpu in {None, offer.gpu}
        and query.form in {None, offer.form}
        and (query.gpus is None or query.gpus[0] <= offer.gpus <= query.gpus[1])
        and (query.clouds is None or offer.cloud in query.clouds)
        and (query.regions is None or offer.region in query.regions)
        and (query.purchases is None or offer.purchase in query.purchases)
        and (query.countries is None or offer.country in query.countries)
    )


def upper(offer: Offer) -> float:
    bounds = offer.price_bounds()
    assert bounds
    known = rate(bounds[1].currency, "USD")
    assert known
    return float(bounds[1].amount / offer.gpus) * float(known.value)


def some(values: list[str]) -> st.SearchStrategy[tuple[str, ...] | None]:
    return st.none() | st.lists(st.sampled_from(values), max_size=3).map(tuple)


QUERIES = st.builds(
    Query,
    gpu=st.none() | st.sampled_from([*gpu_ids(), "GPU-H-96GB", "nonsense"]),
    form=st.sampled_from([None, None, "SXM", "PCIe"]),
    gpus=st.none() | st.tuples(st.integers(0, 8), st.integers(0, 16)) | st.just((Decimal("0.1"), Decimal("0.5"))),
    clouds=some(["aws", "azure", "gcp", "alibaba", "tencent", "huawei"]),
    regions=some(["us-east-1", "eastus", "us-central1", "cn-beijing", UNKNOWN_REGION]),
    purchases=st.none() | st.sets(st.sampled_from(list(Purchase)), max_size=3),
    countries=some(["US", "CN", "DE", "JP"]),
)


@settings(max_examples=60, deadline=None)
@given(query=QUERIES)
def test_a_search_is_everything_that_matches_in_the_same_order(snapshot: Snapshot, query: Query) -> None:
    assert search(snapshot, query, TODAY) == [offer for offer in everything(snapshot) if matches(offer, query)]


def test_cheapest_first_then_expired_then_unpriced(snapshot: Snapshot) -> None:
    offers = everything(snapshot)
    groups = [
        2 if offer.price_per_hour is None else 1 if offer.price_status is PriceStatus.EXPIRED else 0 for offer in offers
    ]
    assert groups == sorted(groups)
    assert set(groups) == {0, 1, 2}
    for group in (0, 1):
        costs = [upper(offer) for offer, own in zip(offers, groups, strict=True) if own == group]
        assert costs == pytest.approx(sorted(costs))


def test_every_machine_with_known_gpus_is_offered_and_counted(snapshot: Snapshot, instances: list[Row]) -> None:
    offers, counts = everything(snapshot), coverage(snapshot)
    counted = {(row["cloud"], row["instance_type"]) for row in instances if row["gpu_count"]}
    assert {(offer.cloud, offer.instance_type) for offer in offers} == counted
    assert counts.machines == len(instances) == len(counted) + counts.left_out
    assert counts.prices >= 9659
    unpriced = [offer for offer in offers if offer.price_per_hour is None]
    assert 0 <= counts.unpriced - len(unpriced) <= counts.left_out
    assert len({(o.cloud, o.region, o.zone, o.instance_type, o.purchase) for o in offers}) == len(offers)


def test_a_machine_without_a_price_is_unknown_everywhere(snapshot: Snapshot) -> None:
    offers = search(snapshot, Query(clouds=["huawei"]), TODAY)
    assert offers
    for offer in offers:
        assert (offer.price_per_hour, offer.price_status, offer.as_of) == (None, PriceStatus.UNKNOWN, None)
        assert (offer.region, offer.country, offer.price_per_gpu_hour) == (UNKNOWN_REGION, None, None)
    assert search(snapshot, Query(clouds=["huawei"], countries=["CN"]), TODAY) == []


def test_a_listed_price_is_returned_to_the_digit_with_its_source(snapshot: Snapshot, prices: list[Row]) -> None:
    row = next(
        row for row in prices
        if (row["region"], row["instance_type"], row["purchase"]) == ("us-east-1", "p4d.24xlarge", "on_demand")
    )  # fmt: skip
    query = Query(gpu="A100-40GB", form="SXM", gpus=(8, 8), clouds=["aws"], regions=["us-east-1"],
                  purchases=[Purchase.ON_DEMAND])  # fmt: skip
    offer = search(snapshot, query, TODAY)[0]
    price = Money(Decimal(row["price_per_hour"]), "USD")
    assert (offer.instance_type, offer.price_per_hour, offer.as_of) == ("p4d.24xlarge", price, row["as_of"])
    assert offer.price_per_gpu_hour == Money(price.amount / 8, "USD").rounded()
    assert offer.source
    assert "aws" in offer.source
    assert (offer.country, offer.gpu_known, offer.zone) == ("US", True, None)
    assert offer.carbon_g_per_kwh


def test_a_reservation_is_offered_without_money_up_front(snapshot: Snapshot, prices: list[Row]) -> None:
    listed = {
        (row["region"], row["instance_type"], row["purchase"]): Decimal(row["price_per_hour"])
        for row in prices
        if row["cloud"] == "aws" and row["payment"].startswith("no upfront")
    }
    offers = search(snapshot, Query(clouds=["aws"], purchases=[Purchase.RESERVED_1Y, Purchase.RESERVED_3Y]), TODAY)
    assert len(offers) == len(listed) > 1000
    for offer in offers:
        assert offer.price_per_hour
        assert offer.price_per_hour.amount == listed[offer.region, offer.instance_type, offer.purchase]


def test_forms_follow_the_wiring_of_the_family(snapshot: Snapshot) -> None:
    forms = {(offer.cloud, offer.instance_type): offer.form for offer in everything(snapshot)}
    assert forms["gcp", "a2-highgpu-1g"] == "SXM", "one GPU of a board whose family has NVSwitch"
    assert forms["azure", "Standard_NC24ads_A100_v4"] == "PCIe", "a family with bridges"
    assert forms["huawei", "p2s.2xlarge.8"] == "PCIe", "the source says so"
    assert forms["azure", "Standard_NC6s_v3"] is None, "nothing tells"
    assert forms["aws", "g4dn.xlarge"] is None, "a T4 has one form"


def test_a_label_that_the_vendor_does_not_explain_is_kept(snapshot: Snapshot) -> None:
    offers = search(snapshot, Query(gpu="GPU-H-96GB"), TODAY)
    assert offers
    assert {(offer.gpu_known, offer.form) for offer in offers} == {(False, None)}


def test_a_slice_is_priced_for_a_whole_gpu(snapshot: Snapshot) -> None:
    query = Query(gpu="A10", gpus=(Decimal("0.1"), Decimal("0.9")), clouds=["azure"], purchases=[Purchase.ON_DEMAND])
    offer = search(snapshot, query, TODAY)[0]
    assert offer.price_per_hour
    assert offer.price_per_gpu_hour
    assert 0 < offer.gpus < 1
    assert offer.price_per_gpu_hour.amount > offer.price_per_hour.amount


def test_the_day_decides_the_status(snapshot: Snapshot) -> None:
    query = Query(clouds=["azure"], purchases=[Purchase.ON_DEMAND], gpu="T4", limit=1)
    found = [search(snapshot, query, day)[0].price_status for day in (date(2026, 7, 1), TODAY, date(2028, 1, 1))]
    assert found == [PriceStatus.FRESH, PriceStatus.DATED, PriceStatus.OLD]


def test_a_limit_keeps_the_first(snapshot: Snapshot) -> None:
    assert search(snapshot, Query(limit=7), TODAY) == everything(snapshot)[:7]
    assert search(snapshot, Query(limit=0), TODAY) == []


def test_an_offer_survives_its_json(snapshot: Snapshot) -> None:
    for offer in everything(snapshot)[::50]:
        assert Offer.from_json(offer.to_json()) == offer

"""Rates, tariffs, terms and places: sourced, or not answered."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.catalog.places import clouds, place, places, require_cloud, require_region
from tradewind.catalog.rates import rate
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import first_day
from tradewind.catalog.tariffs import egress_tariff, storage_tariff
from tradewind.catalog.terms import terms
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money

CURRENCIES = ["CNY", "EUR", "USD"]
Row = dict[str, str]


@given(st.sampled_from(CURRENCIES), st.sampled_from(CURRENCIES), st.integers(1, 10**9))
def test_there_and_back_is_the_same_money(base: str, quote: str, cents: int) -> None:
    there, back = rate(base, quote), rate(quote, base)
    assert there
    assert back
    start = Money(Decimal(cents) / 100, base)
    assert start.converted(there).converted(back).amount == pytest.approx(
        start.amount, rel=Decimal("1e-6"), abs=Decimal("1e-5")
    )


def test_a_rate_has_a_date_and_a_source() -> None:
    for base in CURRENCIES:
        for quote in CURRENCIES:
            known = rate(base, quote)
            assert known
            assert (known.base, known.quote) == (base, quote)
            assert base == quote or (first_day(known.as_of) and known.source)


def test_a_rate_through_a_third_currency() -> None:
    usd_cny, usd_eur, eur_cny = rate("USD", "CNY"), rate("USD", "EUR"), rate("EUR", "CNY")
    assert usd_cny
    assert usd_eur
    assert eur_cny
    assert eur_cny.value == pytest.approx(usd_cny.value / usd_eur.value, rel=Decimal("1e-6"))
    assert "through USD" in eur_cny.source
    assert 6 < usd_cny.value < 8


def test_an_unlisted_currency_has_no_rate() -> None:
    assert rate("USD", "XXX") is None
    assert rate("XXX", "USD") is None


def test_a_sourced_tariff_is_answered(snapshot: Snapshot) -> None:
    disk, egress = storage_tariff(snapshot, "aws", "us-east-1"), egress_tariff(snapshot, "aws", "us-east-1")
    assert disk
    assert egress
    assert (disk.kind, disk.unit, disk.per_unit) == ("block_ssd", "GB-month", Money(Decimal("0.08"), "USD"))
    assert (egress.unit, egress.per_unit) == ("GB", Money(Decimal("0.09"), "USD")), "the free tier is not counted on"
    elsewhere = storage_tariff(snapshot, "gcp", "us-west4")
    assert elsewhere
    assert elsewhere.kind == "block_ssd_pd_ssd"


def test_what_is_from_memory_or_elsewhere_answers_nothing(snapshot: Snapshot, tariffs: list[Row]) -> None:
    doubtful = [row for row in tariffs if row["trust"] == "unverified"]
    asked = {"block_ssd": storage_tariff, "egress_internet_per_gb": egress_tariff}
    answers = [asked[row["kind"]](snapshot, row["cloud"], row["region"]) for row in doubtful if row["kind"] in asked]
    assert answers == [None] * 6
    for cloud in ("alibaba", "tencent", "huawei"):
        assert storage_tariff(snapshot, cloud, "mainland China") is None
        assert egress_tariff(snapshot, cloud, "mainland China") is None
    assert storage_tariff(snapshot, "aws", "eu-west-1") is None
    assert storage_tariff(snapshot, "nowhere", "us-east-1") is None


def test_terms_are_those_of_the_sources() -> None:
    aws, huawei = terms("aws"), terms("huawei")
    assert aws
    assert huawei
    assert (aws.notice_s, aws.granularity_s, aws.minimum_s) == (120, 1, 60)
    assert huawei.notice_s == 0, "a notice that no machine is known to see is not counted on"
    assert terms("local") is None


def test_places_know_where_they_are(snapshot: Snapshot) -> None:
    frankfurt = place(snapshot, "aws", "eu-central-1")
    assert frankfurt
    assert (frankfurt.country, frankfurt.city) == ("DE", "Frankfurt")
    assert place(snapshot, "aws", "nowhere-1") is None
    assert {each.cloud for each in places(snapshot)} == set(clouds(snapshot))
    assert {each.cloud for each in places(snapshot, "gcp")} == {"gcp"}


def test_a_name_is_found_whatever_its_case(snapshot: Snapshot) -> None:
    assert require_cloud(snapshot, " AWS ") == "aws"
    assert require_region(snapshot, "EASTUS", "azure") == "eastus"


def test_a_misspelt_name_is_refused_with_the_nearest(snapshot: Snapshot) -> None:
    with pytest.raises(BadInput) as caught:
        require_cloud(snapshot, "alibabacloud")
    assert (caught.value.code, caught.value.facts["nearest"]) == ("cloud-unknown", "alibaba")
    with pytest.raises(BadInput) as caught:
        require_region(snapshot, "us-east1", "aws")
    assert caught.value.code == "region-unknown"
    assert caught.value.facts["nearest"].split(", ")[0] == "us-east-1"
    with pytest.raises(BadInput) as caught:
        require_region(snapshot, "eastus", "aws")
    assert caught.value.code == "region-unknown"

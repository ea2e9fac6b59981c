"""Machines side by side: listed where a price is known, the published range where not, never a claim."""

from __future__ import annotations

import csv
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase

import pytest

from tradewind.catalog.compare import HOURS_A_MONTH, Column, compare
from tradewind.catalog.discounts import discounts
from tradewind.catalog.families import machines, prices_of
from tradewind.catalog.parts import DATA
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money

TODAY = date(2026, 11, 21)
DOUBTFUL = ("from memory", "example", "weak source", "claim")


def ways(column: Column, purchase: str) -> list[tuple[str, str | None]]:
    return [(way.kind, way.payment) for way in column.ways if way.purchase == purchase]


def test_machines_and_families_stand_side_by_side_in_one_currency(snapshot: Snapshot) -> None:
    names = ["p4d.24xlarge", "gn7e", "GN10Xp"]
    found = compare(snapshot, names, TODAY, currency="CNY")
    assert [column.asked for column in found.columns] == names
    assert [column.machine.gpu for column in found.columns] == ["A100-40GB", "A100-80GB", "V100-32GB"]
    assert [column.largest_of for column in found.columns] == [1, 4, 4]
    assert {column.machine.gpus for column in found.columns} == {Decimal(8)}, "the largest of a family"
    assert {way.low.currency for column in found.columns for way in column.ways} == {"CNY"}
    assert [(rate.base, rate.quote) for rate in found.rates] == [("USD", "CNY")]
    assert found.rates[0].as_of


def test_without_a_currency_nothing_is_converted(snapshot: Snapshot) -> None:
    found = compare(snapshot, ["p4d.24xlarge", "gn7e"], TODAY)
    assert [{way.low.currency for way in column.ways} for column in found.columns] == [{"USD"}, {"CNY"}]
    assert found.rates == ()


def test_prices_are_those_of_one_place_and_the_lowest_of_its_zones(snapshot: Snapshot) -> None:
    column = compare(snapshot, ["p4d.24xlarge"], TODAY).columns[0]
    lines = prices_of(snapshot, column.machine, TODAY)
    on_demand = [line for line in lines if line.purchase == "on_demand" and line.price_per_hour.currency == "USD"]
    assert column.region in {line.region for line in on_demand
                             if line.price_per_hour == min(each.price_per_hour for each in on_demand)}  # fmt: skip
    for way in column.ways:
        if way.kind == "listed":
            same = [
                line.price_per_hour
                for line in lines
                if (line.region, line.purchase.value, line.payment) == (column.region, way.purchase, way.payment)
            ]
            assert way.low == way.high == min(same)
            assert way.as_of
            assert way.status
            assert way.source


def test_the_place_may_be_given(snapshot: Snapshot) -> None:
    there = compare(snapshot, ["p4d.24xlarge", "gn7e"], TODAY, region="us-east-1").columns
    assert (there[0].region, bool(there[0].ways)) == ("us-east-1", True)
    assert (there[1].region, there[1].ways) == (None, ()), "it is not sold there, and no other price is shown for it"


def test_a_commitment_pays_from_its_share_of_the_month(snapshot: Snapshot) -> None:
    column = compare(snapshot, ["p4d.24xlarge"], TODAY, currency="CNY").columns[0]
    on_demand = next(way for way in column.ways if way.purchase == "on_demand")
    checked = 0
    for way in column.ways:
        if way.purchase.startswith("reserved"):
            assert way.break_even_hours
            hours = way.break_even_hours[0]
            assert on_demand.low.amount * hours == pytest.approx(way.low.amount * HOURS_A_MONTH, rel=Decimal("0.01"))
            checked += 1
        elif not way.purchase.startswith("savings_plan"):
            assert way.break_even_hours is None
    assert checked >= 6


def test_what_is_not_listed_is_estimated_by_the_published_range(snapshot: Snapshot) -> None:
    column = compare(snapshot, ["Standard_NC24ads_A100_v4"], TODAY).columns[0]
    on_demand = next(way.low for way in column.ways if way.purchase == "on_demand")
    estimate = next(way for way in column.ways if way.purchase == "reserved_1y")
    assert (estimate.kind, estimate.status) == ("estimate", None)
    assert estimate.low == Money(on_demand.amount * Decimal("0.28"), "USD")
    assert estimate.high == Money(on_demand.amount * Decimal("0.7"), "USD")
    assert estimate.break_even_hours == (Decimal(204), Decimal(511))


def test_where_a_price_is_listed_nothing_is_estimated_for_it(snapshot: Snapshot) -> None:
    for column in compare(snapshot, ["p4d.24xlarge", "g4dn.xlarge", "a2-highgpu-8g"], TODAY).columns:
        listed = {way.purchase for way in column.ways if way.kind == "listed"}
        assert listed >= {"on_demand", "reserved_1y", "reserved_3y"}
        assert not listed & {way.purchase for way in column.ways if way.kind == "estimate"}


def test_a_machine_without_prices_has_no_ways(snapshot: Snapshot) -> None:
    column = compare(snapshot, ["P2"], TODAY, currency="CNY").columns[0]
    assert (column.machine.cloud, column.region, column.ways) == ("huawei", None, ())


def test_a_name_that_does_not_exist_is_refused(snapshot: Snapshot) -> None:
    with pytest.raises(BadInput) as caught:
        compare(snapshot, ["p4d.24xlarge", "gn7ee"], TODAY)
    assert (caught.value.code, caught.value.facts["name"]) == ("machine-unknown", "gn7ee")


def test_what_is_doubtful_is_never_counted_with(snapshot: Snapshot) -> None:
    with (DATA / "discounts.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    doubtful = [row for row in rows if any(word in row["source"] for word in DOUBTFUL)]
    assert len(doubtful) >= 6
    assert {row["use"] for row in doubtful} == {"never"}
    used = {each.source for machine in machines(snapshot) for currency in ("USD", "CNY")
            for each in discounts(machine.cloud, machine.instance_type, currency)}  # fmt: skip
    assert used
    assert not used & {row["source"] for row in doubtful}


def test_every_discount_that_counts_fits_a_machine(snapshot: Snapshot) -> None:
    with (DATA / "discounts.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["use"] == "estimate"]
    types = [(each.cloud, each.instance_type) for each in machines(snapshot)]
    for row in rows:
        assert 0 <= float(row["saved_low"]) <= float(row["saved_high"]) < 1, row
        if row["cloud"] != "coreweave":  # a specialist, of whom no machine is compared
            assert any(cloud == row["cloud"] and fnmatchcase(name, row["types"]) for cloud, name in types), row


def test_the_closest_discount_of_a_way_counts(snapshot: Snapshot) -> None:
    cheap = {(each.purchase, each.payment): each for each in discounts("aws", "p4d.24xlarge", "CNY")}
    usual = {(each.purchase, each.payment): each for each in discounts("aws", "p4d.24xlarge", "USD")}
    assert cheap["reserved_1y", "no upfront"].saved_low != usual["reserved_1y", "no upfront"].saved_low or (
        cheap["reserved_1y", "no upfront"].currency != usual["reserved_1y", "no upfront"].currency
    )
    assert discounts("nobody", "p4d.24xlarge", "USD") == ()

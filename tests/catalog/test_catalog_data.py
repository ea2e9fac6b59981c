"""Laws of the shipped data: they hold for any refresh, and fail with the rows that break them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from shipped import Row, read_csv

from tradewind.catalog.images import images
from tradewind.catalog.parts import DATA
from tradewind.catalog.rates import rate
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import first_day
from tradewind.catalog.terms import terms
from tradewind.domain.gpus import data_sheet, reason, resolve
from tradewind.domain.offer import Purchase

CLOUDS = {"alibaba", "aws", "azure", "gcp", "huawei", "tencent"}
PRICE_KEY = ("cloud", "region", "zone", "instance_type", "purchase", "payment", "currency")
LIST_REGIONS = {("tencent", "mainland-list")}  # a price list of all mainland regions; no API region has that name
PAYMENTS = {"", "monthly"} | {
    f"{share} upfront{kind}" for share in ("no", "partial", "all") for kind in ("", " convertible")
}


def place_of(row: Row) -> tuple[str, str, str, str]:
    return row["cloud"], row["region"], row["instance_type"], row["currency"]


def by_place(prices: list[Row], purchase: str) -> dict[tuple[str, str, str, str], float]:
    return {place_of(row): float(row["price_per_hour"]) for row in prices if row["purchase"] == purchase}


def test_nothing_was_lost(prices: list[Row], instances: list[Row], regions: list[Row]) -> None:
    assert (len(prices), len(instances), len(regions)) >= (9659, 610, 214)
    assert {row["cloud"] for row in instances} == {row["cloud"] for row in regions} == CLOUDS


def test_keys_are_unique_and_rows_sorted(
    prices: list[Row], instances: list[Row], regions: list[Row], sources: list[Row], tariffs: list[Row]
) -> None:
    for rows, names in (
        (prices, PRICE_KEY), (instances, ("cloud", "instance_type")), (regions, ("cloud", "region")),
        (sources, ("source_id",)), (tariffs, ("cloud", "kind", "region", "tier")),
    ):  # fmt: skip
        keys = [tuple(row[name] for name in names) for row in rows]
        assert all(first < second for first, second in pairwise(keys)), names


def test_every_price_has_its_type_region_and_source(
    prices: list[Row], instances: list[Row], regions: list[Row], sources: list[Row]
) -> None:
    types = {(row["cloud"], row["instance_type"]) for row in instances}
    places = {(row["cloud"], row["region"]) for row in regions} | LIST_REGIONS
    told = {row["source_id"] for row in sources}
    assert {(row["cloud"], row["instance_type"]) for row in prices} - types == set()
    assert {(row["cloud"], row["region"]) for row in prices} - places == set()
    used = {row["source_id"] for row in [*prices, *instances]}
    assert used == told, used ^ told


def test_every_price_is_a_dated_sum_that_can_be_compared(prices: list[Row]) -> None:
    for row in prices:
        assert row["purchase"] in set(Purchase), row
        assert row["payment"] in PAYMENTS, row
        assert re.fullmatch(r"\d+(\.\d+)?", row["price_per_hour"]), row
        assert first_day(row["as_of"]), row
        assert rate(row["currency"], "USD"), row


def test_a_gpu_hour_costs_a_sane_amount(prices: list[Row], instances: list[Row]) -> None:
    gpus = {(row["cloud"], row["instance_type"]): float(row["gpu_count"] or 0) for row in instances}
    for row in prices:
        count = gpus[row["cloud"], row["instance_type"]]
        known = rate(row["currency"], "USD")
        if count and known:
            assert 0.03 < float(row["price_per_hour"]) / count * float(known.value) < 60, row


def test_spot_is_never_dearer_than_on_demand(prices: list[Row]) -> None:
    on_demand = by_place(prices, "on_demand")
    spot = [row for row in prices if row["purchase"] == "spot"]
    dearer = [row for row in spot if float(row["price_per_hour"]) > on_demand.get(place_of(row), float("inf"))]
    assert dearer == []
    # Places where the source of spot prices sees a machine that the on-demand list does not hold.
    assert sum(place_of(row) not in on_demand for row in spot) <= 20


def test_a_commitment_is_never_dearer_than_on_demand(prices: list[Row]) -> None:
    on_demand = by_place(prices, "on_demand")
    committed = [row for row in prices if row["purchase"].startswith(("reserved", "subscription"))]
    assert [r for r in committed if float(r["price_per_hour"]) > on_demand.get(place_of(r), float("inf"))] == []


def test_machines_are_sane(instances: list[Row]) -> None:
    for row in instances:
        assert row["arch"] in {"x86_64", "arm64"}, row
        assert not row["gpu_count"] or 0 < float(row["gpu_count"]) <= 16, row
        assert not row["vcpus"] or 1 <= float(row["vcpus"]) <= 448, row
        assert not row["memory_gib"] or 1 <= float(row["memory_gib"]) <= 4096, row
        assert not row["network_gbps"] or 0 < float(row["network_gbps"]) <= 6400, row


def test_memory_agrees_with_the_data_sheet(instances: list[Row]) -> None:
    """A whole GPU shows its sheet's memory, less what error correction takes; a slice shows its share."""
    checked = 0
    for row in instances:
        found = resolve(row["gpu_model"])
        sheet = data_sheet(found[0]) if found else None
        if sheet and row["gpu_memory_gib_each"] and row["gpu_count"]:
            share = min(1.0, float(row["gpu_count"]))
            assert float(row["gpu_memory_gib_each"]) == pytest.approx(share * sheet.memory_gib, rel=0.10), row
            checked += 1
    assert checked > 400


def test_regions_are_on_the_map(regions: list[Row]) -> None:
    for row in regions:
        assert re.fullmatch("[A-Z]{2}", row["country"]), row
        assert not row["carbon_gco2_per_kwh"] or 0 < float(row["carbon_gco2_per_kwh"]) < 1200, row
        assert not row["lat"] or (abs(float(row["lat"])) <= 90 and abs(float(row["lon"])) <= 180), row
        assert row["source"], row


def test_a_tariff_from_memory_is_marked(tariffs: list[Row]) -> None:
    for row in tariffs:
        doubtful = re.search("from memory|NOT found", row["source"]) is not None
        assert row["trust"] == ("unverified" if doubtful else "listed"), row
        assert float(row["price"]) >= 0, row
        assert doubtful or first_day(row["as_of"]), row
    assert Counter(row["trust"] for row in tariffs)["unverified"] > 0


def test_tiers_are_numbered_and_fall(tariffs: list[Row]) -> None:
    for first, second in pairwise(tariffs):
        if [first[name] for name in ("cloud", "kind", "region")] == [
            second[name] for name in ("cloud", "kind", "region")
        ]:
            assert int(second["tier"]) == int(first["tier"]) + 1
            assert float(first["price"]) == 0 or float(second["price"]) < float(first["price"])
        else:
            assert second["tier"] == "0"


def test_every_cloud_has_terms() -> None:
    for cloud in CLOUDS:
        known = terms(cloud)
        assert known is not None, cloud
        assert known.notice_source
        assert known.billing_source
        assert 0 <= known.notice_s <= 600
        assert known.granularity_s == 1
        assert 0 <= known.minimum_s <= 3600


@pytest.mark.parametrize(("name", "key"), [
    ("discounts.csv", ("cloud", "types", "currency", "purchase", "payment", "source")),
    ("specialists.csv", ("provider", "gpu_model", "gpu_count", "purchase")),
    ("spot_advisor.csv", ("cloud", "region", "instance_type")), ("guide_prices.csv", ("cloud", "gpu", "said")),
    ("gpu_claims.csv", ("about", "said")), ("images.csv", ("cloud", "kind", "arch", "name_or_family")),
])  # fmt: skip
def test_every_other_table_is_sorted_sourced_and_dated(name: str, key: tuple[str, ...]) -> None:
    rows = read_csv(name)
    keys = [tuple(row[each] for each in key) for row in rows]
    assert all(first < second for first, second in pairwise(keys))
    for row in rows:
        assert row["source"], row
        assert ".txt" not in row["source"], "a source is named by what it is, not by a file"
        assert first_day(row.get("as_of")) or first_day(row.get("checked")) or row.get("use") == "never", row


def test_what_must_not_be_recommended_says_so() -> None:
    assert {row["use"] for row in read_csv("guide_prices.csv")} == {"never"}
    uses = Counter(row["use"] for row in read_csv("discounts.csv"))
    assert set(uses) == {"estimate", "never"}
    for row in read_csv("discounts.csv"):
        if row["cloud"] == "any" or re.search("from memory|example|weak|claim", row["source"]):
            assert row["use"] == "never", row


def test_specialists_prices_are_sane_and_their_gpus_resolve() -> None:
    rows = read_csv("specialists.csv")
    assert len(rows) >= 315
    for row in rows:
        assert resolve(row["gpu_model"]), row
        assert 0.03 < float(row["price_usd_per_gpu_hour"]) < 60, row
        assert row["gpu_count"] in {"1", "2", "4", "8"}, row


def test_spot_records_speak_of_machines_and_regions_that_exist(instances: list[Row], regions: list[Row]) -> None:
    types = {(row["cloud"], row["instance_type"]) for row in instances}
    places = {(row["cloud"], row["region"]) for row in regions}
    for row in read_csv("spot_advisor.csv"):
        assert (row["cloud"], row["instance_type"]) in types, row
        assert (row["cloud"], row["region"]) in places, row
        seen = [float(row[name]) for name in ("spot_min", "spot_avg", "spot_max") if row[name]]
        assert seen == sorted(seen), row
        assert not row["savings_fraction"] or 0 <= float(row["savings_fraction"]) < 1, row


def test_every_gpu_resolves_or_says_why_not(instances: list[Row]) -> None:
    for row in instances:
        assert resolve(row["gpu_model"]) or reason(row["gpu_model"]), row


def test_memory_in_a_gpus_name_times_their_number_is_the_machines_total(instances: list[Row]) -> None:
    """Eight A100-40GB are 320 GB, and never 192."""
    checked = 0
    for row in instances:
        named = re.search(r"-(\d+)GB$", row["gpu_model"])
        if (
            named
            and row["gpu_memory_gib_each"]
            and row["gpu_count"]
            and float(row["gpu_count"]) >= 1
            and (resolve(row["gpu_model"]))
        ):
            count = float(row["gpu_count"])
            total = count * float(row["gpu_memory_gib_each"])
            assert total == pytest.approx(count * float(named[1]), rel=0.02), row
            checked += 1
    assert checked > 90


def test_every_cloud_has_images_that_are_looked_up() -> None:
    for cloud in CLOUDS:
        for image in images(cloud):
            assert image.lookup, image
            assert image.user, image
        assert images(cloud), cloud
    assert images("local") == ()


def test_the_snapshot_stays_small(snapshot: Snapshot) -> None:
    assert snapshot.path.stat().st_size < 5_000_000
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 5_000_000

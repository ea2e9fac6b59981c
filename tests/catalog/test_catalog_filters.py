"""Every filter keeps what matches, leaves out what does not, and counts what nobody knows."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.catalog.families import Machine, machines
from tradewind.catalog.places import Point, distances, locate, place
from tradewind.catalog.query import SORTS
from tradewind.catalog.rates import converted, rate
from tradewind.catalog.search import UNKNOWN_REGION, Query, find, search
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import data_sheet
from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer, Purchase

TODAY = date(2026, 11, 21)


@cache
def everything(snapshot: Snapshot) -> list[Offer]:
    return search(snapshot, Query(tier="all"), TODAY)


def linked(text: str | None, wanted: str, kinds: set[str]) -> bool | None:
    """Whether a link is of the kind that is wanted, read from the words themselves; None when they say nothing."""
    if text is None:
        return None
    kind = text.split(" ")[0]
    if wanted in {"yes", "no"}:
        return (kind in kinds) == (wanted == "yes")
    return kind == wanted


def nominal(offer: Offer) -> float | None:
    sheet = data_sheet(offer.gpu, offer.form)
    return sheet.memory_gib * min(1.0, float(offer.gpus)) if sheet else offer.gpu_memory_gib


@cache
def in_currency(money: Money, currency: str) -> Decimal | None:
    there = converted(money, currency)
    return there[0].amount if there else None


def runs_cuda(offer: Offer, major: int) -> bool | None:
    sheet = data_sheet(offer.gpu, offer.form)
    if sheet is None:
        return None
    if sheet.vendor != "NVIDIA":
        return False
    assert sheet.min_cuda
    assert sheet.last_cuda_major
    return int(sheet.min_cuda.split(".")[0]) <= major <= sheet.last_cuda_major


def answers(offer: Offer, query: Query) -> dict[str, bool | None]:
    """By filter: whether the offer matches, None when it is not known; said a second time without SQL."""
    said: dict[str, bool | None] = {}
    if query.min_gpu_memory_gib is not None:
        memory = nominal(offer)
        said["memory"] = None if memory is None else memory >= query.min_gpu_memory_gib
    if query.max_price is not None:
        there = offer.price_per_hour and in_currency(offer.price_per_hour, query.max_price.currency)
        said["price"] = there <= query.max_price.amount if there else None
    if query.rdma is not None:
        said["rdma"] = linked(offer.rdma, query.rdma, {"EFA", "IB", "RoCE", "eRDMA"})
    if query.nvlink is not None:
        said["nvlink"] = linked(offer.nvlink, query.nvlink, {"NVSwitch", "mesh", "bridge"})
    if query.cuda is not None:
        said["cuda"] = runs_cuda(offer, int(query.cuda))
    if query.max_carbon_g_per_kwh is not None:
        carbon = offer.carbon_g_per_kwh
        said["carbon"] = None if carbon is None else carbon <= query.max_carbon_g_per_kwh
    if query.countries is not None:
        said["country"] = None if offer.country is None else offer.country in query.countries
    return said


QUERIES = st.builds(
    Query,
    min_gpu_memory_gib=st.sampled_from([None, 12, 16, 24, 40, 80]),
    max_price=st.sampled_from([None, Money(Decimal("1.37"), "USD"), Money(Decimal("21.3"), "CNY")]),
    rdma=st.sampled_from([None, "yes", "no", "EFA", "IB", "RoCE", "eRDMA"]),
    nvlink=st.sampled_from([None, "yes", "no", "NVSwitch", "mesh", "bridge"]),
    cuda=st.sampled_from([None, "11", "12", "13"]),
    max_carbon_g_per_kwh=st.sampled_from([None, 50, 300]),
    countries=st.sampled_from([None, ("US",), ("CN", "DE")]),
    tier=st.sampled_from(["cloud", "all"]),
)


@settings(max_examples=30, deadline=None)
@given(query=QUERIES)
def test_a_search_finds_what_matches_and_counts_what_only_the_unknown_kept_out(
    snapshot: Snapshot, query: Query
) -> None:
    clouds = {"alibaba", "aws", "azure", "gcp", "huawei", "tencent"}
    wanted: list[Offer] = []
    counts: dict[str, int] = {}
    for offer in everything(snapshot):
        if query.tier == "cloud" and offer.cloud not in clouds:
            continue
        said = answers(offer, query)
        if False not in said.values():
            wanted += [] if None in said.values() else [offer]
            for name, answer in said.items():
                counts[name] = counts.get(name, 0) + (answer is None)
    found = find(snapshot, query, TODAY)
    assert found.offers == wanted
    assert {name: found.dropped.get(name, 0) for name in counts} == counts


def test_machines_without_a_number_of_gpus_are_counted(snapshot: Snapshot) -> None:
    left = [each for each in machines(snapshot) if each.gpus is None]
    assert left
    found = find(snapshot, Query(clouds=[left[0].cloud], gpu=left[0].gpu), TODAY)
    assert found.dropped["gpus"] >= 1


def test_an_unpriced_machine_may_be_in_any_region_of_its_cloud_and_is_counted(snapshot: Snapshot) -> None:
    here = find(snapshot, Query(clouds=["huawei"], regions=["cn-north-4"]), TODAY)
    assert here.offers == []
    assert here.dropped["region"] == len(search(snapshot, Query(clouds=["huawei"]), TODAY))
    elsewhere = find(snapshot, Query(clouds=["huawei"], regions=["us-east-1"]), TODAY)
    assert (elsewhere.offers, elsewhere.dropped.get("region")) == ([], None)
    assert search(snapshot, Query(clouds=["huawei"], regions=[UNKNOWN_REGION]), TODAY)


def test_an_unpriced_machine_is_counted_when_another_way_of_buying_is_asked_for(snapshot: Snapshot) -> None:
    found = find(snapshot, Query(clouds=["huawei"], purchases=[Purchase.SPOT]), TODAY)
    assert found.offers == []
    assert found.dropped["price"] > 50


def test_nothing_is_dropped_by_a_question_without_filters(snapshot: Snapshot) -> None:
    assert set(find(snapshot, Query(), TODAY).dropped) == {"gpus"}


def test_memory_is_asked_for_as_the_gpu_is_sold(snapshot: Snapshot) -> None:
    offers = search(snapshot, Query(gpu="L4", clouds=["aws"], min_gpu_memory_gib=24, gpus=(1, 8)), TODAY)
    assert offers
    assert {offer.gpu_memory_gib for offer in offers} == {22.4}, "AWS lists what error correction leaves"


def test_a_price_may_be_limited_in_another_currency_and_per_gpu(snapshot: Snapshot) -> None:
    most = Money(Decimal(20), "CNY")
    offers = search(snapshot, Query(max_price_per_gpu=most, clouds=["aws"], gpus=(8, 8)), TODAY)
    assert offers
    for offer in offers:
        assert offer.price_per_gpu_hour
        there = converted(offer.price_per_gpu_hour, "CNY")
        assert there
        assert there[0].amount <= most.amount
    assert any(offer.price_per_hour and offer.price_per_hour.amount > 20 for offer in offers)


def test_one_of_several_gpus_is_looked_for(snapshot: Snapshot) -> None:
    either = search(snapshot, Query(gpu=("V100-16GB", "V100-32GB")), TODAY)
    each = [search(snapshot, Query(gpu=gpu), TODAY) for gpu in ("V100-16GB", "V100-32GB")]
    assert all(each) and len(either) == sum(map(len, each))


def test_the_width_of_rdma_is_a_filter_and_unknown_widths_are_counted(snapshot: Snapshot) -> None:
    found = find(snapshot, Query(min_rdma_gbps=1600), TODAY)
    assert found.offers
    assert all(float(str(offer.rdma).split()[1]) >= 1600 for offer in found.offers)
    assert found.dropped["rdma"]
    machine = next(each for each in machines(snapshot) if each.rdma == "GPUDirect-TCPX(O), not RDMA")
    without = search(snapshot, Query(clouds=["gcp"], rdma="no"), TODAY)
    assert machine.instance_type in {offer.instance_type for offer in without}


@pytest.mark.parametrize(("cuda", "gpu", "runs"), [
    ("12", "B200", True), ("12.8", "B200", True), ("12.6", "B200", False), ("13", "V100-16GB", False),
    ("12.4", "V100-16GB", True), ("11", "H100-80GB", True), ("11.7", "H100-80GB", False), ("12", "MI300X", False),
])  # fmt: skip
def test_cuda_is_judged_by_the_data_sheet(snapshot: Snapshot, cuda: str, gpu: str, runs: bool) -> None:
    assert bool(search(snapshot, Query(gpu=gpu, cuda=cuda), TODAY)) is runs


def test_specialists_appear_only_when_asked_for(snapshot: Snapshot) -> None:
    theirs = find(snapshot, Query(gpu="H200", tier="specialist"), TODAY)
    ours = search(snapshot, Query(gpu="H200"), TODAY)
    both = search(snapshot, Query(gpu="H200", tier="all"), TODAY)
    assert len(theirs.offers) + len(ours) == len(both)
    assert {(offer.region, offer.country, offer.cpus) for offer in theirs.offers} == {(UNKNOWN_REGION, None, None)}
    assert all("list price of a collector" in str(offer.source) for offer in theirs.offers)
    assert not {offer.cloud for offer in theirs.offers} & {offer.cloud for offer in ours}
    market = [
        offer for offer in search(snapshot, Query(tier="specialist"), TODAY) if "marketplace" in offer.instance_type
    ]
    assert market
    assert all("not a quote" in str(offer.source) for offer in market)


def test_a_specialists_price_is_per_gpu_times_gpus(snapshot: Snapshot) -> None:
    several = [offer for offer in search(snapshot, Query(tier="specialist"), TODAY) if offer.gpus == 8]
    assert several
    for offer in several:
        assert offer.price_per_hour
        assert offer.price_per_gpu_hour
        assert offer.price_per_gpu_hour.amount * 8 == pytest.approx(offer.price_per_hour.amount, abs=Decimal("1e-4"))


@pytest.mark.parametrize("sort", sorted(SORTS))
def test_an_answer_is_sorted_and_the_unknown_comes_last(snapshot: Snapshot, sort: str) -> None:
    beijing = locate(snapshot, "Beijing")
    gpu = None if sort == "gpu_memory" else "A100-80GB"
    query = Query(gpu=gpu, sort=sort, near=(beijing.lat, beijing.lon))
    found = find(snapshot, query, TODAY)
    values: list[object] = [_value(offer, sort, found.distances) for offer in found.offers]
    known = [value for value in values if value is not None]
    assert values == known + [None] * (len(values) - len(known))
    assert len(set(map(str, known))) > 1
    if sort == "price_per_gpu":
        return  # the usual order, tested where it is defined
    assert known == sorted(known, reverse=SORTS[sort][1])  # type: ignore[type-var]
    assert sorted(map(repr, found.offers)) == sorted(map(repr, search(snapshot, Query(gpu=gpu), TODAY)))


def _value(offer: Offer, sort: str, away: dict[tuple[str, str], float]) -> object:
    if sort == "distance":
        return away.get((offer.cloud, offer.region))
    if sort.startswith("price"):
        bounds = offer.price_bounds()
        there = converted(bounds[1], "USD") if bounds else None
        return (offer.price_status == "expired", there[0].amount.quantize(Decimal("0.001"))) if there else None
    return getattr(offer, {"gpu_memory": "gpu_memory_gib", "memory": "memory_gib", "network": "network_gbps",
                            "carbon": "carbon_g_per_kwh"}.get(sort, sort))  # fmt: skip


def test_a_cut_answer_says_how_many_more(snapshot: Snapshot) -> None:
    whole, cut = find(snapshot, Query(gpu="T4"), TODAY), find(snapshot, Query(gpu="T4", limit=5), TODAY)
    assert cut.offers == whole.offers[:5]
    assert cut.more == len(whole.offers) - 5
    assert (whole.more, cut.dropped) == (0, whole.dropped)


@pytest.mark.parametrize(("text", "lat", "lon"), [
    ("Beijing", 39.9, 116.4), ("北京", 39.9, 116.4), ("aws eu-west-1", 53.3, -6.3), (" 52.52, 13.40 ", 52.52, 13.40),
    ("FRANKFURT", 50.1, 8.7),
])  # fmt: skip
def test_a_place_is_found_by_city_region_or_coordinates(snapshot: Snapshot, text: str, lat: float, lon: float) -> None:
    point = locate(snapshot, text)
    assert isinstance(point, Point)
    assert (point.lat, point.lon) == pytest.approx((lat, lon), abs=3)


def test_a_code_that_two_clouds_give_to_places_far_apart_is_not_guessed(snapshot: Snapshot) -> None:
    with pytest.raises(BadInput) as caught:
        locate(snapshot, "eu-west-1")
    assert caught.value.code == "place-ambiguous"
    assert caught.value.facts["nearest"] == "alibaba eu-west-1, aws eu-west-1"


@pytest.mark.parametrize("text", ["Frankfort", "91,0", "10,181"])
def test_a_place_that_nobody_knows_gets_the_nearest_name(snapshot: Snapshot, text: str) -> None:
    with pytest.raises(BadInput) as caught:
        locate(snapshot, text)
    assert caught.value.code == "place-unknown"
    assert ("Frankfurt" in caught.value.facts["nearest"]) == (text == "Frankfort")


def test_distances_are_those_of_the_globe(snapshot: Snapshot) -> None:
    frankfurt = place(snapshot, "aws", "eu-central-1")
    assert frankfurt
    assert frankfurt.lat is not None
    assert frankfurt.lon is not None
    away = distances(snapshot, frankfurt.lat, frankfurt.lon)
    assert away["aws", "eu-central-1"] == pytest.approx(0, abs=0.1)
    assert away["gcp", "us-central1"] == pytest.approx(7300, rel=0.05)
    assert max(away.values()) <= 20_038, "nothing is farther than half way round"


def test_a_shown_price_keeps_its_rate_beside_it() -> None:
    there = converted(Money(Decimal(10), "USD"), "CNY")
    assert there
    money, used = there
    assert money == Money(Decimal(10) * used.value, "CNY").rounded()
    assert used.as_of
    assert used.source
    assert converted(Money(Decimal(1), "XXX"), "CNY") is None


def test_ones_own_rate_wins_in_conversion_filter_and_order(snapshot: Snapshot) -> None:
    own = (Rate("USD", "CNY", Decimal(1), "2026-11-21", "own"),)
    money = Money(Decimal(5), "USD")
    assert converted(money, "CNY", own) == (Money(Decimal(5), "CNY"), own[0])
    assert rate("EUR", "CNY", own) is None, "a table given stands alone"
    query = Query(clouds=["aws"], gpu="A100-40GB", max_price=Money(Decimal(25), "CNY"), purchases=[Purchase.ON_DEMAND])
    assert len(find(snapshot, query, TODAY, own).offers) > len(find(snapshot, query, TODAY).offers)


def test_a_clock_before_the_newest_price_is_no_error(snapshot: Snapshot) -> None:
    before = date(2020, 1, 1)
    assert date.fromisoformat(snapshot.date) > before
    offers = search(snapshot, Query(gpu="T4"), before)
    assert {offer.price_status.value for offer in offers if offer.price_per_hour} <= {"dated", "fresh"}
    assert len(offers) == len(search(snapshot, Query(gpu="T4"), TODAY))


def test_every_machine_is_whole(snapshot: Snapshot, instances: list[dict[str, str]]) -> None:
    listed: dict[tuple[str, str], Machine] = {(each.cloud, each.instance_type): each for each in machines(snapshot)}
    for row in instances:
        machine = listed[row["cloud"], row["instance_type"]]
        assert (machine.rdma or "", machine.nvlink or "", machine.family or "") == (
            row["rdma"], row["nvlink"], row["family"]
        )  # fmt: skip
        assert machine.gpus == (Decimal(row["gpu_count"]) if row["gpu_count"] else None)

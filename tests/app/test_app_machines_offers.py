"""Machines as offers: shares of their GPUs and price; in `offers` and `plan`; what is taken without a plan."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from machine_world import ADDED, gpu, machine

from tradewind.app import jobfile, market, questions
from tradewind.app.machines.beside import merged, own
from tradewind.app.machines.offers import offer_for, offers_of
from tradewind.app.machines.registry import Registry
from tradewind.app.queries import OffersQuery
from tradewind.app.settings import Settings
from tradewind.catalog.query import Query
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money, parse_money
from tradewind.domain.offer import PriceStatus, Purchase
from tradewind.domain.workload import Accelerators

CARDS = [gpu(index) for index in range(6)]
A100 = gpu(6, "NVIDIA A100-SXM4-80GB", memory_gib=80.0)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home with three machines: free cards, a priced one, and one without GPUs."""
    made = Settings(tmp_path_factory.mktemp("home"))
    registry = Registry(made.machines)
    registry.write(machine("cards", *CARDS[:2]))
    registry.write(machine("dear", A100, price=parse_money("30 CNY"), country="DE"))
    registry.write(machine("plain"))
    return made


def test_a_machine_offers_one_two_four_and_all_of_its_gpus_at_their_share_of_its_price() -> None:
    told = offers_of(machine("box", *CARDS, price=parse_money("6 CNY"), country="DE"))
    assert [each.instance_type for each in told] == [f"{count}x-RTX-4090" for count in (1, 2, 4, 6)]
    assert [each.gpus for each in told] == [1, 2, 4, 6]
    assert [each.price_per_hour for each in told] == [Money(Decimal(count), "CNY") for count in (1, 2, 4, 6)]
    first = told[0]
    assert (first.cloud, first.region, first.gpu, first.gpu_known, first.arch, first.country, first.stock) == (
        "machines", "box", "RTX-4090", True, "x86_64", "DE", 1)  # fmt: skip
    assert first.price_status is PriceStatus.FRESH


def test_two_kinds_of_gpus_are_offered_apart_and_those_left_out_are_not_offered() -> None:
    mixed = machine("box", *CARDS[:3], A100, gpus=(0, 2, 6), price=parse_money("3 USD"))
    assert [each.instance_type for each in offers_of(mixed)] == ["1x-RTX-4090", "2x-RTX-4090", "1x-A100-80GB"]
    assert {each.price_per_gpu_hour for each in offers_of(mixed)} == {Money(Decimal(1), "USD")}
    assert mixed.allowed("2x-RTX-4090") == (0, 2)
    assert mixed.allowed("p4d.24xlarge") == (0, 2, 6)  # worn in a rehearsal


def test_without_gpus_the_whole_machine_is_offered() -> None:
    (told,) = offers_of(machine("box", price=parse_money("3 USD")))
    assert (told.instance_type, told.gpus, told.price_per_hour) == ("cpu", Decimal(0), Money(Decimal(3), "USD"))
    (free,) = offers_of(machine("box"))
    assert (free.price_per_hour, free.free) == (None, True)


@pytest.mark.parametrize(("wish", "told"), [
    (None, "3x-RTX-4090"), (Accelerators(None, 1, 2), "2x-RTX-4090"), (Accelerators("A100-80GB", 1, 8), "1x-A100-80GB"),
])  # fmt: skip
def test_a_job_takes_what_it_wishes_for_and_all_without_a_wish(wish: Accelerators | None, told: str) -> None:
    assert offer_for(machine("box", *CARDS[:3], A100), wish).instance_type == told


@pytest.mark.parametrize("wish", [Accelerators("A100-80GB", 1, 1), Accelerators(None, 4, 8)])
def test_a_machine_that_has_not_what_is_wished_for_says_what_it_has(wish: Accelerators) -> None:
    with pytest.raises(BadInput) as fault:
        offer_for(machine("box", *CARDS[:3]), wish)
    assert fault.value.code == "machine-too-small"
    assert fault.value.facts["has"] == "3 × RTX-4090"


def names(found: dict[str, Any]) -> list[str]:
    return [each["instance_type"] for each in found["offers"] if each["cloud"] == "machines"]


def test_offers_show_the_users_machines_in_their_place(settings: Settings) -> None:
    found = market.offers(settings, OffersQuery(gpu="RTX-4090"))
    assert names(found) == ["1x-RTX-4090", "2x-RTX-4090"]
    assert (found["offers"][0]["price_per_hour"], found["offers"][0]["price_status"]) == (None, "free")
    every = market.offers(settings, OffersQuery(gpu="A100-80GB", purchases=("on_demand",)))["offers"]
    place = next(index for index, each in enumerate(every) if each["cloud"] == "machines")
    assert 0 < place < len(every) - 1  # 30 CNY is about 4 USD
    assert names(market.offers(settings, OffersQuery(clouds=("machines",), regions=("plain",)))) == ["cpu"]
    cut = market.offers(settings, OffersQuery(clouds=("machines",), limit=1))
    assert (len(cut["offers"]), cut["more"]) == (1, 3)


@pytest.mark.parametrize(("asked", "told"), [
    (OffersQuery(clouds=("machines",)), ["cpu", "1x-A100-80GB", "1x-RTX-4090", "2x-RTX-4090"]),
    (OffersQuery(clouds=("machines",), gpus=(1, 1)), ["1x-A100-80GB", "1x-RTX-4090"]),
    (OffersQuery(clouds=("machines",), max_price="1 USD"), ["cpu", "1x-RTX-4090", "2x-RTX-4090"]),
    (OffersQuery(clouds=("machines",), residency="EU"), ["1x-A100-80GB"]),
    (OffersQuery(clouds=("machines",), min_memory_gib=40), ["1x-A100-80GB"]),
    (OffersQuery(clouds=("machines",), cuda="11.2"), ["1x-A100-80GB"]),
    (OffersQuery(clouds=("machines",), purchases=("spot",)), []), (OffersQuery(gpu="RTX-4090", tier="specialist"), []),
])  # fmt: skip
def test_filters_hold_for_the_users_machines(settings: Settings, asked: OffersQuery, told: list[str]) -> None:
    assert sorted(names(market.offers(settings, asked))) == sorted(told)


def test_what_only_an_unknown_value_keeps_out_is_counted(settings: Settings) -> None:
    found = market.offers(settings, OffersQuery(clouds=("machines",), residency="FR"))
    assert found["left_out"] == {"country": 3}  # the fourth is known to be elsewhere
    assert names(found) == []


@pytest.mark.parametrize(("sort", "told"), [
    ("price", ["free", "dear", "unpriced"]), ("price_per_gpu", ["free", "dear", "unpriced"]),
    ("gpus", ["dear", "free", "unpriced"]), ("memory", ["dear", "free", "unpriced"]),
    ("as_of", ["free", "dear", "unpriced"]), ("distance", ["dear", "free", "unpriced"]),
])  # fmt: skip
def test_both_stand_in_the_order_asked_for_what_is_unknown_last(sort: str, told: list[str]) -> None:
    base = offers_of(machine("box", gpu(0)))[0]
    dear = replace(base, region="dear", price_per_hour=Money(Decimal(5), "USD"), price_status=PriceStatus.FRESH,
                   gpus=Decimal(8), memory_gib=512.0, as_of="2026-01")  # fmt: skip
    unpriced = replace(base, region="unpriced", price_status=PriceStatus.UNKNOWN, gpus=Decimal(0) if sort == "gpus" else
                       base.gpus, memory_gib=None, as_of=None)  # fmt: skip
    free, query = replace(base, region="free"), Query(sort=sort)
    mine = own([dear, free] if sort == "distance" else [free, dear], query, ())
    assert [each.region for each in merged(mine.offers, [unpriced], query, ())] == told


def plan(settings: Settings, text: str) -> dict[str, Any]:
    return questions.plan(settings, jobfile.parse(text, "job.yaml"), ADDED)


JOB = """\
name: j
run: python train.py
model: {preset: resnet50}
training: {batch_size: 64, precision: bf16, samples: 8189, epochs: 3}
"""


def test_a_plan_takes_a_free_machine_that_fits_and_falls_back_on_what_is_listed(settings: Settings) -> None:
    found = plan(settings, JOB)
    offer = found["chosen"]["offer"]
    assert (offer["cloud"], offer["region"], offer["price_status"]) == ("machines", "cards", "free")
    assert found["chosen"]["cost"]["value"] == "0.00"
    assert found["chosen"]["quota"] == "ok"
    assert not any("cloud=machines" in each for each in found["assumptions"])
    assert {each["offer"]["cloud"] for each in found["fallbacks"]} - {"machines"}


def test_a_plan_can_be_held_to_one_machine(settings: Settings) -> None:
    found = plan(settings, JOB + "placement: {clouds: [machines], regions: [dear]}\n")
    assert {each["offer"]["region"] for each in (found["chosen"], *found["fallbacks"])} == {"dear"}
    assert found["chosen"]["offer"]["price_per_hour"] == {"amount": "30.00", "currency": "CNY"}
    assert found["chosen"]["offer"]["purchase"] == Purchase.ON_DEMAND
    none = plan(settings, JOB + "placement: {clouds: [machines], residency: FR}\n")
    assert none["chosen"] is None

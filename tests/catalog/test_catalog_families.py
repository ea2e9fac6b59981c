"""Machines by name: every family and GPU that people ask for answers; what does not exist gets the nearest."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tradewind.catalog.families import (
    family,
    gpus_side_by_side,
    machines,
    machines_named,
    nearest_machines,
    prices_of,
    require_count,
    require_machines,
)  # fmt: skip
from tradewind.catalog.search import Query, search
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.accelerators import require_gpu
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import data_sheet, resolve, shared_by
from tradewind.domain.offer import Purchase

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(("name", "cloud", "gpus"), [
    ("p3.2xlarge", "aws", {"V100-16GB"}), ("p3dn", "aws", {"V100-32GB"}), ("p4d.24xlarge", "aws", {"A100-40GB"}),
    ("p5", "aws", {"H100-80GB"}), ("a2", "gcp", {"A100-40GB", "A100-80GB"}), ("a3", "gcp", {"H100-80GB", "H200"}),
    ("gn5", "alibaba", {"P100"}), ("gn6v", "alibaba", {"V100-16GB"}), ("gn6i", "alibaba", {"T4"}),
    ("gn6e", "alibaba", {"V100-32GB"}), ("gn7", "alibaba", {"A100-40GB"}), ("gn7i", "alibaba", {"A10"}),
    ("gn7e", "alibaba", {"A100-80GB"}), ("GN7", "tencent", {"T4"}), ("GN8", "tencent", {"P40"}),
    ("GN10X", "tencent", {"V100-32GB"}), ("GN10Xp", "tencent", {"V100-32GB"}), ("GT4", "tencent", {"A100-40GB"}),
    ("P1", "huawei", {"P100"}), ("P2", "huawei", {"V100-16GB", "V100-32GB"}), ("Pi2", "huawei", {"T4"}),
    ("Ascend", "huawei", {"Ascend-310", "Ascend-910A", "Ascend-910B"}), ("a2-ultragpu", "gcp", {"A100-80GB"}),
    ("NC A100 v4", "azure", {"A100-80GB"}), ("Standard_NCv3", "azure", {"V100-16GB"}),
])  # fmt: skip
def test_the_families_that_people_ask_for_answer(snapshot: Snapshot, name: str, cloud: str, gpus: set[str]) -> None:
    found = require_machines(snapshot, name)
    assert {each.cloud for each in found} == {cloud}
    assert {each.gpu for each in found} == gpus


@pytest.mark.parametrize(("name", "prefix"), [("NC", "Standard_NC"), ("ND", "Standard_ND"), ("NV", "Standard_NV")])
def test_a_series_of_azure_is_all_its_versions(snapshot: Snapshot, name: str, prefix: str) -> None:
    found = {each.instance_type for each in family(snapshot, name)}
    assert found == {each.instance_type for each in machines(snapshot) if each.instance_type.startswith(prefix)}
    assert len(found) > 10


def test_two_clouds_may_have_a_family_of_one_name(snapshot: Snapshot) -> None:
    assert {each.cloud for each in family(snapshot, "g2")} == {"aws", "gcp"}
    assert {each.cloud for each in family(snapshot, "g2", "gcp")} == {"gcp"}


@pytest.mark.parametrize("name", ["gn7e", "GN7E", "ecs.gn7e", " ECS.GN7E ", "gn-7e"])
def test_a_family_is_found_however_it_is_spelt(snapshot: Snapshot, name: str) -> None:
    assert family(snapshot, name) == family(snapshot, "gn7e") != ()


@pytest.mark.parametrize(("name", "not_"), [("p5", "p5e"), ("p4d", "p4de"), ("GN10X", "GN10Xp"), ("gn6", "gn6e")])
def test_a_family_does_not_swallow_a_longer_name(snapshot: Snapshot, name: str, not_: str) -> None:
    assert not {each.family for each in family(snapshot, name)} & {not_}
    assert family(snapshot, not_)


@pytest.mark.parametrize("name", ["p4d.24xlarge", "P4D.24XLARGE", "p4d.24-xlarge"])
def test_a_machine_is_found_however_it_is_spelt(snapshot: Snapshot, name: str) -> None:
    assert [each.instance_type for each in machines_named(snapshot, name)] == ["p4d.24xlarge"]
    assert machines_named(snapshot, "gn6e-c12g1.3xlarge")[0].instance_type == "ecs.gn6e-c12g1.3xlarge"


RENTED = {"P100", "T4", "A10", "A40", "H100-80GB", "H200", "B200", "L4", "L20", "L40S", "MI300X", "V100-16GB",
          "V100-32GB", "A100-40GB", "A100-80GB", "Ascend-910A", "RTX-PRO-6000", "Quadro-RTX-6000"}  # fmt: skip


@pytest.mark.parametrize("name", [
    "P100", "V100", "T4", "A10", "A40", "A100", "H100", "H20", "H200", "B200", "L4", "L20", "L40S", "RTX 3090",
    "RTX 4090", "RTX 6000", "Ascend 910", "MI250X", "MI300X",
])  # fmt: skip
def test_the_gpus_that_people_ask_for_answer(snapshot: Snapshot, name: str) -> None:
    found = resolve(name)
    meant = (found[0],) if found else shared_by(name)
    assert meant
    sheets = gpus_side_by_side([name])
    assert {sheet.id for sheet in sheets} == set(meant)
    assert all(sheet.peak_tflops and sheet.source for sheet in sheets)
    carried = {each.gpu for each in require_machines(snapshot, name)}
    assert carried == RENTED & set(meant)


def test_a_gpu_that_no_cloud_rents_may_be_had_of_specialists(snapshot: Snapshot) -> None:
    assert require_machines(snapshot, "RTX 4090") == ()
    assert search(snapshot, Query(gpu="RTX-4090", tier="specialist"), TODAY)


def test_a_name_on_cards_of_several_generations_is_not_guessed() -> None:
    with pytest.raises(BadInput) as caught:
        require_gpu("RTX 6000")
    assert caught.value.code == "gpu-ambiguous"
    assert caught.value.facts["nearest"] == "Quadro-RTX-6000, RTX-6000-Ada, RTX-PRO-6000"


def test_gpus_stand_side_by_side_with_their_cuda() -> None:
    assert len(gpus_side_by_side()) > 50
    by_id = {sheet.id: sheet for sheet in gpus_side_by_side(["T4", "B200", "MI300X"])}
    assert (by_id["T4"].min_cuda, by_id["T4"].last_cuda_major) == ("10.0", 13)
    assert (by_id["B200"].min_cuda, by_id["B200"].min_driver_linux) == ("12.8", "570")
    assert (by_id["MI300X"].min_cuda, by_id["MI300X"].last_cuda_major) == (None, None)
    sheet = data_sheet("T4")
    assert sheet == by_id["T4"]


@pytest.mark.parametrize(("name", "first"), [
    ("gn6e-c8g1.16xlarge", "ecs.gn6e-"), ("p4dx", "p4d"), ("p4d.32xlarge", "p4d.24xlarge"), ("gn7x", "g"),
    ("Standard_ND96asr_v5", "Standard_ND96asr_v4"), ("GN7.3XLARGE", "GN7."),
])  # fmt: skip
def test_what_does_not_exist_gets_the_nearest_that_does(snapshot: Snapshot, name: str, first: str) -> None:
    with pytest.raises(BadInput) as caught:
        require_machines(snapshot, name)
    near = caught.value.facts["nearest"].split(", ")
    assert caught.value.code == "machine-unknown"
    assert near[0].casefold().startswith(first.casefold())
    assert len(near) == len(set(near)) <= 3
    assert near == nearest_machines(snapshot, name)
    for each in near:
        assert require_machines(snapshot, each)


def test_what_resembles_nothing_gets_no_suggestion(snapshot: Snapshot) -> None:
    assert nearest_machines(snapshot, "!!!!") == []


def test_a_number_of_gpus_that_no_machine_has_gets_the_nearest(snapshot: Snapshot) -> None:
    with pytest.raises(BadInput) as caught:
        require_count(snapshot, "A100-80GB", 7)
    assert caught.value.code == "gpu-count-unknown"
    assert caught.value.facts["nearest"] == "A100-80GB:8, A100-80GB:4"
    require_count(snapshot, "A100-80GB", 8)
    require_count(snapshot, "RTX-3090-nobody", 3)


def test_every_price_of_a_machine_is_shown_once(snapshot: Snapshot, prices: list[dict[str, str]]) -> None:
    machine = machines_named(snapshot, "p4d.24xlarge")[0]
    lines = prices_of(snapshot, machine, TODAY)
    rows = [row for row in prices if row["instance_type"] == "p4d.24xlarge"]
    told = sorted((line.region, line.zone or "", line.purchase.value, line.payment or "", line.price_per_hour.amount)
                  for line in lines)  # fmt: skip
    assert told == sorted((row["region"], row["zone"], row["purchase"], row["payment"], Decimal(row["price_per_hour"]))
                          for row in rows)  # fmt: skip
    assert [line.offered for line in lines] == sorted((line.offered for line in lines), reverse=True)
    assert {line.purchase for line in lines} >= {Purchase.ON_DEMAND, Purchase.RESERVED_3Y}
    assert not any(line.own for line in lines)

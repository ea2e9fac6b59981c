"""GPU names: every spelling in use reaches its canonical id, and nothing ambiguous is guessed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tradewind.catalog
from tradewind.domain import gpus
from tradewind.domain.gpus import all_gpus, data_sheet, gpu_ids, nearest, reason, resolve, shared_by

INSTANCES = Path(tradewind.catalog.__file__).parent / "data" / "instances.csv"

SPELLINGS = [
    # what nvidia-smi prints
    ("NVIDIA A100-SXM4-80GB", "A100-80GB", "SXM"),
    ("NVIDIA A100-SXM4-40GB", "A100-40GB", "SXM"),
    ("NVIDIA A100 80GB PCIe", "A100-80GB", "PCIe"),
    ("A100-PCIE-40GB", "A100-40GB", "PCIe"),
    ("Tesla V100-SXM2-16GB", "V100-16GB", "SXM"),
    ("Tesla V100-PCIE-32GB", "V100-32GB", "PCIe"),
    ("NVIDIA H100 80GB HBM3", "H100-80GB", "SXM"),
    ("NVIDIA H100 PCIe", "H100-80GB", "PCIe"),
    ("NVIDIA H100 NVL", "H100-NVL-94GB", None),
    ("NVIDIA H200", "H200", None),
    ("NVIDIA GeForce RTX 3090", "RTX-3090", None),
    ("NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada", None),
    ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000", "Server"),
    ("Tesla P100-PCIE-16GB", "P100", "PCIe"),
    ("Tesla T4", "T4", None),
    # what clouds and other tools write
    ("nvidia-tesla-t4", "T4", None),
    ("nvidia-l4", "L4", None),
    ("nvidia-h100-80gb", "H100-80GB", None),
    ("nvidia-h200-141gb", "H200", None),
    ("a100-80gb-sxm4", "A100-80GB", "SXM"),
    ("AMD Instinct MI300X OAM", "MI300X", None),
    ("Ascend 910", "Ascend-910A", None),
    # what people type
    ("a100_80g", "A100-80GB", None),
    ("A100 80 GiB", "A100-80GB", None),
    ("a100sxm80gb", "A100-80GB", "SXM"),
    ("h100", "H100-80GB", None),
    ("a10g", "A10G", None),
    ("3090", "RTX-3090", None),
    ("T4 PCIe", "T4", None),
]


@pytest.mark.parametrize(("name", "gpu", "form"), SPELLINGS)
def test_a_name_in_use_resolves(name: str, gpu: str, form: str | None) -> None:
    assert resolve(name) == (gpu, form)


@pytest.mark.parametrize(
    "name", ["A100", "NVIDIA A100 PCIe", "V100", "A800", "M40", "RTX 6000", "A10 G4", "", "-", "any"]
)
def test_an_ambiguous_or_unknown_name_is_not_guessed(name: str) -> None:
    assert resolve(name) is None


def test_a_shared_name_lists_exactly_those_who_share_it() -> None:
    assert shared_by("nvidia a100 pcie") == ("A100-40GB", "A100-80GB")
    assert shared_by("V100") == ("V100-16GB", "V100-32GB")
    assert shared_by("A100-80GB") == shared_by("T4") == shared_by("nonsense") == ()


@given(st.sampled_from(gpu_ids()), st.data())
def test_case_spaces_and_hyphens_do_not_count(gpu: str, data: st.DataObject) -> None:
    spelt = "".join(
        data.draw(st.sampled_from(["", " ", "-", "_"]))
        if letter == "-"
        else data.draw(st.sampled_from([letter.lower(), letter.upper()]))
        for letter in gpu
    )
    prefix = data.draw(st.sampled_from(["", "NVIDIA ", "nvidia-tesla-", "GeForce_"]))
    assert resolve(prefix + spelt) == (gpu, None)


@given(st.text(max_size=40))
def test_any_text_is_answered(name: str) -> None:
    found = resolve(name)
    assert found is None or found[0] in gpu_ids()
    assert all(gpu in gpu_ids() for gpu in nearest(name))


def test_every_gpu_of_the_catalog_resolves_or_has_a_reason() -> None:
    with INSTANCES.open(encoding="utf-8", newline="") as lines:
        names = {row["gpu_model"] for row in csv.DictReader(lines)}
    unexplained = {name for name in names if resolve(name) is None and reason(name) is None}
    assert unexplained == set()
    assert {name for name in gpus.REASONS if name not in names} == set(), "a reason for a name that no machine has"


def test_a_name_with_a_reason_does_not_resolve() -> None:
    assert [name for name in gpus.REASONS if resolve(name)] == []


def test_an_id_resolves_to_itself_and_its_sheets_are_found() -> None:
    for gpu in gpu_ids():
        assert resolve(gpu) == (gpu, None)
    for sheet in all_gpus():
        assert data_sheet(sheet.id, sheet.form) == sheet
        usual = data_sheet(sheet.id)
        assert usual is not None
        assert usual.id == sheet.id


def test_sheets_are_sane() -> None:
    for sheet in all_gpus():
        assert 0 < sheet.memory_gib <= 300, sheet.id
        assert set(sheet.peak_tflops) <= {"fp32", "tf32", "fp16", "bf16", "fp8", "int8"}
        assert all(0 < peak < 6000 for peak in sheet.peak_tflops.values()), sheet.id
        assert sheet.source, sheet.id
        assert sheet.bandwidth_gb_s is None or 20 < sheet.bandwidth_gb_s < 10_000
        assert (sheet.link_gb_s or 0) >= 0
    assert len({(sheet.id, sheet.form) for sheet in all_gpus()}) == len(all_gpus())


def test_peaks_are_dense_datasheet_values() -> None:
    a100, h100, t4 = data_sheet("A100-80GB"), data_sheet("H100-80GB"), data_sheet("T4")
    assert a100 and h100 and t4
    # The vendor prints 312, 1979 (with sparsity) and 65 fp16 TFLOPS for these.
    assert (a100.peak_tflops["bf16"], h100.peak_tflops["bf16"], t4.peak_tflops["fp16"]) == (312, 989.4, 65)
    assert "bf16" not in t4.peak_tflops
    assert (a100.form, a100.link_gb_s, t4.form, t4.link_gb_s) == ("SXM", 600, None, 0)


def test_a_gpu_may_be_known_without_a_data_sheet() -> None:
    assert resolve("MI308X") == ("MI308X", None)
    assert data_sheet("MI308X") is None
    assert data_sheet("A800-40GB", "SXM") is None, "another form's sheet must not stand in"
    assert data_sheet("nonsense") is None


def test_the_nearest_name_comes_first() -> None:
    assert nearest("A100", 2) == ["A100-40GB", "A100-80GB"]
    assert nearest("RTX 3O90")[0] == "RTX-3090"
    assert nearest("T4")[0] == "T4"
    assert nearest("xyzzy") == []

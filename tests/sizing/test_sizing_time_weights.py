"""Loads of a profile, and the fitted weights as data."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizing_makers import sheet

from tradewind.domain.gpus import all_gpus
from tradewind.domain.profile import Amount, ModelProfile, Op
from tradewind.sizing import loads
from tradewind.sizing.chips import card_name, rates_of, sustained
from tradewind.sizing.efficiency import Situation, data, device_time, seconds_by_resource
from tradewind.sizing.loads import KNOTS, gather, resources
from tradewind.sizing.request import Hardware

MATMUL = (196, 0, 768, 768, 0, 1)
POINT = (64, 256, 1, 1, 1, 1, 56, 56)


def op(kind: str, dims: tuple[int, ...] = (), flops: float = 0.0, moved: float = 1e6, dtype: str = "fp16") -> Op:
    return Op("forward", kind, dtype, 1, Amount(0.0, flops), Amount(0.0, moved), dims)


@pytest.mark.parametrize(
    ("made", "group"),
    [
        (op("conv", (3, 64, 1, 7, 7, 2, 112, 112)), "conv stem"),
        (op("conv", POINT), "conv point"),
        (op("conv", (64, 64, 1, 3, 3, 1, 56, 56)), "conv spatial"),
        (op("conv", (128, 128, 32, 3, 3, 1, 56, 56)), "conv grouped"),
        (op("conv", (96, 96, 96, 7, 7, 1, 56, 56)), "conv depthwise"),
        (op("matmul", MATMUL), "matmul"),
        (op("matmul", (0, 196, 196, 64, 12, 0)), "matmul batched"),
        (op("matmul", MATMUL, dtype="fp8"), "matmul narrow"),
        (op("matmul"), "matmul"),
        (op("norm", dtype="fp32"), "norm wide"),
        (op("reduce", dtype="fp32"), "reduce"),
    ],
)
def test_operations_are_told_apart_by_what_makes_them_fast(made: Op, group: str) -> None:
    assert [load.group for load in gather([made])] == [group]


def test_like_operations_become_one_load_and_nothing_is_lost() -> None:
    ops = [Op("forward", "matmul", "fp16", count, Amount(0.0, 1e9), Amount(5.0, 1e6), MATMUL) for count in (2, 3)]
    (load,) = gather(ops)
    assert load.kernels == 5
    assert load.flops == Amount(0.0, 5e9)
    assert load.bytes == Amount(25.0, 5e6)


def test_channels_that_do_not_fill_the_tensor_cores_are_paid_for() -> None:
    full, odd = (gather([op("conv", (width, 256, 1, 1, 1, 1, 56, 56), 1e9)])[0].flops for width in (64, 60))
    assert odd.per_sample == pytest.approx(full.per_sample * 64 / 60)


@given(flops=st.floats(1e3, 1e15), moved=st.floats(1e3, 1e12))
def test_arithmetic_is_shared_among_the_knots_whole(flops: float, moved: float) -> None:
    rates = rates_of(sheet("RTX-3090"))
    asked = dict(resources(gather([op("matmul", MATMUL, flops, moved)])[0], 1.0, rates))
    arithmetic = sum(each for name, each in asked.items() if "flops" in name)
    assert arithmetic == pytest.approx(flops / rates.flops["fp16"])
    assert asked["f matmul bytes"] == pytest.approx(moved / rates.bandwidth)
    assert sum("flops" in name for name in asked) <= 2 < len(KNOTS) + 1


def test_every_weight_is_a_number_of_at_least_nothing() -> None:
    for situation, cards in data()["weights"].items():
        for card, weights in cards.items():
            assert len(weights) > 20, (situation, card)
            assert all(math.isfinite(each) and each >= 0 for each in weights.values()), (situation, card)
            assert any(each > 0 for name, each in weights.items() if "flops" in name), (situation, card)


def test_every_measured_card_is_told_and_has_a_data_sheet() -> None:
    measured = {card for cards in data()["weights"].values() for card in cards}
    assert measured == set(data()["cards"])
    assert measured <= {card_name(gpu) for gpu in all_gpus()}


def test_ranges_hold_the_value_and_widen_where_less_is_known() -> None:
    ranges = data()["ranges"]
    assert all(low <= 1 <= high for low, high in ranges.values())
    own = [high / low for name, (low, high) in ranges.items() if name.startswith(("train", "infer"))]
    assert max(own) < ranges["parameters"][1] / ranges["parameters"][0]
    for kind, situations in (("infer", "infer"), ("train", "train n"), ("tokens", "train tokens")):
        low, high = ranges[f"another card {kind}"]
        known = min(high / low for name, (low, high) in ranges.items() if name.startswith(situations))
        assert known < high / low < ranges["parameters"][1] / ranges["parameters"][0]


BORROWING = [
    Situation(trains=False, channels_last=False, compiled=False),
    Situation(trains=True, channels_last=True, compiled=False),
    Situation(trains=True, channels_last=False, compiled=True),
    Situation(trains=False, channels_last=True, compiled=True),
    Situation(trains=True, channels_last=False, compiled=True, tokens=True),
]


@pytest.mark.parametrize("situation", BORROWING, ids=lambda each: each.key)
def test_a_situation_or_card_never_measured_borrows(situation: Situation) -> None:
    load = gather([op("conv", POINT, 1e9), op("norm"), op("elementwise")])
    for name in ("RTX-3090", "RTX-5090", "V100-16GB", "MI300X"):
        gpu = sheet(name)
        asked = {key: each for one in load for key, each in resources(one, 64, rates_of(gpu))}
        seconds = seconds_by_resource(asked, situation, gpu)
        assert seconds.keys() == asked.keys()
        assert sum(seconds.values()) > 0


def test_a_power_limit_takes_from_the_peak_of_small_cards_only() -> None:
    held = {name: sustained(sheet(name)) for name in ("RTX-3090", "RTX-5090", "V100-16GB", "A100-80GB", "L4", "T4")}
    assert held["RTX-3090"] == held["RTX-5090"] == held["V100-16GB"] == 1
    assert held["A100-80GB"] == pytest.approx(0.87, abs=0.06)  # measured: stas00/ml-engineering, MAMF
    assert held["L4"] < 0.6 > held["T4"]


def test_every_card_with_a_data_sheet_has_its_multiprocessors_and_their_source() -> None:
    with (Path(loads.__file__).parent / "chips_data.csv").open(encoding="utf-8", newline="") as lines:
        rows = {f"{row['id']} {row['form']}".strip(): row for row in csv.DictReader(lines)}
    assert set(rows) == {card_name(gpu) for gpu in all_gpus()}
    assert all(int(row["multiprocessors"]) > 0 and row["source"] for row in rows.values())
    assert rates_of(sheet("RTX-3090")).multiprocessors == 82


@pytest.mark.parametrize("name", ["V100-16GB", "T4", "A10", "H100-80GB"])
def test_a_pass_takes_no_less_than_the_host_of_such_a_card_needs_to_launch_it(name: str) -> None:
    profile = ModelProfile(
        "p", "traced", "infer", "fp16-true", "flash", "none", 1e6, 0.0, 1e6, 0.0, 2.0, (),
        (Op("forward", "elementwise", "fp16", 1000, Amount(0.0), Amount(0.0, 100.0)),),
    )  # fmt: skip
    gpu = sheet(name)
    time = device_time(profile, 1, Situation(False, False, False), Hardware(gpu, 1), 1.0, 1)
    microseconds = data()["host_microseconds"][gpu.compute_capability]
    assert microseconds > data()["host_microseconds"]["other"]
    assert time.seconds >= 1000 * microseconds * 1e-6

"""Collective communication by hand, and which link a group of GPUs uses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizing_makers import LLAMA_8B, plain, sheet

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing import Hardware, Layout
from tradewind.sizing.closed_forms import transformer_profiles
from tradewind.sizing.exchange import exposed_seconds
from tradewind.sizing.links import Group, Link, group

LINK = Link(1e9, 1e-5)
BF16 = Precision.AMP_BF16


def test_rings_and_trees_by_hand() -> None:
    assert LINK.all_reduce(1, 1e9) == 0
    assert LINK.all_reduce(4, 1e9) == pytest.approx(2 * 3 * 1e-5 + 2 * 3 / 4)  # ring: 2 (n - 1)/n · S/B
    assert LINK.all_reduce(64, 100.0) == pytest.approx(2 * 6 * 1e-5 + 2e-7)  # tree: 2 log2 n hops
    assert LINK.reduce_scatter(4, 1e9) == LINK.all_gather(4, 1e9) == pytest.approx(3e-5 + 0.75)
    assert LINK.all_to_all(4, 1e9) == pytest.approx(3e-5 + 0.75)


def test_a_hierarchy_sends_an_eighth_across() -> None:
    ranks = Group(8, 2, LINK, Link(1e8, 2e-5))
    inside = 2 * (7e-5 + 7 / 8)
    assert ranks.all_reduce(1e9) == pytest.approx(inside + 2 * 2e-5 + 1.25)
    assert ranks.all_gather(1e9) == pytest.approx(inside / 2 + 2e-5 + 0.5 * 1.25)


@given(size=st.floats(1, 1e12), nodes=st.integers(1, 128))
def test_more_nodes_and_more_bytes_never_take_less(size: float, nodes: int) -> None:
    ranks, larger = Group(8, nodes, LINK, LINK), Group(8, 2 * nodes, LINK, LINK)
    assert ranks.all_reduce(size) <= larger.all_reduce(size) * (1 + 1e-9)
    assert ranks.all_reduce(size) <= ranks.all_reduce(2 * size)


# GPU, form, GPUs, GB/s that each reaches: stas00/ml-engineering, network benchmarks (2024).
REACHED = [
    ("A100-80GB", "SXM", 8, 231.0), ("H100-80GB", "SXM", 8, 396.0), ("RTX-4090", None, 8, 14.0), ("T4", None, 4, 8.0),
    ("RTX-A6000", None, 2, 45.0), ("RTX-A6000", None, 4, 14.0), ("RTX-5090", None, 2, 26.0), ("GB200", None, 72, 756.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "form", "gpus", "reached"), REACHED)
def test_the_link_of_a_node(name: str, form: str | None, gpus: int, reached: float) -> None:
    assert group(Hardware(sheet(name, form), gpus), gpus).inside.bandwidth == pytest.approx(reached * 1e9)


def test_the_network_is_shared_by_the_gpus_of_a_node_and_slow_ones_are_tcp() -> None:
    fast = group(Hardware(sheet("H100-80GB"), 16, 2, network_gbps=3200), 16).across
    slow = group(Hardware(sheet("A10"), 8, 2, network_gbps=25), 8).across
    assert fast.bandwidth == pytest.approx(3200 / 8 * 1e9 * 0.9 / 8)
    assert slow.bandwidth == pytest.approx(25 / 8 * 1e9 * 0.8 / 4)
    assert slow.latency > fast.latency


def test_an_unknown_network_is_assumed_as_such_machines_are_built() -> None:
    linked, loose = (group(Hardware(sheet(name), 16, 2), 16).across for name in ("H100-80GB", "RTX-4090"))
    assert linked.bandwidth == pytest.approx(400 / 8 * 1e9 * 0.9)
    assert loose.bandwidth == pytest.approx(25 / 8 * 1e9 * 0.8 / 8)


def test_neighbours_share_a_node() -> None:
    hardware = Hardware(sheet("H100-80GB"), 32, 4)
    assert (group(hardware, 8).local, group(hardware, 8).nodes) == (8, 1)
    assert (group(hardware, 4, 8).local, group(hardware, 4, 8).nodes) == (1, 4)
    assert (group(hardware, 8, 4).local, group(hardware, 8, 4).nodes) == (2, 4)


def exposed(profile: ModelProfile, layout: Layout, busy: float, gpu: str = "A100-80GB", nodes: int = 1) -> float:
    return exposed_seconds(profile, BF16, Hardware(sheet(gpu), layout.gpus, nodes), layout, busy / 3, busy * 2 / 3)


def test_ddp_shows_only_its_last_bucket_when_computing_is_long() -> None:
    ranks = group(Hardware(sheet("A100-80GB"), 8), 8)
    layout = Layout("ddp", 1, data=8)
    assert exposed(plain(1e9), layout, 0.0) == pytest.approx(ranks.all_reduce(4e9))
    assert exposed(plain(1e9), layout, 1.0) == pytest.approx(0.04 + ranks.all_reduce(25 * 2**20))  # 4 %: the slowest


def test_fsdp_sends_half_as_much_again_as_16_bit_gradients_would() -> None:
    ranks = group(Hardware(sheet("A100-80GB"), 8), 8)
    alone = exposed(plain(1e9, precision="amp-bf16"), Layout("fsdp", 1, data=8), 0.0)
    assert alone == pytest.approx(3 * ranks.all_gather(2e9), rel=1e-3)
    assert alone == pytest.approx(1.5 * ranks.all_reduce(2e9), rel=1e-3)


def test_accumulation_repeats_what_fsdp_sends_and_not_what_ddp_sends() -> None:
    ddp, fsdp = (
        [exposed(plain(1e9), Layout(strategy, 1, passes, data=8), 0.0) for passes in (1, 4)]
        for strategy in ("ddp", "fsdp")
    )
    assert ddp[1] == pytest.approx(ddp[0])
    assert fsdp[1] == pytest.approx(4 * fsdp[0])


def test_one_gpu_and_frozen_models_send_nothing() -> None:
    assert exposed(plain(1e9), Layout("single", 1), 0.0) == 0
    assert exposed(replace(plain(1e9), trainable=0.0), Layout("ddp", 1, data=8), 0.0) == 0


def test_tensor_parallelism_reduces_four_outputs_a_layer_and_six_when_they_are_computed_again() -> None:
    none, _, full = transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16")
    ranks = group(Hardware(sheet("H100-80GB"), 8), 8)
    output = 8192 * 4096 * 2
    layout = Layout("3d", 1, tensor=8)
    assert exposed(none, layout, 1.0, "H100-80GB") == pytest.approx(32 * 4 * ranks.all_reduce(output))
    assert exposed(full, layout, 1.0, "H100-80GB") == pytest.approx(32 * 6 * ranks.all_reduce(output))


def test_tensor_parallelism_over_the_network_is_much_slower_than_inside_a_node() -> None:
    profile = transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16")[0]
    layout = Layout("3d", 1, tensor=8)
    inside, across = (exposed(profile, layout, 1.0, "A100-80GB", nodes) for nodes in (1, 2))
    assert across > 1.5 * inside


def test_a_thousand_gpus_cost_little_more_than_a_hundred() -> None:
    some, many = (
        exposed(plain(8e9, precision="amp-bf16"), Layout("fsdp", 1, data=gpus), 2.0, "H100-80GB", gpus // 8)
        for gpus in (128, 1024)
    )
    assert some <= many < some + 0.2

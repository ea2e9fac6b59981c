"""Wishes for GPUs: read exactly, or refused with the nearest names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.domain.accelerators import parse_accelerators
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import gpu_ids
from tradewind.domain.workload import Accelerators


@given(st.sampled_from(gpu_ids()), st.integers(1, 512), st.integers(0, 512))
def test_a_written_wish_is_read_back(gpu: str, low: int, more: int) -> None:
    assert parse_accelerators(f"{gpu}:{low}..{low + more}") == Accelerators(gpu, low, low + more)
    assert parse_accelerators(f" {gpu.lower()} : {low} ") == Accelerators(gpu, low, low)


def test_a_count_is_one_unless_said_and_any_leaves_the_gpu_open() -> None:
    assert parse_accelerators("T4") == Accelerators("T4", 1, 1)
    assert parse_accelerators("any:2..4") == Accelerators(None, 2, 4)


def test_a_shared_name_is_refused_with_its_meanings() -> None:
    with pytest.raises(BadInput) as caught:
        parse_accelerators("A100:8")
    assert caught.value.code == "gpu-ambiguous"
    assert caught.value.facts == {"name": "A100", "nearest": "A100-40GB, A100-80GB"}


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput) as caught:
        parse_accelerators("RTX-3900:1")
    assert caught.value.code == "gpu-unknown"
    assert "RTX-3090" in caught.value.facts["nearest"]


@pytest.mark.parametrize("count", ["", "0", "-1", "8..1", "1.5", "two", "1..", "..4", "1...4", "٣"])
def test_an_unreadable_count_is_refused(count: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_accelerators(f"T4:{count}")
    assert caught.value.code == "gpu-count-unreadable"

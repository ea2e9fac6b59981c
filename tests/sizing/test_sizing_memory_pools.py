"""What the allocator reserves under sharding, and what a loss over a split vocabulary holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sizing_makers import GI, LLAMA_8B, budget, plain

from tradewind.domain.profile import Amount, ModelProfile, Moment, Unit
from tradewind.sizing import Layout, transformer_profiles
from tradewind.sizing.closed_forms import narrow_moments

# torchtitan, benchmarks/llama3_h100_202412_torchtitan.md: GiB reserved at most, H100 96 GB, 8,192 tokens.
TORCHTITAN = [
    (Layout("fsdp", 2, data=8), False, 82.4),
    (Layout("fsdp", 2, data=128), False, 67.0),
    (Layout("fsdp", 2, data=128), True, 62.0),
]


def test_fsdp_reserves_gradients_beside_the_peak_of_activations() -> None:
    early = Moment("backward", Amount(0.0, 8 * GI), 0.0, 0.0)  # no gradient is alive at the peak
    units = (Unit("block", 4, GI / 4, GI / 4, Amount(0.0), Amount(0.0)),)
    held = budget(plain(moments=(early,), units=units), Layout("fsdp", 1, data=8))
    assert held.parts(1).gradients == pytest.approx(1)  # one block's, before it is spread
    apart = 4 / 8 + 4 / 4  # an eighth of all, and the copy of one block that is sent
    peak = held.peak(1)
    assert peak.reserved.value == pytest.approx((peak.allocated.value + apart) * 1.03 + 20 / 1024)


def test_the_replay_of_a_whole_model_says_nothing_of_its_shards() -> None:
    profile = replace(plain(sample=GI), reserved=((1, 2.0),))
    beyond = {
        strategy: budget(profile, Layout(strategy, 1, data=8)).peak(1).reserved.value
        - budget(replace(profile, reserved=()), Layout(strategy, 1, data=8)).peak(1).reserved.value
        for strategy in ("ddp", "fsdp")
    }
    assert beyond["ddp"] > 5
    assert beyond["fsdp"] == 0


@pytest.mark.parametrize(("layout", "compiled", "measured"), TORCHTITAN)
def test_reserved_memory_of_torchtitan_is_met(layout: Layout, compiled: bool, measured: float) -> None:
    profile = by_way("selective", 8192)
    held = budget(profile, layout, gpu="H100-96GB", compile=compiled)
    assert held.peak(2).reserved.value == pytest.approx(measured, rel=0.04)


def test_a_loss_over_a_split_vocabulary_holds_more_than_its_share() -> None:
    profile = by_way("full", 8192)
    alone, split = (budget(profile, Layout("3d", 1, tensor=t)) for t in (1, 8))
    logits = 8192 * 128256 / GI
    whole_input = 2 * 8192 * 4096 * 7 / 8 / GI
    more = split.parts(256).activations - alone.parts(256).activations / 8
    assert more == pytest.approx(256 * ((16 - 12) * logits / 8 + whole_input))


def test_a_trace_under_autocast_is_narrowed_as_the_closed_form_is() -> None:
    profile = by_way("full", 2048)
    traced = replace(profile, source="traced")
    closed, narrowed = narrow_moments(profile)[0], narrow_moments(traced)[0]
    assert narrowed.tensors.per_sample == pytest.approx(closed.tensors.per_sample, rel=0.02)
    assert narrowed.tensors.per_sample < 0.9 * profile.moments[0].tensors.per_sample
    assert narrow_moments(replace(traced, transformer=None)) == traced.moments


def by_way(checkpointing: str, tokens: int) -> ModelProfile:
    """Llama 3 8B under autocast to bf16."""
    made = transformer_profiles(LLAMA_8B, name="llama-3-8b", precision="amp-bf16", sequence=tokens)
    return next(each for each in made if each.activation_checkpointing == checkpointing)

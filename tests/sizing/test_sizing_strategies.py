"""Strategies: what each holds by hand, which is chosen, and that spreading never costs memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizing_makers import GI, LLAMA_8B, budget, plain, sheet

from tradewind.domain.errors import BadInput
from tradewind.domain.fit import Fit
from tradewind.domain.precision import Precision
from tradewind.domain.profile import Amount, ModelProfile, Unit
from tradewind.sizing import Hardware, Layout, Request, fit_on, size, transformer_profiles
from tradewind.sizing.request import degrees_of
from tradewind.sizing.stage import stages

# strategy, precision → GiB of weights, gradients, states for a GiB of parameters on 8 GPUs under AdamW, the unit a
# quarter of them. ZeRO: arXiv 1910.02054 §3.1 (16-bit weights and gradients, 12 bytes of fp32 weights and states).
HELD = [
    ("ddp", "fp32", 4, 8, 8),  # gradients once more in buckets
    ("ddp", "amp-bf16", 6, 8, 8),
    ("zero1", "amp-bf16", 2, 2, 12 / 8),
    ("zero2", "amp-bf16", 2, 2 / 8 + 2 / 4, 12 / 8),
    ("zero1", "fp32", 4, 4, 8 / 8),
    ("fsdp", "amp-bf16", 4 / 8 + 2 * 2 / 4, 4 / 8 + 2 / 4, 8 / 8),
    ("fsdp", "bf16-true", 2 / 8 + 2 * 2 / 4, 2 / 8 + 2 / 4, 4 / 8),
    ("fsdp-grad-op", "amp-bf16", 4 / 8 + 2, 4 / 8 + 2 / 4, 8 / 8),
]


@pytest.mark.parametrize(("strategy", "precision", "weights", "gradients", "states"), HELD)
def test_what_each_strategy_holds_by_hand(
    strategy: str, precision: str, weights: float, gradients: float, states: float
) -> None:
    held = budget(plain(sample=GI, precision=precision), Layout(strategy, 1, data=8))
    parts = held.parts(1)
    assert (parts.parameters, parts.gradients, parts.optimizer) == pytest.approx((weights, gradients, states))
    assert parts.runtime == pytest.approx(1.39 + 0.5)  # NCCL beside the context


def test_embedding_and_head_stay_gathered_beside_the_units() -> None:
    units = (
        Unit("embedding", 1, GI / 4, GI / 4, Amount(0.0), Amount(0.0)),
        Unit("block", 6, GI / 8, GI / 8, Amount(0.0), Amount(0.0)),
    )
    profile = plain(sample=GI, precision="bf16-true", units=units)
    parts = budget(profile, Layout("fsdp", 1, data=64)).parts(1)
    assert parts.parameters == pytest.approx(2 / 64 + 2 * (2 / 8 + 1 / 4))


def test_tensor_parallelism_splits_weights_and_tensors() -> None:
    profile = plain(sample=GI)
    alone, split = budget(profile).parts(2), budget(profile, Layout("3d", 2, tensor=4)).parts(2)
    assert split.parameters == pytest.approx(alone.parameters / 4)
    assert split.activations == pytest.approx(alone.activations / 4)
    assert split.optimizer == pytest.approx(alone.optimizer / 4)


def test_context_parallelism_splits_tensors_and_shards_the_rest() -> None:
    profile = plain(sample=GI, precision="bf16-true")
    parts = budget(profile, Layout("3d", 1, context=4)).parts(1)
    assert parts.activations == pytest.approx(1 / 4)
    assert parts.optimizer == pytest.approx(4 / 4)


def staged() -> ModelProfile:
    """Eight blocks, an embedding and a head that keeps a GiB of logits for each sample."""
    units = (
        Unit("embedding", 1, GI / 8, GI / 8, Amount(0.0), Amount(0.0)),
        Unit("block", 8, GI / 16, GI / 16, Amount(0.0, GI / 8), Amount(0.0, GI / 64)),
        Unit("head", 1, GI / 4, GI / 4, Amount(0.0, GI), Amount(0.0)),
    )
    return plain(GI / 8 + GI / 2 + GI / 4, 2.0 * GI, units=units)


def test_the_stages_of_a_pipeline_by_hand() -> None:
    first, middle, last = stages(staged(), Layout("3d", 1, accumulation=8, pipeline=4))
    assert [each.parameters / GI for each in (first, middle, last)] == pytest.approx([1 / 4, 1 / 8, 3 / 8])
    kept = [each.moments[0].tensors.per_sample / GI for each in (first, middle, last)]
    assert kept == pytest.approx([4 / 4, 2 / 4, 1 / 4 + 1])  # a GiB in blocks over 4 stages, 4, 2, 1 passes in flight
    fewer = next(iter(stages(staged(), Layout("3d", 1, accumulation=2, pipeline=4))))
    assert fewer.moments[0].tensors.per_sample == pytest.approx(GI / 2)  # no more in flight than there are passes


def test_full_checkpointing_keeps_inputs_of_blocks_in_a_pipeline() -> None:
    profile = replace(staged(), activation_checkpointing="full")
    first, *_ = stages(profile, Layout("3d", 1, accumulation=8, pipeline=4))
    assert first.moments[0].tensors.per_sample / GI == pytest.approx(8 / 64 / 4 * 4 + 1 / 8)


def fitted(request: Request, hardware: Hardware) -> Fit:
    found = fit_on(request, hardware)
    assert isinstance(found, Fit), found
    return found


def llama(**request: object) -> Request:
    profiles = transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16", sequence=4096)
    return Request(profiles, **{"batch_size": 64, "precision": Precision.AMP_BF16, **request})  # type: ignore[arg-type]


def test_the_simplest_strategy_that_holds_is_chosen() -> None:
    card = sheet("A100-80GB")
    small = Request((plain(1e8, 1e8),), 64)
    assert fitted(small, Hardware(card, 1)).strategy == "single"
    assert fitted(small, Hardware(card, 8)).strategy == "ddp"
    middle = Request((plain(4e9, 1e8),), 64)
    assert fitted(middle, Hardware(card, 8)).strategy == "zero1"
    assert fitted(llama(), Hardware(card, 8)).strategy == "fsdp"


def test_checkpointing_comes_when_nothing_else_holds() -> None:
    thrifty = fitted(llama(counts=(4, 4)), Hardware(sheet("H100-80GB"), 2))
    assert thrifty.activation_checkpointing in ("selective", "full")
    forbidden = fitted(llama(activation_checkpointing="none"), Hardware(sheet("H100-80GB"), 2))
    assert (forbidden.activation_checkpointing, forbidden.fits) == ("none", False)


def test_layers_are_split_when_no_unit_fits_one_gpu() -> None:
    huge = transformer_profiles(
        replace(LLAMA_8B, layers=126, hidden=16384, heads=128, ffn=53248), name="405b", precision="amp-bf16"
    )
    request = Request(huge, 64, precision=Precision.AMP_BF16)
    found = fitted(request, Hardware(sheet("H100-80GB"), 512, 64))
    assert found.fits
    assert found.strategy.startswith("tp=8,pp=")


def test_a_strategy_that_is_spelt_out_is_obeyed() -> None:
    found = fitted(llama(strategy="tp=4,pp=2,dp=2"), Hardware(sheet("H100-80GB"), 16, 2))
    assert found.strategy == "tp=4,pp=2,dp=2"
    assert found.micro_batch * found.grad_accumulation * 2 == 64
    assert fit_on(llama(strategy="tp=4,pp=2,dp=2"), Hardware(sheet("H100-80GB"), 8)) == "strategy-unsuited"
    assert fit_on(llama(strategy="single"), Hardware(sheet("H100-80GB"), 8)) == "strategy-unsuited"
    assert fit_on(llama(strategy="zero2"), Hardware(sheet("H100-80GB"), 1)) == "strategy-unsuited"


@pytest.mark.parametrize("strategy", ["tp=0", "tp=2,tp=4", "tp=2 pp=2", "zero3", ""])
def test_unreadable_strategies_are_bad_input(strategy: str) -> None:
    with pytest.raises(BadInput, match="strategy-unknown"):
        llama(strategy=strategy)


def test_a_way_of_checkpointing_that_was_not_profiled_is_not_guessed() -> None:
    request = Request((plain(),), 8, activation_checkpointing="full")
    assert fit_on(request, Hardware(sheet("A100-80GB"), 1)) == "checkpointing-unprofiled"


@settings(deadline=None, max_examples=60)
@given(
    batch=st.integers(1, 32).map(lambda n: 32 * n),
    micro=st.none() | st.sampled_from([1, 2, 4]),
    gpus=st.sampled_from([1, 2, 4, 8]),
    strategy=st.sampled_from(["auto", "ddp", "zero1", "fsdp", "tp=2", "tp=2,pp=2"]),
    way=st.sampled_from(["auto", "none", "selective", "full"]),
)
def test_what_is_given_is_obeyed_and_the_batch_is_kept(
    batch: int, micro: int | None, gpus: int, strategy: str, way: str
) -> None:
    request = llama(batch_size=batch, micro_batch=micro, strategy=strategy, activation_checkpointing=way,
                    gpus=(sheet("H100-80GB"),), counts=(gpus, gpus))  # fmt: skip
    for fit in size(request):
        assert fit.gpus == gpus
        assert micro is None or fit.micro_batch == micro
        assert way in ("auto", fit.activation_checkpointing)
        degrees = degrees_of(fit.strategy)
        ranks = gpus if degrees is None else degrees.data
        assert fit.micro_batch * fit.grad_accumulation * (ranks or 0) == batch
        if strategy in ("ddp", "zero1", "fsdp"):
            assert fit.strategy == strategy
        assert fit.fits == (fit.peak_memory_gib.device.high <= fit.gpu_memory_usable_gib)

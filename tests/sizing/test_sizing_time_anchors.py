"""What one measured step changes, and token by token generation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sizing_makers import LLAMA_7B, LLAMA_8B, plain, sheet

from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Transformer
from tradewind.sizing import Hardware, Layout, Request, presets
from tradewind.sizing.anchor import Anchor
from tradewind.sizing.anchors import anchored
from tradewind.sizing.closed_forms import transformer_profiles
from tradewind.sizing.generation import generates, token_time
from tradewind.sizing.timing import StepTime, step_time

SMALL, LARGE = sheet("A10"), sheet("A100-80GB")


def profile() -> ModelProfile:
    preset = presets.find("resnet50")
    assert preset is not None
    found = preset.profile(task="train", precision="amp-fp16")
    assert found is not None
    return found


PROFILE = profile()
REQUEST = Request((PROFILE,), precision=Precision.AMP_FP16, optimizer="sgd")


def said(gpu: Gpu, micro_batch: int = 64) -> StepTime:
    return step_time(PROFILE, REQUEST, Hardware(gpu, 1), Layout("single", micro_batch))


def after(gpu: Gpu, *anchors: Anchor) -> StepTime:
    return anchored(said(gpu), PROFILE, REQUEST, Hardware(gpu, 1), anchors)


def test_without_an_anchor_nothing_changes() -> None:
    assert after(SMALL) == said(SMALL)


def test_a_measured_step_is_repeated_on_its_own_card_and_narrows_the_range() -> None:
    slower = 1.3 * said(SMALL).seconds.value
    time = after(SMALL, Anchor(SMALL, 64, slower))
    assert time.seconds.value == pytest.approx(slower)
    assert sum(time.parts.values()) == pytest.approx(slower)
    plain_width = said(SMALL).seconds.high / said(SMALL).seconds.low
    assert time.seconds.high / time.seconds.low < plain_width


def test_the_anchor_may_have_another_micro_batch() -> None:
    time = after(SMALL, Anchor(SMALL, 16, 1.2 * said(SMALL, 16).seconds.value))
    assert time.seconds.value == pytest.approx(1.2 * said(SMALL).seconds.value)


def test_most_of_a_surprise_goes_with_the_model_to_another_card() -> None:
    time = after(LARGE, Anchor(SMALL, 64, 1.5 * said(SMALL).seconds.value))
    assert 1.3 < time.seconds.value / said(LARGE).seconds.value < 1.5


def test_an_anchor_on_the_same_card_is_taken_before_one_elsewhere() -> None:
    there = Anchor(LARGE, 64, 3 * said(LARGE).seconds.value)
    here = Anchor(SMALL, 64, said(SMALL).seconds.value)
    assert after(SMALL, there, here).seconds.value == pytest.approx(said(SMALL).seconds.value)


def test_a_measured_forward_pass_anchors_training() -> None:
    """The pass alone is a third of the step or so; what is said of it stays what it was when it is as expected."""
    alone = Anchor(SMALL, 64, said(SMALL).seconds.value / 3.4, trains=False)
    assert after(SMALL, alone).seconds.value == pytest.approx(said(SMALL).seconds.value, rel=0.25)
    slow = after(SMALL, replace(alone, seconds=2 * alone.seconds)).seconds.value
    assert 1.1 < slow / after(SMALL, alone).seconds.value < 1.5


# gpt-fast README (2024-09), A100-80GB at 330 W, one sequence: model, precision, GPUs, tokens/s.
GENERATED = [
    (LLAMA_7B, "bf16-true", 1, 104.9), (LLAMA_7B, "int8", 1, 155.58), (LLAMA_7B, "int4", 1, 196.8),
    (LLAMA_7B, "bf16-true", 2, 168.84), (LLAMA_7B, "bf16-true", 4, 254.02), (LLAMA_7B, "bf16-true", 8, 328.43),
    (LLAMA_8B, "bf16-true", 1, 93.89), (LLAMA_8B, "int8", 1, 137.64), (LLAMA_8B, "bf16-true", 8, 276.01),
]  # fmt: skip


def generated(
    dims: Transformer, precision: str, gpus: int = 1, sequences: int = 1, context: int = 128, gpu: str = "A100-80GB",
    compiled: bool = True,
) -> StepTime:  # fmt: skip
    made = transformer_profiles(dims, name="llama", task="infer", precision=precision)[0]
    asked = Request((made,), precision=Precision(precision), context=context, compile=compiled)
    layout = Layout("3d" if gpus > 1 else "single", sequences, tensor=gpus)
    return token_time(made, asked, Hardware(sheet(gpu), gpus), layout)


@pytest.mark.parametrize(("dims", "precision", "gpus", "measured"), GENERATED)
def test_measured_generation_is_near(dims: Transformer, precision: str, gpus: int, measured: float) -> None:
    time = generated(dims, precision, gpus)
    assert 1 / time.seconds.value == pytest.approx(measured, rel=0.12)
    assert time.seconds.low <= 1 / measured <= time.seconds.high
    assert sum(time.parts.values()) == pytest.approx(time.seconds.value)


def test_more_sequences_share_the_weights_until_arithmetic_bounds_them() -> None:
    one, many, most = (generated(LLAMA_8B, "bf16-true", sequences=count) for count in (1, 16, 512))
    assert many.seconds.value < 1.3 * one.seconds.value
    assert one.bottleneck == "memory-bandwidth"
    assert most.parts["matmul"] > 1.5 * one.parts["matmul"]


def test_keys_and_values_are_read_for_every_token() -> None:
    short, long = (generated(LLAMA_8B, "bf16-true", sequences=8, context=tokens) for tokens in (1024, 65536))
    assert long.parts["attention"] == pytest.approx(64 * short.parts["attention"])


def test_an_eager_engine_has_a_floor() -> None:
    tiny = replace(LLAMA_8B, layers=2, hidden=512, heads=8, kv_heads=8, head_size=64, ffn=1024, vocabulary=1000)
    assert generated(tiny, "bf16-true", compiled=False).seconds.value == pytest.approx(4e-3)
    assert generated(tiny, "bf16-true", compiled=False).bottleneck == "launch"


def test_a_mixture_reads_only_the_experts_that_are_called() -> None:
    dense = replace(LLAMA_8B, experts=1)
    mixture = replace(LLAMA_8B, experts=8, experts_active=2)
    once = generated(mixture, "int4").parts["matmul"] / generated(dense, "int4").parts["matmul"]
    crowd = [generated(mixture, "int4", sequences=count).parts["matmul"] for count in (1, 8, 64)]
    assert 1.2 < once < 2
    assert crowd == sorted(crowd)


def test_only_language_models_asked_for_inference_generate() -> None:
    made = transformer_profiles(LLAMA_8B, name="llama", task="infer", precision="bf16-true")[0]
    assert generates(made)
    assert not generates(replace(made, task="train"))
    assert not generates(plain())
    with pytest.raises(ValueError, match="does not generate"):
        token_time(plain(), Request((plain(),)), Hardware(SMALL, 1), Layout("single", 1))

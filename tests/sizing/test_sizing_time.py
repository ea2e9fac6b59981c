"""Step time: laws that hold for every card, terms by hand, and what was measured on real cards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizing_makers import LLAMA_8B, plain, sheet

from tradewind.domain.gpus import all_gpus
from tradewind.domain.precision import Precision
from tradewind.domain.profile import Amount, ModelProfile, Op
from tradewind.sizing import Hardware, Layout, Request, presets
from tradewind.sizing.closed_forms import transformer_profiles
from tradewind.sizing.timing import PARTS, StepTime, step_time

GPUS = [gpu for gpu in all_gpus() if gpu.bandwidth_gb_s and "fp16" in gpu.peak_tflops]


def resnet50(task: str = "train", precision: str = "amp-fp16") -> ModelProfile:
    found = presets.find("resnet50")
    assert found is not None
    profile = found.profile(task=task, precision=precision)
    assert profile is not None
    return profile


def timed(profile: ModelProfile, layout: Layout, hardware: Hardware | None = None, **request: object) -> StepTime:
    asked = Request((profile,), precision=Precision(profile.precision), **{"optimizer": "sgd", **request})  # type: ignore[arg-type]
    return step_time(profile, asked, hardware or Hardware(sheet("RTX-3090"), layout.gpus), layout)


def single(micro_batch: int) -> Layout:
    return Layout("single", micro_batch)


# Card, form, precision, images a GPU, channels last, img/s of one GPU. "dle": NVIDIA DeepLearningExamples, ConvNets
# README (2021); "lambda": Lambda deep-learning-benchmark, pytorch-train-throughput-{fp16,fp32}.csv (2023); "timm":
# results/benchmark-train-amp-{nchw,nhwc}-pt112-cu113-rtx3090.csv (2022).
RESNET50 = [
    ("A100-80GB", "SXM", "amp-fp16", 256, True, 2470.0),  # dle
    ("A100-80GB", "SXM", "tf32", 256, False, 938.0),  # dle
    ("V100-16GB", "SXM", "amp-fp16", 256, True, 1200.0),  # dle
    ("V100-16GB", "SXM", "fp32", 112, False, 367.0),  # dle
    ("A10", None, "amp-fp16", 448, False, 638.0),  # lambda
    ("A100-40GB", "PCIe", "amp-fp16", 720, False, 1396.0),  # lambda
    ("H100-80GB", "SXM", "amp-fp16", 1280, False, 2616.0),  # lambda
    ("H100-80GB", "PCIe", "tf32", 640, False, 1197.0),  # lambda
    ("RTX-6000-Ada", None, "amp-fp16", 928, False, 1146.0),  # lambda
    ("RTX-3090", None, "amp-fp16", 512, False, 826.06),  # timm
    ("RTX-3090", None, "amp-fp16", 512, True, 1218.01),  # timm
]


@pytest.mark.parametrize(("gpu", "form", "precision", "batch", "channels_last", "measured"), RESNET50)
def test_measured_resnet50_lies_in_the_range(
    gpu: str, form: str | None, precision: str, batch: int, channels_last: bool, measured: float
) -> None:
    profile = resnet50(precision=precision)
    time = timed(profile, single(batch), Hardware(sheet(gpu, form), 1), channels_last=channels_last).seconds
    assert time.low <= batch / measured <= time.high


def test_a_forward_pass_on_a_card_of_its_own_table_is_near() -> None:
    """ResNet-50 at 224, amp-fp16, 256 images, RTX 5090, eager: timm results/benchmark-infer-amp-nchw-pt291 (2025)."""
    eager = timed(resnet50("infer"), single(256), Hardware(sheet("RTX-5090"), 1))
    compiled = timed(resnet50("infer"), single(256), Hardware(sheet("RTX-5090"), 1), compile=True)
    assert compiled.seconds.value < eager.seconds.value
    assert 2500 < 256 / eager.seconds.value < 7000


# Images of a language model's tables: model dimensions are Llama 3.1 8B's. torchtitan benchmarks (2024-12, 8 × H100
# 96 GB HBM2e, FSDP2, selective checkpointing, 2 × 8192): 46,096 tok/s eager, 53,336 compiled. docs/performance.md
# (2024-04, 64 × A100-80GB, 1 × 8192): 190,272 tok/s.
LLAMA = [
    ("H100-96GB", 8, 2, False, 46_096.0),
    ("H100-96GB", 8, 2, True, 53_336.0),
    ("A100-80GB", 64, 1, False, 190_272.0),
]


@pytest.mark.parametrize(("gpu", "gpus", "micro_batch", "compiled", "measured"), LLAMA)
def test_measured_llama_lies_in_the_range(
    gpu: str, gpus: int, micro_batch: int, compiled: bool, measured: float
) -> None:
    profile = transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16")[1]
    layout = Layout("fsdp", micro_batch, data=gpus)
    hardware = Hardware(sheet(gpu), gpus, max(1, gpus // 8))
    time = timed(profile, layout, hardware, compile=compiled, optimizer="adamw").seconds
    assert time.low <= micro_batch * gpus * 8192 / measured <= time.high


@pytest.mark.parametrize("gpu", GPUS, ids=lambda gpu: f"{gpu.id} {gpu.form or ''}".strip())
@pytest.mark.parametrize("situation", ["nchw", "nhwc", "nchw compiled", "infer", "tokens"])
def test_every_card_has_a_time_and_its_parts_sum_to_it(gpu: object, situation: str) -> None:
    profile = resnet50("infer" if situation == "infer" else "train")
    if situation == "tokens":
        profile = transformer_profiles(LLAMA_8B, name="llama", precision="amp-fp16")[0]
    time = timed(
        profile, single(16), Hardware(gpu, 1),  # type: ignore[arg-type]
        channels_last="nhwc" in situation, compile="compiled" in situation,
    )  # fmt: skip
    assert set(time.parts) == set(PARTS)
    assert min(time.parts.values()) >= 0
    assert sum(time.parts.values()) == pytest.approx(time.seconds.value)
    assert time.seconds.low < time.seconds.value < time.seconds.high


@given(small=st.integers(1, 500), more=st.integers(1, 500), channels_last=st.booleans(), compiled=st.booleans())
def test_a_larger_micro_batch_takes_longer_and_costs_less_a_sample(
    small: int, more: int, channels_last: bool, compiled: bool
) -> None:
    one, two = (
        timed(resnet50(), single(size), channels_last=channels_last, compile=compiled).seconds.value
        for size in (small, small + more)
    )
    assert one < two * (1 + 1e-9)
    assert two / (small + more) < 1.05 * one / small  # the efficiency of arithmetic moves a little with intensity


@given(share=st.floats(0.1, 1.0))
def test_a_slice_takes_as_much_longer_as_it_is_smaller(share: float) -> None:
    whole, part = (timed(resnet50(), single(64), Hardware(sheet("A10"), gpus)).seconds.value for gpus in (1.0, share))
    assert part == pytest.approx(whole / share, rel=0.05)  # launches do not take longer


def test_a_profile_without_operations_takes_no_time_but_its_update() -> None:
    for compiled in (False, True):
        time = timed(replace(plain(1e9), ops=()), single(4), compile=compiled)
        assert time.seconds.value == time.parts["optimizer"] > 0
        assert timed(replace(plain(1e9), ops=(), trainable=0.0), single(4), compile=compiled).seconds.value == 0


def test_traffic_and_the_update_by_hand() -> None:
    """One operation that only moves bytes; SGD with momentum: weights and momentum read and written, gradients read."""
    ops = (Op("forward", "elementwise", "fp16", 1, Amount(0.0), Amount(0.0, 1e9)),)
    one, two = (timed(replace(plain(1e9), ops=ops), single(size), optimizer="sgd") for size in (1, 2))
    assert one.parts["optimizer"] == pytest.approx(1e9 * 20 / (0.8 * 936e9))
    assert two.parts["elementwise"] == pytest.approx(2 * one.parts["elementwise"])
    assert 0.5 < one.parts["elementwise"] / (1e9 / 936e9) < 4
    assert one.bottleneck == "memory-bandwidth"


def test_small_passes_are_bound_by_launches() -> None:
    time = timed(resnet50("infer"), single(1), Hardware(sheet("H100-80GB"), 1))
    assert time.bottleneck == "launch"
    assert timed(resnet50("infer"), single(2), Hardware(sheet("H100-80GB"), 1)).seconds.value < 1.1 * time.seconds.value


def test_a_slow_loader_is_the_bottleneck_and_its_rate_is_met() -> None:
    profile = resnet50()
    asked = Request((profile,), precision=Precision.AMP_FP16, optimizer="sgd")
    time = step_time(profile, asked, Hardware(sheet("RTX-3090"), 2), Layout("ddp", 64, data=2), loader=200.0)
    assert time.bottleneck == "data"
    assert time.seconds.value == pytest.approx(128 / 200)


def test_a_pipeline_of_p_stages_and_m_passes_waits_p_minus_1_passes() -> None:
    profile = transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16")[0]
    layout = Layout("3d", 1, accumulation=12, pipeline=4)
    parts = timed(profile, layout, Hardware(sheet("H100-80GB"), 4)).parts
    device = sum(parts[name] for name in ("conv", "matmul", "attention", "norm", "elementwise", "launch"))
    assert parts["bubble"] == pytest.approx(device / 12 * 3)


def test_checkpointing_costs_the_forward_pass_again() -> None:
    none, selective, full = (
        timed(profile, single(1), Hardware(sheet("H100-80GB"), 1)).seconds.value
        for profile in transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16")
    )
    assert none < selective < full
    assert 1.2 < full / none < 1.45


def test_a_traced_causal_model_pays_for_half_of_the_scores_that_its_trace_counts() -> None:
    closed = transformer_profiles(LLAMA_8B, name="llama", precision="amp-bf16")[0]
    hardware = Hardware(sheet("A100-80GB"), 1)
    once, half = (
        timed(each, single(1), hardware).parts["attention"] for each in (closed, replace(closed, source="traced"))
    )
    assert 0.4 < half / once < 0.7


def test_compiling_saves_less_in_training_than_in_a_forward_pass() -> None:
    infer, train = (
        timed(resnet50(task), single(64), compile=True).seconds.value / timed(resnet50(task), single(64)).seconds.value
        for task in ("infer", "train")
    )
    assert infer < train < 1


def test_a_card_with_more_of_everything_is_faster() -> None:
    times = [
        timed(resnet50(), single(64), Hardware(sheet(name), 1)).seconds.value for name in ("T4", "A10", "A100-80GB")
    ]
    assert times == sorted(times, reverse=True)

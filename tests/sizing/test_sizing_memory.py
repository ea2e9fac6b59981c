"""Peak memory: hand-computed budgets, laws, and what was measured on real cards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizing_makers import GI, LLAMA_7B, LLAMA_8B, TINY_LLAMA, budget, plain, sheet

from tradewind.domain.profile import Amount, Moment, Op
from tradewind.sizing import OPTIMIZERS, Budget, Hardware, Layout, Request, from_parameters, transformer_profiles

CUBLAS = 8.1 / 1024

# Bytes of weights, gradients and optimizer state of each parameter. Sources: PyTorch optimizers, bitsandbytes.
PERSISTENT = [
    ("fp32", "adamw", 4, 4, 8),
    ("fp32", "sgd", 4, 4, 4),
    ("fp32", "sgd-plain", 4, 4, 0),
    ("fp32", "adamw-8bit", 4, 4, 2 + 8 / 256),
    ("fp32", "adafactor", 4, 4, 0.02),
    ("tf32", "lion", 4, 4, 4),
    ("amp-bf16", "lamb", 6, 4, 8),  # autocast keeps a 16-bit copy beside the fp32 weights
    ("bf16-true", "adamw", 2, 2, 4),
]


@pytest.mark.parametrize(("precision", "optimizer", "weights", "gradients", "states"), PERSISTENT)
def test_bytes_a_parameter_by_precision_and_optimizer(
    precision: str, optimizer: str, weights: float, gradients: float, states: float
) -> None:
    parts = budget(plain(sample=GI, precision=precision), optimizer=optimizer).parts(1)
    assert (parts.parameters, parts.gradients, parts.optimizer) == pytest.approx((weights, gradients, states))


def test_the_budget_of_a_small_model_by_hand() -> None:
    profile = plain(GI / 16, GI / 64, buffers=GI / 1024)
    held = budget(profile)
    parts, peak = held.parts(32), held.peak(32)
    assert parts.activations == pytest.approx(0.5)  # 32 samples of 1/64 GiB
    assert parts.workspace == pytest.approx(CUBLAS)
    assert peak.allocated.value == pytest.approx(16 / 16 + 1 / 1024 + 0.5 + CUBLAS)
    assert peak.reserved.value == pytest.approx(peak.allocated.value * 1.03 + 20 / 1024)
    assert peak.device.value == pytest.approx(peak.reserved.value + 1.39)  # the context on an A100


def test_the_peak_is_the_highest_moment_whichever_the_batch_makes_it() -> None:
    early = Moment("backward", Amount(0.0, GI), 0.0, 0.0)  # many activations, no gradient yet
    late = Moment("backward", Amount(0.0, GI / 8), 0.0, 1.0)
    held = budget(plain(moments=(early, late)), optimizer="sgd-plain")
    assert held.parts(1).gradients == pytest.approx(4)
    assert held.parts(1).activations == pytest.approx(1 / 8)
    assert held.parts(8).gradients == 0
    assert held.parts(8).activations == pytest.approx(8)


def test_accumulation_keeps_the_gradients_of_earlier_passes() -> None:
    early = Moment("backward", Amount(0.0, GI), 0.0, 0.0)
    once, twice = Layout("single", 4), Layout("single", 4, accumulation=2)
    profile = plain(moments=(early,))
    assert budget(profile, once).parts(4).gradients == 0
    assert budget(profile, twice).parts(4).gradients == pytest.approx(4)


def test_an_fp32_convolution_asks_for_a_winograd_workspace() -> None:
    dims = (512, 512, 1, 3, 3, 1, 64, 128)
    wide = Op("forward", "conv", "fp32", 1, Amount(0.0, 1e9), Amount(0.0, 1e6), dims)
    profile = plain(GI / 16, GI / 64, ops=(wide,))
    workspace = budget(profile).parts(2).workspace - CUBLAS
    assert workspace == pytest.approx(4 * 36 * (2 * 16 * 32 * (512 + 512) + 512 * 512) / GI)
    pointwise = replace(wide, dims=(512, 512, 1, 1, 1, 1, 64, 128))
    assert budget(replace(profile, ops=(pointwise,))).parts(2).workspace == pytest.approx(CUBLAS)


def test_a_replay_of_the_allocator_says_what_is_reserved() -> None:
    replayed = plain(GI / 16, GI / 64, reserved=((16, 1.5), (32, 1.2), (64, 1.2)))
    held = budget(replayed)
    first = held.peak(16).reserved.value - held.peak(16).allocated.value
    second = held.peak(32).reserved.value - held.peak(32).allocated.value
    assert first == pytest.approx(0.5 * (12 / 16 + 0.25) + 20 / 1024)  # with gradients kept and one state, as replayed
    assert second == pytest.approx(first)  # what a smaller batch could not reuse, a larger one cannot either


def test_compiling_spares_activations_but_not_the_loss() -> None:
    eager, *_ = transformer_profiles(TINY_LLAMA, name="tiny", precision="bf16-true")
    loss = next(unit.saved.per_sample for unit in eager.units if unit.kind == "head")
    whole, spared = (budget(eager, compile=each).parts(4).activations for each in (False, True))
    assert whole - spared == pytest.approx(0.2 * (whole - 4 * loss / GI))


# parameters, batch, activations a sample, device GiB measured with the CUDA context. One A100-40GB PCIe, fp32, Adam.
# Source: itu-rad/GPUMemNet, Datasets/MLP/mlp_data_step2.csv (2025), nvidia-smi.
MEMNET = [
    (0.0022e6, 387, 128, 1.417),
    (0.2022e6, 442, 930, 1.421),
    (34.3501e6, 612, 57476, 2.169),
    (15.5461e6, 378, 23821, 1.761),
    (13.428e6, 105, 18987, 1.696),
]


@pytest.mark.parametrize(("parameters", "batch", "activations", "device_gib"), MEMNET)
def test_measured_mlp_memory_is_near(parameters: float, batch: int, activations: int, device_gib: float) -> None:
    """Output and input of each activation function are saved, in fp32."""
    profile = from_parameters(parameters, activation_bytes=8.0 * activations)
    hardware = Hardware(sheet("A100-40GB", "PCIe"), 1)
    held = Budget(profile, Request((profile,), optimizer="adam"), hardware, Layout("single", batch))
    device = held.peak(batch).device
    assert device.low <= device_gib <= device.high
    assert device.value == pytest.approx(device_gib, rel=0.06)


def test_measured_full_training_of_a_language_model_is_near() -> None:
    """TinyLlama 1.1B, bf16-true, AdamW, 4 × 2048 tokens on A100-40GB: 27.79 GiB allocated on one, 29.84 under DDP,
    20.61 under FSDP on eight.

    Source: Lightning-AI/litgpt, extensions/thunder/README.md (2024).
    """
    profile, *_ = transformer_profiles(TINY_LLAMA, name="tiny", precision="bf16-true")
    for layout, measured in (
        (Layout("single", 4), 27.79),
        (Layout("ddp", 4, data=8), 29.84),
        (Layout("fsdp", 4, data=8), 20.61),
    ):
        allocated = budget(profile, layout, "A100-40GB").peak(4).allocated
        assert allocated.low <= measured <= allocated.high
        assert allocated.value == pytest.approx(measured, rel=0.07)


# Llama 2 7B, LoRA of rank 8 on queries and values, bf16-true, sequences of 1304: sequences at once, GiB allocated.
# Source: Lightning-AI/litgpt, tutorials/resource-tables.md (2023), one A100-40GB.
@pytest.mark.parametrize(("adapter", "batch", "measured"), [("lora:8", 1, 19.84), ("lora:8", 2, 27.07)])
def test_measured_adapter_memory_is_near(adapter: str, batch: int, measured: float) -> None:
    profile, *_ = transformer_profiles(LLAMA_7B, name="l", precision="bf16-true", adapter=adapter, sequence=1304)
    assert profile.trainable == 4_194_304
    assert budget(profile, gpu="A100-40GB").peak(batch).allocated.value == pytest.approx(measured, rel=0.1)


def test_measured_memory_of_a_large_run_is_near() -> None:
    """Llama 3.1 8B, FSDP over 8 and 128 H100, full activation checkpointing or half of the products kept: reserved GiB.

    Source: pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md (2024).
    """
    profiles = transformer_profiles(LLAMA_8B, name="l", precision="amp-bf16")
    selective = next(each for each in profiles if each.activation_checkpointing == "selective")
    for gpus, measured in ((8, 82.4), (128, 67.0)):
        reserved = budget(selective, Layout("fsdp", 2, data=gpus), "H100-96GB").peak(2).reserved
        assert reserved.low <= measured <= reserved.high
    *_, full = transformer_profiles(LLAMA_8B, name="l", precision="amp-bf16", sequence=262144)
    spread = budget(full, Layout("3d", 1, context=8), "H100-96GB")
    assert spread.peak(1).reserved.value == pytest.approx(84.5, rel=0.1)


# Weights and cache of one sequence: GiB allocated while 50 tokens are generated, one A100-40GB.
# Source: Lightning-AI/litgpt, tutorials/resource-tables.md (2023); nf4 of bitsandbytes.
@pytest.mark.parametrize(("precision", "measured"), [("bf16-true", 12.59), ("int4", 4.26)])
def test_measured_generation_is_near(precision: str, measured: float) -> None:
    (profile,) = transformer_profiles(LLAMA_7B, name="l", task="infer", precision=precision, sequence=64)
    assert budget(profile, gpu="A100-40GB").peak(1).allocated.value == pytest.approx(measured, rel=0.08)


@pytest.mark.parametrize(("gpu", "usable"), [("T4", 14.56), ("A10", 22.5), ("RTX-3090", 23.69), ("V100-16GB", 15.76)])
def test_usable_memory_is_what_the_card_reports_less_a_margin(gpu: str, usable: float) -> None:
    assert budget(plain(), gpu=gpu).usable_gib == pytest.approx(usable * 0.97)


def test_a_slice_has_its_own_memory() -> None:
    profile = plain(1e6)
    part = Budget(profile, Request((profile,)), Hardware(sheet("A10"), 0.5, memory_gib=12.0), Layout("single", 1))
    assert part.usable_gib == pytest.approx(12 * 15 / 16 * 0.97)


@settings(deadline=None, max_examples=60)
@given(
    parameters=st.floats(1e3, 1e10),
    sample=st.floats(1e2, 1e9),
    fixed=st.floats(0, 1e8),
    reserved=st.lists(st.floats(1.0, 2.0), max_size=4),
    precision=st.sampled_from(["fp32", "amp-bf16", "bf16-true"]),
    optimizer=st.sampled_from(OPTIMIZERS),
    strategy=st.sampled_from(["ddp", "zero1", "zero2", "fsdp", "fsdp-grad-op"]),
    micro=st.integers(1, 512),
)
def test_laws_of_the_budget(
    parameters: float, sample: float, fixed: float, reserved: list[float], precision: str, optimizer: str,
    strategy: str, micro: int,
) -> None:  # fmt: skip
    profile = plain(parameters, sample, precision=precision)
    early = Moment("backward", Amount(fixed, 2 * sample), 0.0, 0.2)
    replay = tuple((4**power, ratio) for power, ratio in enumerate(reserved))
    profile = replace(profile, moments=(early, *profile.moments), reserved=replay)
    held = budget(profile, Layout(strategy, micro, data=8), optimizer=optimizer)
    parts, peak = held.parts(micro), held.peak(micro)
    lines = parts.parameters + parts.gradients + parts.optimizer + parts.activations + parts.workspace
    assert lines == pytest.approx(peak.allocated.value)
    assert peak.device.value == pytest.approx(peak.reserved.value + parts.runtime)
    assert peak.allocated.value <= peak.reserved.value <= peak.device.value
    more = held.peak(micro + 1)
    assert peak.device.low <= more.device.low * (1 + 1e-12)
    assert peak.device.value <= more.device.value * (1 + 1e-12)
    assert peak.device.high <= more.device.high * (1 + 1e-12)
    assert held.fits(micro) == (micro <= held.max_micro_batch())
    wider = budget(profile, Layout(strategy, micro, data=64), optimizer=optimizer)
    assert wider.peak(micro).allocated.value <= peak.allocated.value * (1 + 1e-9)
    whole = budget(profile, Layout("ddp", micro, data=8), optimizer=optimizer)
    assert peak.allocated.value <= whole.peak(micro).allocated.value * (1 + 1e-9)


def test_the_optimizers_step_is_a_moment_of_every_training() -> None:
    early = Moment("backward", Amount(0.0, GI), 0.0, 0.0)
    held = budget(plain(moments=(early,)))
    assert held.parts(1).gradients == pytest.approx(4)
    assert held.parts(1).activations == 0
    assert held.peak(1).allocated.high == pytest.approx(4 + 4 + 8 + 4 + CUBLAS)  # a foreach optimizer's temporaries


def test_operations_of_no_known_kind_widen_the_range_upwards() -> None:
    recurrent = Op("forward", "other", "fp32", 1, Amount(0.0), Amount(0.0, 1e6))
    usual, unsure = plain(GI / 16, GI / 64), plain(GI / 16, GI / 64, ops=(recurrent,))
    known, wide = budget(usual).peak(32).device, budget(unsure).peak(32).device
    assert (wide.low, wide.value) == (known.low, known.value)
    assert wide.high - known.high == pytest.approx(0.5 * 1.04 * 0.6 * 1.08)

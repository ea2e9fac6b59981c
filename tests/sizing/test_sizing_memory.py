"""Peak memory: hand-computed budgets, and what was measured on real cards."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.domain.fit import Fit, PeakMemory
from tradewind.domain.gpus import Gpu, data_sheet
from tradewind.domain.precision import Precision
from tradewind.sizing import OPTIMIZERS, Hardware, Request, fit_on

GI = 2**30


def sheet(name: str, form: str | None = None) -> Gpu:
    found = data_sheet(name, form)
    assert found is not None
    return found


def fitted(request: Request, hardware: Hardware) -> Fit:
    found = fit_on(request, hardware)
    assert isinstance(found, Fit), found
    return found


# One GiB of parameters makes the bytes a parameter readable as GiB. Sources: facts of each optimizer's state (PyTorch).
PERSISTENT = [
    (Precision.FP32, "adamw", 4, 4, 8),
    (Precision.FP32, "sgd", 4, 4, 4),
    (Precision.FP32, "sgd-plain", 4, 4, 0),
    (Precision.FP32, "adamw-8bit", 4, 4, 2),
    (Precision.TF32, "lion", 4, 4, 4),
    (Precision.AMP_BF16, "adamw", 6, 4, 8),  # autocast keeps a 16-bit copy beside the fp32 weights
    (Precision.BF16_TRUE, "adamw", 2, 2, 4),
]


@pytest.mark.parametrize(("precision", "optimizer", "weights", "gradients", "states"), PERSISTENT)
def test_bytes_a_parameter_by_precision_and_optimizer(
    precision: Precision, optimizer: str, weights: float, gradients: float, states: float
) -> None:
    request = Request(GI, 8, activation_bytes_per_sample=GI, precision=precision, optimizer=optimizer)
    parts = fitted(request, Hardware(sheet("A100-80GB"), 1)).memory_gib
    assert (parts.parameters, parts.gradients, parts.optimizer) == (weights, gradients, states)


def test_the_budget_of_a_small_model_by_hand() -> None:
    request = Request(GI / 16, 32, activation_bytes_per_sample=GI / 64, micro_batch=32, optimizer="adamw")
    fit = fitted(request, Hardware(sheet("A100-80GB"), 1))
    parts, peak = fit.memory_gib, fit.peak_memory_gib
    assert parts.activations == pytest.approx(0.5)  # 32 samples of 1/64 GiB, fp32
    assert parts.workspace == pytest.approx(8.1 / 1024 + 1 / 16)  # cuBLAS before Hopper, convolution
    assert peak.allocated.value == pytest.approx(1.0 + 0.5 + 8.1 / 1024 + 1 / 16)  # 16 bytes × 1/16 GiB, and the above
    assert peak.reserved.value == pytest.approx(peak.allocated.value * 1.04 + 0.02)
    assert peak.device.value == pytest.approx(peak.reserved.value + 0.5)


def test_a_16_bit_precision_halves_the_activations() -> None:
    wide = Request(1e6, 32, activation_bytes_per_sample=1e8)
    halved = replace(wide, precision=Precision.AMP_FP16)
    parts = [fitted(each, Hardware(sheet("T4"), 1)).memory_gib.activations for each in (wide, halved)]
    assert parts[1] == pytest.approx(parts[0] / 2)


def test_fsdp_shards_what_persists_and_ddp_adds_buckets() -> None:
    request = Request(GI, 8, activation_bytes_per_sample=1e6)
    ddp = fitted(replace(request, strategy="ddp"), Hardware(sheet("A100-80GB"), 8)).memory_gib
    fsdp = fitted(replace(request, strategy="fsdp"), Hardware(sheet("A100-80GB"), 8)).memory_gib
    assert (ddp.gradients, ddp.optimizer) == (8, 8)
    assert fsdp.optimizer == 1
    assert fsdp.gradients == pytest.approx(4 / 8 + 4 / 24)  # a shard, and one unsharded unit
    assert fsdp.parameters == pytest.approx(4 / 8 + 2 * 4 / 24)  # a shard, and two gathered units


# parameters, batch, activations a sample, device GiB measured with the CUDA context. One A100-40GB PCIe, fp32, Adam.
# Source: itu-rad/GPUMemNet, Datasets/MLP/mlp_data_step2.csv (2025), nvidia-smi.
MEMNET = [
    (0.0022e6, 387, 128, 1.417),
    (0.2022e6, 442, 930, 1.421),
    (34.3501e6, 612, 57476, 2.169),
    (3.033e6, 520, 7857, 1.507),
    (15.5461e6, 378, 23821, 1.761),
    (23.2891e6, 545, 39481, 1.917),
    (13.428e6, 105, 18987, 1.696),
    (20.3797e6, 437, 27734, 1.866),
]


def mlp(parameters: float, batch: int, activations: int) -> PeakMemory:
    """An MLP of the table; output and input of each activation function are saved."""
    saved = 8.0 * activations
    request = Request(parameters, batch, micro_batch=batch, activation_bytes_per_sample=saved, optimizer="adam")
    return fitted(request, Hardware(sheet("A100-40GB", "PCIe"), 1)).peak_memory_gib


@pytest.mark.parametrize(("parameters", "batch", "activations", "device_gib"), MEMNET)
def test_measured_mlp_memory_lies_in_the_range(
    parameters: float, batch: int, activations: int, device_gib: float
) -> None:
    device = mlp(parameters, batch, activations).device
    assert device.low <= device_gib <= device.high


@pytest.mark.parametrize(("parameters", "batch", "activations", "device_gib"), MEMNET[1:])
def test_measured_mlp_memory_grows_as_predicted(
    parameters: float, batch: int, activations: int, device_gib: float
) -> None:
    smallest = mlp(*MEMNET[0][:3]).reserved.value
    grown = mlp(parameters, batch, activations).reserved.value - smallest
    assert grown == pytest.approx(device_gib - MEMNET[0][3], rel=0.2, abs=0.03)


def test_measured_llm_memory_lies_in_the_range() -> None:
    """TinyLlama 1.1B, bf16-true, AdamW, 4 × 2048 tokens on one A100-40GB: 27.79 GiB allocated.

    Source: Lightning-AI/litgpt, extensions/thunder/README.md (2024).
    """
    request = Request(
        1.1e9, 4, flops_per_sample=2 * 1.1e9 * 2048, micro_batch=4, precision=Precision.BF16_TRUE, optimizer="adamw"
    )
    allocated = fitted(request, Hardware(sheet("A100-40GB"), 1)).peak_memory_gib.allocated
    assert allocated.low <= 27.79 <= allocated.high
    assert allocated.value == pytest.approx(27.79, rel=0.25)


def test_cards_with_inline_ecc_report_less_than_their_name() -> None:
    request = Request(1e6, 8)
    usable = {name: fitted(request, Hardware(sheet(name), 1)).gpu_memory_usable_gib for name in ("T4", "A10", "A30")}
    assert usable["T4"] == pytest.approx(15 * 0.97)
    assert usable["A10"] == pytest.approx(22.5 * 0.97)
    assert usable["A30"] == pytest.approx(24 * 0.985 * 0.97)


def test_a_slice_has_its_own_memory_and_is_never_used_with_others() -> None:
    request = Request(1e6, 8)
    part = fitted(request, Hardware(sheet("A10"), 0.5, memory_gib=12.0))
    assert part.gpu_memory_usable_gib == pytest.approx(12 * 15 / 16 * 0.97)
    assert part.strategy == "single"
    assert fit_on(request, Hardware(sheet("A10"), 0.5, nodes=2)) == "slice-alone"


@settings(deadline=None)
@given(
    parameters=st.floats(1e3, 1e10),
    batch=st.integers(1, 512),
    activation=st.none() | st.floats(1e2, 1e9),
    precision=st.sampled_from([Precision.FP32, Precision.AMP_BF16, Precision.BF16_TRUE]),
    optimizer=st.sampled_from(OPTIMIZERS),
    gpus=st.sampled_from([1, 2, 8]),
)
def test_laws_of_the_budget(
    parameters: float, batch: int, activation: float | None, precision: Precision, optimizer: str, gpus: int
) -> None:
    request = Request(
        parameters, batch * gpus, activation_bytes_per_sample=activation, precision=precision, optimizer=optimizer
    )
    fit = fitted(request, Hardware(sheet("A100-80GB"), gpus))
    parts, peak = fit.memory_gib, fit.peak_memory_gib
    lines = parts.parameters + parts.gradients + parts.optimizer + parts.activations + parts.workspace
    assert lines == pytest.approx(peak.allocated.value)
    assert peak.allocated.value <= peak.reserved.value <= peak.device.value
    assert peak.device.value == pytest.approx(peak.reserved.value + parts.runtime)
    assert fit.fits == (peak.device.high <= fit.gpu_memory_usable_gib + 1e-9)
    assert fit.micro_batch * fit.gpus * fit.grad_accumulation == request.batch_size
    if fit.max_micro_batch and fit.max_micro_batch * gpus < 10**9:
        over = fit.max_micro_batch + 1
        grown = replace(request, batch_size=over * gpus, micro_batch=over, strategy=fit.strategy)
        assert not fitted(grown, Hardware(sheet("A100-80GB"), gpus)).fits

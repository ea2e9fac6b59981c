"""Step time: hand-computed terms, and what was measured on real cards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tradewind.domain.fit import Fit
from tradewind.domain.gpus import Gpu, data_sheet
from tradewind.domain.precision import Precision
from tradewind.sizing import Hardware, Request, fit_on
from tradewind.sizing.links import all_reduce_seconds

FP16, TF32, FP32 = Precision.AMP_FP16, Precision.TF32, Precision.FP32


def sheet(name: str, form: str | None = None) -> Gpu:
    found = data_sheet(name, form)
    assert found is not None
    return found


def fitted(request: Request, hardware: Hardware) -> Fit:
    found = fit_on(request, hardware)
    assert isinstance(found, Fit), found
    return found


# GPU, form, precision, batch a GPU, img/s on one GPU. ResNet-50: 25.56 M parameters, 4.11 GMAC, 11.11 M layer outputs.
# Sources: "dle" NVIDIA DeepLearningExamples ConvNets README (2021); "lambda" Lambda deep-learning-benchmark
# pytorch-train-throughput-{fp16,fp32}.csv (2023); "timm" results/benchmark-train-amp-{nchw,nhwc}-…-rtx3090.csv (2022).
RESNET50 = [
    ("A100-80GB", "SXM", FP16, 256, 2470.0),  # dle
    ("A100-80GB", "SXM", TF32, 256, 938.0),  # dle
    ("V100-16GB", "SXM", FP16, 256, 1200.0),  # dle
    ("V100-16GB", "SXM", FP32, 112, 367.0),  # dle
    ("A10", None, FP16, 448, 638.0),  # lambda
    ("A100-40GB", "PCIe", FP16, 720, 1396.0),  # lambda
    ("H100-80GB", "SXM", FP16, 1280, 2616.0),  # lambda
    ("H100-80GB", "PCIe", TF32, 640, 1197.0),  # lambda
    ("RTX-6000-Ada", None, FP16, 928, 1146.0),  # lambda
    ("RTX-3090", None, FP16, 512, 826.06),  # timm, NCHW
    ("RTX-3090", None, FP16, 512, 1218.01),  # timm, NHWC
]


@pytest.mark.parametrize(("gpu", "form", "precision", "batch", "measured"), RESNET50)
@pytest.mark.parametrize("traced", [True, False])
def test_measured_resnet50_lies_in_the_range(
    gpu: str, form: str | None, precision: Precision, batch: int, measured: float, traced: bool
) -> None:
    saved = 11.2 * 11.11e6 if traced else None
    request = Request(
        25.56e6, batch, flops_per_sample=8.22e9, activation_bytes_per_sample=saved, precision=precision, optimizer="sgd"
    )
    rate = fitted(request, Hardware(sheet(gpu, form), 1)).throughput_per_second
    assert rate.low <= measured <= rate.high


def test_measured_llm_mfu_is_near() -> None:
    """MPT-1B, 2048 tokens, 8 × A100-80GB, amp-bf16: MFU 0.45 to 0.61 (p10 to p90), median 0.55.

    Source: mosaicml/llm-foundry, scripts/train/benchmarking/README.md (2023).
    """
    tokens = 2048
    saved = 2 * 34 * 2048 * 24 * tokens  # arXiv 2205.05198: 34 s b h a layer in 16 bit; h 2048, 24 layers; as fp32
    request = Request(
        1.3e9,
        256,
        flops_per_sample=2 * 1.3e9 * tokens,
        activation_bytes_per_sample=saved,
        precision=Precision.AMP_BF16,
        optimizer="lion",
    )
    assert fitted(request, Hardware(sheet("A100-80GB"), 8)).mfu == pytest.approx(0.55, abs=0.1)


def test_eight_gpus_are_as_much_faster_as_measured() -> None:
    """ResNet-50 AMP on 8 × V100-16GB SXM against one: 6.9 (dle, 2021), 7.4 times (lambda, 2023)."""
    saved = 11.2 * 11.11e6
    one = Request(25.56e6, 128, flops_per_sample=8.22e9, activation_bytes_per_sample=saved, precision=FP16)
    rates = [
        fitted(replace(one, batch_size=128 * count), Hardware(sheet("V100-16GB"), count)).throughput_per_second.value
        for count in (1, 8)
    ]
    assert 6.9 <= rates[1] / rates[0] <= 8.0


def test_the_step_of_a_large_model_by_hand() -> None:
    request = Request(1e9, 64, flops_per_sample=1e13, activation_bytes_per_sample=1e9, optimizer="sgd-plain")
    fit = fitted(request, Hardware(sheet("A100-80GB"), 1))
    arithmetic = 3 * 1e13 * 64 / (0.65 * 19.5e12)
    traffic = 10 * 1e9 * 64 / 2039e9
    update = 12 * 1e9 / (0.8 * 2039e9)  # weights read and written, gradients read
    assert fit.step_seconds.value == pytest.approx(arithmetic + traffic + update)
    assert fit.flops_per_step == 3 * 1e13 * 64
    assert fit.mfu == pytest.approx(fit.flops_per_step / fit.step_seconds.value / 19.5e12)
    assert fit.bottleneck == "compute"


def test_a_tiny_model_is_bound_by_launches() -> None:
    fit = fitted(Request(2e4, 64), Hardware(sheet("H100-80GB"), 1))
    assert fit.bottleneck == "launch"
    assert fit.step_seconds.value == pytest.approx(600 * 6.5e-6)


def test_half_a_gpu_takes_twice_as_long() -> None:
    request = Request(25e6, 64, flops_per_sample=8e9, activation_bytes_per_sample=1e8)
    whole = fitted(request, Hardware(sheet("A10"), 1)).step_seconds.value
    half = fitted(replace(request, micro_batch=64), Hardware(sheet("A10"), 0.5)).step_seconds.value
    assert half == pytest.approx(2 * whole)


def test_a_ring_all_reduce_by_hand() -> None:
    assert all_reduce_seconds(1, 1e9, 1e9, 1e-5) == 0
    assert all_reduce_seconds(4, 1e9, 1e9, 1e-5) == pytest.approx(6e-5 + 1.5)


def test_without_a_link_communication_takes_longer() -> None:
    request = Request(1e9, 8, activation_bytes_per_sample=1e6)
    linked = fitted(request, Hardware(sheet("V100-32GB", "SXM"), 8))
    plugged = fitted(request, Hardware(sheet("V100-32GB", "PCIe"), 8))
    assert plugged.step_seconds.value > 2 * linked.step_seconds.value
    assert plugged.bottleneck == "communication"

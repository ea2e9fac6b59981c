"""What a precision means in bytes and in peak arithmetic."""

from __future__ import annotations

from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision

P = Precision

# precision → kind of arithmetic on the data sheet. int8 and int4 are for inference: no entry, so training refuses them.
_KIND = {
    P.FP32: "fp32", P.TF32: "tf32", P.AMP_FP16: "fp16", P.AMP_BF16: "bf16",
    P.FP16_TRUE: "fp16", P.BF16_TRUE: "bf16", P.FP8: "fp8",
}  # fmt: skip

_TRUE_16 = frozenset({P.FP16_TRUE, P.BF16_TRUE})
_WIDE = frozenset({P.FP32, P.TF32})

# Bytes of optimizer state a parameter, over fp32 and over 16-bit weights (states then have the weights' type).
# SGD keeps a momentum; Adam, AdamW and LAMB two moments; Lion one; 8-bit AdamW two bytes; Adafactor rows and columns
# only. Sources: PyTorch optimizers, bitsandbytes and transformers manuals (2026); litgpt and torchtune tables agree.
_STATE = {
    "sgd": (4.0, 2.0), "sgd-plain": (0.0, 0.0), "adam": (8.0, 4.0), "adamw": (8.0, 4.0), "lamb": (8.0, 4.0),
    "adamw-8bit": (2.0, 2.0), "lion": (4.0, 2.0), "adafactor": (0.02, 0.02),
}  # fmt: skip


def peak_flops(gpu: Gpu, precision: Precision) -> float | None:
    """Dense peak of one GPU in FLOP/s at ``precision``; None when the GPU cannot compute in it, or training cannot."""
    kind = _KIND.get(precision)
    peak = gpu.peak_tflops.get(kind) if kind else None
    return peak * 1e12 if peak else None


def weight_bytes(precision: Precision) -> float:
    """Bytes of one trained weight, and of its gradient: 2 for ``*-true``, else 4."""
    return 2.0 if precision in _TRUE_16 else 4.0


def state_bytes(optimizer: str, precision: Precision) -> float:
    """Bytes of optimizer state of one parameter."""
    wide, narrow = _STATE[optimizer]
    return narrow if precision in _TRUE_16 else wide


def is_wide(precision: Precision) -> bool:
    """Whether activations are kept in 32 bits."""
    return precision in _WIDE


def is_autocast(precision: Precision) -> bool:
    """Whether fp32 weights are copied to a narrower type to compute."""
    return precision not in _WIDE and precision not in _TRUE_16


def compute_bytes(precision: Precision) -> float:
    """Bytes of one weight as the kernels read it."""
    return 4.0 if is_wide(precision) else 2.0


def capability(gpu: Gpu) -> float | None:
    """CUDA compute capability as a number; None for GPUs of other vendors."""
    text = gpu.compute_capability or ""
    return float(text) if text.replace(".", "", 1).isdigit() else None

"""What a precision means in bytes and in peak arithmetic."""

from __future__ import annotations

from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision
from tradewind.sizing.terms import Spread, term

P = Precision

# precision → kind of arithmetic on the data sheet. int4 weights are multiplied in 16 bit.
_KIND = {
    P.FP32: "fp32", P.TF32: "tf32", P.AMP_FP16: "fp16", P.AMP_BF16: "bf16", P.FP16_TRUE: "fp16",
    P.BF16_TRUE: "bf16", P.FP8: "fp8", P.INT8: "int8", P.INT4: "fp16",
}  # fmt: skip
_DTYPE = {**_KIND, P.INT4: "bf16"}
_STORED = {P.INT8: "int8", P.INT4: "int4", P.FP8: "fp8"}
_ONLY_INFERENCE = frozenset({P.INT8, P.INT4})
_TRUE_16 = frozenset({P.FP16_TRUE, P.BF16_TRUE})
_WIDE = frozenset({P.FP32, P.TF32})

# Optimizer state of one parameter in numbers of the weights' type: SGD keeps a momentum; Adam, AdamW and LAMB two
# moments; Lion one. 8-bit AdamW keeps two bytes whatever the type (plus an fp32 scale for 256); Adafactor rows and
# columns only. Sources: PyTorch optimizers, bitsandbytes and transformers manuals (2026).
_STATES = {"sgd": 1, "sgd-plain": 0, "adam": 2, "adamw": 2, "lamb": 2, "lion": 1, "adafactor": 0, "adamw-8bit": 0}
_STATE_BYTES = {"adamw-8bit": 2 + 8 / 256, "adafactor": 0.02}


def peak_flops(gpu: Gpu, precision: Precision, trains: bool = True) -> float | None:
    """Dense peak of one GPU in FLOP/s at ``precision``; None when the GPU cannot compute in it, or training cannot."""
    if trains and precision in _ONLY_INFERENCE:
        return None
    peak = gpu.peak_tflops.get(_KIND[precision])
    return peak * 1e12 if peak else None


def dtype_name(precision: Precision) -> str:
    """The type of the arithmetic, as operations of a profile name it."""
    return _DTYPE[precision]


def weight_bytes(precision: Precision) -> float:
    """Bytes of one trained weight, and of its gradient: 2 for ``*-true``, else 4."""
    return 2.0 if precision in _TRUE_16 else 4.0


def frozen_bytes(precision: Precision) -> float:
    """Bytes of one weight that is not trained: as it is stored to be read."""
    return stored_bytes(precision).value


def stored_bytes(precision: Precision) -> Spread:
    """The same with its range."""
    if stored := _STORED.get(precision):
        return term(stored)
    width = weight_bytes(precision)
    return Spread(width, width, width)


def state_bytes(optimizer: str, precision: Precision) -> float:
    """Bytes of optimizer state of one parameter."""
    return _STATE_BYTES.get(optimizer, 0.0) + _STATES[optimizer] * weight_bytes(precision)


def is_autocast(precision: Precision) -> bool:
    """Whether fp32 weights are copied to a narrower type to compute."""
    return precision in (P.AMP_FP16, P.AMP_BF16, P.FP8)


def compute_bytes(precision: Precision) -> float:
    """Bytes of one number as matrix products read it; int8, int4 and fp8 models keep 16-bit activations."""
    return 4.0 if precision in _WIDE else 2.0


def residual_bytes(precision: Precision) -> float:
    """Bytes of one number between the layers of a model: autocast leaves sums in fp32."""
    return 4.0 if precision in _WIDE or is_autocast(precision) else 2.0


def capability(gpu: Gpu) -> float | None:
    """CUDA compute capability as a number; None for GPUs of other vendors."""
    text = gpu.compute_capability or ""
    return float(text) if text.replace(".", "", 1).isdigit() else None


def is_wide(precision: Precision) -> bool:
    """Whether activations are kept in 32 bits."""
    return precision in _WIDE

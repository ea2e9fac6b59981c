"""The profile of a network that was traced beforehand, for one shape of the question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Op
from tradewind.sizing.arithmetic import dtype_name, frozen_bytes
from tradewind.sizing.presets import networks, scaling

_TRACED_IN = {  # one trace serves all precisions whose tensors are as large
    Precision.FP32: "fp32", Precision.TF32: "fp32", Precision.AMP_FP16: "amp-fp16", Precision.AMP_BF16: "amp-fp16",
    Precision.FP8: "amp-fp16", Precision.FP16_TRUE: "bf16-true", Precision.BF16_TRUE: "bf16-true",
    Precision.INT8: "bf16-true", Precision.INT4: "bf16-true",
}  # fmt: skip
_PRODUCTS = ("conv", "matmul", "attention")


def traced_profile(
    row: networks.Row,
    task: str,
    precision: Precision,
    activation_checkpointing: str,
    attention: str,
    image_size: tuple[int, int, int] | None,
    classes: int | None,
) -> ModelProfile | None:
    """The profile; None when this shape was not traced and does not follow from one that was."""
    phase, way = ("infer", "none") if task == "infer" else ("train", activation_checkpointing)
    stored = networks.variant(row.name, phase, _TRACED_IN[precision], way)
    if stored is None or not _follows(row, stored, attention, image_size, classes):
        return None
    _, height, width = image_size or (3, row.image_size, row.image_size)
    unfilled = ModelProfile(
        name=f"preset:{row.name}", source="traced", task=task, precision=precision, attention=attention,
        activation_checkpointing=way, parameters=0.0, trainable=0.0, active=0.0, buffers=0.0,
        frozen_bytes=frozen_bytes(precision), moments=(), ops=(),
    )  # fmt: skip
    profile = _in_precision(scaling.profile_at(stored, height * width, unfilled), precision)
    if classes is None or row.classes is None or row.head_inputs is None:
        return profile
    return scaling.with_classes(profile, row.head_inputs, row.classes, classes)


def _follows(
    row: networks.Row,
    stored: dict[str, Any],
    attention: str,
    image_size: tuple[int, int, int] | None,
    classes: int | None,
) -> bool:
    """Whether the shape asked for follows from the trace by arithmetic."""
    channels, height, width = image_size or (3, row.image_size, row.image_size)
    same_attention = attention != "eager" or not stored["fused"]
    same_size = height * width == stored["pixels"][0] or len(stored["pixels"]) == 2
    same_classes = classes in (None, row.classes) or row.head_inputs is not None
    return channels == 3 and same_attention and same_size and same_classes


def _in_precision(profile: ModelProfile, precision: Precision) -> ModelProfile:
    """The profile with its 16-bit operations in the type asked for; products in that of the precision's arithmetic."""
    half = "fp16" if "fp16" in precision else "bf16"

    def dtype(op: Op) -> str:
        product = op.kind in _PRODUCTS
        if op.dtype == "fp32":
            return "tf32" if product and precision == Precision.TF32 else "fp32"
        return dtype_name(precision) if product else half

    return replace(profile, ops=tuple(replace(op, dtype=dtype(op)) for op in profile.ops))

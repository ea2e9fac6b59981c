"""The one enumeration of precisions, used by size, job files and recipes alike."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """``amp-*`` is autocast over fp32 weights; ``*-true`` means the weights have that type."""

    FP32 = "fp32"
    TF32 = "tf32"
    AMP_FP16 = "amp-fp16"
    AMP_BF16 = "amp-bf16"
    FP16_TRUE = "fp16-true"
    BF16_TRUE = "bf16-true"
    FP8 = "fp8"
    INT8 = "int8"
    INT4 = "int4"


ALIASES = {"fp16": Precision.AMP_FP16, "bf16": Precision.AMP_BF16}


def parse_precision(text: str) -> Precision:
    """The precision that ``text`` names; ``fp16`` and ``bf16`` mean ``amp-*``.

    Raises:
        ValueError: no such precision.
    """
    word = text.strip().lower()
    return ALIASES.get(word) or Precision(word)

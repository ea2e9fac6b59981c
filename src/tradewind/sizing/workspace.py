"""Workspace that libraries ask of the allocator: cuBLAS for each handle, cuDNN for the largest convolution."""

from __future__ import annotations

from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Op
from tradewind.sizing.arithmetic import capability
from tradewind.sizing.memo import once
from tradewind.sizing.terms import GIB, MIB, term

HOPPER = 9.0
_TILE, _TRANSFORMED = 4, 36  # outputs a side of a Winograd tile F(4×4, 3×3), and numbers of each transformed tile


def cublas_bytes(gpu: Gpu) -> float:
    """Of one handle on one stream."""
    return term("cublas-hopper" if (capability(gpu) or 0.0) >= HOPPER else "cublas").value * MIB


def convolution(profile: ModelProfile, precision: Precision) -> tuple[tuple[float, float], ...]:
    """(bytes, bytes a sample) of cuDNN's workspace at the low end, the value and the high end."""
    tensor_cores = term("cudnn-tensor-cores")
    if profile.source == "parameters":  # may have convolutions or not
        return ((0.0, 0.0), (0.0, 0.0), (tensor_cores.high * GIB, 0.0))
    largest = _largest(profile)
    if largest is None:
        return ((0.0, 0.0),) * 3
    if precision is not Precision.FP32:
        return tuple((each * GIB, 0.0) for each in tensor_cores)
    return tuple((largest[0] * each, largest[1] * each) for each in term("cudnn-tiles"))


@once
def _largest(profile: ModelProfile) -> tuple[float, float] | None:
    """(bytes, bytes a sample) of the convolution that asks for most; None when there is no convolution."""
    asked = {_winograd(op) for op in profile.ops if op.kind == "conv"}
    return max(asked, key=lambda each: each[1], default=None)


def _winograd(op: Op) -> tuple[float, float]:
    """(bytes, bytes a sample) for a 3×3 convolution of stride 1 that is not grouped; nothing for others."""
    channels_in, channels_out, groups, height, width, stride, rows, columns = op.dims
    if (height, width, stride, groups) != (3, 3, 1, 1):
        return 0.0, 0.0
    tiles = -(-rows // _TILE) * -(-columns // _TILE)
    return 4.0 * _TRANSFORMED * channels_in * channels_out, 4.0 * _TRANSFORMED * tiles * (channels_in + channels_out)

"""The work of a profile by class of operation, and what it asks of a GPU.

Operations are gathered into *loads*: one for each class and octave of arithmetic intensity, so that a model of a
thousand operations becomes some fifty rows, once. On a GPU each load asks for *resources*, in seconds at the data
sheet's rates: arithmetic (split by intensity relative to the ridge of the roofline), memory traffic, last waves that
leave multiprocessors idle, kernels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from tradewind.domain.profile import Amount, Op
from tradewind.sizing.chips import Rates

# Points of intensity ÷ ridge between which the efficiency of arithmetic is interpolated (base-2 logarithm).
KNOTS = (-2.0, 0.0, 2.0)
_ARITHMETIC = frozenset({"conv", "matmul", "attention"})
_TILE = 128  # rows and columns of the usual output tile of a matrix product: cuBLAS and CUTLASS documentation (2024)
_ALIGNED = 8  # channels in 16 bit that tensor cores take at once; others are padded or fall back: NVIDIA, Deep Learning
#               Performance documentation, "Tensor Core requirements" (2023)


class Load(NamedTuple):
    """Like operations of one phase: ``kernels`` of them, their ``flops``, ``bytes`` and output ``tiles`` in all."""

    phase: str
    group: str
    dtype: str
    kernels: int
    flops: Amount
    bytes: Amount
    tiles: Amount


def gather(ops: Iterable[Op], attention: float = 1.0) -> tuple[Load, ...]:
    """Loads of ``ops``: those of one phase, class, type and octave of intensity together; the optimizer's left out.

    ``attention``: share of the FLOPs of fused attention that is computed.
    """
    groups: dict[tuple[str, str, str, int], list[float]] = {}
    for op in ops:
        if op.phase == "step":
            continue
        key = (op.phase, _group(op), op.dtype, _octave(op))
        sums = groups.setdefault(key, [0.0] * 7)
        tiles, padding = _tiles(op), attention if op.kind == "attention" else _padding(op)
        amounts = (op.flops.fixed * padding, op.flops.per_sample * padding, *op.bytes, *tiles)
        sums[0] += op.count
        for at, amount in enumerate(amounts, start=1):
            sums[at] += op.count * amount
    return tuple(
        Load(phase, group, dtype, int(s[0]), Amount(s[1], s[2]), Amount(s[3], s[4]), Amount(s[5], s[6]))
        for (phase, group, dtype, _), s in groups.items()
    )


def resources(load: Load, micro_batch: float, rates: Rates) -> Iterator[tuple[str, float]]:
    """Name and seconds (at the data sheet's rates) of each resource that ``load`` asks for."""
    names = _names(load.phase, load.group)
    traffic = load.bytes.at(micro_batch) / rates.bandwidth
    yield names.bytes, traffic
    yield names.kernels, load.kernels * 1e-6
    peak = rates.flops.get(load.dtype) if names.arithmetic else None
    arithmetic = load.flops.at(micro_batch) / peak if peak else 0.0
    if arithmetic > 0 and traffic > 0:
        for knot, share in _hats(math.log2(arithmetic / traffic)):
            yield names.flops[knot], arithmetic * share
        idle = load.kernels * rates.multiprocessors / max(load.tiles.at(micro_batch), load.kernels)
        yield names.wave, arithmetic * min(1.0, idle)


class _Names(NamedTuple):
    """What the resources of one class of operation are called."""

    bytes: str
    flops: tuple[str, ...]
    wave: str
    kernels: str
    arithmetic: bool


@cache
def _names(phase: str, group: str) -> _Names:
    first, kind = phase[0], group.partition(" ")[0]
    flops = tuple(f"{first} {group} flops{knot:+.0f}" for knot in KNOTS)
    return _Names(f"{first} {group} bytes", flops, f"{first} wave", f"{first} kernels", kind in _ARITHMETIC)


def _hats(at: float) -> tuple[tuple[int, float], ...]:
    """The numbers of the knots around ``at`` and the share of each."""
    if at <= KNOTS[0]:
        return ((0, 1.0),)
    for number, (low, high) in enumerate(pairwise(KNOTS)):
        if at <= high:
            share = (at - low) / (high - low)
            return ((number, 1 - share), (number + 1, share))
    return ((len(KNOTS) - 1, 1.0),)


def _group(op: Op) -> str:
    if op.kind == "conv" and op.dims:
        channels, _, groups, height, width = op.dims[:5]
        if groups > 1:
            return "conv depthwise" if channels <= groups else "conv grouped"
        if channels <= 4:
            return "conv stem"
        return "conv point" if height * width == 1 else "conv spatial"
    if op.kind == "matmul" and op.dims and (op.dims[4] or op.dims[5] > 1):
        return "matmul batched"
    if op.kind == "matmul" and op.dtype in ("fp8", "int8"):
        return "matmul narrow"
    wide = op.kind in ("elementwise", "norm", "copy") and op.dtype == "fp32"
    return f"{op.kind} wide" if wide else op.kind


def _octave(op: Op) -> int:
    flops, moved = op.flops.at(64), op.bytes.at(64)
    if op.kind not in _ARITHMETIC or flops <= 0 or moved <= 0:
        return 0
    return round(math.log2(flops / moved))


def _padding(op: Op) -> float:
    """Work done over work asked for, where channels or columns do not fill the tensor cores' rows."""
    if op.kind == "conv" and op.dims:
        groups = max(op.dims[2], 1)
        return 1.0 if groups > 1 else _over(op.dims[0]) * _over(op.dims[1])
    if op.kind == "matmul" and op.dims:
        return _over(op.dims[2]) * _over(op.dims[3])
    return 1.0


def _over(size: int) -> float:
    return math.ceil(size / _ALIGNED) * _ALIGNED / size if size > 0 else 1.0


def _tiles(op: Op) -> Amount:
    """Output tiles of one execution; for an operation of unknown shape as if it filled the GPU."""
    if not op.dims:
        return Amount(0.0, 1e4)
    if op.kind == "conv":
        columns, groups, area = op.dims[1], max(op.dims[2], 1), op.dims[6] * op.dims[7]
        return Amount(0.0, area / _TILE * max(columns / groups / _TILE, 1.0) * groups)
    if op.kind == "matmul":
        grow, fixed, columns, _, batched, fixed_batched = op.dims[:6]
        across = max(columns / _TILE, 1.0)
        if batched:
            return Amount(0.0, batched * max(fixed / _TILE, 1.0) * across)
        return Amount(max(fixed_batched, 1) * max(fixed / _TILE, 1.0) * across if fixed else 0.0, grow / _TILE * across)
    if op.kind == "attention":
        heads, queries = op.dims[:2]
        return Amount(0.0, heads * max(queries / _TILE, 1.0))
    return Amount(0.0)

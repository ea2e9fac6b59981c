"""Operations: what one call of an operator computes and moves, as far as its time depends on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, NamedTuple

import torch

from tradewind.domain.profile import Amount
from tradewind.tracing.operators_data import FREE, KINDS

aten = torch.ops.aten
Tensors = Sequence[torch.Tensor]


class Signature(NamedTuple):
    """Kind, arithmetic and size of one operation; see ``domain.profile.Op``."""

    kind: str
    dtype: str
    dims: tuple[int, ...]
    flops: Amount
    bytes: Amount


_NAMES = {
    torch.float16: "fp16", torch.bfloat16: "bf16", torch.float64: "fp64", torch.float8_e4m3fn: "fp8",
    torch.int8: "int8",
}  # fmt: skip


def signatures(func: Any, args: Any, kwargs: Any, outputs: Tensors, batch: int, precision: str) -> list[Signature]:
    """What ``func`` did on ``args`` giving ``outputs``; empty when nothing moves.

    Args:
        batch: the prime number of samples; sizes that it divides grow with the samples.
        precision: name of float32 arithmetic in matrix products and convolutions.
    """
    kind = _kind(func)
    if kind is None or not outputs:
        return []
    measure = _Measure(batch, precision)
    special = _PRODUCTS.get(_name(func))
    if special is not None:
        return special(measure, args, outputs)
    inputs = [tensor for tensor in _flat((args, tuple(kwargs.values()))) if tensor.dim()]
    dtype = next((t.dtype for t in (*inputs, *outputs) if t.is_floating_point()), torch.float32)
    return [Signature(kind, _NAMES.get(dtype, "fp32"), (), Amount(0.0), measure.bytes(*inputs, *outputs))]


@cache
def _name(func: Any) -> str:
    return str(func._schema.name).split("::")[1]


@cache
def _kind(func: Any) -> str | None:
    """The kind of an operator; None when it moves nothing."""
    name = _name(func)
    if func.is_view or name in FREE or name.startswith("sym_") or func.namespace == "prim":
        return None
    if name in _PRODUCTS:
        return "matmul"
    known = KINDS.get(name)
    if known:
        return known
    pointwise = torch.Tag.pointwise in func.tags or name.endswith(("_backward", "_"))
    return "elementwise" if pointwise else "other"


def _flat(values: Any) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += _flat(value)
    return found


class _Measure:
    """Sizes at the traced batch, as amounts in the micro-batch."""

    def __init__(self, batch: int, precision: str) -> None:
        self.batch = batch
        self._precision = precision

    def dtype(self, tensor: torch.Tensor) -> str:
        return _NAMES.get(tensor.dtype, self._precision)

    def amount(self, size: float) -> Amount:
        return Amount(float(size)) if size % self.batch else Amount(0.0, size / self.batch)

    def bytes(self, *tensors: torch.Tensor) -> Amount:
        """Bytes of the tensors; an expanded dimension is read once."""
        fixed = per_sample = 0.0
        for tensor in tensors:
            elements = prod(n for n, stride in zip(tensor.shape, tensor.stride(), strict=True) if stride or n == 0)
            size = self.amount(elements * tensor.element_size())
            fixed, per_sample = fixed + size.fixed, per_sample + size.per_sample
        return Amount(fixed, per_sample)

    def product(self, kind: str, dims: tuple[int, ...], macs: int, *tensors: torch.Tensor) -> Signature:
        return Signature(kind, self.dtype(tensors[0]), dims, self.amount(2 * macs), self.bytes(*tensors))

    def matmul(self, batches: int, rows: int, inner: int, columns: int, *tensors: torch.Tensor) -> Signature:
        """A product of (batches, rows, inner) and (batches, inner, columns)."""
        macs = batches * rows * inner * columns
        if rows % self.batch and columns % self.batch == 0:
            rows, columns = columns, rows
        grown = self.batch
        if batches % grown == 0:
            dims = (0, rows, columns, inner, batches // grown, 0)
        elif rows % grown == 0:
            dims = (rows // grown, 0, columns, inner, 0, batches)
        else:
            dims = (0, rows, columns, inner // grown if inner % grown == 0 else inner, 0, batches)
        return self.product("matmul", dims, macs, *tensors)


def _mm(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    left, right = args[-2:] if len(args) > 2 else args[:2]
    extra = args[:1] if len(args) > 2 else ()
    (rows, inner), columns = left.shape, right.shape[1]
    return [measure.matmul(1, rows, inner, columns, left, right, *extra, *outputs)]


def _bmm(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    left, right = args[-2:] if len(args) > 2 else args[:2]
    (batches, rows, inner), columns = left.shape, right.shape[2]
    return [measure.matmul(batches, rows, inner, columns, left, right, *outputs)]


def _grouped(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    """Rows sorted by expert, each times its expert's matrix; for weights' gradients rows are what is summed over."""
    left, right = args[:2]
    (rows, inner), columns = left.shape, right.shape[-1]
    return [measure.matmul(1, rows, inner, columns, left, right, *outputs)]


def _grouped_backward(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    gradient, source, weight = args[:3]
    (rows, columns), inner = gradient.shape, source.shape[1]
    return [
        measure.matmul(1, rows, columns, inner, gradient, weight, outputs[0]),
        measure.matmul(1, inner, rows, columns, source, gradient, outputs[1]),
    ]


def _convolution(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    source, weight, _, stride, _, _, transposed, _, groups = args[:9]
    small, large = (source, outputs[0]) if transposed else (outputs[0], source)
    dims, macs = _convolution_size(weight, stride, groups, small, large)
    return [measure.product("conv", dims, macs, source, weight, *outputs)]


def _convolution_backward(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    """The gradients of the input and of the weight are each as much arithmetic as the convolution itself."""
    gradient, source, weight, _, stride, _, _, transposed, _, groups = args[:10]
    small, large = (source, gradient) if transposed else (gradient, source)
    dims, macs = _convolution_size(weight, stride, groups, small, large)
    wanted = args[10]
    first = [measure.product("conv", dims, macs, gradient, weight, source)] if wanted[0] else []
    second = [measure.product("conv", dims, macs, gradient, source, weight)] if wanted[1] else []
    return first + second


def _convolution_size(
    weight: torch.Tensor, stride: Sequence[int], groups: int, small: torch.Tensor, large: torch.Tensor
) -> tuple[tuple[int, ...], int]:
    """Dimensions, and multiply-adds, of the convolution from ``large`` to ``small``; one in time is one in height 1."""
    kernel = tuple(weight.shape[2:])
    size = tuple(small.shape[2:])
    macs = small.shape[0] * prod(size) * weight.numel()
    if len(kernel) == 3:  # time counts as height
        kernel, size = (kernel[0] * kernel[1], kernel[2]), (size[0] * size[1], size[2])
    kernel, size = (1, *kernel)[-2:], (1, *size)[-2:]
    return (large.shape[1], small.shape[1], groups, *kernel, stride[-1], *size), macs


def _recurrent(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    """A layer of an LSTM or GRU: its rows times both weights, one step after the other."""
    source, inputs, hidden = args[:3]
    rows, gates, inner = source.numel() // source.shape[-1], inputs.shape[0], inputs.shape[1] + hidden.shape[1]
    return [measure.matmul(1, rows, inner, gates, source, inputs, hidden, *outputs[:1])]


def _recurrent_backward(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    return 2 * _recurrent(measure, args, outputs)


def _attention(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    query, key, value = args[:3]
    return [_attention_signature(measure, query, key, value, 2, (query, key, value, outputs[0]))]


def _attention_backward(measure: _Measure, args: Any, outputs: Tensors) -> list[Signature]:
    """Five products where the forward pass has two: scores again, and gradients of value, scores, query and key."""
    gradient, query, key, value = args[:4]
    return [_attention_signature(measure, query, key, value, 5, (gradient, query, key, value, args[5], *outputs[:3]))]


def _attention_signature(
    measure: _Measure, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, products: int, moved: Tensors
) -> Signature:
    batch, heads, length, size = query.shape
    macs = products * batch * heads * length * key.shape[2] * (size + value.shape[-1]) // 2
    return measure.product("attention", (heads, length, key.shape[2], size), macs, *moved)


_PRODUCTS: dict[str, Callable[[_Measure, Any, Tensors], list[Signature]]] = {
    "mm": _mm, "addmm": _mm, "_addmm_activation": _mm, "bmm": _bmm, "baddbmm": _bmm,
    "_grouped_mm": _grouped, "grouped_mm_fallback": _grouped, "grouped_mm_fallback_backward": _grouped_backward,
    "mkldnn_rnn_layer": _recurrent, "mkldnn_rnn_layer_backward": _recurrent_backward,
    "convolution": _convolution, "convolution_backward": _convolution_backward,
    "attention": _attention, "attention_backward": _attention_backward,
}  # fmt: skip

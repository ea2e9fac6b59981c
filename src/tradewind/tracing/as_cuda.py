"""Makes CPU tensors behave as CUDA's would: which types autocast chooses, what dropout and attention keep.

The kernels are in place during a trace only. They act on fake tensors: nothing is computed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

aten = torch.ops.aten
HALVES = (torch.float16, torch.bfloat16)

# CUDA's autocast, as "CUDA Ops that can autocast to float32" of PyTorch's documentation names them (2.13, 2026-11);
# those that CPU's autocast casts as well need no kernel here.
TO_FLOAT32 = (
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2", "log1p", "reciprocal", "rsqrt", "sinh",
    "tan", "pow", "softplus", "layer_norm", "native_layer_norm", "rms_norm", "group_norm", "cosine_similarity",
    "l1_loss", "smooth_l1_loss", "soft_margin_loss", "binary_cross_entropy_with_logits", "dist", "pdist", "renorm",
    "logsumexp",
    "cumprod", "cumsum", "linalg_vector_norm", "sum", "norm", "upsample_nearest1d", "upsample_nearest2d",
    "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d",
)  # fmt: skip
TO_HALF = ("prelu",)
_SOFTMAX = {"softmax": "_softmax", "log_softmax": "_log_softmax"}  # they read the half and write float32

_ours = torch.library.Library("tradewind", "DEF")


@contextmanager
def behaviour(attention: str) -> Iterator[None]:
    """CUDA's behaviour for a while; real tensors must not be computed with meanwhile.

    Args:
        attention: what ``scaled_dot_product_attention`` is: ``eager``, else fused.
    """
    _define_attention()
    with torch.library._scoped_library("aten", "IMPL") as library, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Warning only once for all operators")  # some are CPU's own
        for operator, key, kernel in _kernels(attention):
            name, overload = operator._schema.name.removeprefix("aten::"), operator._schema.overload_name
            library.impl(f"{name}.{overload}" if overload else name, kernel, key)
        yield


def _kernels(attention: str) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
    """(operator, dispatch key, kernel) of all that differs."""
    for name in TO_FLOAT32:
        packet = getattr(aten, name)
        for operator in (getattr(packet, overload) for overload in packet.overloads() if "out" not in overload):
            yield operator, "AutocastCPU", _casting(operator, torch.float32)
    for name in TO_HALF:
        operator = getattr(aten, name).default
        yield operator, "AutocastCPU", _casting(operator, None)
    for name, fused in _SOFTMAX.items():
        operator = getattr(aten, name).int
        yield operator, "AutocastCPU", _softmax(operator, getattr(aten, fused).default)
    yield aten.dropout.default, "AutogradCPU", _dropout
    yield aten._grouped_mm.default, "Meta", _grouped_mm
    yield aten.scaled_dot_product_attention.default, "AutogradCPU", partial(_scaled_dot_product_attention, attention)


def _without_autocast() -> Any:
    return torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU))


def _casting(operator: Any, dtype: torch.dtype | None) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> Any:
        wanted = dtype or torch.get_autocast_dtype("cpu")

        def cast(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.to(wanted) if tensor.is_floating_point() and tensor.dtype != wanted else tensor

        args, kwargs = tree_map_only(torch.Tensor, cast, (args, kwargs))
        with _without_autocast():
            return operator(*args, **kwargs)

    return kernel


def _softmax(operator: Any, fused: Any) -> Callable[..., Any]:
    def kernel(tensor: torch.Tensor, dim: int, dtype: torch.dtype | None = None) -> Any:
        with _without_autocast():
            if tensor.dtype in HALVES and dtype in {None, torch.float32}:
                return fused(tensor, dim, True)
            return operator(tensor, dim, dtype)

    return kernel


def _dropout(tensor: torch.Tensor, p: float, train: bool) -> torch.Tensor:
    """CUDA's keeps a mask of one byte an element, where the CPU's keeps a tensor of the input's type."""
    if p == 0 or not train or tensor.numel() == 0:
        return tensor
    result: torch.Tensor = aten.native_dropout.default(tensor, p, True)[0]
    return result


def _grouped_mm(left: torch.Tensor, right: torch.Tensor, offs: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
    """The shape of a product in groups, of any type; torch's own shape function knows bfloat16 only."""
    groups = [len(offs)] if right.dim() == 2 else []
    return left.new_empty((*groups, left.shape[0], right.shape[-1]))


def _scaled_dot_product_attention(
    implementation: str, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
    attn_mask: torch.Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False, *,
    scale: float | None = None, enable_gqa: bool = False,
) -> torch.Tensor:  # fmt: skip
    result: torch.Tensor
    if implementation == "eager" or query.dim() != 4:
        result = aten._scaled_dot_product_attention_math.default(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )[0]
    else:
        result = _Fused.apply(query, key, value, attn_mask)
    return result


class _Fused(torch.autograd.Function):
    """Flash or memory-efficient attention: keeps query, key, value, output and one number a row."""

    @staticmethod
    def forward(context: Any, query: Any, key: Any, value: Any, mask: Any) -> Any:
        output, sums = torch.ops.tradewind.attention(query, key, value, mask)
        context.save_for_backward(query, key, value, mask, output, sums)
        return output

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        query, key, value, mask, output, sums = context.saved_tensors
        results = torch.ops.tradewind.attention_backward(gradient, query, key, value, mask, output, sums)
        wants_mask = mask is not None and context.needs_input_grad[3]
        return (*results[:3], torch.empty_like(mask) if wants_mask else None)


@cache
def _define_attention() -> None:
    """Operators of our own for fused attention, which is no operator of CPU's."""
    _ours.define("attention(Tensor q, Tensor k, Tensor v, Tensor? mask) -> (Tensor, Tensor)")
    _ours.define(
        "attention_backward(Tensor gradient, Tensor q, Tensor k, Tensor v, Tensor? mask, Tensor output, Tensor sums)"
        " -> (Tensor, Tensor, Tensor, Tensor)"
    )
    torch.library.register_fake("tradewind::attention", _attention_shapes, lib=_ours)
    torch.library.register_fake("tradewind::attention_backward", _gradient_shapes, lib=_ours)


def _like(tensor: torch.Tensor, *shape: int, dtype: torch.dtype | None = None) -> torch.Tensor:
    """A tensor of (batch, heads, length, size) that lies in memory as (batch, length, heads, size)."""
    batch, heads, length, size = shape
    return tensor.new_empty((batch, length, heads, size), dtype=dtype or tensor.dtype).transpose(1, 2)


def _attention_shapes(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Any) -> tuple[torch.Tensor, ...]:
    batch, heads, length, _ = q.shape
    return _like(q, batch, heads, length, v.shape[-1]), q.new_empty((batch, heads, length), dtype=torch.float32)


def _gradient_shapes(gradient: Any, q: Any, k: Any, v: Any, mask: Any, output: Any, sums: Any) -> Any:
    """Gradients of query, key and value, and the float32 sums that the kernel gathers the first in."""
    return (
        _like(q, *q.shape), _like(k, *k.shape), _like(v, *v.shape),
        q.new_empty(q.shape if q.dtype in HALVES else (1,), dtype=torch.float32),
    )  # fmt: skip

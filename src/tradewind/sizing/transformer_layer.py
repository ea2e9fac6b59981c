"""One layer of a transformer: what it keeps for the backward pass, and the operations that it runs, by closed form.

Bytes are counted tensor by tensor as eager PyTorch keeps them: a linear layer whose weights learn keeps its input, a
fused LayerNorm its input, an RMSNorm written out its input and what it scales, both fp32, SwiGLU four tensors of the
feed-forward width, fused attention q, k, v and its output. For a GELU layer of 16 bit with dropout this is the sum
34·s·b·h + 5·a·s²·b of Korthikanti et al. 2022 (arXiv 2205.05198 §4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.profile import Amount, Op, Transformer
from tradewind.sizing.terms import term

EXPANDED = True  # keys and values of grouped heads are repeated to all heads before attention (transformers, litgpt)
_WIDENED = {"fp8": "bf16", "int8": "fp16"}  # in which attention is computed where products with weights are narrower
KERNELS = {"rms": 6, "layer": 1}  # launches of one norm


@dataclass(frozen=True, slots=True)
class Setting:
    """How a layer runs.

    Attributes:
        compute: bytes of one number of a matrix product; ``residual``: of the stream between layers.
        dtype: of the arithmetic.
        learns: whether the layer's own weights are trained; ``rank`` of adapters on queries and values, 0: none.
        quantized: whether linear layers are; products in 4 bits then keep what term ``quantized-kept`` says.
        fused: whether attention is one kernel that keeps no scores.
    """

    compute: float
    residual: float
    dtype: str
    learns: bool = True
    rank: int = 0
    quantized: bool = False
    fused: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes of one sample in one layer: kept by all operations, by selective checkpointing, of the input alone, and
    passing (gradients of what was kept last) while its backward pass runs."""

    all: float
    selective: float
    boundary: float
    passing: float


def kept(t: Transformer, s: Setting, tokens: int, keys: int, cross_keys: int = 0) -> Kept:
    """What one layer keeps for one sample of ``tokens``, attending to ``keys`` (and ``cross_keys`` of an encoder)."""
    c, h, q, kv = s.compute, t.hidden, t.heads * t.head_size, t.kv_heads * t.head_size
    active, wide = t.experts_active, (2.0 if t.gated else 1.0) * t.ffn
    learned = 1.0 if s.learns else 0.0
    norm = _norm(t, s)
    linear_in = c * h * (1.0 if s.learns or s.rank else 0.0)
    adapters = 2.0 * s.rank * c + (h if s.rank else 0.0)  # and the mask of the adapters' dropout
    attention = linear_in + adapters + c * (2 * q if EXPANDED else q + kv) + c * 2 * q + 4.0 * t.heads
    attention += 4.0 * (q + kv) * learned + 4.0 * (q + kv) if t.qk_norm else 0.0
    scores = 0.0 if s.fused else t.heads * (keys * _probability(t, s) - 4.0)
    inputs = c * h * learned * (0.0 if t.parallel else 1.0)
    feed = active * ((c * (2 * wide if t.gated else wide)) - (c * t.ffn if t.gated else 0.0) + c * t.ffn * learned)
    routed = active * 2 * c * h if t.experts > 1 else 0.0
    masks = 2.0 * h if t.dropout else 0.0
    cross = attention + norm + 2 * c * q * (cross_keys / tokens - 1) if cross_keys else 0.0
    total = t.norms * norm + attention + scores + inputs + feed + routed + masks + cross
    outputs = c * (q + 2 * kv + h + active * (wide + h))
    if s.quantized:
        read = c * ((1 if t.parallel else 2) * h + q + active * t.ffn)
        total += term("quantized-kept").value * (read + outputs)
    boundary = s.residual * h
    selective = min(total, boundary + c * q + outputs / 2)
    passing = c * (active * (2 * wide if t.gated else wide) + 2 * h)
    return Kept(total * tokens, selective * tokens, boundary * tokens, passing * tokens)


def _norm(t: Transformer, s: Setting) -> float:
    if t.norm == "layer":
        return s.residual * t.hidden
    return (8.0 if s.learns else 4.0) * t.hidden


def _probability(t: Transformer, s: Setting) -> float:
    """Bytes of one attention probability: the fp32 softmax, and what multiplies the values; dropout adds its mask."""
    if s.compute == 4.0:
        return 9.0 if t.dropout else 4.0
    return 7.0 if t.dropout else 6.0


def matmul(phase: str, dtype: str, count: int, rows: int, columns: int, inner: int, width: float) -> Op:
    """``count`` products of ``rows`` of each sample with a weight of inner × columns."""
    moved = Amount(width * inner * columns, width * rows * (inner + columns))
    flops = Amount(0.0, 2.0 * rows * columns * inner)
    return Op(phase, "matmul", dtype, count, flops, moved, (rows, 0, columns, inner, 0, 1))


def streaming(phase: str, kind: str, count: int, moved: float, flops: float = 0.0, dtype: str = "fp32") -> Op:
    """``count`` operations that each move ``moved`` bytes a sample."""
    return Op(phase, kind, dtype, count, Amount(0.0, flops), Amount(0.0, moved))


def forward(t: Transformer, s: Setting, layers: int, tokens: int, keys: int, cross_keys: int = 0) -> list[Op]:
    """The operations of ``layers`` layers in the forward pass."""
    c, h, q, kv = s.compute, t.hidden, t.heads * t.head_size, t.kv_heads * t.head_size
    active = t.experts_active
    rows = max(1, round(tokens * active / t.experts))
    wide = 2 * t.ffn if t.gated else t.ffn
    ops = [
        matmul("forward", s.dtype, layers, tokens, q + 2 * kv, h, c),
        matmul("forward", s.dtype, layers, tokens, h, q, c),
        matmul("forward", s.dtype, layers * t.experts, rows, wide, h, c),
        matmul("forward", s.dtype, layers * t.experts, rows, h, t.ffn, c),
        *_attend(t, s, layers, tokens, keys),
        streaming("forward", "norm", layers * t.norms * KERNELS[t.norm], (s.residual + c) * tokens * h),
        streaming("forward", "elementwise", layers * 2, 3 * s.residual * tokens * h),
        streaming("forward", "elementwise", layers * (4 if t.positions else 12), 2 * c * tokens * q),
        streaming("forward", "elementwise", layers * (2 if t.gated else 1), 2.5 * c * tokens * active * t.ffn),
    ]
    if cross_keys:
        ops += [
            matmul("forward", s.dtype, layers, tokens, h, h, c),
            matmul("forward", s.dtype, layers, tokens, h, q, c),
            matmul("forward", s.dtype, layers, cross_keys, 2 * kv, h, c),
            *_attend(t, s, layers, tokens, cross_keys),
            streaming("forward", "norm", layers * KERNELS[t.norm], (s.residual + c) * tokens * h),
            streaming("forward", "elementwise", layers, 3 * s.residual * tokens * h),
        ]
    return ops


def _attend(t: Transformer, s: Setting, layers: int, tokens: int, keys: int) -> list[Op]:
    q, kv = t.heads * t.head_size, t.kv_heads * t.head_size
    seen = 0.5 if tokens == keys and t.head == "lm" and s.fused else 1.0  # the causal half
    flops, moved = 4.0 * tokens * keys * q * seen, s.compute * (2 * tokens * q + 2 * keys * kv)
    dtype = _WIDENED.get(s.dtype, s.dtype)
    if s.fused:
        shape = (t.heads, tokens, keys, t.head_size)
        return [Op("forward", "attention", dtype, layers, Amount(0.0, flops), Amount(0.0, moved), shape)]
    scores = float(t.heads) * tokens * keys
    dims = (0, tokens, keys, t.head_size, t.heads, 0)
    product = Op("forward", "matmul", dtype, 2 * layers, Amount(0.0, flops / 2),
                 Amount(0.0, moved / 2 + s.compute * scores), dims)  # fmt: skip
    return [
        product,
        streaming("forward", "softmax", layers, (4.0 + s.compute) * scores),
        streaming("forward", "elementwise", layers * (4 if t.dropout else 2), 2 * s.compute * scores),
    ]


def backward(ops: list[Op], learns: bool) -> list[Op]:
    """The backward pass of forward ``ops``: gradients of inputs, and of weights where they learn."""
    passed: list[Op] = []
    for op in ops:
        times = 2 if op.kind == "matmul" and (learns or not op.bytes.fixed) else 1
        scale = {"matmul": 1.0, "attention": 2.5}.get(op.kind, 1.7)  # fused attention computes its scores again
        flops = Amount(op.flops.fixed * scale, op.flops.per_sample * scale)
        moved = Amount(op.bytes.fixed * scale, op.bytes.per_sample * scale)
        passed.append(Op("backward", op.kind, op.dtype, op.count * times, flops, moved, op.dims))
    return passed


def again(ops: list[Op]) -> list[Op]:
    """Forward ``ops`` computed again in the backward pass."""
    return [Op("backward", op.kind, op.dtype, op.count, op.flops, op.bytes, op.dims) for op in ops]

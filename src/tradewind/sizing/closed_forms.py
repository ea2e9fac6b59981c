"""Model profiles without a trace: of a transformer from its dimensions, of anything else from its parameters alone."""

from __future__ import annotations

import math
from dataclasses import replace

from tradewind.domain.errors import BadInput
from tradewind.domain.precision import Precision
from tradewind.domain.profile import Amount, ModelProfile, Moment, Op, Transformer, Unit
from tradewind.sizing.arithmetic import compute_bytes, dtype_name, frozen_bytes, is_autocast, residual_bytes
from tradewind.sizing.dimensions import Parts, parts
from tradewind.sizing.terms import term
from tradewind.sizing.transformer_layer import Kept, Setting, again, backward, forward, kept, matmul, streaming

KERNELS = 600  # of one eager training step of a network as ResNet-18: its layers times about ten
LOSS_BYTES = 12.0  # a logit in the backward pass of the loss: log-softmax, its gradient and that of the logit, fp32


def from_parameters(
    parameters: float,
    *,
    flops: float | None = None,
    activation_bytes: float | None = None,
    task: str = "train",
    precision: str = "fp32",
    adapter: str = "none",
    tokens: int | None = None,
    name: str = "params",
) -> ModelProfile:
    """The profile of a model of which the number of ``parameters`` is known, and perhaps a little more.

    Args:
        adapter: as of :func:`transformer_profiles`; its size is that beside a transformer of usual proportions.
        flops: forward pass of one sample, multiply-add = 2; None: twice the parameters for each token.
        activation_bytes: saved for the backward pass, counted as fp32; None: c · F / sqrt(P) (term ``activation``).
    """
    kind = Precision(precision)
    work = flops or 2.0 * parameters * (tokens or 1)
    saved = activation_bytes or term("activation").value * work / math.sqrt(parameters)
    saved *= 1.0 if compute_bytes(kind) == 4.0 else term("sixteen-bit-share").value
    trains = task != "infer"
    rank, quantized = _adapter(adapter)
    extra = _usual_adapter_parameters(parameters, rank)
    copies = compute_bytes(kind) * parameters if is_autocast(kind) and (trains or kind is not Precision.FP8) else 0.0
    moments = (
        (Moment("backward", Amount(0.0, saved), copies, 1.0), Moment("step", Amount(0.0), 0.0, 1.0))
        if trains
        else (Moment("forward", Amount(0.0, saved * term("forward-share").value), copies),)
    )
    return ModelProfile(
        name=name, source="parameters", task=task, precision=precision, attention="auto",
        activation_checkpointing="none", parameters=parameters + extra,
        trainable=0.0 if not trains else extra or parameters, active=parameters + extra, buffers=0.0,
        frozen_bytes=term("nf4").value if quantized else frozen_bytes(kind), moments=moments,
        ops=tuple(_ops_of_parameters(parameters, work, saved, kind, trains, learns=not rank)), tokens=tokens,
        fallbacks=() if activation_bytes else ("activations-estimated",),
    )  # fmt: skip


def _usual_adapter_parameters(parameters: float, rank: int) -> float:
    """Of queries and values, r · 2h each, in P = 12 · layers · h² with h = 128 · layers.

    Source: shapes of language models, Kaplan et al. 2020, arXiv 2001.08361 §2.1 and §3.1.
    """
    hidden: float = (128 / 12 * parameters) ** (1 / 3)
    return rank * 4 * hidden * hidden / 128


def _ops_of_parameters(
    parameters: float, work: float, saved: float, kind: Precision, trains: bool, learns: bool
) -> list[Op]:
    """Arithmetic as one product, and traffic: each saved byte crosses the bus ``activation-crossings`` times a step.

    What does not learn has no gradients of weights, which are half of the backward pass.
    """
    width, dtype = compute_bytes(kind), dtype_name(kind)
    third = saved * term("activation-crossings").value / 3
    ops = []
    for phase, times in (("forward", 1), ("backward", 2 if learns else 1)) if trains else (("forward", 1),):
        ops.append(Op(phase, "matmul", dtype, 1, Amount(0.0, times * work), Amount(times * width * parameters)))
        launches = KERNELS // 3 * times
        ops.append(Op(phase, "elementwise", dtype, launches, Amount(0.0), Amount(0.0, times * third / launches)))
    return ops


def transformer_profiles(
    dims: Transformer,
    *,
    name: str,
    task: str = "train",
    precision: str = "amp-bf16",
    attention: str = "auto",
    adapter: str = "none",
    sequence: int | None = None,
) -> tuple[ModelProfile, ...]:
    """The profiles of a transformer under each way of activation checkpointing; of inference one.

    Args:
        adapter: ``none``, ``lora:R`` or ``qlora:R``: rank R on queries and values, everything else frozen.
        sequence: tokens of one sample; None: those of ``dims``.

    Raises:
        BadInput: ``adapter-unknown``.
    """
    if sequence:
        dims = replace(dims, sequence=sequence)
    rank, quantized = _adapter(adapter)
    kind = Precision(precision)
    setting = Setting(
        compute=compute_bytes(kind), residual=residual_bytes(kind), dtype=dtype_name(kind),
        learns=rank == 0 and task != "infer", rank=rank, quantized=quantized, fused=attention != "eager",
    )  # fmt: skip
    counted = parts(dims)
    extra = _adapter_parameters(dims, rank)
    trained = 0.0 if task == "infer" else extra if rank else float(counted.total)
    shared = ModelProfile(
        name=name, source="closed-form", task=task, precision=precision, attention=attention,
        activation_checkpointing="none", parameters=counted.total + extra, trainable=trained,
        active=counted.active + extra, buffers=0.0, frozen_bytes=_frozen_mean(counted, kind, quantized), moments=(),
        ops=(), units=_units(dims, counted, setting, extra), transformer=dims, tokens=dims.sequence,
    )  # fmt: skip
    if task == "infer":
        return (replace(shared, moments=_infer_moments(dims, setting, shared), ops=tuple(_forward(dims, setting))),)
    found = []
    for way in ("none", "selective", "full"):
        own = replace(shared, activation_checkpointing=way, ops=tuple(_train_ops(dims, setting, way)))
        found.append(replace(own, moments=_train_moments(dims, setting, own)))
    return tuple(found)


def narrow_moments(profile: ModelProfile) -> tuple[Moment, ...]:
    """The moments of a transformer under mixed precision that keeps no fp32 between layers (FSDP, ZeRO).

    A trace under autocast loses as large a share of what its layers hold as the closed form does; a model of which no
    dimensions are known keeps its moments.
    """
    dims, kind = profile.transformer, Precision(profile.precision)
    learns = profile.trainable == profile.parameters
    if dims is None or not is_autocast(kind) or not learns:
        return profile.moments
    width = compute_bytes(kind)
    setting = Setting(width, width, dtype_name(kind), fused=profile.attention != "eager")
    if profile.source == "closed-form":
        return _train_moments(dims, setting, profile)
    way, wide = profile.activation_checkpointing, replace(setting, residual=residual_bytes(kind))
    share = _held(dims, setting, way) / _held(dims, wide, way)
    return tuple(_narrower(each, _logits(dims, setting), share) for each in profile.moments)


def _narrower(moment: Moment, logits: float, share: float) -> Moment:
    """The moment with ``share`` of its tensors; while there is no gradient, its logits are there, as they were."""
    most = moment.tensors.per_sample
    kept = 0.0 if moment.gradients else min(most, logits)
    return replace(moment, tensors=Amount(moment.tensors.fixed, kept + (most - kept) * share))


def _adapter(text: str) -> tuple[int, bool]:
    word, _, rank = text.partition(":")
    if word == "none":
        return 0, False
    if word not in ("lora", "qlora") or not rank.isdigit() or int(rank) < 1:
        raise BadInput("adapter-unknown", adapter=text, known="none, lora:R, qlora:R")
    return int(rank), word == "qlora"


def _adapter_parameters(t: Transformer, rank: int) -> float:
    """Of queries and values: r · (in + out) each."""
    widths = 2 * t.hidden + (t.heads + t.kv_heads) * t.head_size
    return float(rank * widths * (t.layers + t.encoder_layers))


def _frozen_mean(counted: Parts, kind: Precision, quantized: bool) -> float:
    """Bytes of one frozen weight on average: layers may be quantized, embeddings and head never are."""
    layers = counted.blocks * counted.block + counted.encoder_blocks * counted.encoder_block
    inner = term("nf4").value if quantized else frozen_bytes(kind)
    outer = 2.0 if quantized or inner < 2.0 else inner
    return (inner * layers + outer * (counted.total - layers)) / counted.total


def _stacks(t: Transformer) -> list[tuple[int, int, int, int]]:
    """(layers, tokens, keys, cross keys) of encoder and decoder, in order of execution."""
    stacks = [(t.encoder_layers, t.encoder_sequence, t.encoder_sequence, 0)] if t.encoder_layers else []
    return [*stacks, (t.layers, t.sequence, t.sequence, t.encoder_sequence if t.encoder_layers else 0)]


def _units(t: Transformer, counted: Parts, s: Setting, extra: float) -> tuple[Unit, ...]:
    stream = Amount(0.0, s.residual * t.sequence * t.hidden)
    share = extra / (t.layers + t.encoder_layers)
    units = [Unit("embedding", 1, counted.embedding, counted.embedding if s.learns else 0.0, Amount(0.0), Amount(0.0))]
    if counted.encoder:
        units.append(Unit("other", 1, counted.encoder, counted.encoder if s.learns else 0.0, Amount(0.0), Amount(0.0)))
    for layers, tokens, keys, cross in _stacks(t):
        encodes = t.encoder_layers > 0 and not cross
        own = float(counted.encoder_block if encodes else counted.block)
        each = kept(t, s, tokens, keys, cross)
        units.append(
            Unit("block", layers, own + share, own if s.learns else share, Amount(0.0, each.all),
                 Amount(0.0, each.boundary))
        )  # fmt: skip
    learned = float(counted.head) if s.learns else 0.0
    units.append(Unit("head", 1, counted.head, learned, Amount(0.0, _logits(t, s)), stream))
    return tuple(units)


def _logits(t: Transformer, s: Setting) -> float:
    """Logits, their log-softmax and its gradient, of all tokens of a sample."""
    return 0.0 if t.head == "none" else t.sequence * t.vocabulary * (s.compute + LOSS_BYTES)


def _train_moments(t: Transformer, s: Setting, profile: ModelProfile) -> tuple[Moment, ...]:
    """The loss; the first layer of the backward pass; the last one; the optimizer's step."""
    way = profile.activation_checkpointing
    each, held = _by_layers(t, s), _held(t, s, way)
    last = each[-1][1]
    recomputed = 0.0 if way == "none" else last.all
    one = max(k.all for _, k in each)
    copies = 0.0
    if is_autocast(Precision(profile.precision)) and s.learns:
        copies = s.compute * profile.parameters
    ends = [unit.trainable for unit in profile.units if unit.kind in ("head", "embedding")]
    first, rest = ends[-1] / profile.trainable, 1.0 - ends[0] / profile.trainable
    stream = s.residual * t.sequence * t.hidden
    return (
        Moment("backward", Amount(0.0, held + stream + _logits(t, s)), copies, 0.0),
        Moment("backward", Amount(0.0, held + recomputed + last.passing + stream), copies, first),
        Moment("backward", Amount(0.0, one + each[0][1].passing + stream), copies, rest),
        Moment("step", Amount(0.0), 0.0, 1.0),
    )


def _by_layers(t: Transformer, s: Setting) -> list[tuple[int, Kept]]:
    return [(layers, kept(t, s, *shape)) for layers, *shape in _stacks(t)]


def _held(t: Transformer, s: Setting, way: str) -> float:
    """Bytes of a sample that all layers keep together."""
    ways = ((layers, {"none": k.all, "selective": k.selective, "full": k.boundary}) for layers, k in _by_layers(t, s))
    return sum(layers * by_way[way] for layers, by_way in ways)


def _infer_moments(t: Transformer, s: Setting, profile: ModelProfile) -> tuple[Moment, ...]:
    """A prompt passes one layer. Models that generate take one prompt after another, with logits of its last token."""
    layer = max(kept(t, s, *shape).passing for _, *shape in _stacks(t))
    scores = 0.0 if s.fused else 6.0 * t.heads * t.sequence**2
    kind = Precision(profile.precision)
    copies = s.compute * profile.parameters if is_autocast(kind) and kind is not Precision.FP8 else 0.0
    token = t.vocabulary * (s.compute + 4.0) if t.head != "none" else 0.0
    if t.head == "lm":
        return (Moment("forward", Amount(layer + scores, token), copies),)
    return (Moment("forward", Amount(0.0, layer + scores + t.sequence * token), copies),)


def _forward(t: Transformer, s: Setting) -> list[Op]:
    ops = [streaming("forward", "gather", 1, 2 * s.residual * t.sequence * t.hidden)]
    for layers, *shape in _stacks(t):
        ops += forward(t, s, layers, *shape)
    if t.head != "none":
        ops.append(matmul("forward", s.dtype, 1, t.sequence, t.vocabulary, t.hidden, s.compute))
    return ops


def _train_ops(t: Transformer, s: Setting, way: str) -> list[Op]:
    ops = _forward(t, s)
    loss = streaming("forward", "softmax", 2, t.sequence * t.vocabulary * LOSS_BYTES) if t.head != "none" else None
    ran = [*ops, *([loss] if loss else ())]
    inner = ops[1:-1] if loss else ops[1:]
    repeated = {"none": [], "full": inner, "selective": [op for op in inner if op.kind not in ("matmul", "attention")]}
    return [*ran, *again(repeated[way]), *backward(ran, s.learns)]

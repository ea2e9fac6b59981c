"""ModelProfile: what one step of a model does, as far as any GPU and any micro-batch need to know.

Every amount is affine in the micro-batch: ``fixed + per_sample × micro_batch``. A profile holds for one shape of the
question (task, precision, attention, activation checkpointing, image size or sequence); memory and time on a card
follow from it by arithmetic alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

PHASES = ("forward", "backward", "step")
OP_KINDS = (
    "conv",  # dims: channels in, channels out, groups, kernel h, kernel w, stride, height out, width out
    # dims: rows a sample (0: none grow), fixed rows, columns, inner, batched products a sample, fixed ones; where FLOPs
    # grow and neither rows nor products do, as of weight gradients, inner is that of a sample
    "matmul",
    "attention",  # fused; dims: heads, query length, key length, head size
    "norm", "softmax", "elementwise", "copy", "reduce", "gather", "random", "other",
)  # fmt: skip


class Amount(NamedTuple):
    """Bytes, FLOPs or a count that grows with the micro-batch."""

    fixed: float
    per_sample: float = 0.0

    def at(self, micro_batch: float) -> float:
        """The amount for ``micro_batch`` samples."""
        return self.fixed + self.per_sample * micro_batch


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of the step at which memory may peak; only moments that some micro-batch makes the peak are kept.

    Attributes:
        phase: of :data:`PHASES`.
        tensors: bytes of activations and temporaries alive, without weights, gradients of weights, and optimizer state.
        copies: bytes of 16-bit copies of weights that autocast holds.
        gradients: share of the bytes of all weight gradients alive, 0 to 1, when none is kept from the pass before.
    """

    phase: str
    tensors: Amount
    copies: float = 0.0
    gradients: float = 0.0


@dataclass(frozen=True, slots=True)
class Op:
    """Operations of one signature in one step: ``count`` executions of ``flops`` and ``bytes`` (moved) each.

    ``dtype`` is that of the arithmetic (``fp32 tf32 fp16 bf16 …``), ``kind`` one of :data:`OP_KINDS`, ``dims`` as
    told there.
    """

    phase: str
    kind: str
    dtype: str
    count: int
    flops: Amount
    bytes: Amount
    dims: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the model that is wrapped, checkpointed or placed on a pipeline stage as one, in order of execution.

    Attributes:
        kind: ``embedding``, ``block``, ``head`` or ``other``; ``count`` like units follow each other.
        parameters: of one unit; ``trainable`` of them.
        saved: bytes kept for the backward pass of one unit when nothing is checkpointed; ``boundary``: of its input.
    """

    kind: str
    count: int
    parameters: float
    trainable: float
    saved: Amount
    boundary: Amount


@dataclass(frozen=True, slots=True)
class Transformer:
    """The dimensions of a transformer: what closed forms, tensor and context parallelism and key-value caches ask for.

    Attributes:
        layers: of the decoder, or the only ones there are; ``encoder_layers`` come before them (cross-attention).
        sequence: tokens of one sample in ``layers``; ``encoder_sequence`` in those of the encoder.
        ffn: width of the feed-forward part, of one expert; ``gated`` ones (SwiGLU) have three matrices, others two.
        tied: logits are made with the token embedding.
        positions: rows of learned position embeddings (0: rotary or computed); ``segments`` of segment embeddings.
        norm: ``rms`` or ``layer``; ``norms`` in a layer.
        qk_norm: queries and keys are normalised.
        biases: which linear layers have one, of ``q k v o ffn head``.
        head: ``lm``, ``pretraining`` (pooler, masked tokens and next sentence) or ``none``.
        parallel: attention and feed-forward part read the same input (GPT-NeoX, Phi).
        dropout: whether the usual training masks activations.
        mel_bins: of the spectrogram that a convolution stem reads (Whisper); 0: none.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    ffn: int
    vocabulary: int
    sequence: int
    experts: int = 1
    experts_active: int = 1
    gated: bool = False
    tied: bool = False
    positions: int = 0
    segments: int = 0
    norm: str = "rms"
    norms: int = 2
    qk_norm: bool = False
    biases: frozenset[str] = frozenset()
    head: str = "lm"
    parallel: bool = False
    dropout: bool = False
    encoder_layers: int = 0
    encoder_sequence: int = 0
    mel_bins: int = 0


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """One step of a model.

    Attributes:
        name: the reference it was made from (``timm:resnet50``).
        source: ``traced`` by tensor, ``closed-form`` from dimensions, ``parameters`` from their number alone.
        task: ``train``, ``finetune`` or ``infer``; for the last there is a forward phase only.
        parameters: all; ``trainable`` of them; ``active`` in one sample (mixture of experts).
        buffers: bytes of registered buffers.
        frozen_bytes: of one frozen weight (2; 0.5625 for nf4), adapters and quantization counted.
        moments, ops, units: see there; ``units`` is empty when the model has no parts that are known.
        reserved: (micro-batch, reserved ÷ allocated bytes at the peak) by replay of the allocator; empty: not replayed.
        tokens: of one sample; None when samples are what is counted.
        fallbacks: what was not traced and why, as codes; empty when all was.
        seconds: that the trace took; None for closed forms.
    """

    name: str
    source: Literal["traced", "closed-form", "parameters"]
    task: str
    precision: str
    attention: str
    activation_checkpointing: str
    parameters: float
    trainable: float
    active: float
    buffers: float
    frozen_bytes: float
    moments: tuple[Moment, ...]
    ops: tuple[Op, ...]
    units: tuple[Unit, ...] = ()
    transformer: Transformer | None = None
    reserved: tuple[tuple[int, float], ...] = ()
    tokens: int | None = None
    fallbacks: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def forward_flops(self) -> float:
        """FLOPs of the forward pass a sample, multiply-add = 2."""
        return self._flops("forward")

    @property
    def step_flops(self) -> float:
        """FLOPs of forward, recomputation and backward a sample."""
        return sum(self._flops(phase) for phase in PHASES)

    def _flops(self, phase: str) -> float:
        return sum(op.count * op.flops.per_sample for op in self.ops if op.phase == phase)

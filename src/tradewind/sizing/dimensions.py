"""Dimensions of a transformer → the parameters of its parts, exactly.

Source: the modules' own shapes (a linear of a × b has a·b weights); tests hold the sums against published counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.profile import Transformer


@dataclass(frozen=True, slots=True)
class Parts:
    """Parameters by part.

    Attributes:
        embedding: of tokens, positions and segments, with the norm that follows them (BERT).
        block: of one decoder layer, all experts; ``active_block``: the experts that one token meets.
        head: final norm and output head; a tied head has no weights of its own.
        encoder: of an encoder–decoder, outside its ``encoder_blocks`` layers of ``encoder_block`` each.
    """

    embedding: int
    blocks: int
    block: int
    active_block: int
    head: int
    encoder: int = 0
    encoder_blocks: int = 0
    encoder_block: int = 0

    @property
    def total(self) -> int:
        """All parameters."""
        return self._outside_blocks + self.blocks * self.block

    @property
    def active(self) -> int:
        """Parameters that one token meets."""
        return self._outside_blocks + self.blocks * self.active_block

    @property
    def _outside_blocks(self) -> int:
        return self.embedding + self.head + self.encoder + self.encoder_blocks * self.encoder_block


def parts(transformer: Transformer) -> Parts:
    """The parameters of every part of ``transformer``."""
    t = transformer
    norm = _norm(t)
    attention, expert = _attention(t), _feed_forward(t)
    router = t.hidden * t.experts if t.experts > 1 else 0
    cross = attention + norm if t.encoder_layers else 0
    shared = attention + cross + t.norms * norm + router
    return Parts(
        embedding=(t.vocabulary + t.positions + t.segments) * t.hidden + (norm if t.segments else 0),
        blocks=t.layers,
        block=shared + t.experts * expert,
        active_block=shared + t.experts_active * expert,
        head=_head(t) + (0 if t.segments else norm),
        encoder=_spectrogram_stem(t) + norm if t.encoder_layers else 0,
        encoder_blocks=t.encoder_layers,
        encoder_block=attention + expert + t.norms * norm if t.encoder_layers else 0,
    )


def _norm(t: Transformer) -> int:
    return t.hidden * (2 if t.norm == "layer" else 1)


def _attention(t: Transformer) -> int:
    queries, keys = t.heads * t.head_size, t.kv_heads * t.head_size
    weights = 2 * t.hidden * queries + 2 * t.hidden * keys
    biases = {"q": queries, "k": keys, "v": keys, "o": t.hidden}
    return weights + sum(biases.get(each, 0) for each in t.biases) + (2 * t.head_size if t.qk_norm else 0)


def _feed_forward(t: Transformer) -> int:
    inner = 2 * t.ffn if t.gated else t.ffn
    return (inner + t.ffn) * t.hidden + (inner + t.hidden if "ffn" in t.biases else 0)


def _head(t: Transformer) -> int:
    if t.head == "none":
        return 0
    output = (0 if t.tied else t.vocabulary * t.hidden) + (t.vocabulary if "head" in t.biases else 0)
    if t.head == "lm":
        return output
    square = t.hidden * t.hidden + t.hidden  # of the pooler and of the transform before the masked tokens are told
    next_sentence = 2 * t.hidden + 2
    return output + square + next_sentence + square + _norm(t)


def _spectrogram_stem(t: Transformer) -> int:
    """Two convolutions of width 3; the sinusoids that follow are fixed."""
    return 3 * t.hidden * (t.mel_bins + t.hidden) + 2 * t.hidden

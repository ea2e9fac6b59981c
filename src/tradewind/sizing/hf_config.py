"""Dimensions of a transformer from the ``config.json`` that transformers writes, without transformers.

Field names by model type: as the configuration classes of transformers 4 and 5 spell them (2026).
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from tradewind.domain.errors import BadInput
from tradewind.domain.profile import Transformer

_ALL = frozenset({"q", "k", "v", "o", "ffn"})
_GATED = frozenset({
    "llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "gemma", "gemma2", "phi3", "olmo",
    "olmo2", "internlm2", "yi", "stablelm", "cohere", "granite", "smollm3", "deepseek", "baichuan", "codellama",
})  # fmt: skip
_ENCODERS = frozenset({"bert", "roberta", "electra", "camembert", "xlm-roberta"})
_WITH_DROPOUT = frozenset({"gpt2", "opt", "whisper", "t5", *_ENCODERS})
_PARALLEL = frozenset({"gpt_neox", "phi", "falcon", "gptj", "cohere"})
KNOWN = tuple(sorted(_GATED | _ENCODERS | _WITH_DROPOUT | _PARALLEL | {"gpt_bigcode", "gpt_neo", "bloom", "mpt"}))


def dimensions(config: Mapping[str, Any], sequence: int | None = None) -> Transformer:
    """The dimensions that a configuration tells.

    Args:
        sequence: tokens of one sample; None: 2,048 or the longest that it allows, if that is less.

    Raises:
        BadInput: ``config-unknown``: it does not tell layers, width and heads by a name that is known.
    """
    kind = str(config.get("model_type", "")).replace("-", "_").lower()
    kind = {"xlm_roberta": "xlm-roberta"}.get(kind, kind)
    if kind == "t5" or (kind not in KNOWN and config.get("num_hidden_layers") is None):
        raise _unknown(kind)
    read = _Reader(config, kind)
    hidden = read.number("hidden_size", "n_embd", "d_model")
    heads = read.number("num_attention_heads", "n_head", "decoder_attention_heads", "n_heads")
    longest = read.number("max_position_embeddings", "n_positions", "max_target_positions", "max_seq_len", usual=2048)
    gated = kind in _GATED or config.get("hidden_act") == "silu"
    learned = longest if kind in _ENCODERS or kind in ("gpt2", "opt", "whisper", "gpt_bigcode", "gpt_neo") else 0
    return Transformer(
        layers=read.number("num_hidden_layers", "n_layer", "decoder_layers", "n_layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=1 if config.get("multi_query") else read.number("num_key_value_heads", "num_kv_heads", usual=heads),
        head_size=read.number("head_dim", usual=hidden // heads),
        ffn=read.number("moe_intermediate_size", "intermediate_size", "n_inner", "ffn_dim", "decoder_ffn_dim",
                        usual=4 * hidden),
        vocabulary=read.number("vocab_size"),
        sequence=sequence or min(longest, 448 if kind == "whisper" else 2048),
        experts=read.number("num_local_experts", "num_experts", usual=1),
        experts_active=read.number("num_experts_per_tok", usual=1),
        gated=gated,
        tied=bool(config.get("tie_word_embeddings", not gated)),
        positions=learned + (2 if kind == "opt" else 0),
        segments=read.number("type_vocab_size", usual=0) if kind in _ENCODERS else 0,
        norm="rms" if gated and kind not in ("stablelm", "cohere") else "layer",
        norms=1 if kind in ("phi", "gptj", "cohere") else 2,
        qk_norm=kind in ("qwen3", "qwen3_moe", "olmo2"),
        biases=_biases(config, kind, gated),
        head="pretraining" if kind == "bert" else "lm",
        parallel=kind in _PARALLEL and bool(config.get("use_parallel_residual", True)),
        dropout=kind in _WITH_DROPOUT,
        encoder_layers=read.number("encoder_layers", usual=0) if kind == "whisper" else 0,
        encoder_sequence=read.number("max_source_positions", usual=0),
        mel_bins=read.number("num_mel_bins", usual=0),
    )  # fmt: skip


def _biases(config: Mapping[str, Any], kind: str, gated: bool) -> frozenset[str]:
    """Which linear layers have a bias."""
    if kind in ("qwen2", "qwen2_moe"):
        return frozenset("qkv")
    if kind == "whisper":
        return _ALL - {"k"}
    if kind == "phi":
        return _ALL | {"head"}
    if kind in _ENCODERS:
        return _ALL | {"head"}
    if gated:
        found = frozenset("qkvo") if config.get("attention_bias") else frozenset()
        return found | ({"ffn"} if config.get("mlp_bias") else frozenset())
    return frozenset() if kind in ("falcon", "mpt") else _ALL


def _unknown(kind: str) -> BadInput:
    nearest = ", ".join(get_close_matches(kind, KNOWN, 3, 0.6))
    return BadInput("config-unknown", architecture=kind or "none", nearest=nearest, known=", ".join(KNOWN))


class _Reader:
    """Numbers of a configuration under whichever name it uses."""

    def __init__(self, config: Mapping[str, Any], kind: str) -> None:
        self._config, self._kind = config, kind

    def number(self, *names: str, usual: int | None = None) -> int:
        """The first of ``names`` that is there; else ``usual``."""
        for name in names:
            value = self._config.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                return value
        if usual is None:
            raise _unknown(self._kind)
        return usual

"""The dimensions of the presets' transformers against the modules that transformers builds from like configs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tradewind.domain.profile import Transformer
from tradewind.sizing.presets import transformers as table

transformers = pytest.importorskip("transformers")


def decoder(kind: str, t: Transformer, **further: Any) -> Any:
    config = getattr(transformers, f"{kind}Config")(
        hidden_size=t.hidden, num_hidden_layers=t.layers, num_attention_heads=t.heads, num_key_value_heads=t.kv_heads,
        head_dim=t.head_size, intermediate_size=t.ffn, vocab_size=t.vocabulary, tie_word_embeddings=t.tied, **further,
    )  # fmt: skip
    return getattr(transformers, f"{kind}ForCausalLM")(config)


def mixture(kind: str, t: Transformer, **further: Any) -> Any:
    return decoder(kind, t, num_experts_per_tok=t.experts_active, **further)


def bert(t: Transformer) -> Any:
    config = transformers.BertConfig(
        hidden_size=t.hidden, num_hidden_layers=t.layers, num_attention_heads=t.heads, intermediate_size=t.ffn,
        vocab_size=t.vocabulary, max_position_embeddings=t.positions, type_vocab_size=t.segments,
    )  # fmt: skip
    return transformers.BertForPreTraining(config)


def gpt2(t: Transformer) -> Any:
    config = transformers.GPT2Config(n_embd=t.hidden, n_layer=t.layers, n_head=t.heads, n_inner=t.ffn,
                                     vocab_size=t.vocabulary, n_positions=t.positions)  # fmt: skip
    return transformers.GPT2LMHeadModel(config)


def whisper(t: Transformer) -> Any:
    config = transformers.WhisperConfig(
        d_model=t.hidden, encoder_layers=t.encoder_layers, decoder_layers=t.layers, encoder_attention_heads=t.heads,
        decoder_attention_heads=t.heads, encoder_ffn_dim=t.ffn, decoder_ffn_dim=t.ffn, vocab_size=t.vocabulary,
        num_mel_bins=t.mel_bins, max_target_positions=t.positions,
    )  # fmt: skip
    return transformers.WhisperForConditionalGeneration(config)


BUILT: list[tuple[str, Callable[[Transformer], Any]]] = [
    ("bert-base", bert),
    ("bert-large", bert),
    ("gpt2", gpt2),
    ("gpt2-xl", gpt2),
    ("llama-2-70b", lambda t: decoder("Llama", t)),
    ("llama-3-8b", lambda t: decoder("Llama", t)),
    ("llama-3.2-1b", lambda t: decoder("Llama", t)),
    ("qwen2.5-0.5b", lambda t: decoder("Qwen2", t)),
    ("qwen2.5-7b", lambda t: decoder("Qwen2", t)),
    ("qwen3-0.6b", lambda t: decoder("Qwen3", t)),
    ("qwen3-8b", lambda t: decoder("Qwen3", t)),
    ("qwen3-30b-a3b", lambda t: mixture("Qwen3Moe", t, num_experts=t.experts, moe_intermediate_size=t.ffn)),
    ("mixtral-8x7b", lambda t: mixture("Mixtral", t, num_local_experts=t.experts)),
    ("whisper-tiny", whisper),
    ("whisper-large-v3", whisper),
    ("whisper-large-v3-turbo", whisper),
]


@pytest.mark.parametrize(("name", "build"), BUILT, ids=[name for name, _ in BUILT])
def test_a_transformer_of_these_dimensions_has_the_published_parameters(
    name: str, build: Callable[[Transformer], Any]
) -> None:
    row = next(row for row in table.rows() if row.name == name)
    with torch.device("meta"):
        module = build(row.transformer)
    assert sum(weight.numel() for weight in module.parameters() if weight.requires_grad) == row.published

"""Closed forms: layers by hand against the published sums, adapters, quantization, dimensions from configurations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sizing_makers import GPT_2, LLAMA_7B, LLAMA_8B

from tradewind.domain.errors import BadInput
from tradewind.domain.profile import ModelProfile, Transformer
from tradewind.sizing import from_parameters, transformer_profiles
from tradewind.sizing.dimensions import parts
from tradewind.sizing.hf_config import dimensions
from tradewind.sizing.transformer_layer import Setting, kept

TRUE_16 = Setting(2.0, 2.0, "bf16", fused=False)


def block(profile: ModelProfile) -> float:
    return next(unit.saved.per_sample for unit in profile.units if unit.kind == "block")


def test_a_gelu_layer_keeps_34_bytes_a_number_of_the_stream() -> None:
    """34·s·b·h, and of eager attention 7 bytes for each score (an fp32 softmax, its mask and what multiplies values;
    a 16-bit softmax would make it 5). Korthikanti et al. 2022, arXiv 2205.05198 §4.1."""
    tokens, width = 1024, GPT_2.hidden
    eager = kept(GPT_2, TRUE_16, tokens, tokens).all
    assert eager == pytest.approx(34 * tokens * width + 7 * GPT_2.heads * tokens**2)
    fused = kept(GPT_2, replace(TRUE_16, fused=True), tokens, tokens).all
    assert fused == pytest.approx(34 * tokens * width + 4 * GPT_2.heads * tokens)  # the logarithm of each row's sum


def test_a_swiglu_layer_by_hand() -> None:
    """Two RMSNorms in fp32, input and scaled; q, k, v, output; both inputs; four tensors of the feed-forward width."""
    tokens, width, ffn = 512, LLAMA_7B.hidden, LLAMA_7B.ffn
    found = kept(LLAMA_7B, replace(TRUE_16, fused=True), tokens, tokens)
    by_hand = 2 * 8 * width + 4 * 2 * width + 2 * 2 * width + 4 * 2 * ffn + 4 * LLAMA_7B.heads
    assert found.all == pytest.approx(by_hand * tokens)
    assert found.boundary == 2 * width * tokens
    assert found.boundary < found.selective < found.all


def test_each_way_of_checkpointing_keeps_less_and_computes_no_less() -> None:
    none, selective, full = transformer_profiles(LLAMA_8B, name="l", precision="bf16-true", sequence=4096)
    peaks = [max(each.tensors.per_sample for each in profile.moments) for profile in (none, selective, full)]
    assert peaks[0] > peaks[1] > peaks[2]
    assert none.step_flops <= selective.step_flops <= full.step_flops
    assert full.step_flops / none.step_flops == pytest.approx(4 / 3, abs=0.05)


def test_flops_are_six_for_each_parameter_and_token_and_those_of_attention() -> None:
    profile, *_ = transformer_profiles(LLAMA_7B, name="l", precision="bf16-true", sequence=2048)
    matrices = profile.parameters - LLAMA_7B.vocabulary * LLAMA_7B.hidden
    attention = 32 * 2 * 2048**2 * 4096
    assert profile.forward_flops == pytest.approx(2 * matrices * 2048 + attention, rel=0.001)
    assert profile.step_flops == pytest.approx(6 * matrices * 2048 + 3.5 * attention, rel=0.001)


def test_the_loss_over_a_large_vocabulary_is_the_peak() -> None:
    profile, *_ = transformer_profiles(LLAMA_8B, name="l", precision="bf16-true", sequence=1024)
    loss = 1024 * 128256 * (2 + 12)
    peak = max(profile.moments, key=lambda moment: moment.tensors.per_sample)
    assert peak.gradients == 0
    assert peak.tensors.per_sample == pytest.approx(loss + 32 * block(profile) + 2 * 1024 * 4096)


def test_units_hold_all_parameters() -> None:
    for dims in (LLAMA_8B, GPT_2, replace(LLAMA_7B, experts=8, experts_active=2)):
        for adapter in ("none", "lora:16"):
            profile, *_ = transformer_profiles(dims, name="m", precision="bf16-true", adapter=adapter)
            assert sum(unit.count * unit.parameters for unit in profile.units) == pytest.approx(profile.parameters)
            assert sum(unit.count * unit.trainable for unit in profile.units) == pytest.approx(profile.trainable)


def test_experts_count_all_in_memory_and_the_active_ones_in_work() -> None:
    mixtral = replace(LLAMA_7B, kv_heads=8, ffn=14336, experts=8, experts_active=2)
    profile, *_ = transformer_profiles(mixtral, name="m", precision="bf16-true", sequence=2048)
    assert profile.parameters == pytest.approx(46.7e9, rel=0.001)
    assert profile.active == pytest.approx(12.9e9, rel=0.005)
    assert profile.forward_flops == pytest.approx(2 * profile.active * 2048, rel=0.05)


def test_a_frozen_layer_keeps_less_and_a_quantized_one_more() -> None:
    full, frozen, quantized = (
        transformer_profiles(LLAMA_7B, name="l", precision="bf16-true", adapter=adapter)[0]
        for adapter in ("none", "lora:8", "qlora:8")
    )
    assert block(frozen) < block(full)
    assert block(frozen) < block(quantized)
    assert frozen.frozen_bytes == 2
    layers = 32 * parts(LLAMA_7B).block
    whole = parts(LLAMA_7B).total
    assert quantized.frozen_bytes == pytest.approx((0.5625 * layers + 2 * (whole - layers)) / whole)


def test_an_encoder_and_a_decoder_each_have_their_own_length() -> None:
    whisper = Transformer(4, 384, 6, 6, 64, 1536, 51865, 448, tied=True, positions=448, norm="layer", encoder_layers=4,
                          encoder_sequence=1500, mel_bins=80)  # fmt: skip
    profile, *_ = transformer_profiles(whisper, name="w", precision="bf16-true")
    encoder, decoder = (unit for unit in profile.units if unit.kind == "block")
    assert encoder.boundary.per_sample == 2 * 1500 * 384
    assert decoder.boundary.per_sample == 2 * 448 * 384
    assert decoder.parameters > encoder.parameters  # cross-attention


@pytest.mark.parametrize("adapter", ["lora", "lora:0", "lora:x", "dora:8", ""])
def test_unknown_adapters_are_bad_input(adapter: str) -> None:
    with pytest.raises(BadInput, match="adapter-unknown"):
        transformer_profiles(LLAMA_7B, name="l", adapter=adapter)


def test_activations_that_are_given_narrow_the_range() -> None:
    given, estimated = from_parameters(25e6, activation_bytes=1e8), from_parameters(25e6)
    assert given.moments[0].tensors.per_sample == 1e8
    assert given.fallbacks == ()
    assert estimated.fallbacks == ("activations-estimated",)
    narrow = from_parameters(25e6, activation_bytes=1e8, precision="amp-fp16")
    assert narrow.moments[0].tensors.per_sample == 0.5e8
    assert narrow.moments[0].copies == 2 * 25e6


# Configurations as published on Hugging Face; parameters as counted in their weights.
CONFIGS = [
    ({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
      "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 128256, "max_position_embeddings": 8192,
      "tie_word_embeddings": False}, 8_030_261_248),
    ({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "vocab_size": 50257, "n_positions": 1024},
     124_439_808),
    ({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240, "num_attention_heads": 32,
      "num_hidden_layers": 32, "vocab_size": 51200, "tie_word_embeddings": False}, 2_779_683_840),
    ({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
      "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 32000, "num_local_experts": 8,
      "num_experts_per_tok": 2, "tie_word_embeddings": False}, 46_702_792_704),
    ({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28,
      "num_key_value_heads": 4, "num_hidden_layers": 28, "vocab_size": 152064, "tie_word_embeddings": False},
     7_615_616_512),
    ({"model_type": "bert", "hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12,
      "num_hidden_layers": 12, "vocab_size": 30522, "type_vocab_size": 2, "max_position_embeddings": 512}, 110_106_428),
    ({"model_type": "opt", "hidden_size": 768, "ffn_dim": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
      "vocab_size": 50272, "max_position_embeddings": 2048}, 125_239_296),
]  # fmt: skip


@pytest.mark.parametrize(("config", "parameters"), CONFIGS, ids=[str(config["model_type"]) for config, _ in CONFIGS])
def test_dimensions_of_a_configuration_count_as_its_weights_do(config: dict[str, object], parameters: int) -> None:
    assert parts(dimensions(config)).total == parameters
    assert dimensions(config, sequence=77).sequence == 77


@pytest.mark.parametrize("config", [{}, {"model_type": "resnet"}, {"model_type": "llama", "hidden_size": 8}])
def test_a_configuration_that_tells_no_layers_is_bad_input(config: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="config-unknown"):
        dimensions(config)

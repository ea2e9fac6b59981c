"""Models of timm and transformers, by their published sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tradewind.domain.errors import BadInput, NotTraceable
from tradewind.domain.profile import ModelProfile
from tradewind.domain.profile_json import decode, encode
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing.trace import trace

SMALL = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "vocab_size": 500,
}
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    **SMALL,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
LLAMA_2_7B = {
    **LLAMA, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096,
}  # fmt: skip


@pytest.fixture
def hf(tmp_path: Path) -> Any:
    def profile(config: dict[str, Any], **asked: Any) -> ModelProfile:
        (tmp_path / "config.json").write_text(json.dumps(config))
        return trace(TraceRequest("hf:config.json", str(tmp_path), **asked))

    return profile


def test_resnet_50_has_its_published_size_and_arithmetic() -> None:
    profile = trace(TraceRequest("timm:resnet50", precision="amp-fp16"))
    assert profile.parameters == 25_557_032
    assert profile.forward_flops == pytest.approx(2 * 4.09e9, rel=0.001)  # of the paper's 3.8 GMACs, strides in 3x3
    assert [unit.count for unit in profile.units if unit.kind == "block"] == [1, 2, 1, 3, 1, 5, 1, 2]
    assert decode(json.loads(json.dumps(encode(profile)))) == profile


def test_a_vision_transformer_is_built_at_the_size_asked() -> None:
    profile = trace(TraceRequest("timm:vit_tiny_patch16_224", image_size=(3, 96, 96), classes=10))
    attention = next(op for op in profile.ops if op.kind == "attention")
    assert attention.dims == (3, 37, 37, 64)
    assert profile.parameters == 5_717_416 - (197 - 37) * 192 - 990 * 193


def test_attention_is_eager_when_asked() -> None:
    asked = TraceRequest("timm:vit_tiny_patch16_224", image_size=(3, 96, 96), attention="eager")
    assert not [op for op in trace(asked).ops if op.kind == "attention"]


def test_the_own_switch_checkpoints_a_timm_model() -> None:
    none, full = (
        trace(TraceRequest("timm:vit_tiny_patch16_224", image_size=(3, 96, 96), activation_checkpointing=kind))
        for kind in ("none", "full")
    )
    assert full.moments[0].tensors.per_sample < 0.4 * none.moments[0].tensors.per_sample
    assert full.step_flops > 1.2 * none.step_flops


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(BadInput) as caught:
        trace(TraceRequest("timm:resnet5O"))
    assert caught.value.code == "timm-unknown"
    assert "resnet50" in caught.value.facts["nearest"]


def test_a_language_model_is_made_from_its_config(hf: Any) -> None:
    profile = hf(LLAMA, sequence=32)
    layer = 2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 2 * 64
    assert profile.parameters == 3 * layer + 2 * 500 * 64 + 64
    assert profile.tokens == 32
    assert [(unit.kind, unit.count) for unit in profile.units] == [("embedding", 1), ("block", 3), ("head", 1)]
    transformer = profile.transformer
    assert (transformer.layers, transformer.kv_heads, transformer.head_size, transformer.sequence) == (3, 2, 16, 32)
    assert next(op for op in profile.ops if op.kind == "attention").dims == (4, 32, 32, 16)


def test_a_mixture_passes_only_the_experts_chosen(hf: Any) -> None:
    mixtral = {**LLAMA, "model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 8,
               "num_experts_per_tok": 2}  # fmt: skip
    profile, dense = hf(mixtral, sequence=32), hf(LLAMA, sequence=32)
    assert profile.parameters - profile.active == 3 * 6 * 3 * 64 * 128
    gates = 3 * 2 * 32 * 64 * 8
    assert profile.forward_flops - dense.forward_flops == 3 * 2 * 32 * 3 * 64 * 128 + gates


def test_adapters_of_a_language_model_are_on_query_and_value(hf: Any) -> None:
    profile = hf(LLAMA, sequence=32, adapter="lora:4", precision="bf16-true")
    assert profile.trainable == 3 * 4 * ((64 + 64) + (64 + 32))


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4,
         "n_positions": 32, "vocab_size": 500},
        {"model_type": "bert", "architectures": ["BertForSequenceClassification"], **SMALL},
        {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "d_model": 64, "d_ff": 128,
         "num_layers": 2, "num_heads": 4, "vocab_size": 500},
        {"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "d_model": 64,
         "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
         "vocab_size": 500, "max_source_positions": 100, "pad_token_id": 1},
        {"model_type": "vit", "architectures": ["ViTForImageClassification"], **SMALL, "image_size": 32},
        {"model_type": "llama", **{k: v for k, v in LLAMA.items() if k != "architectures"}},
    ],
    ids=["gpt2", "bert", "t5", "whisper", "vit", "no-architecture"],
)  # fmt: skip
def test_other_architectures_step_too(hf: Any, config: dict[str, Any]) -> None:
    profile = hf(config, sequence=32, precision="amp-bf16")
    assert profile.step_flops > 2.5 * profile.forward_flops
    assert profile.fallbacks == ()


def test_an_architecture_that_the_library_does_not_know_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "model_type": "lama"}))
    with pytest.raises(NotTraceable, match="architecture-unknown") as caught:
        trace(TraceRequest(f"hf:{tmp_path}"))
    assert "llama" in caught.value.facts["nearest"]


@pytest.mark.parametrize("text", ["{", "[]", '{"hidden_size": 4}'])
def test_a_broken_config_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(BadInput) as caught:
        trace(TraceRequest(f"hf:{tmp_path}"))
    assert caught.value.code == "hf-config-broken"


@pytest.mark.long
@pytest.mark.parametrize(
    ("adapter", "sequence", "micro_batch", "allocated_gib"),
    [("lora:8", 1304, 1, 19.837), ("lora:8", 1304, 2, 27.074), ("lora:32", 512, 2, 18.412)],
)
def test_llama_2_7b_with_adapters_takes_what_was_measured(
    hf: Any, adapter: str, sequence: int, micro_batch: int, allocated_gib: float
) -> None:
    """Lightning-AI/litgpt tutorials/resource-tables.md and config_hub/finetune (2024): highest bytes allocated."""
    profile = hf(LLAMA_2_7B, sequence=sequence, adapter=adapter, precision="bf16-true")
    weights = (profile.parameters - profile.trainable) * profile.frozen_bytes + profile.trainable * (2 + 2 + 2)
    step = max(m.tensors.at(micro_batch) + m.gradients * 2 * profile.trainable for m in profile.moments)
    assert (weights + step) / 2**30 == pytest.approx(allocated_gib, rel=0.06)


@pytest.mark.filterwarnings("ignore:Mapping deprecated model name")
@pytest.mark.parametrize(("width", "parameters"), [(16, 194.03e6), (32, 468.53e6), (48, 828.41e6)])
def test_names_that_timm_leads_astray_are_built_as_wide_as_they_say(width: int, parameters: float) -> None:
    profile = trace(TraceRequest(f"timm:ig_resnext101_32x{width}d", ".", task="infer"))
    assert profile.parameters == pytest.approx(parameters, rel=1e-4)

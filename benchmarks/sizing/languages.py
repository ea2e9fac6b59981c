"""Profiles of the language models whose speed the truths tell, from their published dimensions."""

from __future__ import annotations

from functools import cache

from sizing.llms import MODELS
from tradewind.domain.profile import ModelProfile, Transformer
from tradewind.sizing.closed_forms import transformer_profiles

_ALL = frozenset({"q", "k", "v", "o", "ffn"})

# (layers, width, heads): llm-foundry scripts/train/yamls/pretrain (2023). No biases, learned positions, tied head.
_MPT = {
    "125m": (12, 768, 12), "350m": (24, 1024, 16), "760m": (24, 1536, 12), "1b": (24, 2048, 16), "3b": (32, 2560, 20),
    "7b": (32, 4096, 32), "13b": (40, 5120, 40), "30b": (48, 7168, 56), "70b": (80, 8192, 64),
}  # fmt: skip
# (layers, width, heads, kv heads, ffn, vocabulary): NeMo examples/nlp/language_modeling/conf and model cards (2024).
_NEMO = {
    "GPT3-5B": (24, 4096, 32, 32, 16384, 50304), "GPT3-20B": (44, 6144, 48, 48, 24576, 50304),
    "GPT3-175B": (96, 12288, 96, 96, 49152, 50304), "Nemotron-8B": (32, 4096, 32, 32, 16384, 256000),
    "Nemotron-22B": (40, 6144, 48, 48, 24576, 256000), "Nemotron-340B": (96, 18432, 96, 8, 73728, 256000),
}  # fmt: skip
_OTHERS = {"torchtitan/Llama-2-13B": "litgpt/Llama-2-13-B", "torchtitan/Llama-2-70B": "litgpt/Llama-2-70-B",
           "gpt-fast/Llama-2-7B": "litgpt/llama-2-7b", "gpt-fast/Llama-2-70B": "litgpt/Llama-2-70-B",
           "gpt-fast/Llama-3.1-8B": "torchtitan/Llama-3.1-8B",
           "gpt-fast/Llama-3.1-70B": "torchtitan/Llama-3.1-70B"}  # fmt: skip


def dimensions(model: str, sequence: int) -> Transformer | None:
    """The dimensions of a model as the truths call it; None when they are not known."""
    maker, _, name = model.partition("/")
    if maker == "mpt" and name in _MPT:
        layers, width, heads = _MPT[name]
        return Transformer(layers, width, heads, heads, width // heads, 4 * width, 50368, sequence, tied=True,
                           positions=sequence, norm="layer")  # fmt: skip
    if maker == "nemo" and name in _NEMO:
        layers, width, heads, kv, ffn, vocabulary = _NEMO[name]
        return Transformer(layers, width, heads, kv, width // heads, ffn, vocabulary, sequence, norm="layer",
                           biases=_ALL if kv == heads else frozenset())  # fmt: skip
    return MODELS.get(_OTHERS.get(model, model))


@cache
def language_profile(
    model: str, sequence: int, precision: str, adapter: str = "none", checkpointing: str = "none", task: str = "train"
) -> ModelProfile | None:
    """The closed-form profile of such a model."""
    dims = dimensions(model, sequence)
    if dims is None:
        return None
    made = transformer_profiles(dims, name=model, task=task, precision=precision, adapter=adapter, sequence=sequence)
    return next(each for each in made if task == "infer" or each.activation_checkpointing == checkpointing)

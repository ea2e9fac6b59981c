"""Dimensions of the language models that the truths name: their published configurations (Hugging Face, 2023-2025)."""

from __future__ import annotations

from tradewind.domain.profile import Transformer

_BIASED = frozenset({"q", "k", "v", "o", "ffn"})


def _llama(layers: int, hidden: int, heads: int, kv: int, ffn: int, vocabulary: int = 32000, *, tied: bool = False) -> Transformer:  # fmt: skip  # noqa: E501
    return Transformer(layers, hidden, heads, kv, hidden // heads, ffn, vocabulary, 2048, gated=True, tied=tied)


def _phi(layers: int, hidden: int, ffn: int) -> Transformer:
    return Transformer(layers, hidden, 32, 32, hidden // 32, ffn, 51200, 2048, norm="layer", norms=1,
                       biases=_BIASED | {"head"}, parallel=True)  # fmt: skip


MODELS: dict[str, Transformer] = {
    "litgpt/llama-2-7b": _llama(32, 4096, 32, 32, 11008),
    "litgpt/Llama-2-7-B": _llama(32, 4096, 32, 32, 11008),
    "litgpt/Llama-2-13-B": _llama(40, 5120, 40, 40, 13824),
    "litgpt/Llama-2-70-B": _llama(80, 8192, 64, 8, 28672),
    "litgpt/CodeLlama-34-B": _llama(48, 8192, 64, 8, 22016),
    "litgpt/tiny-llama": _llama(22, 2048, 32, 4, 5632),
    "litgpt/TinyLlama-1.1B": _llama(22, 2048, 32, 4, 5632),
    "litgpt/llama-3-8b": _llama(32, 4096, 32, 8, 14336, 128256),
    "litgpt/llama-3.1-8b": _llama(32, 4096, 32, 8, 14336, 128256),
    "litgpt/llama-3.2-1b": _llama(16, 2048, 32, 8, 8192, 128256, tied=True),
    "litgpt/llama-3.2-3b": _llama(28, 3072, 24, 8, 8192, 128256, tied=True),
    "litgpt/Phi-3-mini-4k-instruct": _llama(32, 3072, 32, 32, 8192, 32064),
    "litgpt/phi-1.5": _phi(24, 2048, 8192),
    "litgpt/phi-2": _phi(32, 2560, 10240),
    "litgpt/stablelm-base-alpha-3b": Transformer(16, 4096, 32, 32, 128, 16384, 50688, 2048, norm="layer",
                                                 biases=_BIASED, parallel=True),
    "torchtitan/Llama-3.1-8B": _llama(32, 4096, 32, 8, 14336, 128256),
    "torchtitan/Llama-3.1-70B": _llama(80, 8192, 64, 8, 28672, 128256),
    "torchtitan/Llama-3.1-405B": _llama(126, 16384, 128, 8, 53248, 128256),
    "torchtune/Llama-3.1-8B": _llama(32, 4096, 32, 8, 14336, 128256),
    "torchtune/Llama-3.1-70B": _llama(80, 8192, 64, 8, 28672, 128256),
    "torchtune/Llama-3.1-405B": _llama(126, 16384, 128, 8, 53248, 128256),
    "torchtune/Llama-3.2-3B": _llama(28, 3072, 24, 8, 8192, 128256, tied=True),
}  # fmt: skip
MODELS["litgpt/StableLM-Alpha"] = MODELS["litgpt/stablelm-base-alpha-3b"]

"""Low-rank adapters: a frozen model, with two small trained factors beside some of its linear layers.

Which layers: the query and value projections, as PEFT and litgpt choose by default for most language models (2026-11);
all linear layers inside blocks where there are none of those names. QLoRA keeps the weights of every linear layer
inside blocks in nf4 (4 bits, and a float32 scale for 64 weights) and makes a 16-bit copy of one at a time. (arXiv
2106.09685, 2305.14314.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from tradewind.domain.errors import BadInput
from tradewind.tracing.units import blocks

QUERY_VALUE = frozenset({
    "q_proj", "v_proj", "query", "value", "q", "v", "q_lin", "v_lin", "query_key_value", "qkv", "qkv_proj", "c_attn",
    "Wqkv",
})  # fmt: skip
NF4_BYTES = 0.5 + 4 / 64
DROPOUT = 0.05  # as in litgpt's configurations and most guides


def adapt(module: nn.Module, adapter: str) -> float:
    """Freezes ``module`` and puts adapters into it; bytes of one frozen weight, on average.

    Args:
        adapter: ``lora:R`` or ``qlora:R``, R the rank.

    Raises:
        BadInput: ``adapter-nowhere``: the model has no such layers.
    """
    kind, _, rank = adapter.partition(":")
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    linears = list(_linears(module))
    chosen = [entry for entry in linears if entry[1] in QUERY_VALUE] or linears
    if not chosen:
        raise BadInput("adapter-nowhere", adapter=adapter)
    total = sum(p.numel() for p in module.parameters())
    quantized = 0
    for owner, name, layer in linears if kind == "qlora" else ():
        quantized += layer.weight.numel()
        setattr(owner, name, Quantized(layer))
    for owner, name, layer in chosen:
        setattr(owner, name, LowRank(getattr(owner, name), layer, int(rank)))
    return 2.0 - quantized * (2.0 - NF4_BYTES) / total


def _linears(module: nn.Module) -> Iterator[tuple[nn.Module, str, Any]]:
    """(owner, name, layer) of the linear layers inside repeated parts: never an embedding's twin or a classifier."""
    for block in blocks(module):
        for owner in block.modules():
            for name, layer in owner.named_children():
                if isinstance(layer, nn.Linear) or type(layer).__name__ == "Conv1D":
                    yield owner, name, layer


class LowRank(nn.Module):
    """``base`` and, added to it, the product of two factors of rank ``rank``."""

    def __init__(self, base: nn.Module, layer: Any, rank: int) -> None:
        super().__init__()
        inputs, outputs = _features(layer)
        kind = {"device": layer.weight.device, "dtype": layer.weight.dtype}
        self.base = base
        self.dropout = nn.Dropout(DROPOUT)
        self.down = nn.Linear(inputs, rank, bias=False, **kind)
        self.up = nn.Linear(rank, outputs, bias=False, **kind)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The result of ``base``, corrected."""
        result: torch.Tensor = self.base(inputs) + self.up(self.down(self.dropout(inputs)))
        return result


class Quantized(nn.Module):
    """A frozen linear layer whose weight is made anew, in the type of the inputs, each time that it is needed."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.weight, self.bias = layer.weight, layer.bias
        self.rows_are_inputs = not isinstance(layer, nn.Linear)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """``inputs`` times the weight made anew."""
        weight = self.weight.t() if self.rows_are_inputs else self.weight
        result: torch.Tensor = _Dequantized.apply(inputs, weight)
        return result if self.bias is None else result + self.bias


class _Dequantized(torch.autograd.Function):
    """Keeps a copy of its inputs, as litgpt's tables of 2023 and 2024 show that bitsandbytes did: 2 to 3 GiB more than
    LoRA at 7B, where a kernel that keeps nothing would show none."""

    @staticmethod
    def forward(context: Any, inputs: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(inputs.clone(), weight)
        return nn.functional.linear(inputs, weight.clone().to(inputs.dtype))

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> Any:
        _, weight = context.saved_tensors
        return gradient @ weight.clone().to(gradient.dtype), None


def _features(layer: Any) -> tuple[int, int]:
    """(inputs, outputs) of a linear layer; transformers' ``Conv1D`` keeps its weight the other way round."""
    outputs, inputs = layer.weight.shape
    return (inputs, outputs) if isinstance(layer, nn.Linear) else (outputs, inputs)

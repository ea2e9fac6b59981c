"""Small modules, and their traces in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tradewind.domain.profile import ModelProfile
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing.empty import empty_weights
from tradewind.tracing.subject import Subject
from tradewind.tracing.trace import profile_of


def traced(
    build: Callable[[], nn.Module], *shape: int, dtype: torch.dtype = torch.float32, **asked: Any
) -> ModelProfile:
    """The profile of what ``build`` returns, on inputs of ``shape`` a sample; the loss is the mean of the output."""
    with empty_weights():
        module = build()
    subject = Subject(module, lambda n: (((torch.zeros(n, *shape, dtype=dtype),), {}), None), lambda out, _: out.mean())
    return profile_of(subject, TraceRequest("case", **asked), time.monotonic())


class Attention(nn.Module):
    """Self-attention of ``heads`` heads, the function of torch."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.inputs, self.output = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.inputs(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.output(mixed.transpose(1, 2).flatten(2))  # type: ignore[no-any-return]


class Block(nn.Module):
    """A residual block with two linear layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.q_proj, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(nn.functional.gelu(self.q_proj(self.norm(x))))  # type: ignore[no-any-return]


class Network(nn.Module):
    """An embedding, ``depth`` blocks and a head with the weights of the embedding."""

    def __init__(self, depth: int = 4, width: int = 64, vocabulary: int = 100) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)  # type: ignore[no-any-return]

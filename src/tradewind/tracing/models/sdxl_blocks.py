"""Blocks of SDXL's UNet. Sources: see ``sdxl``; GEGLU: arXiv 2002.05202."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

HEAD = 64  # channels of an attention head


def sinusoids(values: Tensor, size: int) -> Tensor:
    """Float[m] → float[m, size], cosines before sines."""
    rates = torch.exp(
        -math.log(10_000) * torch.arange(size // 2, dtype=torch.float32, device=values.device) / (size // 2)
    )
    angles = values.float().unsqueeze(1) * rates
    return torch.cat([angles.cos(), angles.sin()], 1)


class Residual(nn.Module):
    """Two convolutions after group norm and SiLU, the time added between them."""

    def __init__(self, channels_in: int, channels_out: int, time: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(32, channels_in), nn.GroupNorm(32, channels_out)
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, padding=1)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, padding=1)
        self.time = nn.Linear(time, channels_out)
        self.side = nn.Identity() if channels_in == channels_out else nn.Conv2d(channels_in, channels_out, 1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        """Float[n, channels_in, h, w] and float[n, time] → float[n, channels_out, h, w]."""
        y = self.conv1(functional.silu(self.norm1(x)))
        y = y + self.time(functional.silu(time))[:, :, None, None]
        y = self.conv2(functional.silu(self.norm2(y)))
        out: Tensor = self.side(x) + y
        return out


class Attention(nn.Module):
    """Multi-head attention to ``context``, fused; queries, keys and values without biases."""

    def __init__(self, width: int, context: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(each, width, bias=False) for each in (width, context, context))
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        """Float[n, s, width], float[n, t, context] → float[n, s, width]."""
        q, k, v = (
            each.unflatten(2, (-1, HEAD)).transpose(1, 2) for each in (self.q(x), self.k(context), self.v(context))
        )
        mixed: Tensor = self.out(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return mixed


class GatedFeedForward(nn.Module):
    """Width × 4, gated by GELU."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner, self.out = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Float[n, s, width], the same shape back."""
        value, gate = self.inner(x).chunk(2, dim=-1)
        out: Tensor = self.out(value * functional.gelu(gate))
        return out


class TransformerBlock(nn.Module):
    """Self-attention, attention to the text, feed-forward, each after a layer norm and around a shortcut."""

    def __init__(self, width: int, text: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own, self.cross = Attention(width, width), Attention(width, text)
        self.feed_forward = GatedFeedForward(width)

    def forward(self, x: Tensor, text: Tensor) -> Tensor:
        """Float[n, s, width] and float[n, t, text] → float[n, s, width]."""
        y = self.norms[0](x)
        x = x + self.own(y, y)
        x = x + self.cross(self.norms[1](x), text)
        out: Tensor = x + self.feed_forward(self.norms[2](x))
        return out


class SpatialTransformer(nn.Module):
    """Transformer blocks over the positions of a map."""

    def __init__(self, width: int, depth: int, text: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(32, width, eps=1e-6)
        self.enter, self.leave = nn.Linear(width, width), nn.Linear(width, width)
        self.blocks = nn.ModuleList(TransformerBlock(width, text) for _ in range(depth))

    def forward(self, x: Tensor, text: Tensor, run: Callable[..., Tensor]) -> Tensor:
        """Float[n, width, h, w], the same shape back; ``run`` calls a block, checkpointed or not."""
        height, width = x.shape[2:]
        y = self.enter(self.norm(x).flatten(2).transpose(1, 2))
        for block in self.blocks:
            y = run(block, y, text)
        out: Tensor = x + self.leave(y).transpose(1, 2).unflatten(2, (height, width))
        return out

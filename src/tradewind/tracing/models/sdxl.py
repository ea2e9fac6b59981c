"""The UNet of Stable Diffusion XL: residual and transformer blocks at three resolutions, conditioned on time and text.

Source: arXiv 2307.01952, table 1 (channels × 1, 2, 4 of 320; transformer blocks 0, 2, 10; text width 2048) and the
config published with stabilityai/stable-diffusion-xl-base-1.0 (2,567,463,684 parameters).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from tradewind.tracing.models.sdxl_blocks import Residual, SpatialTransformer, sinusoids

BASE = 320
CHANNELS = (320, 640, 1280)
DEPTHS = (0, 2, 10)  # transformer blocks after each residual block, by level
TEXT = 2048  # width of the two text encoders' states together
POOLED = 1280  # width of the pooled text state
SIZES = 6  # original size, crop and target size, each as 256 sinusoids
TIME = 1280
TOKENS = 77


class Level(nn.Module):
    """Residual blocks of one resolution, each followed by transformer blocks where the level has them."""

    def __init__(self, channels_in: list[int], channels_out: int, depth: int) -> None:
        super().__init__()
        self.residuals = nn.ModuleList(Residual(each, channels_out, TIME) for each in channels_in)
        self.transformers = nn.ModuleList(SpatialTransformer(channels_out, depth, TEXT) for _ in channels_in if depth)


class SdxlUNet(nn.Module):
    """Latents float[n, 4, h, w], h and w multiples of 4, an eighth of the image's → the noise in them."""

    def __init__(self) -> None:
        super().__init__()
        self.time = _two_linears(BASE)
        self.added = _two_linears(POOLED + SIZES * 256)
        self.first = nn.Conv2d(4, BASE, 3, padding=1)
        self.down, self.shrink, self.up, self.grow = (nn.ModuleList() for _ in range(4))
        kept = [BASE]
        for level, (channels, depth) in enumerate(zip(CHANNELS, DEPTHS, strict=True)):
            self.down.append(Level([kept[-1], channels], channels, depth))
            kept += [channels, channels]
            if level < len(CHANNELS) - 1:
                self.shrink.append(nn.Conv2d(channels, channels, 3, stride=2, padding=1))
                kept.append(channels)
        top = CHANNELS[-1]
        self.middle = Level([top], top, DEPTHS[-1])
        self.last_residual = Residual(top, top, TIME)
        x = top
        for level, (channels, depth) in enumerate(zip(reversed(CHANNELS), reversed(DEPTHS), strict=True)):
            beside = [kept.pop() for _ in range(3)]
            self.up.append(Level([x + beside[0], channels + beside[1], channels + beside[2]], channels, depth))
            x = channels
            if level < len(CHANNELS) - 1:
                self.grow.append(nn.Conv2d(channels, channels, 3, padding=1))
        self.norm = nn.GroupNorm(32, BASE)
        self.last = nn.Conv2d(BASE, 4, 3, padding=1)
        self.checkpointed = False

    def set_grad_checkpointing(self, enable: bool = True) -> None:
        """Keep the inputs of each residual and transformer block alone for the backward pass."""
        self.checkpointed = enable

    def forward(self, latents: Tensor, times: Tensor, text: Tensor, pooled: Tensor, sizes: Tensor) -> Tensor:
        """Latents as the class says; times [n], text [n, 77, 2048], pooled [n, 1280], sizes [n, 6]."""
        about = torch.cat([pooled, sinusoids(sizes.flatten(), 256).view(len(sizes), -1).to(pooled.dtype)], 1)
        time = self.time(sinusoids(times, BASE).to(latents.dtype)) + self.added(about)
        x = self.first(latents)
        kept = [x]
        for level, stage in enumerate(self.down):
            for index in range(2):
                x = self._step(stage, index, x, time, text)
                kept.append(x)
            if level < len(self.shrink):
                x = self.shrink[level](x)
                kept.append(x)
        x = self._step(self.middle, 0, x, time, text)
        x = self._run(self.last_residual, x, time)
        for level, stage in enumerate(self.up):
            for index in range(3):
                x = self._step(stage, index, torch.cat([x, kept.pop()], 1), time, text)
            if level < len(self.grow):
                x = self.grow[level](functional.interpolate(x, scale_factor=2.0, mode="nearest"))
        noise: Tensor = self.last(functional.silu(self.norm(x)))
        return noise

    def _step(self, level: nn.Module, index: int, x: Tensor, time: Tensor, text: Tensor) -> Tensor:
        assert isinstance(level, Level)
        x = self._run(level.residuals[index], x, time)
        if not level.transformers:
            return x
        transformer = level.transformers[index]
        assert isinstance(transformer, SpatialTransformer)
        out: Tensor = transformer(x, text, self._run)
        return out

    def _run(self, block: nn.Module, *inputs: Tensor) -> Tensor:
        if self.checkpointed and self.training:
            kept: Tensor = checkpoint(block, *inputs, use_reentrant=False)
            return kept
        out: Tensor = block(*inputs)
        return out


def _two_linears(inputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, TIME), nn.SiLU(), nn.Linear(TIME, TIME))


def batch(samples: int, side: tuple[int, int]) -> tuple[Tensor, ...]:
    """Inputs of ``samples`` images of ``side`` pixels: latents an eighth of that, encoded beforehand."""
    height, width = (pixels // 8 for pixels in side)
    return (torch.rand(samples, 4, height, width), torch.zeros(samples), torch.rand(samples, TOKENS, TEXT),
            torch.rand(samples, POOLED), torch.zeros(samples, SIZES))  # fmt: skip


def loss(noise: Tensor, wanted: Tensor) -> Tensor:
    """Mean squared error against the noise that was added, in fp32."""
    return functional.mse_loss(noise.float(), wanted.float())

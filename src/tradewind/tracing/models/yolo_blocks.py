"""Building blocks that YOLOv5 and YOLOv8 share, and the scaling of their depth and width.

Source: the model tables of YOLOv5 6.0 (2021-10) and YOLOv8 (2023-01) and the papers they build on: CSPNet
(arXiv 1911.11929), spatial pyramid pooling (arXiv 1406.4729).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Scale(NamedTuple):
    """A size of the family: repeats × ``depth``, channels × ``width``, no more than ``most`` before that."""

    depth: float
    width: float
    most: int = 1024

    def repeats(self, count: int) -> int:
        """Blocks in a row, at least one."""
        return max(round(count * self.depth), 1)

    def channels(self, count: int) -> int:
        """Channels, a multiple of 8."""
        return math.ceil(min(count, self.most) * self.width / 8) * 8


class ConvUnit(nn.Sequential):
    """Convolution without bias, batch normalisation, SiLU."""

    def __init__(self, channels_in: int, channels_out: int, kernel: int = 1, stride: int = 1, pad: int = -1) -> None:
        padding = kernel // 2 if pad < 0 else pad
        super().__init__(
            nn.Conv2d(channels_in, channels_out, kernel, stride, padding, bias=False),
            nn.BatchNorm2d(channels_out, eps=1e-3, momentum=0.03),
            nn.SiLU(inplace=True),
        )


class Bottleneck(nn.Module):
    """Two convolutions, the first of width ``kernel``, with a shortcut around them."""

    def __init__(self, channels: int, kernel: int, shortcut: bool) -> None:
        super().__init__()
        self.body = nn.Sequential(ConvUnit(channels, channels, kernel), ConvUnit(channels, channels, 3))
        self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        """Float[n, channels, h, w], the same shape back."""
        y: Tensor = self.body(x)
        return x + y if self.shortcut else y


class PyramidPooling(nn.Module):
    """Three 5 × 5 max-pools in a row, put beside their input (SPPF)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.narrow = ConvUnit(channels, channels // 2)
        self.pool = nn.MaxPool2d(5, stride=1, padding=2)
        self.join = ConvUnit(channels * 2, channels)

    def forward(self, x: Tensor) -> Tensor:
        """Float[n, channels, h, w], the same shape back."""
        steps = [self.narrow(x)]
        for _ in range(3):
            steps.append(self.pool(steps[-1]))
        joined: Tensor = self.join(torch.cat(steps, 1))
        return joined


class Neck(nn.Module):
    """Features of three scales, mixed from coarse to fine and back (path aggregation, arXiv 1803.01534).

    ``laterals`` come before a map goes up, ``up`` after it has met the finer one; ``strides`` halve a map on its way
    down, ``down`` follows where it has met the one beside it.
    """

    def __init__(self, up: list[nn.Module], down: list[nn.Module], laterals: list[nn.Module], strides: list[nn.Module]):
        super().__init__()
        self.up, self.down = nn.ModuleList(up), nn.ModuleList(down)
        self.laterals, self.strides = nn.ModuleList(laterals), nn.ModuleList(strides)
        self.enlarge = nn.Upsample(scale_factor=2.0, mode="nearest")

    def forward(self, fine: Tensor, middle: Tensor, coarse: Tensor) -> list[Tensor]:
        """Maps at 1/8, 1/16 and 1/32 of the image in, the same scales out."""
        top = self.laterals[0](coarse)
        mid = self.laterals[1](self.up[0](torch.cat([self.enlarge(top), middle], 1)))
        maps = [self.up[1](torch.cat([self.enlarge(mid), fine], 1))]
        for stride, stage, beside in zip(self.strides, self.down, (mid, top), strict=True):
            maps.append(stage(torch.cat([stride(maps[-1]), beside], 1)))
        return maps

"""U-Net as it is trained today: padded convolutions with batch normalisation, images in, masks of the same size out.

Source: arXiv 1505.04597, figure 1 (channels 64 to 1024, transposed convolutions upwards); batch normalisation and
padding are what later implementations agree on (31,037,698 parameters for three channels in and two classes).
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

CHANNELS = (64, 128, 256, 512, 1024)


class DoubleConv(nn.Sequential):
    """Two 3 × 3 convolutions, each with batch normalisation and ReLU."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__(
            nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(inplace=True),
        )


class UNet(nn.Module):
    """Images float[n, channels, h, w], h and w multiples of 16 → logits float[n, classes, h, w]."""

    def __init__(self, channels: int = 3, classes: int = 2) -> None:
        super().__init__()
        steps = list(pairwise(CHANNELS))
        self.first = DoubleConv(channels, CHANNELS[0])
        self.pool = nn.MaxPool2d(2)
        self.down = nn.ModuleList(DoubleConv(narrow, wide) for narrow, wide in steps)
        self.rise = nn.ModuleList(nn.ConvTranspose2d(wide, narrow, 2, stride=2) for narrow, wide in reversed(steps))
        self.up = nn.ModuleList(DoubleConv(wide, narrow) for narrow, wide in reversed(steps))
        self.head = nn.Conv2d(CHANNELS[0], classes, 1)
        self.checkpointed = False

    def set_grad_checkpointing(self, enable: bool = True) -> None:
        """Keep the inputs of each double convolution alone for the backward pass."""
        self.checkpointed = enable

    def forward(self, images: Tensor) -> Tensor:
        """See the class."""
        kept = [self._run(self.first, images)]
        for stage in self.down:
            kept.append(self._run(stage, self.pool(kept[-1])))
        x = kept.pop()
        for rise, stage in zip(self.rise, self.up, strict=True):
            x = self._run(stage, torch.cat([kept.pop(), rise(x)], 1))
        logits: Tensor = self.head(x)
        return logits

    def _run(self, stage: nn.Module, x: Tensor) -> Tensor:
        out: Tensor = checkpoint(stage, x, use_reentrant=False) if self.checkpointed and self.training else stage(x)
        return out


def loss(logits: Tensor, masks: Tensor) -> Tensor:
    """Cross-entropy and soft Dice over all classes; masks int64[n, h, w]."""
    shares = logits.float().softmax(1)
    wanted = functional.one_hot(masks, logits.shape[1]).permute(0, 3, 1, 2).float()
    both, either = (shares * wanted).sum((0, 2, 3)), shares.sum((0, 2, 3)) + wanted.sum((0, 2, 3))
    return functional.cross_entropy(logits, masks) + 1.0 - (2.0 * both / (either + 1e-6)).mean()

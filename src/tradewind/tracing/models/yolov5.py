"""YOLOv5 (release 6.0): backbone, neck, anchor head and a loss that keeps what the real one keeps.

Source: the model table and the losses as described with the release (ultralytics YOLOv5 6.0, 2021-10); CIoU: arXiv
1911.08287. Sizes n s m l x differ in depth and width alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from tradewind.tracing.models.boxes import complete_iou
from tradewind.tracing.models.yolo_blocks import Bottleneck, ConvUnit, Neck, PyramidPooling, Scale

SCALES = {"n": Scale(0.33, 0.25), "s": Scale(0.33, 0.5), "m": Scale(0.67, 0.75), "l": Scale(1.0, 1.0),
          "x": Scale(1.33, 1.25)}  # fmt: skip
ANCHORS = 3
MATCHES = 64  # anchors matched to boxes, an image and scale: about 7 boxes (COCO) × 3 cells × 3 anchors


class Stage(nn.Module):
    """Cross-stage partial block with three outer convolutions (C3)."""

    def __init__(self, channels_in: int, channels_out: int, repeats: int, shortcut: bool) -> None:
        super().__init__()
        half = channels_out // 2
        self.main, self.side = ConvUnit(channels_in, half), ConvUnit(channels_in, half)
        self.blocks = nn.Sequential(*(Bottleneck(half, 1, shortcut) for _ in range(repeats)))
        self.join = ConvUnit(2 * half, channels_out)

    def forward(self, x: Tensor) -> Tensor:
        """Float[n, channels_in, h, w] → float[n, channels_out, h, w]."""
        joined: Tensor = self.join(torch.cat([self.blocks(self.main(x)), self.side(x)], 1))
        return joined


class YoloV5(nn.Module):
    """The detector; training output: float[n, 3, h, w, 5 + classes] at each of three scales."""

    def __init__(self, scale: Scale, classes: int = 80) -> None:
        super().__init__()
        c64, c128, c256, c512, c1024 = (scale.channels(each) for each in (64, 128, 256, 512, 1024))
        short, mid, long = (scale.repeats(each) for each in (3, 6, 9))
        self.fine = nn.Sequential(
            ConvUnit(3, c64, 6, 2, 2), ConvUnit(c64, c128, 3, 2), Stage(c128, c128, short, True),
            ConvUnit(c128, c256, 3, 2), Stage(c256, c256, mid, True),
        )  # fmt: skip
        self.middle = nn.Sequential(ConvUnit(c256, c512, 3, 2), Stage(c512, c512, long, True))
        self.coarse = nn.Sequential(
            ConvUnit(c512, c1024, 3, 2), Stage(c1024, c1024, short, True), PyramidPooling(c1024)
        )
        self.neck = Neck(
            up=[Stage(c1024, c512, short, False), Stage(c512, c256, short, False)],
            down=[Stage(c512, c512, short, False), Stage(c1024, c1024, short, False)],
            laterals=[ConvUnit(c1024, c512), ConvUnit(c512, c256)],
            strides=[ConvUnit(c256, c256, 3, 2), ConvUnit(c512, c512, 3, 2)],
        )
        self.outputs = classes + 5
        self.head = nn.ModuleList(nn.Conv2d(each, ANCHORS * self.outputs, 1) for each in (c256, c512, c1024))

    def forward(self, images: Tensor) -> list[Tensor]:
        """Images float[n, 3, h, w], h and w multiples of 32."""
        fine = self.fine(images)
        middle = self.middle(fine)
        maps = self.neck(fine, middle, self.coarse(middle))
        return [self._by_anchor(head(each)) for head, each in zip(self.head, maps, strict=True)]

    def _by_anchor(self, x: Tensor) -> Tensor:
        n, _, height, width = x.shape
        return x.view(n, ANCHORS, self.outputs, height, width).permute(0, 1, 3, 4, 2).contiguous()


def targets(samples: int, classes: int = 80) -> list[tuple[Tensor, Tensor, Tensor]]:
    """What the anchors of each scale were matched to: image and cell int64[m, 4], box float[m, 4], class int64[m]."""
    matched = samples * MATCHES
    return [
        (torch.zeros(matched, 4, dtype=torch.int64), torch.rand(matched, 4), torch.zeros(matched, dtype=torch.int64))
        for _ in range(3)
    ]


def loss(predictions: list[Tensor], matched: list[tuple[Tensor, Tensor, Tensor]]) -> Tensor:
    """Boxes by CIoU, objectness over every anchor, classes of those matched."""
    total = predictions[0].new_zeros((), dtype=torch.float32)
    for predicted, (where, boxes, classes) in zip(predictions, matched, strict=True):
        image, anchor, row, column = where.unbind(1)
        chosen = predicted[image, anchor, row, column]
        centre = chosen[:, :2].sigmoid() * 2 - 0.5
        size = (chosen[:, 2:4].sigmoid() * 2) ** 2
        overlap = complete_iou(torch.cat([centre, size], 1), boxes)
        objectness = torch.zeros_like(predicted[..., 0])
        objectness[image, anchor, row, column] = overlap.detach().clamp(0).to(objectness.dtype)
        wanted = functional.one_hot(classes, chosen.shape[1] - 5).to(chosen.dtype)
        total = (
            total + (1.0 - overlap).mean() + functional.binary_cross_entropy_with_logits(predicted[..., 4], objectness)
        )
        total = total + functional.binary_cross_entropy_with_logits(chosen[:, 5:], wanted)
    return total

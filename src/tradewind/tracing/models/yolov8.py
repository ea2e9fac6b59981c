"""YOLOv8: backbone, neck, decoupled anchor-free head and a loss that keeps what the real one keeps.

Source: the model table of the release (ultralytics YOLOv8, 2023-01); distribution focal loss: arXiv 2006.04388;
task-aligned assignment: arXiv 2108.07755. Sizes n s m l x differ in depth, width and widest channels.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from tradewind.tracing.models.boxes import complete_iou
from tradewind.tracing.models.yolo_blocks import Bottleneck, ConvUnit, Neck, PyramidPooling, Scale

SCALES = {"n": Scale(0.33, 0.25), "s": Scale(0.33, 0.5), "m": Scale(0.67, 0.75, 768), "l": Scale(1.0, 1.0, 512),
          "x": Scale(1.0, 1.25, 512)}  # fmt: skip
BINS = 16  # of the distribution over each side's distance
BOXES = 20  # rows an image is padded to: the most crowded image of a batch of COCO mosaics has about this many
NEAREST = 10  # anchors assigned to a box


class Stage(nn.Module):
    """Cross-stage partial block that keeps every bottleneck's output for its last convolution (C2f)."""

    def __init__(self, channels_in: int, channels_out: int, repeats: int, shortcut: bool) -> None:
        super().__init__()
        half = channels_out // 2
        self.split = ConvUnit(channels_in, 2 * half)
        self.blocks = nn.ModuleList(Bottleneck(half, 3, shortcut) for _ in range(repeats))
        self.join = ConvUnit((2 + repeats) * half, channels_out)

    def forward(self, x: Tensor) -> Tensor:
        """Float[n, channels_in, h, w] → float[n, channels_out, h, w]."""
        kept = list(self.split(x).chunk(2, 1))
        for block in self.blocks:
            kept.append(block(kept[-1]))
        joined: Tensor = self.join(torch.cat(kept, 1))
        return joined


class Head(nn.Module):
    """Boxes as distributions and classes, by branches of their own at each scale."""

    def __init__(self, channels: tuple[int, int, int], classes: int) -> None:
        super().__init__()
        box, label = max(16, channels[0] // 4, 4 * BINS), max(channels[0], min(classes, 100))
        self.boxes = nn.ModuleList(self._branch(each, box, 4 * BINS) for each in channels)
        self.labels = nn.ModuleList(self._branch(each, label, classes) for each in channels)
        self.bins = nn.Parameter(torch.arange(BINS, dtype=torch.float32), requires_grad=False)

    @staticmethod
    def _branch(channels: int, inner: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(ConvUnit(channels, inner, 3), ConvUnit(inner, inner, 3), nn.Conv2d(inner, outputs, 1))

    def forward(self, maps: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Distances float[n, cells, 4 × bins], classes float[n, cells, classes], and boxes decoded from the first."""
        both = [torch.cat([box(x), label(x)], 1) for box, label, x in zip(self.boxes, self.labels, maps, strict=True)]
        flat = torch.cat([each.flatten(2) for each in both], 2)
        distances, labels = flat.permute(0, 2, 1).contiguous().tensor_split((4 * BINS,), 2)
        shares = distances.view(*distances.shape[:2], 4, BINS).softmax(3)
        return distances, labels, shares.matmul(self.bins.to(shares.dtype))


class YoloV8(nn.Module):
    """The detector."""

    def __init__(self, scale: Scale, classes: int = 80) -> None:
        super().__init__()
        c64, c128, c256, c512, c1024 = (scale.channels(each) for each in (64, 128, 256, 512, 1024))
        short, long = scale.repeats(3), scale.repeats(6)
        self.fine = nn.Sequential(
            ConvUnit(3, c64, 3, 2), ConvUnit(c64, c128, 3, 2), Stage(c128, c128, short, True),
            ConvUnit(c128, c256, 3, 2), Stage(c256, c256, long, True),
        )  # fmt: skip
        self.middle = nn.Sequential(ConvUnit(c256, c512, 3, 2), Stage(c512, c512, long, True))
        self.coarse = nn.Sequential(
            ConvUnit(c512, c1024, 3, 2), Stage(c1024, c1024, short, True), PyramidPooling(c1024)
        )
        self.neck = Neck(
            up=[Stage(c1024 + c512, c512, short, False), Stage(c512 + c256, c256, short, False)],
            down=[Stage(c256 + c512, c512, short, False), Stage(c512 + c1024, c1024, short, False)],
            laterals=[nn.Identity(), nn.Identity()],
            strides=[ConvUnit(c256, c256, 3, 2), ConvUnit(c512, c512, 3, 2)],
        )
        self.head = Head((c256, c512, c1024), classes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Images float[n, 3, h, w], h and w multiples of 32; see :class:`Head`."""
        fine = self.fine(images)
        middle = self.middle(fine)
        maps: tuple[Tensor, Tensor, Tensor] = self.head(self.neck(fine, middle, self.coarse(middle)))
        return maps


class Targets(NamedTuple):
    """Boxes of a batch: ``boxes`` float[n, most, 4], ``classes`` int64[n, most], and the cells that were matched."""

    boxes: Tensor
    classes: Tensor
    cells: Tensor


def targets(samples: int) -> Targets:
    """Targets of ``samples`` images; the cells, int64[n × matches, 2], stand for what a mask chooses in training."""
    return Targets(
        torch.rand(samples, BOXES, 4),
        torch.zeros(samples, BOXES, dtype=torch.int64),
        torch.zeros(samples * BOXES * NEAREST // 2, 2, dtype=torch.int64),
    )


def loss(predictions: tuple[Tensor, Tensor, Tensor], wanted: Targets) -> Tensor:
    """Classes over every cell against the assigned scores; boxes by CIoU and distribution at the matched cells."""
    distances, labels, boxes = predictions
    assigned, scores = _assign(labels.detach(), boxes.detach(), wanted)
    image, cell = wanted.cells.unbind(1)
    weight = scores.sum(2)[image, cell]
    overlap = complete_iou(boxes[image, cell], assigned[image, cell])
    sides = distances[image, cell].view(-1, BINS)
    left = assigned[image, cell].view(-1).long()
    focal = functional.cross_entropy(sides, left) + functional.cross_entropy(sides, left.clamp(max=BINS - 2) + 1)
    every = functional.binary_cross_entropy_with_logits(labels, scores.to(labels.dtype), reduction="none").sum()
    return every + ((1.0 - overlap) * weight).sum() + focal


@torch.no_grad()
def _assign(labels: Tensor, boxes: Tensor, wanted: Targets) -> tuple[Tensor, Tensor]:
    """Box float[n, cells, 4] and class scores float[n, cells, classes] that every cell is trained towards."""
    classes = wanted.classes.unsqueeze(2).expand(-1, -1, labels.shape[1])
    likelihood = labels.sigmoid().permute(0, 2, 1).gather(1, classes)
    overlap = complete_iou(wanted.boxes.unsqueeze(2), boxes.unsqueeze(1)).clamp(0)
    metric = likelihood.pow(0.5) * overlap.pow(6)
    _, nearest = metric.topk(NEAREST, dim=2)
    positive = torch.zeros_like(metric).scatter(2, nearest, 1.0)
    owner = (overlap * positive).argmax(1)
    assigned = wanted.boxes.gather(1, owner.unsqueeze(2).expand(-1, -1, 4))
    strength = (metric * positive).amax(1).unsqueeze(2)
    scores = functional.one_hot(wanted.classes.gather(1, owner), labels.shape[2]) * strength
    return assigned, scores

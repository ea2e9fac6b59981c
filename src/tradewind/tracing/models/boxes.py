"""Overlap of boxes, as detectors' losses use it."""

from __future__ import annotations

import math

import torch
from torch import Tensor

_TINY = 1e-7


def complete_iou(one: Tensor, other: Tensor) -> Tensor:
    """CIoU of boxes given by centre and size, float[..., 4] each → float[...]. Source: arXiv 1911.08287, eq. 10."""
    (x1, y1, w1, h1), (x2, y2, w2, h2) = one.unbind(-1), other.unbind(-1)
    width = (torch.minimum(x1 + w1 / 2, x2 + w2 / 2) - torch.maximum(x1 - w1 / 2, x2 - w2 / 2)).clamp(0)
    height = (torch.minimum(y1 + h1 / 2, y2 + h2 / 2) - torch.maximum(y1 - h1 / 2, y2 - h2 / 2)).clamp(0)
    shared = width * height
    overlap = shared / (w1 * h1 + w2 * h2 - shared + _TINY)
    hull_width = torch.maximum(x1 + w1 / 2, x2 + w2 / 2) - torch.minimum(x1 - w1 / 2, x2 - w2 / 2)
    hull_height = torch.maximum(y1 + h1 / 2, y2 + h2 / 2) - torch.minimum(y1 - h1 / 2, y2 - h2 / 2)
    distance = ((x1 - x2) ** 2 + (y1 - y2) ** 2) / (hull_width**2 + hull_height**2 + _TINY)
    shape = (4 / math.pi**2) * (torch.atan(w2 / (h2 + _TINY)) - torch.atan(w1 / (h1 + _TINY))) ** 2
    with torch.no_grad():
        weight = shape / (1 - overlap + shape + _TINY)
    return overlap - distance - weight * shape

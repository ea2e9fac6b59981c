"""Models that no library here brings, defined anew: the subject of each ``preset:NAME``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tradewind.domain.errors import BadInput
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing.models import sdxl, unet, yolov5, yolov8
from tradewind.tracing.subject import Batch, Subject

_Side = tuple[int, int]


def preset_subject(name: str, request: TraceRequest) -> Subject:
    """The model of one of :data:`NAMES`, at the size and with the classes that ``request`` asks for.

    Raises:
        BadInput: ``model-unknown``.
    """
    if name not in _BUILDERS:
        raise BadInput("model-unknown", model=f"preset:{name}")
    return _BUILDERS[name](request)


def _yolo(version: Any, network: type[nn.Module], scale: Any) -> Callable[[TraceRequest], Subject]:
    def made(request: TraceRequest) -> Subject:
        _, side = _size(request, 640)

        def batch(samples: int) -> tuple[Batch, Any]:
            return ((torch.rand(samples, 3, *side),), {}), version.targets(samples)

        return Subject(network(scale, request.classes or 80), batch, version.loss)

    return made


def _unet(request: TraceRequest) -> Subject:
    channels, side = _size(request, 512)

    def batch(samples: int) -> tuple[Batch, Tensor]:
        masks = torch.zeros(samples, *side, dtype=torch.int64)
        return ((torch.rand(samples, channels, *side),), {}), masks

    return Subject(unet.UNet(channels, request.classes or 2), batch, unet.loss)


def _sdxl(request: TraceRequest) -> Subject:
    _, side = _size(request, 1024)

    def batch(samples: int) -> tuple[Batch, Tensor]:
        inputs = sdxl.batch(samples, side)
        return (inputs, {}), torch.rand_like(inputs[0])

    return Subject(sdxl.SdxlUNet(), batch, sdxl.loss)


def _size(request: TraceRequest, usual: int) -> tuple[int, _Side]:
    """Channels, and pixels of the two sides."""
    channels, height, width = request.image_size or (3, usual, usual)
    return channels, (height, width)


_BUILDERS: dict[str, Callable[[TraceRequest], Subject]] = {
    **{f"yolov5{size}": _yolo(yolov5, yolov5.YoloV5, scale) for size, scale in yolov5.SCALES.items()},
    **{f"yolov8{size}": _yolo(yolov8, yolov8.YoloV8, scale) for size, scale in yolov8.SCALES.items()},
    "unet": _unet,
    "sdxl-unet": _sdxl,
}
NAMES = tuple(_BUILDERS)

"""timm's models, which are classifiers of images."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import torch
from torch import nn

from tradewind.domain.errors import BadInput, NotTraceable
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing import torchvision
from tradewind.tracing.subject import Batch, Subject, classification_loss

# timm leads these names, which it has given up, to the model of width 8 (1.0.31, resnet.py): they are told their own.
_WIDTHS = {f"ig_resnext101_32x{width}d": {"base_width": width} for width in (16, 32, 48)}


def timm_subject(name: str, request: TraceRequest) -> Subject:
    """The model that timm calls ``name``.

    Raises:
        BadInput: ``timm-unknown`` with the nearest names.
        NotTraceable: ``trace-needs-library`` when timm is not installed.
    """
    try:
        with torchvision.stand_in():
            import timm
            from timm.layers.config import set_fused_attn
    except ImportError as error:
        raise NotTraceable("trace-needs-library", library="timm", why=error) from error
    set_fused_attn(request.attention != "eager")
    if not timm.is_model(name):
        near = ", ".join(get_close_matches(name, timm.list_models(), n=3))
        raise BadInput("timm-unknown", model=name, version=timm.__version__, stem=name[:4], nearest=near)
    module = _create(timm, name, request)
    config: Any = module.pretrained_cfg
    channels, height, width = request.image_size or config.get("input_size", (3, 224, 224))
    classes = int(getattr(module, "num_classes", 1000))

    def batch(samples: int) -> tuple[Batch, Any]:
        images = torch.empty(samples, channels, height, width)
        return ((images,), {}), torch.zeros(samples, dtype=torch.long)

    return Subject(module, batch, classification_loss if classes else _mean)


def _create(timm: Any, name: str, request: TraceRequest) -> nn.Module:
    """The model at the size asked."""
    options: dict[str, Any] = {} if request.classes is None else {"num_classes": request.classes}
    options |= _WIDTHS.get(name, {})
    size: dict[str, Any] = {}
    if request.image_size is not None:
        channels, *sides = request.image_size
        if channels != 3:
            options["in_chans"] = channels
        known = timm.get_pretrained_cfg(name)  # None for a name that timm has given up but still understands
        if known is None or tuple(sides) != tuple(known.input_size[1:]):
            size = {"img_size": tuple(sides)}
    # Models of any size know no `img_size`; some names given up lead to weights given up, which are not wanted here.
    for further in (size, {}, {"pretrained_cfg": {"input_size": request.image_size or (3, 224, 224)}}):
        try:
            return timm.create_model(name, **options, **further)  # type: ignore[no-any-return]
        except (TypeError, RuntimeError) as error:
            reason = error
    raise reason


def _mean(output: Any, _: Any) -> torch.Tensor:
    """For a model without a classifier."""
    tensor: torch.Tensor = output[0] if isinstance(output, (tuple, list)) else output
    return tensor.float().mean()

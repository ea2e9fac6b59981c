"""Where a model comes from: its reference → a subject."""

from __future__ import annotations

from tradewind.domain.errors import BadInput
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing.entrypoint import entrypoint_subject
from tradewind.tracing.hugging_face import hf_subject
from tradewind.tracing.image_models import timm_subject
from tradewind.tracing.models import preset_subject
from tradewind.tracing.subject import Subject


def subject_of(request: TraceRequest) -> Subject:
    """The model that ``request.model`` names, with its inputs and loss."""
    kind, _, rest = request.model.partition(":")
    if kind == "timm":
        return timm_subject(rest, request)
    if kind == "preset":
        return preset_subject(rest, request)
    if kind == "hf":
        return hf_subject(rest, request)
    if kind == "entrypoint":
        return entrypoint_subject(rest, request)
    raise BadInput("model-unknown", model=request.model)

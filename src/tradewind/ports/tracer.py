"""Tracer: a model's profile from its own code, without allocating it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from tradewind.domain.profile import ModelProfile


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """What to trace. Two equal requests over equal code give equal profiles: the key of a cache.

    Attributes:
        model: ``timm:NAME``, ``hf:PATH/config.json``, ``entrypoint:MODULE:FUNCTION`` or ``preset:NAME``.
        workdir: where entry points and relative paths are found.
        task: ``train``, ``finetune`` or ``infer``.
        precision: of ``domain.precision``, as its value.
        image_size: ``(channels, height, width)``; ``sequence`` in tokens; ``classes``; None: the model's own.
        attention: ``auto`` (fused where the model has it), ``flash`` or ``eager``.
        activation_checkpointing: ``none``, ``selective`` or ``full``, by the model's own switch.
        adapter: ``none``, ``lora:R`` or ``qlora:R``.
        options: further keyword arguments of an entry point.
    """

    model: str
    workdir: str = "."
    task: str = "train"
    precision: str = "fp32"
    image_size: tuple[int, int, int] | None = None
    sequence: int | None = None
    classes: int | None = None
    attention: str = "auto"
    activation_checkpointing: str = "none"
    adapter: str = "none"
    channels_last: bool = False
    options: dict[str, Any] = field(default_factory=dict)


class Tracer(Protocol):
    """Traces models, each in a process of its own."""

    def trace(self, request: TraceRequest, limit_s: float = 120.0) -> ModelProfile:
        """The profile of one step.

        Raises:
            BadInput: the model cannot be built or run; says why, with the user's own frames.
            NotTraceable: ``domain.errors``: tracing is not possible here (no torch, no such library) or took too long;
                a closed form may still answer.
        """
        ...

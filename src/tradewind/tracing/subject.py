"""Subject: a model as the trace needs it, and the inputs and loss of one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

Batch = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(slots=True)
class Subject:
    """A model with empty weights.

    Attributes:
        module: the model.
        batch: samples → positional and keyword arguments of the model, and the targets of the loss.
        loss: (output of the model, targets) → a scalar.
        tokens: of one sample; None when samples are what is counted.
        fallbacks: what could not be done as asked, as codes.
    """

    module: nn.Module
    batch: Callable[[int], tuple[Batch, Any]]
    loss: Callable[[Any, Any], torch.Tensor]
    tokens: int | None = None
    transformer: Any = None
    fallbacks: list[str] = field(default_factory=list)


def classification_loss(output: Any, targets: torch.Tensor) -> torch.Tensor:
    """Cross entropy over classes; of the first output when there are several."""
    logits = output[0] if isinstance(output, (tuple, list)) else output
    return nn.functional.cross_entropy(logits, targets)

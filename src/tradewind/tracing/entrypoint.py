"""Models of the user's own code: a function in their working directory that returns one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map_only

from tradewind.domain.errors import BadInput
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing.faults import told
from tradewind.tracing.subject import Batch, Subject

DEFAULT_IMAGE = (3, 224, 224)
DEFAULT_SEQUENCE = 512


def entrypoint_subject(reference: str, request: TraceRequest) -> Subject:
    """The model that ``module:function`` in ``request.workdir`` returns.

    The function may return

    - the module: its inputs come from ``image_size`` or ``sequence``, else are guessed from its first layer;
    - the module and its inputs: an example (tensors with the samples as first dimension, in tuples or a dict), or a
      function of the number of samples that makes them;
    - the module, its inputs and a loss. Inputs are then a pair (inputs, targets), the loss takes (output, targets).

    Without a loss the output is taken for it when it is a scalar or has one (``output.loss``).

    Raises:
        BadInput: ``entrypoint-missing``, ``entrypoint-not-a-model``, or as ``faults.told``.
    """
    with in_folder(request.workdir), told(request.model, request.workdir):
        function = _function(reference)
        made = function(**_accepted(function, request))
    parts = made if isinstance(made, (tuple, list)) else (made,)
    if not 1 <= len(parts) <= 3 or not isinstance(parts[0], nn.Module):
        raise BadInput("entrypoint-not-a-model", entrypoint=reference, got=type(made).__name__)
    module, inputs, loss = (*parts, None, None)[:3]
    if inputs is None:
        return _guessed(module, request)
    return Subject(module, _batch(inputs, paired=loss is not None), _loss_of(loss), _tokens(request))


@contextmanager
def in_folder(folder: str) -> Iterator[None]:
    """Imports look into ``folder`` first."""
    path = str(Path(folder).resolve())
    sys.path.insert(0, path)
    try:
        yield
    finally:
        sys.path.remove(path)


def _function(reference: str) -> Callable[..., Any]:
    name, _, attribute = reference.partition(":")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in {name, name.split(".", maxsplit=1)[0]}:
            raise
        raise BadInput("entrypoint-missing", entrypoint=reference, module=name) from error
    found = getattr(module, attribute, None)
    if not callable(found):
        own = sorted(key for key, value in vars(module).items() if callable(value) and not key.startswith("_"))
        raise BadInput("entrypoint-missing", entrypoint=reference, function=attribute, others=", ".join(own))
    return found  # type: ignore[no-any-return]


def _accepted(function: Callable[..., Any], request: TraceRequest) -> dict[str, Any]:
    """The options, and of image size, sequence and classes those that the function has a parameter for."""
    offered = {"image_size": request.image_size, "sequence": request.sequence, "classes": request.classes}
    known = signature(function).parameters
    return {key: value for key, value in offered.items() if value is not None and key in known} | request.options


def _batch(inputs: Any, paired: bool) -> Callable[[int], tuple[Batch, Any]]:
    def batch(samples: int) -> tuple[Batch, Any]:
        made = inputs(samples) if callable(inputs) else _resized(inputs, samples)
        content, targets = made if paired and isinstance(made, (tuple, list)) and len(made) == 2 else (made, None)
        if isinstance(content, dict):
            return ((), content), targets
        return (tuple(content) if isinstance(content, (tuple, list)) else (content,), {}), targets

    return batch


def _resized(example: Any, samples: int) -> Any:
    """``example`` with ``samples`` in the first dimension of its tensors."""
    return tree_map_only(torch.Tensor, lambda t: t.new_empty((samples, *t.shape[1:])) if t.dim() else t, example)


def _loss_of(loss: Any) -> Callable[[Any, Any], torch.Tensor]:
    def own(output: Any, targets: Any) -> torch.Tensor:
        result: torch.Tensor = loss(output, targets) if loss is not None else _assumed(output)
        return result

    return own


def _assumed(output: Any) -> torch.Tensor:
    """The loss that an output is or has; else the mean of its tensors."""
    found = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
    if isinstance(found, torch.Tensor):
        return found
    content = output if isinstance(output, (torch.Tensor, tuple, list, dict)) else vars(output)
    tensors = [t for t in tree_leaves(content) if isinstance(t, torch.Tensor) and t.requires_grad]
    if len(tensors) == 1 and tensors[0].dim() == 0:
        return tensors[0]
    return torch.stack([t.float().mean() for t in tensors]).sum()


def _tokens(request: TraceRequest) -> int | None:
    return request.sequence


def _guessed(module: nn.Module, request: TraceRequest) -> Subject:
    """Inputs by the question, else by the first layer that has weights."""
    first = next((part for part in module.modules() if part._parameters), None)
    fallbacks = ["inputs-guessed"] if request.image_size is None and request.sequence is None else []
    shape: tuple[int, ...]
    dtype = torch.float32
    if request.sequence is not None or isinstance(first, nn.Embedding):
        shape, dtype = (request.sequence or DEFAULT_SEQUENCE,), torch.long
    elif request.image_size is not None or isinstance(first, nn.Conv2d):
        channels, height, width = request.image_size or DEFAULT_IMAGE
        known = isinstance(first, nn.Conv2d) and request.image_size is None
        shape = (first.in_channels if known and isinstance(first, nn.Conv2d) else channels, height, width)
    elif isinstance(first, nn.Linear):
        shape = (first.in_features,)
    else:
        raise BadInput("entrypoint-inputs-unknown", entrypoint=request.model, layer=type(first).__name__)

    def batch(samples: int) -> tuple[Batch, Any]:
        return ((torch.zeros(samples, *shape, dtype=dtype),), {}), None

    tokens = shape[0] if dtype == torch.long else None
    return Subject(module, batch, _loss_of(None), tokens, fallbacks=[*fallbacks, "loss-assumed"])

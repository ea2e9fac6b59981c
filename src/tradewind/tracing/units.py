"""Units: the parts that a model repeats, and what each keeps for the backward pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_flatten

from tradewind.domain.profile import Amount, Unit
from tradewind.tracing.recorder import Recorder


def blocks(module: nn.Module) -> list[nn.Module]:
    """The repeated parts of ``module``, in the order in which they are registered.

    A part is repeated when a list or sequence holds another of its class. Where like-classed parts differ in their
    weights (the stages of a pyramid) and hold repeated parts themselves, those count instead.
    """
    found: list[nn.Module] = []
    for child in module.children():
        found += _of_list(child) if isinstance(child, (nn.ModuleList, nn.Sequential)) else blocks(child)
    return found


def _of_list(parts: nn.Module) -> list[nn.Module]:
    members = [part for part in parts.children() if any(True for _ in part.parameters())]
    found: list[nn.Module] = []
    for member in members:
        twins = [other for other in members if type(other) is type(member)]
        inner = blocks(member)
        alike = any(_shape(other) == _shape(member) for other in twins if other is not member)
        is_stage = bool(inner) and not alike and _weights(inner) * 2 > _weights([member])
        if isinstance(member, (nn.ModuleList, nn.Sequential)):
            found += _of_list(member)
        elif is_stage or len(twins) < 2:
            found += inner
        elif not isinstance(member, (nn.Conv2d, nn.Linear, nn.BatchNorm2d, nn.LayerNorm)):
            found.append(member)
    return found


def _weights(parts: list[nn.Module]) -> int:
    return sum(p.numel() for part in parts for p in part.parameters())


def _shape(part: nn.Module) -> list[torch.Size]:
    return [p.shape for p in part.parameters()]


_NONE = Amount(0.0)


@dataclass(slots=True)
class _Span:
    """What one unit kept: live bytes when it began and ended, and its input."""

    part: nn.Module | None
    before: tuple[float, float]
    after: tuple[float, float] = (0.0, 0.0)
    boundary: Amount = _NONE


class UnitWatch:
    """Measures each repeated part of a model, and what lies between them, during the forward pass."""

    def __init__(self, module: nn.Module, recorder: Recorder) -> None:
        self._module = module
        self._recorder = recorder
        self._spans: list[_Span] = []
        self._end = (0.0, 0.0)
        self._open: list[nn.Module] = []
        for part in blocks(module):
            part.register_forward_pre_hook(self._begun, with_kwargs=True)
            part.register_forward_hook(self._ended)
        module.register_forward_hook(self._finished)

    def units(self) -> tuple[Unit, ...]:
        """The units in order of execution, like ones that follow each other counted; none when nothing repeats."""
        if not self._spans:
            return ()
        merged: list[Unit] = []
        for unit in self._unmerged():
            if merged and _replaced(merged[-1], 1) == unit:
                merged[-1] = _replaced(merged[-1], merged[-1].count + 1)
            else:
                merged.append(unit)
        return tuple(merged)

    def _unmerged(self) -> Iterator[Unit]:
        owned = {id(p) for span in self._spans if span.part is not None for p in span.part.parameters()}
        others = [(name, p) for name, p in self._module.named_parameters() if id(p) not in owned]
        first = next(iter(self._spans))
        before, after = self._outside(others)
        start = (0.0, 0.0)
        yield _unit("embedding", before, _difference(first.before, start), Amount(0.0))
        for span in self._spans:
            assert span.part is not None
            weights = [p for _, p in span.part.named_parameters()]
            yield _unit("block", weights, _difference(span.after, span.before), span.boundary)
        last = self._spans[-1]
        yield _unit("head", after, _difference(self._end, last.after), Amount(0.0))

    def _outside(self, others: list[tuple[str, nn.Parameter]]) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
        """The weights registered before the last block, and those after it; both are outside of blocks."""
        order = {id(p): i for i, p in enumerate(self._module.parameters())}
        ends = [order[id(p)] for span in self._spans if span.part is not None for p in span.part.parameters()]
        last = max(ends)
        return [p for _, p in others if order[id(p)] < last], [p for _, p in others if order[id(p)] > last]

    def _begun(self, part: nn.Module, args: Any, kwargs: Any) -> None:
        if self._open or self._end != (0.0, 0.0):  # nested in another, or computed again by checkpointing
            self._open.append(part)
            return
        self._open.append(part)
        tensors = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor) and t.is_floating_point()]
        first = tensors[:1]
        size = sum(t.numel() * t.element_size() for t in first)
        amount = self._recorder.timeline.as_amount(size)
        self._spans.append(_Span(part, self._recorder.live(), boundary=amount))

    def _ended(self, part: nn.Module, args: Any, output: Any) -> None:
        self._open.pop()
        if not self._open and self._end == (0.0, 0.0):
            self._spans[-1].after = self._recorder.live()

    def _finished(self, module: nn.Module, args: Any, output: Any) -> None:
        self._end = self._recorder.live()


def _difference(after: tuple[float, float], before: tuple[float, float]) -> Amount:
    return Amount(after[0] - before[0], after[1] - before[1])


def _unit(kind: str, weights: list[nn.Parameter], saved: Amount, boundary: Amount) -> Unit:
    trained = sum(p.numel() for p in weights if p.requires_grad)
    return Unit(kind, 1, float(sum(p.numel() for p in weights)), float(trained), saved, boundary)


def _replaced(unit: Unit, count: int) -> Unit:
    return Unit(unit.kind, count, unit.parameters, unit.trainable, unit.saved, unit.boundary)

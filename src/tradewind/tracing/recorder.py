"""Recorder: sees every operation of a step, and when each storage begins and ends to live."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tradewind.tracing.operations import Signature, signatures
from tradewind.tracing.timeline import Event, Timeline

_DEVICE = torch.ops.prim.device.default
_COPY = torch.ops.aten._to_copy.default


class Recorder(TorchDispatchMode):
    """Records a :class:`Timeline`, and the phase and signature of each operation in order (``calls``).

    Args:
        batch: samples of the traced step.
        precision: name of float32 arithmetic (``fp32`` or ``tf32``).
    """

    def __init__(self, batch: int, precision: str) -> None:
        super().__init__()
        self.timeline = Timeline(batch)
        self.calls: list[tuple[str, Signature]] = []
        self._precision = precision
        self._phase = "forward"
        self._known: dict[int, tuple[int, Any]] = {}  # address of a living storage → its number, the weak reference
        self._weights: set[int] = set()

    def enter(self, phase: str) -> None:
        """A phase of the step begins."""
        self._phase = phase
        self.timeline.events.append(Event("phase", phase=phase))

    def weigh(self, weights: Iterable[torch.Tensor]) -> None:
        """Takes weights and buffers as given: they are not counted; gradients of the trained ones are told apart."""
        for weight in weights:
            storage = weight.untyped_storage()
            self._weights.add(storage._cdata)
            self._known[storage._cdata] = -1, None
            if weight.requires_grad and weight.is_leaf:
                self.timeline.gradient_bytes += weight.numel() * weight.element_size()
                weight.register_post_accumulate_grad_hook(self._kept)

    def notice(self, tensors: Iterable[torch.Tensor]) -> None:
        """Counts tensors that were there before the step: its inputs."""
        for tensor in tensors:
            self._see(tensor)

    def live(self) -> tuple[float, float]:
        """Bytes of living activations, fixed and per sample."""
        fixed = per_sample = 0.0
        for number, _ in self._known.values():
            if number >= 0 and number not in self.timeline.copies:
                amount = self.timeline.amount(number)
                fixed, per_sample = fixed + amount.fixed, per_sample + amount.per_sample
        return fixed, per_sample

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is _DEVICE:
            return torch.device("cpu")
        result = func(*args, **(kwargs or {}))
        outputs = [result] if isinstance(result, torch.Tensor) else _tensors(result)
        for output in outputs:
            self._see(output)
        if func is _COPY and args[0].untyped_storage()._cdata in self._weights:
            self.timeline.copies.update(self._known[output.untyped_storage()._cdata][0] for output in outputs)
        for signature in signatures(func, args, kwargs or {}, outputs, self.timeline.batch, self._precision):
            self.calls.append((self._phase, signature))
        return result

    def _see(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        address = storage._cdata
        if address in self._known:
            return
        number = len(self.timeline.sizes)
        self.timeline.sizes.append(storage.nbytes())
        self.timeline.events.append(Event("alloc", number))

        def ended(_: object) -> None:
            del self._known[address]
            self.timeline.events.append(Event("free", number))

        self._known[address] = number, weakref.ref(storage, ended)

    def _kept(self, weight: torch.Tensor) -> None:
        assert weight.grad is not None
        number = self._known[weight.grad.untyped_storage()._cdata][0]
        self.timeline.events.append(Event("keep", number))


def _tensors(result: Any) -> list[torch.Tensor]:
    if not isinstance(result, (tuple, list)):
        return []
    return [
        tensor for item in result for tensor in (item if isinstance(item, (tuple, list)) else (item,))
        if isinstance(tensor, torch.Tensor)
    ]  # fmt: skip

"""Time of one optimizer step, with its range and what bounds it.

    step = max(arithmetic + activation traffic + optimizer traffic, kernels × launch) + exposed communication

Each term is a closed form (``constants``); the range is that of step times measured elsewhere against this form.
"""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.estimate import Estimate
from tradewind.sizing import constants as c
from tradewind.sizing.arithmetic import is_wide, state_bytes, weight_bytes
from tradewind.sizing.links import exposed_seconds
from tradewind.sizing.memory import activation_bytes
from tradewind.sizing.request import Hardware, Request


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of one optimizer step, and what bounds it: compute, memory-bandwidth, launch or communication."""

    seconds: Estimate
    bottleneck: str


def step_time(
    request: Request, hardware: Hardware, strategy: str, samples: int, passes: int, peak: float, bandwidth: float
) -> StepTime:
    """The time of one step.

    Args:
        samples: of one GPU in one step, over ``passes`` forward and backward passes (gradient accumulation).
        peak: FLOP/s of a whole GPU at the request's precision; ``bandwidth``: of its memory, bytes/s.
    """
    share = hardware.fraction
    arithmetic = c.PASSES * request.forward_flops * samples / (c.EFFICIENCY * peak * share)
    traffic = _activation_traffic(request) * samples / (bandwidth * share)
    update = _update_bytes(request, hardware, strategy) / (c.BANDWIDTH_SHARE * bandwidth * share)
    device = arithmetic + traffic + update
    backward = (arithmetic + traffic) * 2 / 3 / passes  # only the last pass has gradients to send
    waiting = exposed_seconds(request, hardware, strategy, backward)
    terms = {
        "compute": arithmetic,
        "memory-bandwidth": traffic + update,
        "launch": c.KERNELS.value * passes * c.LAUNCH_SECONDS.value if device < _launch(1, passes) else 0.0,
        "communication": waiting,
    }
    return StepTime(_range(request, device, waiting, passes), max(terms, key=lambda term: terms[term]))


def _range(request: Request, device: float, waiting: float, passes: int) -> Estimate:
    spread = c.STEP_ESTIMATED if request.activation_bytes_per_sample is None else c.STEP_KNOWN
    low, value, high = (
        max(device * spread[end], _launch(end, passes)) + waiting * c.COMMUNICATION[end] for end in range(3)
    )
    return Estimate(value, low, high)


def _launch(end: int, passes: int) -> float:
    return c.KERNELS[end] * c.LAUNCH_SECONDS[end] * passes


def _activation_traffic(request: Request) -> float:
    """Bytes that one sample's activations move over the memory bus in a step."""
    stored = activation_bytes(request) * (1.0 if is_wide(request.precision) else c.SIXTEEN_BIT_SHARE.value)
    return stored * c.ACTIVATION_CROSSINGS


def _update_bytes(request: Request, hardware: Hardware, strategy: str) -> float:
    """Bytes of the optimizer step: weights and states read and written, gradients read."""
    weight = weight_bytes(request.precision)
    state = state_bytes(request.optimizer, request.precision)
    held = request.parameters / (hardware.workers if strategy == "fsdp" else 1)
    return held * (3 * weight + 2 * state)

"""A step time corrected by a measured step of the same workload, on whatever GPU that ran.

What was measured over what would have been said there is by how much the model is unlike those of the fit: kernels
that it has and they have not, a loader that lags. That goes with the model to other GPUs, nearly whole; from a
forward pass alone to training a third of it does.
"""

from __future__ import annotations

from dataclasses import replace

from tradewind.domain.estimate import Estimate
from tradewind.domain.profile import ModelProfile
from tradewind.sizing import efficiency
from tradewind.sizing.anchor import Anchor
from tradewind.sizing.chips import card_name, generation
from tradewind.sizing.layout import Layout
from tradewind.sizing.request import Hardware, Request
from tradewind.sizing.timing import StepTime, step_time

# Share (as an exponent) of the correction that goes along, and the 90 % range that is left; by
# benchmarks/sizing_accuracy.py on pairs of cards and on the RTX 3090's training and inference tables.
_SAME = (1.0, (0.93, 1.08))
_OTHER_CARD = (0.9, (0.85, 1.2))
_FORWARD_ONLY = (0.3, (0.8, 1.3))


def anchored(
    time: StepTime, profile: ModelProfile, request: Request, hardware: Hardware, anchors: tuple[Anchor, ...]
) -> StepTime:
    """``time``, that ``step_time`` said for ``hardware``, after the best of ``anchors``; unchanged without any."""
    if not anchors:
        return time
    anchor = min(anchors, key=lambda each: _distance(each, profile, hardware))
    power, (low, high) = _power(anchor, profile, hardware)
    factor: float = (anchor.seconds / _said(anchor, profile, request)) ** power
    seconds = time.seconds.value * factor
    return replace(
        time,
        seconds=Estimate(seconds, seconds * low, seconds * high),
        parts={name: each * factor for name, each in time.parts.items()},
    )


def _distance(anchor: Anchor, profile: ModelProfile, hardware: Hardware) -> tuple[bool, bool, int, int]:
    """A step of the same kind first, then the same card, then one near in generation, then as many GPUs."""
    return (
        anchor.trains != (profile.task != "infer"),
        card_name(anchor.gpu) != card_name(hardware.gpu),
        abs(generation(anchor.gpu) - generation(hardware.gpu)),
        abs(anchor.gpus - hardware.workers),
    )


def _power(anchor: Anchor, profile: ModelProfile, hardware: Hardware) -> tuple[float, tuple[float, float]]:
    if anchor.trains != (profile.task != "infer"):
        return _FORWARD_ONLY
    return _SAME if card_name(anchor.gpu) == card_name(hardware.gpu) else _OTHER_CARD


def _said(anchor: Anchor, profile: ModelProfile, request: Request) -> float:
    """Seconds that would have been said for the anchor's step."""
    hardware = Hardware(anchor.gpu, anchor.gpus)
    if anchor.trains or profile.task == "infer":
        layout = Layout("ddp" if anchor.gpus > 1 else "single", anchor.micro_batch, data=anchor.gpus)
        return step_time(profile, request, hardware, layout).seconds.value
    situation = efficiency.Situation(False, request.channels_last, request.compile, profile.tokens is not None)
    return efficiency.device_time(profile, anchor.micro_batch, situation, hardware, 1.0, 1).forward

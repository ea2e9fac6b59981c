"""Time of one optimizer step, what it is made of, its range and what bounds it.

step = passes × (device time of the loads, or the host's floor) + optimizer + bubble + exposed communication,
       or what the data loaders deliver, if that takes longer
"""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.estimate import Estimate
from tradewind.domain.profile import ModelProfile
from tradewind.sizing import efficiency, exchange
from tradewind.sizing.arithmetic import state_bytes, weight_bytes
from tradewind.sizing.layout import SHARDED, Layout
from tradewind.sizing.request import Hardware, Request

PARTS = (
    "conv", "matmul", "attention", "norm", "elementwise", "launch", "optimizer", "communication", "bubble", "data",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of one optimizer step, or of one forward pass when nothing is trained.

    Attributes:
        parts: seconds by :data:`PARTS`; they sum to ``seconds.value``.
        bottleneck: ``compute``, ``memory-bandwidth``, ``launch``, ``communication``, ``bubble`` or ``data``.
    """

    seconds: Estimate
    parts: dict[str, float]
    bottleneck: str


def step_time(
    profile: ModelProfile, request: Request, hardware: Hardware, layout: Layout, loader: float | None = None
) -> StepTime:
    """The time of one step of ``profile`` on ``hardware``, spread as ``layout`` says.

    Args:
        loader: samples/s that data loading delivers to all GPUs together; None: it keeps up.
    """
    situation = efficiency.Situation(
        profile.task != "infer", request.channels_last, request.compile, profile.tokens is not None
    )
    part = 1.0 / (layout.tensor * layout.pipeline * layout.context)
    one = efficiency.device_time(profile, layout.micro_batch, situation, hardware, part, layout.pipeline)
    passes = layout.accumulation
    parts = {name: one.parts.get(name, 0.0) * passes for name in PARTS}
    parts["bubble"] = one.seconds * (layout.pipeline - 1)
    update = update_seconds(profile, request, hardware, layout)
    parts["optimizer"] = update
    waiting = exchange.exposed_seconds(profile, request.precision, hardware, layout, one.forward, one.backward)
    parts["communication"] = waiting
    busy = sum(parts.values())
    if loader:
        samples = layout.micro_batch * passes * layout.data
        parts["data"] = max(0.0, samples / loader - busy)
    known = busy - waiting
    low, high = one.range
    least, most = exchange.SPREAD
    seconds = Estimate(
        busy + parts["data"],
        known * low + waiting * least + parts["data"],
        known * high + waiting * most + parts["data"],
    )
    return StepTime(seconds, parts, _bottleneck(parts, one))


def _bottleneck(parts: dict[str, float], one: efficiency.DeviceTime) -> str:
    device = sum(parts[name] for name in ("conv", "matmul", "attention", "norm", "elementwise"))
    terms = {
        "compute": device * one.arithmetic,
        "memory-bandwidth": device * (1 - one.arithmetic) + parts["optimizer"],
        **{name: parts[name] for name in ("launch", "communication", "bubble", "data")},
    }
    return max(terms, key=lambda name: terms[name])


def update_seconds(profile: ModelProfile, request: Request, hardware: Hardware, layout: Layout) -> float:
    """Weights and states read and written, gradients read, by streaming kernels."""
    if profile.trainable == 0:
        return 0.0
    weight, state = weight_bytes(request.precision), state_bytes(request.optimizer, request.precision)
    sharded = layout.data if layout.strategy in SHARDED else 1
    held = profile.trainable / (layout.tensor * layout.pipeline * sharded)
    bandwidth = (hardware.gpu.bandwidth_gb_s or 0.0) * 1e9 * hardware.fraction
    return held * (3 * weight + 2 * state) / (efficiency.STREAMING_SHARE * bandwidth)

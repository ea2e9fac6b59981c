"""Layouts: the ways of spreading a request over given GPUs, the simplest first.

    one GPU       single; with activation checkpointing
    several       DDP, ZeRO-1, ZeRO-2, FSDP; DDP and FSDP with activation checkpointing; then each layer over the GPUs
                  of a node (tensor), then stages over nodes (pipeline)

What the request gives is obeyed. A way that computes the same faster comes before one that spares memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tradewind.domain.fit import Fit
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.layout import Layout
from tradewind.sizing.request import Degrees, Hardware, Request, degrees_of

_SHARDING = ("ddp", "zero1", "zero2", "fsdp")
_LEAN = ("ddp", "fsdp")
MOST_TENSOR = 8  # no wider: its all-reduces wait for each other, inside a node


def ways(request: Request, hardware: Hardware) -> Iterator[tuple[ModelProfile, Layout]]:
    """Profiles and layouts to try in order, each with a micro-batch of one and without accumulation."""
    profiles = request.allowed_profiles
    if not profiles:
        return
    if (degrees := request.degrees) is not None:
        yield from ((profile, _spread(degrees, hardware.workers)) for profile in profiles)
    elif request.strategy != "auto":
        yield from ((profile, _by_data(request.strategy, hardware.workers)) for profile in profiles)
    elif hardware.workers == 1:
        yield from ((profile, _by_data("single", 1)) for profile in profiles)
    else:
        yield from _several(profiles, hardware, request.trains)


def _several(
    profiles: tuple[ModelProfile, ...], hardware: Hardware, trains: bool
) -> Iterator[tuple[ModelProfile, Layout]]:
    workers = hardware.workers
    for strategy in _SHARDING if trains else ("ddp",):
        yield profiles[0], _by_data(strategy, workers)
    for profile in profiles[1:]:
        for strategy in _LEAN:
            yield profile, _by_data(strategy, workers)
    for degrees in _degrees(profiles[-1], hardware):
        yield profiles[-1], _spread(degrees, workers)


def _degrees(profile: ModelProfile, hardware: Hardware) -> Iterator[Degrees]:
    """Tensor parallelism inside a node, then pipelines over more and more stages."""
    heads = profile.transformer
    if heads is None:
        return
    each = hardware.workers // hardware.nodes
    widest = max((t for t in (2, 4, 8) if t <= min(each, MOST_TENSOR) and not each % t and not heads.heads % t),
                 default=1)  # fmt: skip
    tensor = 2
    while tensor <= widest:
        yield Degrees(tensor)
        tensor *= 2
    stages = 2
    while stages * widest <= hardware.workers and stages <= heads.layers:
        if hardware.workers % (stages * widest) == 0:
            yield Degrees(widest, stages)
        stages *= 2


def _by_data(strategy: str, workers: int) -> Layout:
    return Layout(strategy, 1, data=workers)


def _spread(degrees: Degrees, workers: int) -> Layout:
    data = degrees.data or max(1, workers // degrees.of_model)
    return Layout("3d", 1, 1, data, degrees.tensor, degrees.pipeline, degrees.context)


def suits(request: Request, hardware: Hardware) -> bool:
    """Whether the strategy that is asked for can be spread over that many GPUs."""
    workers = hardware.workers
    if (degrees := request.degrees) is not None:
        return _spread(degrees, workers).gpus == workers
    return request.strategy == "auto" or (request.strategy == "single") == (workers == 1)


def spelt(layout: Layout) -> str:
    """The strategy of a layout as flags spell it."""
    if layout.strategy != "3d":
        return layout.strategy
    context = f",cp={layout.context}" if layout.context > 1 else ""
    return f"tp={layout.tensor},pp={layout.pipeline},dp={layout.data}{context}"


def layout_of(fit: Fit, hardware: Hardware) -> Layout:
    """The layout of a fit on its ``hardware``."""
    degrees = degrees_of(fit.strategy)
    layout = _by_data(fit.strategy, hardware.workers) if degrees is None else _spread(degrees, hardware.workers)
    return replace(layout, micro_batch=fit.micro_batch, accumulation=fit.grad_accumulation)

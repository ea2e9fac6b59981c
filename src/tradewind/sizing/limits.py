"""What stands in the way of the plain run on one GPU, and the ways around it, as data for one line.

    93 GiB on one A100-80GB; fits with activation checkpointing (41 GiB, +28 % time), or on 2 with FSDP

The sentence is made by ``words``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from tradewind.domain.fit import Fit, Hint
from tradewind.domain.gpus import Gpu
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.layout import Layout
from tradewind.sizing.layouts import spelt, ways
from tradewind.sizing.memory import Budget
from tradewind.sizing.request import EACH_NODE, Hardware, Request
from tradewind.sizing.terms import GIB

# GPUs in one training cluster, the most that are looked for.
COUNTS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)


def limits(request: Request, fits: tuple[Fit, ...]) -> Hint | None:
    """``too-large`` with the ways around it, for the first GPU asked for; None when the plain run fits there.

    Facts: ``gpu``, ``peak_gib`` and ``usable_gib`` of the plain run (one GPU, nothing recomputed), and ``ways``: each
    with ``way`` (``activation-checkpointing``, ``more-gpus``, or ``none`` when no cluster holds it), ``peak_gib``,
    ``gpus``, ``strategy``, ``how`` it is checkpointed, ``slower`` (share of time added), ``at_least`` (GPUs that hold
    weights, gradients and states alone). Peaks are the upper ends, since by them it is judged.
    """
    asked = {fit.gpu for fit in fits}
    gpu = next((each for each in request.gpus if each.id in asked), None)
    if gpu is None:
        return None
    micro = request.micro_batch or 1
    plain = Budget(request.profiles[0], request, Hardware(gpu, 1), Layout("single", micro))
    if plain.fits(micro):
        return None
    found = [*_recomputed(request, gpu, micro), *_spread(request, gpu, micro)]
    return Hint("too-large", {
        "gpu": gpu.id, "peak_gib": plain.surely(micro), "usable_gib": plain.usable_gib, "ways": found,
    })  # fmt: skip


def _recomputed(request: Request, gpu: Gpu, micro: int) -> list[dict[str, Any]]:
    """One GPU with activation checkpointing."""
    plain = request.profiles[0]
    for profile in request.profiles[1:]:
        budget = Budget(profile, request, Hardware(gpu, 1), Layout("single", micro))
        if budget.fits(micro):
            return [{
                "way": "activation-checkpointing", "how": profile.activation_checkpointing,
                "peak_gib": budget.surely(micro), "slower": _slower(profile, plain),
            }]  # fmt: skip
    return []


def _slower(profile: ModelProfile, plain: ModelProfile) -> float:
    return profile.step_flops / plain.step_flops - 1.0 if plain.step_flops else 0.0


def _spread(request: Request, gpu: Gpu, micro: int) -> list[dict[str, Any]]:
    """The fewest GPUs that hold it, whatever it takes."""
    free = replace(request, strategy="auto", activation_checkpointing="auto")
    for count in COUNTS:
        hardware = Hardware(gpu, count, max(1, count // EACH_NODE))
        for profile, layout in ways(free, hardware):
            budget = Budget(profile, free, hardware, layout)
            if budget.fits(micro):
                return [{
                    "way": "more-gpus", "gpus": count, "strategy": spelt(layout),
                    "how": profile.activation_checkpointing, "peak_gib": budget.surely(micro),
                }]  # fmt: skip
    return [{"way": "none", "gpus": COUNTS[-1], "at_least": _at_least(free, gpu)}]


def _at_least(request: Request, gpu: Gpu) -> int:
    """GPUs that hold weights, gradients and states when nothing stands twice, and nothing else."""
    budget = Budget(request.profiles[-1], request, Hardware(gpu, 1), Layout("fsdp", 1))
    stays = max(line.weights + line.gradients + line.states for line in budget.demand.lines)
    return math.ceil(stays / GIB / budget.usable_gib)

"""What stays in memory from step to step under each strategy: weights, gradients, optimizer state.

    strategy       weights                         gradients                       states
    single         all (and autocast copies)       all                             all
    ddp            all (and autocast copies)       all, and once more in buckets   all
    zero1          all, computing type             all, computing type             1/n, with fp32 weights
    zero2          all, computing type             1/n                             1/n, with fp32 weights
    fsdp-grad-op   1/n, and all, computing type    1/n and one unit                1/n
    fsdp, 3d       1/n, and two units gathered     1/n and one unit                1/n
    3d, pipeline   1/n, and all, computing type    1/n and all, computing type     1/n

FSDP reduces gradients on a stream of its own, of which the allocator keeps the blocks apart: what is reserved there,
all shards and a copy of the largest unit in the weights' type, no tensor of the model ever uses.

Sources: ZeRO, Rajbhandari et al. 2020, arXiv 1910.02054 §3.1 and §5; PyTorch manual of DistributedDataParallel
(``gradient_as_bucket_view`` is False unless asked for) and of FSDP (2026); its ``foreach_reduce`` and
CUDACachingAllocator's pools by stream (2.6, 2025).
"""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.arithmetic import compute_bytes, frozen_bytes, is_autocast, state_bytes, weight_bytes
from tradewind.sizing.layout import Layout
from tradewind.sizing.stage import Stage
from tradewind.sizing.terms import term

SHARDS_WEIGHTS = ("fsdp", "fsdp-grad-op", "3d")
_SHARDS_GRADIENTS = ("zero2", *SHARDS_WEIGHTS)


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes on one GPU.

    Attributes:
        weights: as stored; ``gathered``: of other GPUs' shards, while a unit computes.
        gradients: of all trained weights once they exist; ``buckets``: for communication, always there.
        unsharded: gradients of one unit before they are spread, in a backward pass; ``reduced``: the copy that is
            sent, in a pool apart.
        states: of the optimizer, with fp32 weights where the others are narrower.
        copies: share of the profile's autocast copies that are made.
    """

    weights: float
    gathered: float
    gradients: float
    buckets: float
    unsharded: float
    states: float
    copies: float
    reduced: float = 0.0


def held(profile: ModelProfile, stage: Stage, precision: Precision, optimizer: str, layout: Layout) -> Held:
    """What one GPU of ``layout`` holds of its ``stage``."""
    frozen = stage.parameters - stage.trainable
    if profile.task == "infer":
        return _inference(stage, precision, layout)
    ranks, strategy, width = layout.data * layout.context, layout.strategy, weight_bytes(precision)
    narrow, state = compute_bytes(precision), state_bytes(optimizer, precision)
    still = frozen * profile.frozen_bytes
    own, trained = stage.trainable * width, stage.trainable
    if strategy in ("single", "ddp"):
        buckets = own if strategy == "ddp" else 0.0
        return Held(own + still, 0.0, own, buckets, 0.0, trained * state, 1.0)
    master = width if is_autocast(precision) else 0.0  # the weights are kept narrow, and wide with the states
    if strategy == "zero1":
        return Held(trained * narrow + still, 0.0, trained * narrow, 0.0, 0.0, trained * (state + master) / ranks, 0.0)
    unit = min(stage.largest, trained) * narrow
    if strategy == "zero2":
        states = trained * (state + master) / ranks
        return Held(trained * narrow + still, 0.0, trained * narrow / ranks, 0.0, unit, states, 0.0)
    whole = stage.trainable * narrow + still
    gathered = whole if strategy == "fsdp-grad-op" or layout.pipeline > 1 else _gathered(stage, whole)
    if layout.pipeline > 1:  # gathered once for all micro-batches, spread after the last
        unit = trained * narrow
    alone = ranks == 1
    return Held(
        weights=(own + still) / ranks, gathered=0.0 if alone else gathered, gradients=own / ranks, buckets=0.0,
        unsharded=0.0 if alone else unit, states=trained * state / ranks, copies=1.0 if alone else 0.0,
        reduced=0.0 if alone else min(max(stage.largest, stage.outer), trained) * width,
    )  # fmt: skip


def _inference(stage: Stage, precision: Precision, layout: Layout) -> Held:
    """Weights alone; FSDP's shards are gathered unit by unit."""
    stored, narrow = frozen_bytes(precision), compute_bytes(precision)
    outer = stage.outer if stored < narrow else 0.0  # embedding and head are not quantized
    whole = (stage.parameters - outer) * stored + outer * narrow
    if stored < 1.0:  # 4 bits: quantized while it is loaded
        whole += outer * narrow * term("loaded-twice").value
    if layout.strategy not in ("fsdp", "fsdp-grad-op"):
        return Held(whole, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    gathered = whole if layout.strategy == "fsdp-grad-op" else _gathered(stage, whole)
    return Held(whole / layout.data, gathered if layout.data > 1 else 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _gathered(stage: Stage, whole: float) -> float:
    """The unit at work, the one prefetched, and what belongs to no unit of its own, at most everything."""
    units = term("units-gathered").value * stage.largest + stage.outer
    return whole * min(1.0, units / stage.parameters)

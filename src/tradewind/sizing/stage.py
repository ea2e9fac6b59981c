"""The part of a model that one GPU works on: all of it, or a stage of a pipeline, split among tensor-parallel GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tradewind.domain.precision import Precision
from tradewind.domain.profile import Amount, ModelProfile, Moment
from tradewind.sizing.arithmetic import compute_bytes
from tradewind.sizing.closed_forms import LOSS_BYTES, narrow_moments
from tradewind.sizing.layout import SHARDED, Layout
from tradewind.sizing.memo import once
from tradewind.sizing.terms import term

STEP = Moment("step", Amount(0.0), 0.0, 1.0)  # all gradients, no activations
MIXED = (*SHARDED, "3d")  # strategies that cast weights themselves, instead of autocast


@dataclass(frozen=True, slots=True)
class Stage:
    """What one GPU of a pipeline's stage computes, whatever shards it further.

    Attributes:
        rank: of the stage, 0 first; ``parameters`` of it on one GPU, ``trainable`` of them.
        largest: parameters of its largest unit; ``outer``: of its embedding and head, which stay gathered (FSDP).
        moments: at which its memory may peak; amounts are for one GPU.
    """

    rank: int
    parameters: float
    trainable: float
    largest: float
    outer: float
    moments: tuple[Moment, ...]


def stages(profile: ModelProfile, layout: Layout) -> Iterator[Stage]:
    """The stages that may hold most: of a pipeline the first, a middle one and the last."""
    if layout.pipeline == 1:
        largest, outer = _units(profile)
        split = layout.tensor
        yield Stage(
            0, profile.parameters / split, profile.trainable / split, largest / split, outer / split,
            tuple(_at_loss(_thinner(each, layout), profile, layout) for each in _moments(profile, layout)),
        )  # fmt: skip
        return
    for rank in sorted({0, layout.pipeline // 2, layout.pipeline - 1}):
        yield _of_pipeline(profile, layout, rank)


def _moments(profile: ModelProfile, layout: Layout) -> tuple[Moment, ...]:
    """The moments as the layout keeps numbers between layers, and the optimizer's step, which no trace has."""
    found = _narrow(profile) if layout.strategy in MIXED else profile.moments
    steps = profile.task == "infer" or any(moment.phase == "step" for moment in found)
    return found if steps else (*found, STEP)


_narrow = once(narrow_moments)


def _units(profile: ModelProfile) -> tuple[float, float]:
    """Parameters of the largest block, and of everything that is no block; estimated when units are not known."""
    blocks = [unit.parameters for unit in profile.units if unit.kind == "block"]
    if not blocks:
        return profile.parameters * term("unit-share").value, 0.0
    outer = sum(unit.count * unit.parameters for unit in profile.units if unit.kind in ("embedding", "head"))
    return max(blocks), outer


def _thinner(moment: Moment, layout: Layout) -> Moment:
    """A moment on one of the GPUs among which each tensor (and the tokens of a sample) are split."""
    split = layout.tensor * layout.context
    tensors = Amount(moment.tensors.fixed / split, moment.tensors.per_sample / split)
    return Moment(moment.phase, tensors, moment.copies / layout.tensor, moment.gradients)


def _at_loss(moment: Moment, profile: ModelProfile, layout: Layout) -> Moment:
    """The moment before any gradient is there, with what a loss over logits split by vocabulary holds beside them."""
    if moment.phase != "backward" or moment.gradients:
        return moment
    extra = _loss_parallel(profile, layout)
    return replace(moment, tensors=Amount(moment.tensors.fixed, moment.tensors.per_sample + extra))


def _loss_parallel(profile: ModelProfile, layout: Layout) -> float:
    """Bytes of a sample: temporaries of the logits, and the head's input, which each of the GPUs has whole."""
    t = profile.transformer
    if t is None or t.head == "none" or layout.tensor == 1:
        return 0.0
    tokens = t.sequence / layout.context
    logits = (term("loss-parallel").value - LOSS_BYTES) * tokens * t.vocabulary / layout.tensor
    return logits + compute_bytes(Precision(profile.precision)) * tokens * t.hidden * (1 - 1 / layout.tensor)


def _of_pipeline(profile: ModelProfile, layout: Layout, rank: int) -> Stage:
    """One stage: its share of the blocks, with the embedding on the first and the head on the last.

    By 1F1B the stage of rank r keeps the activations of min(passes, p - r) micro-batches, and gradients in between.
    Source: Narayanan et al. 2021, arXiv 2104.04473 §2.2.
    """
    first, last = rank == 0, rank == layout.pipeline - 1
    blocks = [unit for unit in profile.units if unit.kind == "block"]
    ends = [unit for unit in profile.units if (unit.kind in ("embedding", "other") and first)
            or (unit.kind == "head" and last)]  # fmt: skip
    in_blocks = sum(unit.count * unit.parameters for unit in blocks) or profile.parameters
    trained = sum(unit.count * unit.trainable for unit in blocks) or profile.trainable
    share = _share(layout.pipeline, sum(unit.count for unit in blocks))
    outer = sum(unit.count * unit.parameters for unit in ends)
    trainable = trained * share + sum(unit.count * unit.trainable for unit in ends)
    largest, _ = _units(profile)
    in_flight = min(layout.accumulation, layout.pipeline - rank)
    parameters = in_blocks * share + outer
    tensors = _kept(profile, layout, share, in_flight, last)
    copies = max((each.copies for each in profile.moments), default=0.0) * parameters / profile.parameters
    split = layout.tensor
    moments = (Moment("backward", tensors, copies, 1.0), STEP)
    return Stage(rank, parameters / split, trainable / split, largest / split, outer / split,
                 tuple(_thinner(each, layout) for each in moments))  # fmt: skip


def _share(pipeline: int, blocks: int) -> float:
    """Share of the blocks on the fullest stage; whole blocks where their number is known."""
    return -(-blocks // pipeline) / blocks if blocks >= pipeline else 1.0 / pipeline


def _kept(profile: ModelProfile, layout: Layout, share: float, in_flight: int, last: bool) -> Amount:
    """Activations of a stage: of all micro-batches in flight, and what passes while one of them goes back."""
    most = max(_moments(profile, layout), key=lambda moment: moment.tensors.per_sample).tensors
    head = [unit.saved for unit in profile.units if unit.kind == "head"]
    at_head = Amount(sum(each.fixed for each in head), sum(each.per_sample for each in head))
    inner = Amount(most.fixed - at_head.fixed, max(0.0, most.per_sample - at_head.per_sample))
    passing = 0.0
    if profile.activation_checkpointing == "full" and profile.units:
        held = sum(unit.count * unit.boundary.per_sample for unit in profile.units if unit.kind == "block")
        passing = max(unit.saved.per_sample for unit in profile.units if unit.kind == "block")
        inner = Amount(0.0, held)
    kept = Amount(inner.fixed * share * in_flight, inner.per_sample * share * in_flight + passing)
    return Amount(kept.fixed + at_head.fixed, kept.per_sample + at_head.per_sample) if last else kept

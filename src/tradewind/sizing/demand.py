"""What a layout asks of one GPU's memory, whatever the GPU: lines in the micro-batch, one for each moment.

    allocated = weights + gradients + states (``held``) + tensors of the moment (profile) + workspace

The profile gives the moments at which memory may peak, each affine in the micro-batch; so is every line here, and the
peak is the highest of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tradewind.domain.profile import ModelProfile, Moment
from tradewind.sizing.allocator import Overhead, overhead
from tradewind.sizing.arithmetic import stored_bytes
from tradewind.sizing.held import SHARDS_WEIGHTS, Held, held
from tradewind.sizing.inference import cache_bytes, graphs_bytes
from tradewind.sizing.layout import Layout
from tradewind.sizing.memo import once
from tradewind.sizing.request import Request
from tradewind.sizing.stage import stages
from tradewind.sizing.terms import Spread, term
from tradewind.sizing.workspace import convolution

LOW, VALUE, HIGH = 0, 1, 2  # which end of every spread is looked at
_KEPT = 4096
_SPREADS = {"traced": "traced-activations", "closed-form": "closed-form-activations", "parameters": "given-activations"}


Slopes = tuple[tuple[float, float], ...]


class Line(NamedTuple):
    """One moment on one GPU, in bytes: what stays, by part; tensors and workspace as (bytes, bytes of each sample)."""

    moment: Moment
    weights: float
    gradients: float
    states: float
    temporaries: float
    tensors: tuple[float, float]
    workspace: tuple[float, float]

    @property
    def fixed(self) -> float:
        """Bytes at no samples."""
        stay = self.weights + self.gradients + self.states + self.temporaries
        return stay + self.tensors[0] + self.workspace[0]

    @property
    def slope(self) -> float:
        """Bytes of each sample."""
        return self.tensors[1] + self.workspace[1]


@dataclass(frozen=True, slots=True)
class Demand:
    """Lines of every stage and moment at the middle of the spreads; slopes (bytes, bytes of each sample) at each end.

    ``pools``: slopes of all pools of the allocator together, where some bytes are kept apart (``held``); ``overhead``
    is the allocator's; ``outside``: bytes that no allocator knows, but for the CUDA context.
    """

    lines: tuple[Line, ...]
    slopes: tuple[Slopes, ...]
    pools: tuple[Slopes, ...]
    overhead: Overhead
    outside: Spread

    def fullest(self, micro_batch: int) -> Line:
        """The moment of the peak."""
        return max(self.lines, key=lambda line: line.fixed + line.slope * micro_batch)

    def allocated(self, end: int, micro_batch: int) -> float:
        """Bytes at the peak."""
        return _highest(self.slopes[end], micro_batch)

    def reserved(self, end: int, micro_batch: int, workspace: float) -> float:
        """Bytes reserved at the peak, with ``workspace`` bytes more allocated."""
        return self.overhead.reserved(_highest(self.pools[end], micro_batch) + workspace, micro_batch, end)


_known: dict[tuple[object, ...], tuple[ModelProfile, Demand]] = {}


def demand(profile: ModelProfile, request: Request, layout: Layout) -> Demand:
    """What ``layout`` asks of the fullest GPU; kept, since many GPUs are asked about the same."""
    # With one stage it matters only whether passes are accumulated; with several how many are in flight.
    passes = min(layout.accumulation, max(2, layout.pipeline))
    key = (
        id(profile), request.precision, request.optimizer, request.compile, request.context, layout.strategy, passes,
        layout.data, layout.tensor, layout.pipeline, layout.context,
    )  # fmt: skip
    found = _known.get(key)
    if found is None or found[0] is not profile:
        while len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        found = _known[key] = (profile, _demand(profile, request, layout))
    return found[1]


def _demand(profile: ModelProfile, request: Request, layout: Layout) -> Demand:
    ends: tuple[list[Line], ...] = ([], [], [])
    pools: tuple[list[Line], ...] = ([], [], [])
    scales, works = activations(profile), convolution(profile, request.precision)
    left = _compiled(profile, request)
    whole = Spread(1.0, 1.0, 1.0)
    stored = whole if request.trains else stored_bytes(request.precision)
    cache = 0.0 if request.trains else cache_bytes(profile, request, layout)
    for stage in stages(profile, layout):
        holds = held(profile, stage, request.precision, request.optimizer, layout)
        for moment in stage.moments:
            for end in (LOW, VALUE, HIGH):
                line = _line(profile, layout, holds, moment, end, (scales[end], left[end]), works[end])
                tensors = line.tensors[0], line.tensors[1] + cache
                line = line._replace(tensors=tensors, weights=line.weights * stored[end] / stored.value)
                ends[end].append(line)
                pools[end].append(_pooled(line, holds))
    nccl, graphs = term("nccl"), Spread(0.0, 0.0, 0.0) if request.trains else graphs_bytes(profile)
    outside = Spread(*(graphs[end] + (nccl[end] * 2**30 if layout.gpus > 1 else 0.0) for end in (LOW, VALUE, HIGH)))
    return Demand(
        lines=tuple(ends[VALUE]),
        slopes=tuple(_upper({(line.fixed, line.slope) for line in lines}) for lines in ends),
        pools=tuple(_upper({(line.fixed, line.slope) for line in lines}) for lines in pools),
        overhead=overhead(profile, whole=layout.strategy not in SHARDS_WEIGHTS),
        outside=outside,
    )


def _line(
    profile: ModelProfile, layout: Layout, holds: Held, moment: Moment, end: int,
    scales: tuple[float, float], work: tuple[float, float],
) -> Line:  # fmt: skip
    if moment.phase == "step":
        temporaries = holds.gradients * term("step-temporaries")[end]
        weights = holds.weights + profile.buffers
        return Line(moment, weights, holds.gradients + holds.buckets, holds.states, temporaries, (0.0, 0.0), (0.0, 0.0))
    there = 1.0 if layout.accumulation > 1 else moment.gradients  # the passes before left them all
    gradients = holds.gradients * there + holds.buckets + (holds.unsharded if moment.phase == "backward" else 0.0)
    return Line(
        moment=moment,
        weights=holds.weights + holds.gathered + holds.copies * moment.copies + profile.buffers,
        gradients=gradients,
        states=holds.states,
        temporaries=0.0,
        tensors=(moment.tensors.fixed * scales[0], _compiled_tensors(profile, layout, moment, scales[1]) * scales[0]),
        workspace=work,
    )


def _pooled(line: Line, holds: Held) -> Line:
    """The line with what the stream that reduces gradients keeps to itself, alive or not."""
    if not holds.reduced:
        return line
    unsharded = holds.unsharded if line.moment.phase == "backward" else 0.0
    return line._replace(gradients=holds.gradients + holds.buckets + unsharded + holds.reduced)


def activations(profile: ModelProfile) -> Spread:
    """Tensors at the peak over those of the profile."""
    if "activations-estimated" in profile.fallbacks:
        wide = term("activation")
        return Spread(wide.low / wide.value, 1.0, wide.high / wide.value)
    # Of one configuration each library's code keeps its own tensors, and the trace is of transformers'.
    source = "closed-form" if profile.transformer else profile.source
    known = term(_SPREADS[source])
    unsure = term("other-operations") if _runs_others(profile) else Spread(1.0, 1.0, 1.0)
    return Spread(*(known[end] * unsure[end] for end in (LOW, VALUE, HIGH)))


@once
def _runs_others(profile: ModelProfile) -> bool:
    return any(op.kind == "other" for op in profile.ops)


def _compiled(profile: ModelProfile, request: Request) -> Spread:
    """Share of the activations that torch.compile leaves; what full checkpointing keeps it cannot spare."""
    spares = request.compile and request.trains and profile.activation_checkpointing != "full"
    return term("compiled-share") if spares else Spread(1.0, 1.0, 1.0)


def _compiled_tensors(profile: ModelProfile, layout: Layout, moment: Moment, left: float) -> float:
    """Bytes of each sample; the loss over the vocabulary is not spared."""
    head = sum(unit.saved.per_sample for unit in profile.units if unit.kind == "head")
    head /= layout.tensor * layout.context
    most = moment.tensors.per_sample
    return most * left if most <= head else head + (most - head) * left


def _highest(slopes: Slopes, micro_batch: int) -> float:
    most = 0.0
    for fixed, slope in slopes:
        most = max(most, fixed + slope * micro_batch)
    return most


def _upper(lines: set[tuple[float, float]]) -> Slopes:
    """The lines that no other one lies above at every micro-batch."""
    return tuple(
        (fixed, slope)
        for fixed, slope in sorted(lines)
        if not any((f, s) != (fixed, slope) and f >= fixed and s >= slope for f, s in lines)
    )

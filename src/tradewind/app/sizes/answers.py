"""The answer of ``size``: profiles of the model, what was measured before, fits on every GPU asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tradewind.app.queries import SizeOverrides
from tradewind.app.sizes.profiles import Remark
from tradewind.app.typed import gpu_named
from tradewind.domain.gpus import Gpu, all_gpus, data_sheet

if TYPE_CHECKING:
    from tradewind.app.sizes.lessons import Lesson
    from tradewind.app.sizes.profiles import Profiled, Profiles
    from tradewind.domain.workload import Workload
    from tradewind.sizing.anchor import Anchor
    from tradewind.sizing.answer import Sizing
    from tradewind.sizing.request import Request

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Studied:
    """A request with its fits, and what was assumed on the way to them."""

    request: Request
    sizing: Sizing
    remarks: tuple[Remark, ...]

    @property
    def trace_seconds(self) -> float | None:
        """What tracing took when the traces were made; None: nothing was traced."""
        taken = [profile.seconds for profile in self.request.profiles if profile.seconds is not None]
        return round(sum(taken), 3) if taken else None


def study(
    workload: Workload, overrides: SizeOverrides, profiles: Profiles, lessons: tuple[Lesson, ...] = ()
) -> Studied:
    """The fits of a workload. ``auto`` activation checkpointing asks for none first, for full where that is not enough:
    where nothing fits, or only more GPUs than were asked about at least.

    ``lessons`` are what its steps took before; those on a GPU anchor the times, and that is said.

    Raises:
        TradewindError: as ``Profiles.of`` and ``sizing.answer.study`` raise.
    """
    from tradewind.sizing.answer import study as study_request

    gpus, unlisted = sheets(overrides.gpus or _wished(workload))
    first = profiles.of(workload, workload.training.activation_checkpointing, trace=overrides.trace)
    request = request_of(workload, overrides, first, gpus, unlisted, lessons)
    sizing = study_request(request)
    if first.more and not all(fit.fits and fit.gpus <= request.counts[0] for fit in sizing.fits):
        first = with_full(first, workload, profiles)
        request = request_of(workload, overrides, first, gpus, unlisted, lessons)
        sizing = study_request(request)
    unused = _unused(workload, request)
    remarks = (Remark("not-used", {"names": ", ".join(unused)}),) if unused else ()
    return Studied(request, sizing, (*first.remarks, *remarks, *map(_remark, lessons)))


def _unused(workload: Workload, request: Request) -> list[str]:
    """What was asked for and is nothing to this model, by its keys."""
    training, profile = workload.training, request.profiles[0]
    counted = profile.source == "parameters"
    idle = {
        "image_size": training.image_size is not None and (counted or profile.tokens is not None),
        "sequence": training.sequence is not None and profile.tokens is None,
        "classes": training.classes is not None and profile.source != "traced",
        "attention": training.attention != "auto" and counted,
    }
    return [key for key, is_idle in idle.items() if is_idle]


def _remark(lesson: Lesson) -> Remark:
    """That times rest on a measured step, or that it was measured where no GPU was."""
    facts = {"seconds": f"{lesson.step_seconds:.3g}", "micro_batch": lesson.micro_batch, "at": lesson.at[:10]}
    if lesson.gpu is None:
        return Remark("anchor-of-processor", {"device": lesson.device, **facts})
    return Remark("anchored", {"gpu": lesson.gpu, **facts})


def _anchors(workload: Workload, lessons: tuple[Lesson, ...]) -> tuple[Anchor, ...]:
    from tradewind.sizing.anchor import Anchor

    on_gpus = [(data_sheet(lesson.gpu), lesson) for lesson in lessons if lesson.gpu]
    trains = workload.training.task != "infer"
    return tuple(
        Anchor(sheet, lesson.micro_batch, lesson.step_seconds, lesson.gpus, trains, lesson.peak_memory_gib)
        for sheet, lesson in on_gpus
        if sheet
    )


def with_full(first: Profiled, workload: Workload, profiles: Profiles) -> Profiled:
    """The profiles with full activation checkpointing beside them, where the model can do that."""
    from dataclasses import replace

    from tradewind.domain.errors import BadInput, NotTraceable

    try:
        full = profiles.of(workload, "full")
    except (BadInput, NotTraceable):  # a model without such a switch
        return replace(first, more=False)
    return replace(first, profiles=(*first.profiles, *full.profiles), more=False)


def request_of(
    workload: Workload, overrides: SizeOverrides, profiled: Profiled, gpus: tuple[Gpu, ...], unlisted: tuple[str, ...],
    lessons: tuple[Lesson, ...],
) -> Request:  # fmt: skip
    """What is asked of sizing, once the profiles are known."""
    from tradewind.sizing.request import Request

    training, resources = workload.training, workload.resources
    wish = resources.accelerators if resources else None
    nodes = overrides.nodes or (resources.nodes if resources else None)
    infers = training.task == "infer"
    return Request(
        profiles=profiled.profiles, batch_size=training.batch_size, micro_batch=training.micro_batch,
        precision=training.precision, optimizer=training.optimizer, strategy=training.strategy,
        activation_checkpointing=training.activation_checkpointing, compile=training.compile,
        channels_last=training.channels_last, gpus=gpus, unlisted=unlisted,
        counts=overrides.counts or ((wish.low, wish.high) if wish else _usual(workload, overrides, nodes or 1)),
        nodes=nodes, ladder=overrides.ladder,
        context=training.sequence if infers else None, concurrency=training.batch_size if infers else None,
        samples=training.samples, epochs=training.epochs, sample_bytes=training.sample_bytes,
        anchors=_anchors(workload, lessons),
    )  # fmt: skip


def _usual(workload: Workload, overrides: SizeOverrides, nodes: int) -> tuple[int, int]:
    """How many GPUs are tried where nobody says: those that the strategy names, else those of the servers; of one
    server one alone, where a micro-batch for each is asked about."""
    from tradewind.sizing.request import EACH_NODE, degrees_of

    training = workload.training
    degrees = degrees_of(training.strategy)
    if degrees and degrees.data:
        return (degrees.of_model * degrees.data,) * 2
    fewest = degrees.of_model if degrees else 1 if training.strategy in ("auto", "single") else 2
    alone = fewest == nodes == 1 and (training.micro_batch or overrides.ladder)
    return max(fewest, nodes), 1 if alone else max(fewest, EACH_NODE * nodes)


def _wished(workload: Workload) -> tuple[str, ...]:
    wish = workload.resources.accelerators if workload.resources else None
    return (wish.gpu,) if wish and wish.gpu else ()


def sheets(names: tuple[str, ...]) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """Data sheets of the GPUs asked for, and the names of those that have none; all sheets when none is asked for.

    Raises:
        BadInput: ``gpu-unknown``, ``gpu-ambiguous``.
    """
    if not names or [name.lower() for name in names] == ["all"]:
        return all_gpus(), ()
    found = [(name, data_sheet(*gpu_named(name))) for name in names]
    return tuple(sheet for _, sheet in found if sheet), tuple(name for name, sheet in found if sheet is None)


def for_offers(workload: Workload, profiles: Profiles, lessons: tuple[Lesson, ...]) -> Request:
    """The request by which offers are held against a workload: all ways of checkpointing that are to be had."""
    found = profiles.of(workload, workload.training.activation_checkpointing)
    if found.more:
        found = with_full(found, workload, profiles)
    return request_of(workload, SizeOverrides(), found, (), (), lessons)


def told(workload: Workload, studied: Studied, overrides: SizeOverrides) -> Answer:
    """The object of ``size --json``, with what else there is to say."""
    sizing = studied.sizing
    model = workload.model
    return {
        "workload": workload.name, **sizing.to_json(), "trace_seconds": studied.trace_seconds,
        "model": model.reference if model else None, "source": studied.request.profiles[0].source,
        "task": workload.training.task, "parameters": round(sizing.parameters), "flops_total": sizing.flops_total,
        "total_steps": sizing.total_steps, "assumptions": [each.to_json() for each in studied.remarks],
        "explain": _explained(studied) if overrides.explain else None,
    }  # fmt: skip


def _explained(studied: Studied) -> list[Answer]:
    """Every term of the first fit that holds the work, or of the first; empty without fits."""
    from tradewind.sizing.explain import explained

    fits = studied.sizing.fits
    chosen = next((fit for fit in fits if fit.fits), fits[0] if fits else None)
    return explained(studied.request, chosen) if chosen else []

"""Fits of a workload's model on offers, for planning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from tradewind.domain.errors import BadInput, NothingFits, NotTraceable
from tradewind.domain.fit import Fit
from tradewind.domain.offer import Offer
from tradewind.domain.workload import Accelerators, Resources

if TYPE_CHECKING:
    from tradewind.app.sizes.lessons import Lesson
    from tradewind.app.sizes.profiles import Profiles
    from tradewind.domain.workload import Workload
    from tradewind.sizing.request import Request

FP32_BYTES = 4  # of a weight: what a job brings home is taken to be its weights, once

FitOf = Callable[[Offer, int], Fit | str]  # on so many machines of an offer


@dataclass(frozen=True, slots=True)
class Fitted:
    """The fits of a model.

    Attributes:
        on: the fit on an offer, or why there is none; None: nothing is known of the model.
        full: with full activation checkpointing, where the job file rules that out; else None.
        weights_gb: of the model in fp32.
    """

    on: FitOf | None = None
    full: FitOf | None = None
    weights_gb: float | None = None


def fits_of(workload: Workload, profiles: Profiles, lessons: tuple[Lesson, ...]) -> Fitted:
    """The fits of a workload; none where it names resources and no model.

    Raises:
        NothingFits: ``needs-unknown``: it names neither, and was not calibrated on a GPU (``as_calibrated``).
        BadInput, NotTraceable: as ``answers.for_offers``.
    """
    from tradewind.app.sizes import answers

    if workload.model is None:
        if workload.resources is None:
            batch = "" if workload.training.batch_size else "training: {batch_size: 64}"
            device = ", ".join(dict.fromkeys(lesson.device for lesson in lessons))
            raise NothingFits("needs-unknown", file="JOB.yaml", batch=batch, device=device)
        return Fitted()
    request = answers.for_offers(workload, profiles, lessons)
    training = workload.training
    full = None
    if training.task != "infer" and training.activation_checkpointing in ("none", "selective"):
        wider = replace(workload, training=replace(training, activation_checkpointing="full"))
        full = _when_asked(cache(lambda: answers.for_offers(wider, profiles, lessons)))
    return Fitted(_on_offers(request), full, request.parameters * FP32_BYTES / 1e9)


def as_calibrated(workload: Workload, lessons: tuple[Lesson, ...]) -> Workload:
    """The workload; one that names neither model nor resources asks for the GPU that its steps were measured on."""
    known = [lesson for lesson in lessons if lesson.gpu]
    if workload.model is not None or workload.resources is not None or not known:
        return workload
    newest = known[-1]
    return replace(workload, resources=Resources(Accelerators(newest.gpu, newest.gpus, newest.gpus)))


@lru_cache(maxsize=4)
def _on_offers(request: Request) -> FitOf:
    """Fits on offers, kept for the requests last asked about: they are most of the work of a plan."""
    from tradewind.sizing.answer import fit_on_offers

    by_nodes = cache(lambda nodes: fit_on_offers(request, nodes))
    return lambda offer, nodes: by_nodes(nodes)(offer)


def _when_asked(request: Callable[[], Request]) -> FitOf:
    """Fits of a request that is made when first asked for: it may need a trace, and a plan seldom asks."""

    @cache
    def fit_of() -> FitOf:
        try:
            return _on_offers(request())
        except (BadInput, NotTraceable):  # a model without such a switch
            return lambda offer, nodes: "checkpointing-unprofiled"

    def fit(offer: Offer, nodes: int) -> Fit | str:
        return fit_of()(offer, nodes)

    return fit

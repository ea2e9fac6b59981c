"""The answers of sizing: all about a request, or its fits alone, or its fit on one offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tradewind.domain.fit import Fit, Hint
from tradewind.domain.gpus import data_sheet
from tradewind.domain.offer import Offer
from tradewind.sizing.explain import explained
from tradewind.sizing.limits import limits
from tradewind.sizing.request import Hardware, Request
from tradewind.sizing.search import Unfit, fit_each, fit_on
from tradewind.sizing.storage import Storage, storage_for

__all__ = ["Sizing", "explained", "fit_on_offers", "size", "study"]


@dataclass(frozen=True, slots=True)
class Sizing:
    """What a request needs: one fit per GPU, what was rejected and why, storage, and the work in all.

    ``total_steps`` and ``flops_total`` (all passes of all steps) are None when the length of the run is not given;
    ``limits`` says what stands in the way on the first GPU asked for, and what would help; None: nothing does.
    """

    fits: tuple[Fit, ...]
    rejected: tuple[Unfit, ...]
    storage: Storage
    parameters: float
    total_steps: int | None
    flops_total: float | None
    limits: Hint | None

    def to_json(self) -> dict[str, Any]:
        """``fits``, ``rejected``, ``storage`` and ``limits`` of ``size --json``."""
        return {
            "fits": [fit.to_json() for fit in self.fits],
            "rejected": [each.to_json() for each in self.rejected],
            "storage": self.storage.to_json(),
            "limits": self.limits.to_json() if self.limits else None,
        }


def study(request: Request) -> Sizing:
    """Everything about a request.

    Raises:
        BadInput: ``batch-indivisible``.
    """
    fits, rejected = fit_each(request)
    fastest = max((fit.throughput_per_second.value for fit in fits if fit.fits), default=None)
    if fastest is not None and (tokens := request.profiles[0].tokens):
        fastest /= tokens
    work = None
    if request.samples and request.epochs:
        work = request.profiles[0].step_flops * request.samples * request.epochs
    return Sizing(
        fits, rejected, storage_for(request, fastest), request.parameters, request.total_steps, work,
        limits(request, fits),
    )  # fmt: skip


def size(request: Request) -> list[Fit]:
    """One fit per GPU of the request; what does not fit has ``fits`` false.

    Raises:
        BadInput: ``batch-indivisible``.
    """
    return list(fit_each(request)[0])


def fit_on_offers(request: Request, nodes: int = 1) -> Callable[[Offer], Fit | str]:
    """A function from an offer to the fit on all GPUs of ``nodes`` such machines, or to a code of ``search.fit_on``.

    Offers of like hardware share one fit, so that a whole catalog needs but a few hundred.
    """
    known: dict[tuple[object, ...], Fit | str] = {}

    def fit(offer: Offer) -> Fit | str:
        key = (offer.gpu, offer.form, offer.gpus, offer.gpu_memory_gib, offer.network_gbps if nodes > 1 else None)
        found = known.get(key)
        if found is None:
            found = known[key] = _fit_on_offer(request, offer, nodes)
        return found

    return fit


def _fit_on_offer(request: Request, offer: Offer, nodes: int) -> Fit | str:
    sheet = data_sheet(offer.gpu, offer.form) or data_sheet(offer.gpu)
    if sheet is None or offer.gpus <= 0:
        return "no-data-sheet"
    gpus = float(offer.gpus) * nodes if offer.gpus >= 1 else float(offer.gpus)
    return fit_on(request, Hardware(sheet, gpus, nodes, offer.gpu_memory_gib, offer.network_gbps))

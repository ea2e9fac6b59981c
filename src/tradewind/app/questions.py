"""Questions that change nothing: what a job needs, and the plan that joins it with what can be rented."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tradewind.app.market import catalog_of, rates_of
from tradewind.app.queries import SizeOverrides
from tradewind.app.settings import Settings
from tradewind.app.typed import gpu_named
from tradewind.catalog import rates, tariffs
from tradewind.catalog.search import Query, search
from tradewind.catalog.terms import terms as terms_of_cloud
from tradewind.domain.errors import NothingFits
from tradewind.domain.gpus import Gpu, all_gpus, data_sheet
from tradewind.domain.plan import Plan
from tradewind.domain.workload import Workload

FP32_BYTES = 4  # of a weight: what a job brings home is taken to be its weights, once
CURRENCIES = ("CNY", "EUR")  # against USD: the rates by which offers in several currencies are compared


def size(workload: Workload, overrides: SizeOverrides) -> dict[str, Any]:
    """``size --json``, with ``parameters``, ``flops_total`` and ``total_steps``.

    Raises:
        NothingFits: ``model-unknown``: the file says too little to size anything.
    """
    from tradewind.sizing.answer import study

    sheets, unlisted = _sheets(overrides.gpus)
    sized = study(_request(workload, overrides, sheets, unlisted))
    return {
        "workload": workload.name, **sized.to_json(), "trace_seconds": None, "parameters": sized.parameters,
        "flops_total": sized.flops_total, "total_steps": sized.total_steps,
    }  # fmt: skip


def _sheets(names: tuple[str, ...]) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    """Data sheets of the GPUs asked for, and the names of those that have none; all sheets when none is asked for."""
    if not names or [name.lower() for name in names] == ["all"]:
        return all_gpus(), ()
    found = [(name, data_sheet(*gpu_named(name))) for name in names]
    return tuple(sheet for _, sheet in found if sheet), tuple(name for name, sheet in found if sheet is None)


def _request(workload: Workload, overrides: SizeOverrides, gpus: tuple[Gpu, ...], unlisted: tuple[str, ...]) -> Any:
    from tradewind.sizing.request import Request

    model, training, resources = workload.model, workload.training, workload.resources
    if model is None or model.parameters is None:
        raise NothingFits("model-unknown", model=(model.reference if model else None) or "none")
    wish = resources.accelerators if resources else None
    return Request(
        parameters=model.parameters, flops_per_sample=model.flops_per_sample,
        activation_bytes_per_sample=model.activation_bytes_per_sample, batch_size=training.batch_size or 1,
        micro_batch=overrides.micro_batch, precision=training.precision, optimizer=training.optimizer, gpus=gpus,
        unlisted=unlisted, counts=overrides.counts or ((wish.low, wish.high) if wish else (1, 1)),
        nodes=overrides.nodes or (resources.nodes if resources else 1), samples=training.samples,
        epochs=training.epochs, sample_bytes=training.sample_bytes,
    )  # fmt: skip


def plan(settings: Settings, workload: Workload, now: datetime) -> dict[str, Any]:
    """``plan --json``.

    Raises:
        NothingFits: ``model-unknown`` or ``length-unknown``: the file says too little to plan by.
    """
    return make_plan(settings, workload, now).to_json()


def make_plan(settings: Settings, workload: Workload, now: datetime) -> Plan:
    """The plan over the whole snapshot; raises as :func:`plan`."""
    from tradewind.domain.workload import Resources
    from tradewind.planning.ask import Ask
    from tradewind.planning.search import plan as search_plan
    from tradewind.sizing.answer import fit_on_offers

    request = _request(workload, SizeOverrides(), (), ())
    steps = workload.training.total_steps
    if steps is None:
        raise NothingFits("length-unknown")
    snapshot, table = catalog_of(settings), rates_of(settings)
    resources = workload.resources or Resources()
    fetched_gb = request.parameters * FP32_BYTES / 1e9 if workload.outputs else None
    ask = Ask(steps, resources, workload.placement, workload.schedule, workload.budget, fetched_gb)
    return search_plan(
        ask, search(snapshot, Query(), now.date()), fit_on_offers(request, resources.nodes), now=now,
        catalog_date=snapshot.date, rates=[each for name in CURRENCIES if (each := rates.rate("USD", name, table))],
        tariff_of=lambda cloud, region: tariffs.storage_tariff(snapshot, cloud, region),
        egress_of=lambda cloud, region: tariffs.egress_tariff(snapshot, cloud, region), terms_of=_terms,
    )  # fmt: skip


def _terms(cloud: str) -> Any:
    from tradewind.planning.ask import Terms

    known = terms_of_cloud(cloud)
    return Terms(known.granularity_s, known.minimum_s) if known else Terms()

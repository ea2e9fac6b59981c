"""Questions that change nothing: what a job needs, and the plan that joins it with what can be rented."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tradewind.app.clock import SystemClock
from tradewind.app.market import catalog_of, rates_of
from tradewind.app.queries import SizeOverrides
from tradewind.app.settings import Settings
from tradewind.app.sizes.wiring import profiles_of
from tradewind.catalog import rates
from tradewind.domain.plan import Placed, Plan
from tradewind.domain.workload import Accelerators, Resources, Workload

if TYPE_CHECKING:
    from tradewind.app.clouds.within import Within
    from tradewind.app.sizes.batch import Answered
    from tradewind.app.sizes.lessons import Lesson
    from tradewind.app.sizes.profiles import Profiles, Tell
    from tradewind.domain.plan import Objective


def _silent(reference: str) -> None:
    """Nobody is told that a trace begins."""


def size(settings: Settings, workload: Workload, overrides: SizeOverrides, tell: Tell = _silent) -> dict[str, Any]:
    """``size --json``, with what else there is to say (``app.interface``).

    Raises:
        BadInput: a model, shape or GPU that cannot be used.
        NothingFits: ``model-unknown``: the workload says nothing to size by.
        NotTraceable: the model can only be traced, which is not possible here.
    """
    from tradewind.app.sizes import answers, needs

    if workload.model is None and workload.resources is not None:
        clock = SystemClock()
        return needs.needed(workload, overrides.setup, catalog_of(settings), clock.now().date())
    with profiles_of(settings, tell) as profiles:
        studied = answers.study(workload, overrides, profiles, _lessons(settings, workload))
        told = answers.told(workload, studied, overrides)
        if overrides.setup:
            told["setup"] = _judged(settings, workload, overrides.setup, profiles)
    return told


def batch(
    settings: Settings, lines: Iterable[str], file: str, workers: int, tell: Tell = _silent
) -> Iterator[Answered]:
    """Answers to the rows of a batch file, in their order; raises nothing for a row."""
    from tradewind.app.sizes import answers
    from tradewind.app.sizes.batch import answers as answers_to

    def one(workload: Workload, overrides: SizeOverrides) -> dict[str, Any]:
        if workload.model is None:
            return size(settings, workload, overrides)
        studied = answers.study(workload, overrides, profiles, _lessons(settings, workload))
        return answers.told(workload, studied, overrides)

    with profiles_of(settings, tell) as profiles:
        yield from answers_to(lines, file, one, workers)


def _lessons(settings: Settings, workload: Workload) -> tuple[Lesson, ...]:
    """What was measured of this workload before."""
    from tradewind.app.sizes import lessons

    return lessons.of(settings.calibrations, lessons.subject(workload)) if settings.calibrations.exists() else ()


def _judged(settings: Settings, workload: Workload, setup: str, profiles: Profiles) -> dict[str, Any] | None:
    """Whether a guide's machine still makes sense for its job, beside the plan that would be made now."""
    from tradewind.app.sizes import answers, setups

    if setup not in setups.GUIDED:
        return None
    gpu, gpus = setups.guide_machine(setup)
    resources = replace(workload.resources or Resources(), accelerators=Accelerators(gpu, gpus, gpus))
    guided_job = replace(workload, resources=resources)
    studied = answers.study(guided_job, SizeOverrides((gpu,), (gpus, gpus)), profiles)
    now = SystemClock().now()
    guided, free = (make_plan(settings, job, now, profiles).chosen for job in (guided_job, workload))
    holds = any(fit.fits for fit in studied.sizing.fits)
    return setups.verdict(setup, holds, guided, free, _ratio(guided, free, rates_of(settings)))


def _ratio(guided: Placed | None, free: Placed | None, table: rates.Table) -> float | None:
    """Cost of the first way over that of the second, at today's rates."""
    if guided is None or free is None or guided.cost is None or free.cost is None or not free.cost.value.amount:
        return None
    cost, other = guided.cost.value, free.cost.value
    rate = rates.rate(cost.currency, other.currency, table) if cost.currency != other.currency else None
    if rate is None and cost.currency != other.currency:
        return None
    return float((cost.converted(rate) if rate else cost).amount / other.amount)


def plan(
    settings: Settings, workload: Workload, now: datetime, tell: Tell = _silent, objective: Objective = "cost",
    within: Within | None = None,
) -> dict[str, Any]:  # fmt: skip
    """``plan --json``; only over what is ``within`` bounds, where they are given.

    Raises:
        NothingFits: ``needs-unknown``: the file says too little to plan by.
        BadInput, NotTraceable: as :func:`size`.
    """
    with profiles_of(settings, tell) as profiles:
        return make_plan(settings, workload, now, profiles, objective, within).to_json()


def make_plan(
    settings: Settings, workload: Workload, now: datetime, profiles: Profiles, objective: Objective = "cost",
    within: Within | None = None,
) -> Plan:  # fmt: skip
    """The plan as a value; as :func:`plan`, and raises so."""
    from tradewind.app import planned

    return planned.make_plan(settings, workload, now, profiles, _lessons(settings, workload), objective, within)

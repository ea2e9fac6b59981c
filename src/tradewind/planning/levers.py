"""Levers: the keys of a job file whose change may make its plan feasible, and the value that a way needs of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from tradewind.domain.money import Money
from tradewind.domain.plan import Change
from tradewind.domain.workload import Accelerators
from tradewind.planning.ask import Ask
from tradewind.planning.constraints import MACHINES, ROUNDING
from tradewind.planning.fits import Fits
from tradewind.planning.survey import Survey
from tradewind.planning.way import Way

OTHER = math.log(2)  # how large a change counts that is no quantity: as large as twice as much of one that is
Sized = tuple[float, str]  # how large a change is, and the new value


@dataclass(frozen=True, slots=True)
class Situation:
    """What is asked, and the fits that hold for it."""

    ask: Ask
    fits: Fits


@dataclass(frozen=True, slots=True)
class Lever:
    """A key of the job file that may be changed.

    Attributes:
        changed: the situation with that value of the key.
        lifted: the situation without it; None where it is one of a few ``choices``, that are all tried.
        value: the least change that lets a way through which was found without the key; None where none does.
        by: how much more a value is than what is asked.
    """

    key: str
    changed: Callable[[Situation, str], Situation]
    lifted: Callable[[Situation], Situation] | None = None
    value: Callable[[Way, Survey], Sized | None] = lambda way, survey: None
    choices: tuple[Sized, ...] = ()
    by: Callable[[str], str | None] = lambda to: None

    def change(self, to: str) -> Change:
        """The change of the key to a value."""
        return Change(self.key, to, self.by(to))


def levers(ask: Ask, now: datetime, with_full: Fits | None) -> list[Lever]:
    """The levers of an ask, by key: only keys that limit something, and how many machines there are."""
    place, want, known = ask.placement, ask.resources, ask.total_steps is not None
    deadline, longest, limit = ask.deadline_hours(now), ask.max_duration_hours, ask.budget.limit
    found = [
        limit and _budget(limit),
        ask.budget.purchase != "auto" and _purchase(),
        place.clouds and _placed("clouds", lambda way: way.offer.cloud),
        place.regions and _placed("regions", lambda way: way.offer.region),
        place.residency and _residency(),
        want.accelerators and _accelerators(),
        want.cpus and _cpus(want.cpus),
        _machines(1 if want.nodes_open else want.nodes),
        deadline is not None and _deadline(deadline, alone=ask.budget.purchase == "spot"),
        longest is not None and known and _longest(longest),
        with_full and _checkpointing(with_full),
    ]
    return sorted((each for each in found if isinstance(each, Lever)), key=lambda each: each.key)


def _budget(limit: Money) -> Lever:
    now = float(limit.amount)

    def value(way: Way, _: Survey) -> Sized | None:
        need = way.cost + ROUNDING
        return (math.log(need / now), f"{_round_up(need)} {limit.currency}") if need > now else None

    def changed(start: Situation, to: str) -> Situation:
        return _with_budget(start, Money(Decimal(to.split(maxsplit=1)[0]), limit.currency))

    return Lever(
        "budget.limit", changed, lambda start: _with_budget(start, None), value,
        by=lambda to: f"+{Decimal(to.split()[0]) - limit.amount:g} {limit.currency}",
    )  # fmt: skip


def _purchase() -> Lever:
    def changed(start: Situation, to: str) -> Situation:
        return replace(start, ask=replace(start.ask, budget=replace(start.ask.budget, purchase="auto")))

    return Lever("budget.purchase", changed, choices=((OTHER, "auto"),))


def _placed(key: Literal["clouds", "regions"], where: Callable[[Way], str]) -> Lever:
    def changed(start: Situation, *to: str) -> Situation:
        was = start.ask.placement
        place = replace(was, clouds=to) if key == "clouds" else replace(was, regions=to)
        return replace(start, ask=replace(start.ask, placement=place))

    return Lever(f"placement.{key}", changed, changed, lambda way, _: (OTHER, where(way)))


def _residency() -> Lever:
    def changed(start: Situation, to: str | None = None) -> Situation:
        return replace(start, ask=replace(start.ask, placement=replace(start.ask.placement, residency=to)))

    def value(way: Way, _: Survey) -> Sized | None:
        return (OTHER, way.offer.country) if way.offer.country else None

    return Lever("placement.residency", changed, changed, value)


def _accelerators() -> Lever:
    """Other GPUs: of those that are taken where none is named."""

    def value(way: Way, _: Survey) -> Sized | None:
        gpus = way.offer.gpus * way.nodes
        return (OTHER, f"{way.offer.gpu}:{gpus:.0f}") if gpus >= 1 else None

    def changed(start: Situation, to: str) -> Situation:
        gpu, _, count = to.rpartition(":")
        return _wanting(start, accelerators=Accelerators(gpu, int(count), int(count)))

    return Lever("resources.accelerators", changed, lambda start: _wanting(start, accelerators=None), value)


def _cpus(wanted: int) -> Lever:
    def value(way: Way, _: Survey) -> Sized | None:
        cpus = way.offer.cpus
        return (math.log(wanted / cpus), str(cpus)) if cpus and cpus < wanted else None

    return Lever(
        "resources.cpus", lambda start, to: _wanting(start, cpus=int(to)), lambda start: _wanting(start, cpus=None),
        value,
    )  # fmt: skip


def _machines(now: int) -> Lever:
    choices = sorted((abs(math.log(count / now)), str(count)) for count in MACHINES if count != now)
    return Lever(
        "resources.nodes", lambda start, to: _wanting(start, nodes=int(to), nodes_open=False), choices=tuple(choices)
    )


def _deadline(now: float, *, alone: bool) -> Lever:
    """``alone``: spot machines are all that may be bought, so that no last resort has to be in time."""

    def value(way: Way, survey: Survey) -> Sized | None:
        need = way.hours
        if way.interruption and way.work and not alone:
            need = max(need, survey.resorts.hours_needed(way.work.hours.value))
        return _hours(need, now)

    def changed(start: Situation, to: str | None = None) -> Situation:
        seconds = None if to is None else float(to.removesuffix("h")) * 3600
        schedule = replace(start.ask.schedule, deadline_seconds=seconds, deadline_at=None)
        return replace(start, ask=replace(start.ask, schedule=schedule))

    return Lever("schedule.deadline", changed, changed, value, by=lambda to: _more(to, now))


def _longest(now: float) -> Lever:
    def value(way: Way, _: Survey) -> Sized | None:
        return _hours(way.pace.paid, now) if way.pace else None

    def changed(start: Situation, to: str | None = None) -> Situation:
        seconds = None if to is None else float(to.removesuffix("h")) * 3600
        return replace(
            start, ask=replace(start.ask, schedule=replace(start.ask.schedule, max_duration_seconds=seconds))
        )

    return Lever("schedule.max_duration", changed, changed, value, by=lambda to: _more(to, now))


def _checkpointing(full: Fits) -> Lever:
    return Lever(
        "training.activation_checkpointing", lambda start, to: replace(start, fits=full), choices=((OTHER, "full"),)
    )


def _with_budget(start: Situation, limit: Money | None) -> Situation:
    return replace(start, ask=replace(start.ask, budget=replace(start.ask.budget, limit=limit)))


def _wanting(start: Situation, **wishes: object) -> Situation:
    return replace(start, ask=replace(start.ask, resources=replace(start.ask.resources, **wishes)))  # type: ignore[arg-type]


def _hours(need: float, now: float) -> Sized | None:
    """A tenth of an hour is as exact as a time is told."""
    if need <= now or math.isinf(need):
        return None
    to = math.ceil(need * 10 - 1e-9) / 10
    return math.log(to / max(now, 0.1)), f"{to:g}h"


def _more(to: str, now: float) -> str:
    return f"+{float(to.removesuffix('h')) - now:.1f}h"


def _round_up(amount: float) -> str:
    """The next whole unit from 10 up, the next hundredth below."""
    return str(math.ceil(amount)) if amount >= 10 else f"{math.ceil(amount * 100) / 100:.2f}"

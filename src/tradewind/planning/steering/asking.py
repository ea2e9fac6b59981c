"""Asking the spot policy: a situation in its words, its answer in ours.

Work is counted in hours of the slowest pool and money by the hour of that work, so the policy sees pools of one speed.
Pools that are dropped are not shown to it. Nobody probes: what was not seen of a pool is ``None`` in the history, and a
pool that is not down now may be tried (``available``, not ``known``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from tradewind.planning.spot import Policy
from tradewind.planning.steering.decision import Option
from tradewind.planning.steering.patience import hours_to_plan
from tradewind.planning.steering.situation import DOWN, UNSEEN, UP, Pool, Situation, steps

# Between two regions or clouds; our assumption: about one gigabit a second of a transfer over the internet.
TRANSFER_GB_S = 0.1
# What on-demand counts as where none may be rented: dear enough to be waited for. Our assumption.
MISSING_ON_DEMAND = 3.0

Kind = Literal["none", "spot", "od"]
_SEEN = {UP: True, DOWN: False, UNSEEN: None}


@dataclass(frozen=True, slots=True)
class Asked:
    """The job as the policy takes it (``facts``: the interface of ``tradewind.planning.spot``)."""

    work: float
    deadline: float
    overhead: float
    step: float
    zones: tuple[str, ...]
    od_price: float
    spot_price: tuple[float, ...]
    overhead_mean: float
    hazard: tuple[float, ...]
    transfer_hours: tuple[tuple[float, ...], ...]
    transfer_cost: tuple[tuple[float, ...], ...]
    checkpoint_cost: float
    notice: float
    od_granted: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """The state as the policy takes it."""

    t: float
    work_done: float
    work_left: float
    time_left: float
    overhead: float
    step: float
    available: tuple[bool, ...]
    spot_price: tuple[float, ...]
    od_price: float
    kind: Kind
    zone: int
    overhead_left: float
    preempted: bool
    history: list[tuple[bool | None, ...]]
    unsaved: float
    age: float
    known: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the policy wants: a kind, the pool of a spot machine, its reason and what else there was."""

    kind: Kind
    pool: int | None
    why: str
    facts: dict[str, float]
    options: tuple[Option, ...]


def ask(situation: Situation, spots: list[int], on_demand: int | None) -> Answer:
    """The policy's answer; ``spots`` are the pools that it may take, ``on_demand`` is the last resort just now."""
    job, moment = asked(situation, spots, on_demand), moment_of(situation, spots, on_demand)
    policy = Policy()
    policy.reset(job)
    kind, zone = policy.decide(moment)
    why, facts = getattr(policy, "why", ("policy", {}))
    options = tuple(
        Option(str(each), spots[where] if each == "spot" else on_demand if each == "od" else None, round(cost, 6))
        for each, where, cost in getattr(policy, "options", ())
        if math.isfinite(cost)
    )
    plain = {name: round(float(value), 6) for name, value in facts.items() if math.isfinite(float(value))}
    return Answer(cast(Kind, kind), spots[zone] if kind == "spot" else None, why, plain, options)


def asked(situation: Situation, spots: list[int], on_demand: int | None) -> Asked:
    """The job's side of the question."""
    pools = [situation.pools[index] for index in spots]
    resort = situation.pools[on_demand] if on_demand is not None else None
    places = [*pools, resort or pools[0]]
    planned = hours_to_plan(situation, sure=resort is not None)
    return Asked(
        work=situation.work_done + _work(situation), deadline=situation.elapsed + planned,
        overhead=situation.overhead, step=situation.step, zones=tuple(pool.name for pool in pools),
        od_price=_last_resort(pools, resort), spot_price=tuple(pool.price for pool in pools),
        overhead_mean=situation.overhead_mean, hazard=tuple(pool.hazard for pool in pools),
        transfer_hours=_between(places, lambda _: situation.checkpoint_gb / TRANSFER_GB_S / 3600),
        transfer_cost=_between(places, lambda pool: situation.checkpoint_gb * (pool.egress_per_gb or 0.0)),
        checkpoint_cost=situation.checkpoint_cost, notice=min(pool.notice for pool in pools),
        od_granted=resort is not None,
    )  # fmt: skip


def moment_of(situation: Situation, spots: list[int], on_demand: int | None) -> Moment:
    """The market's side of the question."""
    pools = [situation.pools[index] for index in spots]
    resort = situation.pools[on_demand] if on_demand is not None else None
    here = situation.running
    kind: Kind = "none" if here is None else "spot" if situation.pools[here].spot else "od"
    return Moment(
        t=situation.elapsed, work_done=situation.work_done, work_left=_work(situation),
        time_left=hours_to_plan(situation, sure=resort is not None), overhead=situation.overhead, step=situation.step,
        available=tuple(index == here or pool.down_for <= 0 for index, pool in zip(spots, pools, strict=True)),
        spot_price=tuple(pool.price for pool in pools), od_price=_last_resort(pools, resort), kind=kind,
        zone=spots.index(here) if kind == "spot" and here is not None else -1,
        overhead_left=situation.overhead_left, preempted=situation.lost, history=_history(pools),
        unsaved=situation.unsaved, age=situation.age,
        known=tuple(index == here or pool.down_for > 0 for index, pool in zip(spots, pools, strict=True)),
    )  # fmt: skip


def _work(situation: Situation) -> float:
    assert situation.work_left is not None, "a job of unknown length is not brought before the policy"
    return situation.work_left


def _last_resort(pools: list[Pool], resort: Pool | None) -> float:
    return resort.price if resort else MISSING_ON_DEMAND * max(pool.price for pool in pools)


def _history(pools: list[Pool]) -> list[tuple[bool | None, ...]]:
    return [tuple(_SEEN[each] for each in row) for row in zip(*(steps(pool.seen) for pool in pools), strict=True)]


def _between(places: list[Pool], of: Callable[[Pool], float]) -> tuple[tuple[float, ...], ...]:
    """A matrix over pairs of pools; nothing within one place."""
    return tuple(tuple(0.0 if a.place == b.place else of(a) for b in places) for a in places)

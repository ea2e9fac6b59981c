"""One job on one market under one policy, step by step.

The rules: a step looks at all zones before the policy decides, for nothing. A start, a restart or a change of zone
takes the overhead, which is paid for and makes no progress; to keep what runs costs nothing extra. A zone that is down
at a step has taken its machine, and no work beyond the overhead is lost with it. Use is billed by the second. A job
that is not done at its deadline is a miss: on-demand does the rest, however long that takes, and is paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tradewind.planning.simulation.market import Market, SimJob

Choice = tuple[str, int]  # ("none", -1), ("spot", zone) or ("od", -1)

DONE = 1e-6  # hours of work that rounding may leave: 4 ms


class Seen:
    """What a policy sees at a step; one object, changed in place, and not to be kept by the policy.

    ``history`` grows at its end: rows of ``available``, oldest first, the present one last.
    ``od_refused`` counts the requests for on-demand that were refused until now.
    """

    __slots__ = (
        "available", "history", "kind", "od_price", "od_refused", "overhead", "overhead_left", "preempted",
        "spot_price", "step", "t", "time_left", "work_done", "work_left", "zone",
    )  # fmt: skip

    def __init__(self, job: SimJob, od_price: float) -> None:
        self.t, self.time_left = 0.0, job.deadline
        self.work_done, self.work_left = 0.0, job.work
        self.overhead, self.step = job.overhead, job.step
        self.available: tuple[bool, ...] = ()
        self.spot_price: tuple[float, ...] = job.spot_price
        self.od_price = od_price
        self.kind, self.zone = "none", -1
        self.overhead_left = 0.0
        self.preempted = False
        self.history: list[tuple[bool, ...]] = []
        self.od_refused = 0


class SpotPolicy(Protocol):
    """Decides at every step what runs in it."""

    def reset(self, job: Any, /) -> None:
        """A new job (``SimJob``)."""

    def decide(self, seen: Any, /) -> Choice:
        """What is to run until the next step, given what is ``Seen``; spot only where it is up."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a policy decided at one step, and why, if it says so."""

    hours: float
    kind: str
    zone: int
    work_left: float
    preempted: bool
    why: tuple[str, dict[str, float]] | None


@dataclass(frozen=True, slots=True)
class Run:
    """How one simulated run went.

    Attributes:
        cost: of everything, in the currency of the prices.
        finish_hours: hours from the submit to the end; after the deadline when it was missed.
        preemptions: machines that were lost.
        starts: starts, restarts and changes of zone.
        wait_hours, spot_hours, od_hours: with nothing, on spot and on demand, in all ``finish_hours``.
        refused: requests for on-demand that were refused.
        steps: every decision, when it was to be recorded.
    """

    cost: float
    finish_hours: float
    preemptions: int
    missed: bool
    starts: int
    wait_hours: float
    spot_hours: float
    od_hours: float
    refused: int = 0
    steps: tuple[Step, ...] = ()


def run(job: SimJob, market: Market, policy: SpotPolicy, record: bool = False) -> Run:
    """The job under the policy on the market, to its end.

    Raises:
        ValueError: the policy asked for a zone that is down or unknown, or the market ends before the deadline.
    """
    return _Running(job, market).under(policy, record)


class _Running:
    """One run under way."""

    def __init__(self, job: SimJob, market: Market) -> None:
        if len(market.available) < job.steps:
            raise ValueError(f"the market ends after {len(market.available)} steps, the job needs {job.steps}")
        self.job, self.market = job, market
        self.seen = Seen(job, market.od_price)
        self.overheads: Sequence[float] = market.overheads or (job.overhead,)
        self.cost = self.spot_hours = self.od_hours = 0.0
        self.preemptions = self.starts = 0
        self.steps: list[Step] = []

    def under(self, policy: SpotPolicy, record: bool) -> Run:
        """Step after step until the work is done or the deadline is there."""
        job, seen = self.job, self.seen
        policy.reset(job)
        decide, prices, step, history = policy.decide, self.market.prices, job.step, seen.history
        for index in range(job.steps):
            now = index * step
            seen.t, seen.time_left = now, job.deadline - now
            available = seen.available = self.market.available[index]
            history.append(available)
            seen.spot_price = prices[index]
            seen.preempted = seen.kind == "spot" and not available[seen.zone]
            if seen.preempted:
                self.preemptions += 1
                seen.kind, seen.zone, seen.overhead_left = "none", -1, 0.0
            kind, zone = decide(seen)
            if kind != seen.kind or zone != seen.zone:
                self._change(kind, zone)
            if record:
                why = getattr(policy, "why", None)
                self.steps.append(Step(now, seen.kind, seen.zone, seen.work_left, seen.preempted, why))
            if seen.kind != "none":
                used = self._use(min(step, seen.time_left))
                if seen.work_left <= DONE:
                    return self._ended(now + used)
        return self._missed()

    def _change(self, kind: str, zone: int) -> None:
        """Something else is to run than does; a refused request for on-demand leaves what runs."""
        seen = self.seen
        if kind == "od" and seen.od_refused < self.market.od_refusals:
            seen.od_refused += 1
            return
        if kind == "spot" and not (0 <= zone < len(seen.available) and seen.available[zone]):
            raise ValueError(f"at hour {seen.t:.2f} the policy asked for zone {zone}, which is not up")
        seen.kind, seen.zone = kind, zone if kind == "spot" else -1
        seen.overhead_left = self._start(seen.zone) if kind != "none" else 0.0

    def _start(self, zone: int) -> float:
        """Hours that this start takes; its other cost is paid. Zone -1 is on-demand."""
        overhead = self.overheads[min(self.starts, len(self.overheads) - 1)]
        self.starts += 1
        if self.market.start_cost:
            self.cost += self.market.start_cost[zone]
        return overhead

    def _use(self, hours: float) -> float:
        """What runs goes on for so long, or until the work is done: hours of that are returned and paid for."""
        seen = self.seen
        burnt = min(seen.overhead_left, hours)
        progress = min(hours - burnt, seen.work_left)
        seen.overhead_left -= burnt
        seen.work_left -= progress
        seen.work_done += progress
        used = burnt + progress
        if seen.kind == "od":
            self.cost += used * seen.od_price
            self.od_hours += used
        else:
            self.cost += used * seen.spot_price[seen.zone]
            self.spot_hours += used
        return used

    def _missed(self) -> Run:
        """The rest on demand, after the deadline; a start is part of it unless on-demand runs already."""
        seen = self.seen
        starting = seen.overhead_left if seen.kind == "od" else self._start(-1)
        rest = starting + seen.work_left
        self.cost += rest * seen.od_price
        self.od_hours += rest
        return self._ended(self.job.deadline + rest, missed=True)

    def _ended(self, hours: float, *, missed: bool = False) -> Run:
        waited = max(0.0, hours - self.spot_hours - self.od_hours)
        return Run(
            self.cost, hours, self.preemptions, missed, self.starts, waited, self.spot_hours, self.od_hours,
            self.seen.od_refused, tuple(self.steps),
        )  # fmt: skip

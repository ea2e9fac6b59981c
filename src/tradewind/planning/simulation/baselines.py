"""Policies kept beside ours, to compare with: the obvious ones, and what others do.

All take the cheapest zone that is up when they start one, and leave it only when it is lost.
"""

from __future__ import annotations

from tradewind.planning.simulation.market import SimJob
from tradewind.planning.simulation.run import Choice, Seen

NOTHING: Choice = ("none", -1)
ON_DEMAND: Choice = ("od", -1)

ROUNDING = 1e-9  # of hours


class OnDemand:
    """On-demand from the first step to the end."""

    def reset(self, job: SimJob) -> None:
        """Nothing to learn of a job."""

    def decide(self, seen: Seen) -> Choice:
        """On-demand."""
        return ON_DEMAND


class LastMoment:
    """Spot wherever it is up, else nothing, until only on-demand can still be in time; then on-demand to the end."""

    def reset(self, job: SimJob) -> None:
        """Hope begins anew."""
        self._to_the_end = False

    def decide(self, seen: Seen) -> Choice:
        """Spot, nothing, or on-demand for good."""
        if seen.kind == "spot":
            return "spot", seen.zone
        self._to_the_end = self._to_the_end or last_moment(seen)
        return ON_DEMAND if self._to_the_end else cheapest(seen) or NOTHING


class EagerNextRegion:
    """On a loss the next cheapest zone at once, else on-demand to the end; never waits, knows no deadline.

    Source: SkyPilot's default strategy for managed jobs, EAGER_NEXT_REGION (its documentation, 2025): the region that
    preempted is left at once.
    """

    def reset(self, job: SimJob) -> None:
        """A new job knows no loss."""

    def decide(self, seen: Seen) -> Choice:
        """What runs, or at once the next."""
        if seen.kind != "none":
            return seen.kind, seen.zone
        return cheapest(seen) or ON_DEMAND


class UniformProgress:
    """Keeps to the line of even progress towards the deadline.

    Source: Wu et al., Can't Be Late (NSDI 2024), as re-stated publicly. Without anything running and behind the line:
    on-demand. Spot wherever it is up, also behind the line, and until it is lost. On-demand is left once progress is
    where the line will be two overheads later. Without anything running and less than two overheads of slack:
    on-demand to the end; that is looked at one step ahead where all zones are down, because a wait lasts a whole step.
    """

    def reset(self, job: SimJob) -> None:
        """The line: hours of progress for an hour of time."""
        self._pace = job.work / job.deadline
        self._to_the_end = False

    def decide(self, seen: Seen) -> Choice:
        """By the rules, in the paper's words: exploitation, safety net, hysteresis, risks, line."""
        if seen.kind == "spot":
            return "spot", seen.zone
        late = last_moment(seen)
        self._to_the_end = self._to_the_end or (late and seen.kind == "none")
        if late or self._to_the_end:
            return ON_DEMAND
        if seen.kind == "od" and seen.work_done < self._pace * (seen.t + 2 * seen.overhead) - ROUNDING:
            return ON_DEMAND
        behind = seen.work_done < self._pace * seen.t - ROUNDING
        return cheapest(seen) or (ON_DEMAND if behind else NOTHING)


def cheapest(seen: Seen) -> Choice | None:
    """The cheapest zone that is up, of equals the first; None when all are down."""
    up = [(price, zone) for zone, price in enumerate(seen.spot_price) if seen.available[zone]]
    return ("spot", min(up)[1]) if up else None


def last_moment(seen: Seen) -> bool:
    """Whether trying anything but on-demand now could leave less time than on-demand takes to start and finish.

    To try spot may cost a start; to wait where all zones are down costs a step.
    """
    spare = seen.time_left - seen.work_left
    wait = 0.0 if any(seen.available) else seen.step
    return spare < max(2 * seen.overhead, seen.overhead + wait) - ROUNDING

"""The deadline guard: what may be done so that on-demand can still save the deadline, whatever the market does.

It knows no prices and no probabilities. The invariant, at every decision:

    on-demand runs with slack >= what is left of its start,  or  slack >= reserve,

where slack = time left - work left, and reserve = the hours (p99) in which on-demand is started from where the last
checkpoint lies. Waiting costs a step of slack, a start its overhead, on-demand nothing; so whoever holds the invariant
and takes only what this page allows holds it at the next decision, and on-demand may be taken at any time. By induction
no deadline is missed that on-demand from the first decision on could meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Hours kept beyond the bound where something else than on-demand is chosen: float error over thousands of steps.
ROUNDING = 1e-6

Hours = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Guard:
    """Hours of one job that the guard reckons with; the last place of ``transfer`` is the on-demand one."""

    overhead: float  # p99 of a start: order, boot, set-up, restore
    step: float  # between two decisions
    transfer: Hours | None = None  # from place to place, for checkpoint and data; None: 0 everywhere
    save: float = 0.0  # of one checkpoint, when a run is left of its own will
    repeat: float = 0.0  # work that may become unsaved until the next decision; 0 where a notice is long enough to save

    def start(self, place: int, zone: int) -> float:
        """Hours that a start in ``zone`` takes (-1: on-demand) with the checkpoint at ``place`` (-1: nowhere yet)."""
        if self.transfer is None or place < 0 or place == zone:
            return self.overhead
        return self.overhead + self.transfer[place][zone]

    def reserve(self, place: int) -> float:
        """Hours that must be left besides the work, so that on-demand started now is in time."""
        return self.start(place, -1)

    def least(self, place: int, zone: int) -> float:
        """Hours that must be left besides the work, so that a start in ``zone`` may be lost at its last moment."""
        used = self.start(place, zone) + self.save + self.repeat
        return used + max(self.reserve(place), self.reserve(zone))

    def may_wait(self, slack: float, place: int) -> bool:
        """Whether a step may pass with nothing running."""
        return slack - self.step >= self.reserve(place) + ROUNDING

    def may_start(self, slack: float, place: int, zone: int) -> bool:
        """Whether a start in ``zone`` that is lost at its last moment leaves enough."""
        return slack >= self.least(place, zone) + ROUNDING

    def may_stay(self, slack: float, zone: int, overhead_left: float, unsaved: float) -> bool:
        """Whether what runs in ``zone`` may run on: its loss, with what it would repeat, leaves enough."""
        if overhead_left + unsaved + self.save + self.repeat == 0.0:
            return slack >= self.reserve(zone) - ROUNDING  # nothing is used up: what holds now holds at the next step
        return slack - overhead_left - unsaved - self.save - self.repeat >= self.reserve(zone) - ROUNDING

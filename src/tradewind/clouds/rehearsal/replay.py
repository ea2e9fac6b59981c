"""A measured spot market replayed: when the zone that stands for a machine's pool is down. Pure.

Nothing has to be remembered: the trace, where it was begun and how fast it runs say at any time what has happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tradewind.domain.trace import SpotTrace


@dataclass(frozen=True, slots=True)
class Replay:
    """What a trace does to the machines of one spot pool of one job.

    Attributes:
        zone: of the trace, the one that stands for the pool.
        start_tick: the trace's tick at the submit; past its end the trace goes on at its beginning.
        elapsed: the trace's time that has passed at an instant, since the submit.
        notice: before a machine of the pool is taken, real time.
    """

    trace: SpotTrace
    zone: int
    start_tick: int
    elapsed: Callable[[datetime], timedelta]
    notice: timedelta

    def down(self, since: datetime, until: datetime) -> str | None:
        """Where in the trace the zone is first down from ``since`` to ``until``, both counted; None: it stays up."""
        available, first = self.trace.available[self.zone], self._tick(since)
        last = min(self._tick(until), first + self.trace.ticks - 1)  # then it begins again
        gone = next((tick for tick in range(first, last + 1) if not available[tick % self.trace.ticks]), None)
        if gone is None:
            return None
        hours = max((gone - self.start_tick) * self.trace.tick_seconds, self.elapsed(since).total_seconds()) / 3600
        return f"trace {self.trace.name} {self.trace.zones[self.zone]} at +{hours:.1f} h"

    def _tick(self, at: datetime) -> int:
        return self.start_tick + math.floor(self.elapsed(at).total_seconds() / self.trace.tick_seconds)

"""Two kinds of clock: the true time, which only the world moves, and a wall clock that may be wrong by some seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from doubles import SimClock


@dataclass
class WallClock:
    """The Clock port of one computer: the true time and an error, which a correction of the clock may change."""

    true: SimClock
    off_s: float = 0.0

    def now(self) -> datetime:
        return self.true.now() + timedelta(seconds=self.off_s)

    def monotonic(self) -> float:
        return self.true.monotonic()

    def sleep(self, seconds: float) -> None:
        self.true.sleep(seconds)

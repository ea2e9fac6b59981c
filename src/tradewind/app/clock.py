"""The real clock: the one place where the time is asked for; and the watch that sees it jump."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from tradewind.ports.clock import Clock

NO_JUMP = timedelta(seconds=5)  # a busy machine may be late by seconds; nobody sets a clock by so little


class SystemClock:
    """Wall time in UTC, monotonic time, real sleeping."""

    def now(self) -> datetime:
        """The present instant."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        time.sleep(seconds)


class ClockWatch:
    """Sees the wall clock go another way than the monotonic one: it was set, or the computer slept."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen = (clock.now(), clock.monotonic())

    def jump(self) -> timedelta | None:
        """By how much the wall clock jumped since the last call; None: it went on as it should."""
        (then, before), (now, mono) = self._seen, (self._clock.now(), self._clock.monotonic())
        self._seen = (now, mono)
        by = now - then - timedelta(seconds=mono - before)
        return by if abs(by) > NO_JUMP else None

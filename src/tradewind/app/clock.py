"""The real clock: the one place where the time is asked for."""

from __future__ import annotations

import time
from datetime import UTC, datetime


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

"""Time, injected everywhere: the only source of now."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time, a monotonic count, and sleeping."""

    def now(self) -> datetime:
        """The present instant, UTC and aware."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, never going back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return after ``seconds`` have passed."""
        ...

"""The time that workers share: claims and wake-ups of one database mean the same instant to all of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from tradewind.domain.errors import Unavailable
from tradewind.store.database import Database

_TRUSTED_SECONDS = 10.0
_NO_JUMP_SECONDS = 1.0


class Inner(Protocol):
    """The clock of this computer: what the port ``Clock`` asks for."""

    def now(self) -> datetime:
        """The present instant by this computer."""
        ...

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, never going back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        ...


@dataclass(frozen=True, slots=True)
class _Reading:
    shared: datetime
    local: datetime
    monotonic: float


class StoreClock:
    """The clock of a database's workers: the server's on PostgreSQL, this computer's on SQLite.

    The server is asked every 10 s, and when the wall clock of this computer jumped (it slept: its monotonic count may
    have stood still); between, the time goes on by the monotonic count. While the server is away the last answer holds;
    without any, ``now()`` raises ``Unavailable``.
    """

    def __init__(self, clock: Inner, db: Database) -> None:
        self._clock = clock
        self._db = db
        self._last: _Reading | None = None

    def now(self) -> datetime:
        """The present instant, UTC."""
        if not self._db.has_clock:
            return self._clock.now()
        last = self._last or self._ask()
        if self._stale(last):
            last = self._ask_again(last)
        return self._carried(last)

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, of this computer."""
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        """Return after ``seconds``."""
        self._clock.sleep(seconds)

    def _stale(self, last: _Reading) -> bool:
        elapsed = self._clock.monotonic() - last.monotonic
        jump = (self._clock.now() - last.local).total_seconds() - elapsed
        return elapsed >= _TRUSTED_SECONDS or abs(jump) > _NO_JUMP_SECONDS

    def _carried(self, last: _Reading) -> datetime:
        return last.shared + timedelta(seconds=self._clock.monotonic() - last.monotonic)

    def _ask_again(self, last: _Reading) -> _Reading:
        try:
            return self._ask()
        except Unavailable:  # not asked at every call: each may wait for a connection
            self._last = _Reading(self._carried(last), self._clock.now(), self._clock.monotonic())
            return self._last

    def _ask(self) -> _Reading:
        asked = self._clock.monotonic()
        shared = self._db.now()
        answered = self._clock.monotonic()
        since = timedelta(seconds=(answered - asked) / 2)  # the server read it half-way
        self._last = _Reading(shared + since, self._clock.now(), answered)
        return self._last

"""Asking a cloud's price interfaces: at the pace that they allow, and again after faults that pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tradewind.leasing.retry import after
from tradewind.ports.clock import Clock
from tradewind.ports.compute import CloudFault

T = TypeVar("T")
PASSING = ("throttle", "unavailable")  # faults that may be gone by themselves
TRIES = 8  # of one question
LONGEST_WAIT_S = 900.0  # whoever is told to come back later than this is told so


class Patience:
    """Asks one cloud. ``waiting`` is told how many seconds a pause takes, before it is taken."""

    def __init__(
        self, calls_per_second: float, clock: Clock, draw: Callable[[], float], waiting: Callable[[float], None]
    ) -> None:
        self._gap_s = 1 / calls_per_second
        self._clock = clock
        self._draw = draw
        self._waiting = waiting
        self._next = clock.monotonic()

    def ask(self, question: Callable[[], T]) -> T:
        """The answer to ``question``, which is one call of the cloud.

        Raises:
            CloudFault: one that asking again does not mend, or the last of ``TRIES``.
        """
        faults = 0
        while True:
            self._clock.sleep(max(0.0, self._next - self._clock.monotonic()))
            self._next = self._clock.monotonic() + self._gap_s
            try:
                return question()
            except CloudFault as fault:
                faults += 1
                pause_s = after(fault, faults, self._draw()).total_seconds()
                if fault.kind not in PASSING or faults == TRIES or pause_s > LONGEST_WAIT_S:
                    raise
                self._waiting(pause_s)
                self._clock.sleep(pause_s)

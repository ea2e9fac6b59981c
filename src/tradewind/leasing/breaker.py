"""The circuit breaker: an operation of an account that only fails is left alone for a while.

One cloud that does not answer would otherwise hold every worker in its time-outs. After ``FAILURES`` failures in a
row the circuit of that operation opens for ``OPEN_SECONDS``; then one call is let through, and its answer decides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tradewind.ports.clock import Clock
from tradewind.ports.compute import Accepted, CloudFault, Compute, Instance, Leftover, Listing, Order, Query

FAILURES = 5
OPEN_SECONDS = 30.0
_FAILURES_OF_THE_CLOUD = ("unavailable", "throttle", "clock")  # the others are answers
T = TypeVar("T")


@dataclass(slots=True)
class _Circuit:
    failures: int = 0
    open_until: float | None = None


class Guarded:
    """The Compute port over another one, each operation behind a circuit of its own."""

    def __init__(self, inner: Compute, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._lock = threading.Lock()
        self._circuits: dict[str, _Circuit] = {}
        self.name = inner.name
        self.caps = inner.caps

    def launch(self, order: Order) -> Accepted:
        """As the inner cloud; with an open circuit the order is not sent."""
        return self._through("launch", lambda: self._inner.launch(order))

    def find(self, query: Query) -> Listing:
        """As the inner cloud."""
        return self._through("find", lambda: self._inner.find(query))

    def end(self, ids: Sequence[str]) -> None:
        """As the inner cloud."""
        self._through("end", lambda: self._inner.end(ids))

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """As the inner cloud."""
        return self._through("leftovers", lambda: self._inner.leftovers(query))

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """As the inner cloud; it asks nobody."""
        return self._inner.notice_probe(instance)

    def _through(self, operation: str, call: Callable[[], T]) -> T:
        self._enter(operation)
        try:
            answer = call()
        except CloudFault as fault:
            self._learn(operation, failed=fault.kind in _FAILURES_OF_THE_CLOUD)
            raise
        self._learn(operation, failed=False)
        return answer

    def _enter(self, operation: str) -> None:
        with self._lock:
            circuit = self._circuits.setdefault(operation, _Circuit())
            now = self._clock.monotonic()
            if circuit.open_until is None:
                return
            left = circuit.open_until - now
            if left > 0:
                words = f"{operation} failed {circuit.failures} times in a row; not asked again yet"
                raise CloudFault("unavailable", words, sent="no", retry_after_s=left)
            circuit.open_until = now + OPEN_SECONDS  # half-open: this call tries, others wait for what it learns

    def _learn(self, operation: str, *, failed: bool) -> None:
        with self._lock:
            circuit = self._circuits[operation]
            circuit.failures = circuit.failures + 1 if failed else 0
            is_open = circuit.failures >= FAILURES
            circuit.open_until = self._clock.monotonic() + OPEN_SECONDS if is_open else None

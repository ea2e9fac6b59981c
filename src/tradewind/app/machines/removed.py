"""A machine that was removed: nothing of ours is there any more, and nothing can be rented there.

Its account still answers, so that rows of a host that is gone for good come to their end as all others do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NoReturn

from tradewind.ports.clock import Clock
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    Instance,
    Leftover,
    Listing,
    Order,
    Query,
)
from tradewind.ports.transport import Unreachable


class RemovedCompute:
    """The Compute port of a place that was given up."""

    name = "machines"

    def __init__(self, machine: str, caps: Capabilities, clock: Clock) -> None:
        self.caps = caps
        self._machine = machine
        self._clock = clock

    def launch(self, order: Order) -> Accepted:
        """Refused."""
        raise CloudFault("invalid", f"the machine {self._machine} was removed", sent="yes")

    def find(self, query: Query) -> Listing:
        """Nothing, and that is all there is."""
        return Listing((), complete=True, seen_at=self._clock.now())

    def end(self, ids: Sequence[str]) -> None:
        """Nothing is left to end."""

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """Nothing."""
        return ()

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """None."""
        return {}


class NoRoad:
    """The channel to it: every question is unreachable."""

    skew_s = 0.0

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 0.0) -> NoReturn:
        """No way leads there.

        Raises:
            Unreachable: ``removed``.
        """
        raise Unreachable("the machine was removed", "removed")

    def exchange(self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = 0.0) -> NoReturn:
        """As :meth:`ask`."""
        self.ask(op, request)

    def begin(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = 0.0
    ) -> Future[tuple[dict[str, Any], bytes]]:
        """As :meth:`ask`."""
        self.ask(op, request)

"""What files travel over: a host's door, several frames in flight at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from tradewind.ports.host import Host

Answer = tuple[dict[str, Any], bytes]
_WIDTH = 4  # frames of at most `wire.door.CHUNK` bytes that are under way: 20 MB/s where an answer takes 0.2 s
# What a frame may take on a slow line; a line that is dead is found by the road itself, much sooner.
FRAME_SECONDS = 300.0
_SLOWEST_DISK = 20e6  # bytes a second


class Channel(Host, Protocol):
    """A host with the raw bytes of its answers."""

    def exchange(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = FRAME_SECONDS
    ) -> Answer:
        """As ``ask``, with bytes both ways."""
        ...

    def begin(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = FRAME_SECONDS
    ) -> Future[Answer]:
        """As ``exchange``, without waiting; frames leave in the order of the calls."""
        ...


def patience(size: int) -> float:
    """Seconds that an answer may take for which the host reads ``size`` bytes from its disk."""
    return FRAME_SECONDS + size / _SLOWEST_DISK


def in_flight(begun: Iterable[Future[Answer]]) -> Iterator[Answer]:
    """The answers in the order of the questions, each of which is asked when it is drawn; a few are under way at once.

    Raises:
        HostRefused, Unreachable: of the first that failed; no more is asked then.
    """
    waiting: deque[Future[Answer]] = deque()
    for each in begun:
        waiting.append(each)
        if len(waiting) == _WIDTH:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()

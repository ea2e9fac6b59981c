"""The door's two streams: frames read whole or not at all, frames written in their turn."""

from __future__ import annotations

import os
import queue
import select
import threading
from typing import Callable, Optional, Tuple

from tradewind.wire import door
from tradewind.wire.door import Header


class Writer:
    """Writes frames whole, one after the other, in a thread: a stream that is stuck holds up no operation."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._waiting: "queue.Queue[Optional[Tuple[bytes, Callable[[], None]]]]" = queue.Queue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self, data: bytes, written: Callable[[], None] = lambda: None) -> None:
        """Write ``data`` in its turn; ``written`` is called then, also when nobody reads any more."""
        self._waiting.put((data, written))

    def close(self, seconds: float) -> None:
        """Write what waits, for so long at most."""
        self._waiting.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        read_on = True
        for data, written in iter(self._waiting.get, None):
            read_on = read_on and _write(self._handle, data)
            written()


def _write(handle: int, data: bytes) -> bool:
    """Whether there was somebody to write to."""
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(handle, left) :]
    except OSError:
        return False
    return True


def read_frame(handle: int, idle_s: float) -> Optional[Tuple[Header, bytes]]:
    """The next question; None when none comes."""
    try:
        head = _exactly(handle, door.HEAD_BYTES, idle_s)
        text, body = door.read_head(head)
        return door.read_header(_exactly(handle, text, idle_s)), _exactly(handle, body, idle_s)
    except (EOFError, OSError, door.Garbled):
        return None


def _exactly(handle: int, size: int, idle_s: float) -> bytes:
    """So many bytes.

    Raises:
        EOFError: the stream ended before, or nothing came for ``idle_s``.
    """
    came = bytearray()
    while len(came) < size:
        if not select.select([handle], [], [], idle_s)[0]:
            raise EOFError
        chunk = os.read(handle, min(size - len(came), door.CHUNK))
        if not chunk:
            raise EOFError
        came += chunk
    return bytes(came)

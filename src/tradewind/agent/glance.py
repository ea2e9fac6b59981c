"""Looking at a file without reading it: the loop's looks must cost nothing while nothing happens."""

from __future__ import annotations

import os
from typing import Optional, Tuple

# File systems date changes by ticks of some milliseconds: two in one tick look like one, so every so often we read.
_REFRESH_SECONDS = 2.0


class Glance:
    """Remembers how a file or folder looked; ``every``: seconds that one look holds good for."""

    def __init__(self, path: str, every: float = 0.0) -> None:
        self.path = path
        self._every, self._looked_at = every, float("-inf")
        self._seen: Optional[Tuple[int, int, int]] = None
        self._read_at = float("-inf")

    def changed(self, now: float) -> bool:
        """Whether it should be read: it looks new, or was not read for two seconds. False while it is not there."""
        if 0.0 <= now - self._looked_at < self._every:
            return False
        self._looked_at = now
        try:
            status = os.stat(self.path)
        except OSError:
            self._seen = None
            return False
        looks = (status.st_mtime_ns, status.st_size, status.st_ino)
        if looks == self._seen and abs(now - self._read_at) < _REFRESH_SECONDS:
            return False
        self._seen, self._read_at = looks, now
        return True

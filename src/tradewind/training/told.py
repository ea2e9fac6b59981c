"""What the control plane tells a running loop: how soon a loss is to be expected, in the agent's ``cadence.json``."""

from __future__ import annotations

import os
from typing import Optional, Tuple

from tradewind.wire import cadence

LOOK_SECONDS = 1.0


class Told:
    """The file at ``path``, looked at once a second at most and read when it has changed; it need not be there."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._look_at = float("-inf")
        self._seen: Optional[Tuple[int, int]] = None

    def news(self, now: float) -> Optional[float]:
        """Mean seconds between losses, when the file tells them anew; ``now`` is of a clock that never goes back."""
        if now < self._look_at:
            return None
        self._look_at = now + LOOK_SECONDS
        try:
            status = os.stat(self._path)
            looks = status.st_mtime_ns, status.st_ino  # written aside and renamed: each has a number of its own
            if looks == self._seen:
                return None
            with open(self._path, encoding="utf-8") as file:
                mean = cadence.read(file.read())
        except (OSError, ValueError):
            return None
        self._seen = looks
        return mean

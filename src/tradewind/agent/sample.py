"""What the job's processes use: CPU and memory, seen at intervals."""

from __future__ import annotations

import time
from typing import Any, Dict, Optional, Set

from tradewind.agent import container, processes

# Every so often all processes are looked at again, in case a foreign pid was reused by the job.
_FRESH_EVERY = 12


class Sampler:
    """Remembers the last look, so that CPU time becomes a share, and which processes are not the job's."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._cpu: Dict[int, float] = {}
        self._at: Optional[float] = None
        self._foreign: Set[int] = set()
        self._looks = 0

    def look(self, runner: Optional[int]) -> Dict[str, Any]:
        """Fields of a ``sample``: ``cpu_percent`` (100 is one core), ``rss_bytes``, ``gpus``; null when unknown."""
        if runner is None:
            return {"cpu_percent": None, "rss_bytes": None, "gpus": []}
        if self._looks % _FRESH_EVERY == 0:
            self._foreign = set()
        self._looks += 1
        seen = processes.table(self._foreign)
        contained = container.inside(self._root, seen)
        ours = {process.pid: process for process in processes.members(seen, runner, contained)}
        self._foreign |= set(seen) - set(ours) - {runner}
        now, cpu = time.monotonic(), {pid: process.cpu_seconds for pid, process in ours.items()}
        used = sum(seconds - self._cpu.get(pid, 0.0) for pid, seconds in cpu.items())
        percent = None if self._at is None else round(100 * max(used, 0.0) / max(now - self._at, 1e-3), 1)
        self._cpu, self._at = cpu, now
        return {"cpu_percent": percent, "rss_bytes": sum(each.rss_bytes for each in ours.values()), "gpus": []}

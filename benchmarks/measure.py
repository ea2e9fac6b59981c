"""Timing in pairs, and telling: one JSON line a figure, beside a baseline taken in the same run.

A figure alone says little on a shared computer. Baseline and subject alternate, so that whatever else the computer does
falls on both; medians are compared.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Paired:
    """Seconds of baseline and subject, taken in turns; equally many."""

    baseline: tuple[float, ...]
    subject: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Median of the subject as a multiple of the baseline's."""
        return statistics.median(self.subject) / statistics.median(self.baseline)

    def fields(self) -> dict[str, float]:
        """Both medians in milliseconds and how many pairs there were."""
        return {
            "baseline_ms": round(statistics.median(self.baseline) * 1e3, 2),
            "subject_ms": round(statistics.median(self.subject) * 1e3, 2),
            "pairs": len(self.subject),
        }


def paired(baseline: Callable[[], object], subject: Callable[[], object], pairs: int) -> Paired:
    """Both timed ``pairs`` times in turns, after one round that is not counted (caches fill)."""
    baseline()
    subject()
    rounds = [(seconds_of(baseline), seconds_of(subject)) for _ in range(pairs)]
    return Paired(tuple(first for first, _ in rounds), tuple(second for _, second in rounds))


def seconds_of(work: Callable[[], object]) -> float:
    """Wall seconds that one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def process(command: Sequence[str], env: Mapping[str, str] | None = None) -> Callable[[], None]:
    """A call that runs ``command`` to its end, its output thrown away.

    Raises (when called):
        subprocess.CalledProcessError: it did not exit with 0; a figure of a failure is no figure.
    """

    def run() -> None:
        subprocess.run(
            command, env={**os.environ, **(env or {})}, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )

    return run


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` (0 to 1) of ``values`` do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def tell(name: str, unit: str, value: float, bar: float | None, **fields: Any) -> None:
    """Print one figure as a JSON line; ``within`` is whether it stays at or below ``bar``, null without one."""
    line = {
        "benchmark": name,
        "unit": unit,
        "value": round(value, 3),
        "bar": bar,
        "within": None if bar is None else value <= bar,
        **fields,
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }
    print(json.dumps(line), flush=True)

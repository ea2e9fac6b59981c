"""One slow piece of work (a copy) in a thread, looked at from the loop: a notice is never kept waiting by it."""

from __future__ import annotations

import threading
from typing import Callable, Generic, List, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """Starts ``work`` at once; :meth:`result` gives what it returned or raises what it raised."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._results: List[T] = []
        self._faults: List[BaseException] = []
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._results.append(work())
        except BaseException as fault:  # noqa: BLE001 - carried to the loop, which raises or journals it
            self._faults.append(fault)

    def done(self) -> bool:
        """Whether the work has ended, well or not."""
        return bool(self._results or self._faults)

    def result(self) -> T:
        """What the work returned, once done."""
        if self._faults:
            raise self._faults[0]
        return self._results[0]

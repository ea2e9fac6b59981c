"""One attempt as all stages of the agent share it: its folder, its spec, its journal, its processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from tradewind.agent import runner
from tradewind.agent.diary import Diary
from tradewind.agent.memory import Memory
from tradewind.agent.work import Work
from tradewind.wire import spec as wire

RESTARTS = 3
# A share of the time that was announced is kept back: for the last copy, and for the last words of the journal.
_RESERVE_SHARE, _RESERVE_SECONDS = 0.05, 1.0


@dataclass
class Attempt:
    """What is carried out, where, and what is known of it."""

    root: str
    spec: wire.Spec
    diary: Diary
    work: Work

    @property
    def memory(self) -> Memory:
        """What the journal says so far."""
        return self.diary.memory

    def running(self) -> Tuple[str, int]:
        """The phase that the runner carries out now, and the number of its start."""
        if self.spec.setup and self.memory.setup_exit is None:
            return runner.SETUP, 0
        return runner.RUN, self.memory.starts

    def last_instant(self) -> Optional[float]:
        """When nothing can be copied any more; None when no end is announced."""
        ends = []
        if self.memory.notice is not None:
            ends.append(self.memory.notice - reserve(self.memory.notice - self.memory.stop_at))
        if self.spec.hard_end:
            ends.append(self.spec.hard_end - reserve(self.spec.hard_end - self.memory.began))
        return min(ends) if ends else None


def reserve(seconds: float) -> float:
    """What is kept back of an announced time of ``seconds``."""
    return max(min(_RESERVE_SECONDS, _RESERVE_SHARE * seconds), 0.0)


def restart(code: int, memory: Memory) -> Optional[Tuple[int, int]]:
    """Count and step of the restart that an exit code calls for; None when the run is over.

    75 unasked means "checkpointed, restart me"; after three restarts without a new step it is believed no more
    (docs/job-file.md).
    """
    if code != wire.CHECKPOINTED or memory.stop_why is not None:
        return None
    count = 1 if memory.last_step > memory.count_step else memory.count + 1
    return (count, memory.last_step) if count <= RESTARTS else None

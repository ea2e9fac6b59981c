"""Injected preemptions: points of a job's own course at which its machine is taken. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tradewind.domain.workload import PreemptAt


@dataclass(frozen=True, slots=True)
class Script:
    """What is to happen to one job: the preemptions in order, and how far the job is now.

    ``training_seconds`` are real seconds of training since the first step, pauses not counted; ``training`` is whether
    the present attempt has made a step: a machine is not taken before it did any work. ``notice`` is the machine's.
    ``since``: of a script that tells no steps, when its present attempt began; those seconds come on top.
    """

    preempt_at: tuple[PreemptAt, ...]
    notice: timedelta
    step: int
    total_steps: int | None
    training_seconds: float
    training: bool
    since: datetime | None = None

    def at(self, now: datetime) -> Script:
        """The script with the seconds up to ``now``."""
        if self.since is None:
            return self
        return replace(self, training_seconds=self.training_seconds + (now - self.since).total_seconds(), since=None)


def due(script: Script, happened: int) -> bool:
    """Whether the next entry of the script has come; ``happened`` entries were already."""
    if happened >= len(script.preempt_at) or not script.training:
        return False
    point = script.preempt_at[happened]
    if point.seconds is not None:
        return script.training_seconds >= point.seconds
    if script.total_steps is None or point.share is None:
        return False
    return script.step >= point.share * script.total_steps

"""RehearsalCompute: rents from another cloud, and takes machines away as the planned market would.

What was injected is kept in one small file a job, written before the machine is told, so that a restart neither repeats
nor forgets one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from tradewind.domain.workload import PreemptAt
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Accepted, Compute, Instance, InstanceState, Leftover, Listing, Order, Query

JOB_TAG = "tradewind:job"


class Reclaiming(Compute, Protocol):
    """A cloud that can be asked to take a machine away with a notice."""

    def reclaim(self, id_: str, deadline: datetime, cause: str) -> None:
        """Announce the end of a machine at ``deadline``; said twice it is said once."""
        ...


@dataclass(frozen=True, slots=True)
class Script:
    """What is to happen to one job: the preemptions in order, and how far the job is now.

    ``training_seconds`` are real seconds of training since the first step, pauses not counted; ``training`` is whether
    the present attempt has made a step: a machine is not taken before it did any work.
    """

    preempt_at: tuple[PreemptAt, ...]
    notice: timedelta
    step: int
    total_steps: int | None
    training_seconds: float
    training: bool


class RehearsalCompute:
    """The Compute port over another one, with a script for each job."""

    name = "rehearsal"

    def __init__(
        self, inner: Reclaiming, folder: Path, clock: Clock, script_of: Callable[[str], Script | None]
    ) -> None:
        self._inner = inner
        self._folder = folder
        self._clock = clock
        self._script_of = script_of
        self.caps = replace(inner.caps, beat_s=min(inner.caps.beat_s, 0.5))

    def launch(self, order: Order) -> Accepted:
        """As the inner cloud; the order's own machine type is only worn."""
        return self._inner.launch(order)

    def find(self, query: Query) -> Listing:
        """As the inner cloud, after what is due by the script was announced."""
        listing = self._inner.find(query)
        told = [self._preempt(each) for each in listing.instances if each.state is InstanceState.RUNNING]
        return self._inner.find(query) if any(told) else listing

    def end(self, ids: Sequence[str]) -> None:
        """As the inner cloud."""
        self._inner.end(ids)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """As the inner cloud."""
        return self._inner.leftovers(query)

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """As the inner cloud."""
        return self._inner.notice_probe(instance)

    def _preempt(self, instance: Instance) -> bool:
        """Announce what is due for this machine; whether something was."""
        job = instance.tags.get(JOB_TAG)
        if job is None or instance.reclaim_at is not None:
            return False
        injected = self._injected(job)
        begun = [index for index, victim in enumerate(injected) if victim == instance.id]
        script = self._script_of(job)
        if script is None:
            return False
        if not begun:
            if not due(script, len(injected)):
                return False
            begun = [len(injected)]
            self._write(job, [*injected, instance.id])
        cause = f"injected at {script.preempt_at[begun[0]]}"
        self._inner.reclaim(instance.id, self._clock.now() + script.notice, cause)
        return True

    def _path(self, job: str) -> Path:
        return self._folder / f"{job}.json"

    def _injected(self, job: str) -> list[str]:
        """The machines that were preempted so far, one for each entry of the script that has happened."""
        try:
            value: list[str] = json.loads(self._path(job).read_text())
        except FileNotFoundError:
            return []
        return value

    def _write(self, job: str, injected: list[str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = self._path(job).with_suffix(".draft")
        draft.write_text(json.dumps(injected))
        draft.replace(self._path(job))


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

"""RehearsalCompute: rents from another cloud, and takes machines away as the planned market would.

Either a script says when a job's machine is taken, or a measured trace does, which also says where none can be had.
What a script injected is kept in one small file a job, written before the machine is told, so that a restart neither
repeats nor forgets one. Of a trace nothing need be kept: it says itself what has happened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from tradewind.clouds.rehearsal.replay import Replay
from tradewind.clouds.rehearsal.script import Script, due
from tradewind.ports.clock import Clock
from tradewind.ports.compute import (
    Accepted,
    CloudFault,
    Compute,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)

JOB_TAG = "tradewind:job"


class Reclaiming(Compute, Protocol):
    """A cloud that can be asked to take a machine away with a notice."""

    def reclaim(self, id_: str, deadline: datetime, cause: str) -> None:
        """Announce the end of a machine at ``deadline``; said twice it is said once."""
        ...


@dataclass(frozen=True, slots=True)
class Worn:
    """The machine that one here stands for: whose job it works on, and which offer it wears."""

    job: str
    region: str | None
    zone: str | None
    instance_type: str | None
    purchase: str | None


class RehearsalCompute:
    """The Compute port over another one; ``fate_of`` tells what is to happen to a machine, None: nothing is."""

    name = "rehearsal"

    def __init__(
        self, inner: Reclaiming, folder: Path, clock: Clock, fate_of: Callable[[Worn], Script | Replay | None]
    ) -> None:
        self._inner = inner
        self._folder = folder
        self._clock = clock
        self._fate_of = fate_of
        self.caps = replace(inner.caps, beat_s=min(inner.caps.beat_s, 0.5))

    def launch(self, order: Order) -> Accepted:
        """As the inner cloud, the order's own machine type only worn; refused where a trace has none to give now."""
        fate, now = self._fate(order), self._clock.now()
        down = fate.down(now, now) if isinstance(fate, Replay) else None
        if down and not self._inner.find(Query(token=order.token)).instances:  # what was made before is not refused
            raise CloudFault("capacity", f"none to be had: {down}", sent="yes")
        return self._inner.launch(order)

    def find(self, query: Query) -> Listing:
        """As the inner cloud, after what is due was announced."""
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

    def _fate(self, machine: Order | Instance) -> Script | Replay | None:
        job = machine.tags.get(JOB_TAG)
        if job is None:
            return None
        return self._fate_of(Worn(job, machine.region, machine.zone, machine.instance_type, machine.purchase))

    def _preempt(self, instance: Instance) -> bool:
        """Announce what is due for this machine; whether something was."""
        fate = self._fate(instance) if instance.reclaim_at is None else None
        if fate is None:
            return False
        if isinstance(fate, Replay):
            cause = fate.down(instance.launched_at, self._clock.now())
        else:
            cause = self._injected_into(instance, fate)
        if cause is None:
            return False
        self._inner.reclaim(instance.id, self._clock.now() + fate.notice, cause)
        return True

    def _injected_into(self, instance: Instance, script: Script) -> str | None:
        """The point of the script at which this machine is taken, now or when it was written down; None: not yet."""
        job = instance.tags[JOB_TAG]
        injected = self._injected(job)
        if instance.id not in injected:
            if not due(script.at(self._clock.now()), len(injected)):
                return None
            injected = [*injected, instance.id]
            self._write(job, injected)
        return f"injected at {script.preempt_at[injected.index(instance.id)]}"

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

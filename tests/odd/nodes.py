"""OddNodes: the Transport port onto the machines of the odd cloud, where jobs run by script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odd.cloud import OddCloud
from odd.faults import Fault, Schedule
from odd.machines import Machine
from odd.runs import Run, Script, Shelf
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Heard, Parcel, Unreachable
from tradewind.wire.spec import Command, read_command, read_spec


@dataclass
class OddNodes:
    """Nodes of a cloud. ``scripts`` says what each job does; ``starts`` are (job, epoch) in the order they began.

    ``backwards`` are starts of an epoch older than one that had begun; ``handed_in`` counts fetched outputs by job;
    ``coming`` are checkpoints on their way home, which takes until they are asked for again.
    """

    cloud: OddCloud
    schedule: Schedule
    scripts: dict[str, Script] = field(default_factory=dict)
    shelves: defaultdict[str, Shelf] = field(default_factory=lambda: defaultdict(Shelf))
    runs: dict[str, Run] = field(default_factory=dict)
    starts: list[tuple[str, int]] = field(default_factory=list)
    backwards: list[tuple[str, int]] = field(default_factory=list)
    handed_in: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    coming: set[str] = field(default_factory=set)

    def reach(self, instance: Instance) -> None:
        fault = self._meet("reach")
        self._answering(instance)
        _lose(fault)

    def store(self, instance: Instance, here: Path) -> str:
        return str(here)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        fault = self._meet("start")
        machine, spec = self._answering(instance), read_spec(parcel.spec)
        if machine.id not in self.runs:
            if set(spec.secrets) - set(parcel.secrets):
                raise Unreachable(f"{machine.id} needs its secrets", "secrets-missing")
            if any(job == spec.job and epoch > spec.epoch for job, epoch in self.starts):
                self.backwards.append((spec.job, spec.epoch))
            self.starts.append((spec.job, spec.epoch))
            script = self.scripts.get(spec.job, Script())
            run = Run(spec, script, self.shelves[spec.job], machine, self.cloud.time.now())
            run.begin()
            self.runs[machine.id] = run
        elif self.runs[machine.id].spec.key != spec.key:
            raise ValueError(f"{machine.id} serves {self.runs[machine.id].spec.key}")
        _lose(fault)

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        fault = self._meet("revive")
        self._answering(instance)
        run = self.runs[instance.id]
        if run.agent_dead:
            run.agent_dead = False
            run.tell("agent_started", pid=1, version="1", python="3", epoch=run.spec.epoch, adopted=True)
        _lose(fault)

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        fault = self._meet("hear")
        self._answering(instance)
        run = self._lived(instance)
        if run is None:
            return Heard(b"", b"", agent_alive=False)
        _lose(fault)
        journal = bytes(run.journal[journal_offset : journal_offset + limit])
        return Heard(journal, bytes(run.log[log_offset : log_offset + limit]), not run.agent_dead and not run.collected)

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        fault = self._meet("keep")
        self._answering(instance)
        run = self.runs[instance.id]
        if path not in self.coming:
            self.coming.add(path)
            return False
        run.bring(path)
        _lose(fault)
        return True

    def command(self, instance: Instance, text: str, name: str) -> None:
        fault = self._meet("command")
        self._answering(instance)
        command, run = read_command(text), self._lived(instance)
        if run is not None and command.name == Command("stop").name:
            run.stop_at = run.stop_at or self.cloud.time.now()
            run.live(self.cloud.time.now())
        elif run is not None and command.name == Command("collected").name:
            run.collected = True
        _lose(fault)

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        fault = self._meet("fetch_outputs")
        self._answering(instance)
        run = self._lived(instance)
        if run is None or run.ended_at is None:
            raise Unreachable(f"{instance.id} has no outputs yet")
        into.mkdir(parents=True, exist_ok=True)
        for name in run.spec.outputs:
            (into / name).write_text(f"{run.step} by epoch {run.spec.epoch}\n")
        self.handed_in[run.spec.job] += 1
        _lose(fault)
        return tuple(run.spec.outputs)

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        return ("bash",)

    def _lived(self, instance: Instance) -> Run | None:
        run = self.runs.get(instance.id)
        if run is not None:
            run.live(self.cloud.time.now())
        return run

    def _answering(self, instance: Instance) -> Machine:
        machine = self.cloud.machines.get(instance.id)
        if machine is None or not machine.answers(self.cloud.time.now()):
            raise Unreachable(f"{instance.id} does not answer")
        return machine

    def _meet(self, op: str) -> Fault | None:
        fault = self.schedule.take(op)
        if fault and fault.what == "delay":
            self.cloud.time.sleep(fault.seconds)
        if fault and fault.what == "unmade":
            raise Unreachable(f"{op}: the node did not answer")
        return fault


def _lose(fault: Fault | None) -> None:
    if fault and fault.what == "lost":
        raise Unreachable(f"{fault.op}: the answer was lost")

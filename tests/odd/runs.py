"""One attempt of a job on one node, in virtual time: its steps, checkpoints and end, and what its agent writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from odd.machines import Machine
from tradewind.wire import journal
from tradewind.wire.spec import CHECKPOINTED, Spec

STEP = timedelta(seconds=10)
SAVE_EVERY = 2
FENCE = "FENCE"


@dataclass(frozen=True, slots=True)
class Script:
    """What a job does: ``steps`` of ten seconds, then exit 0; or ``exit`` in the step ``fails_at``."""

    steps: int = 6
    fails_at: int | None = None
    exit: int = 1


@dataclass
class Shelf:
    """The job's store at home, which outlives its nodes: the newest checkpoint, and by which epoch each came there."""

    step: int | None = None
    epoch: int = 0
    published: list[int] = field(default_factory=list)


@dataclass
class Run:
    """An attempt as it goes on by itself. ``at`` is the time up to which it has been lived; ``saved`` the step of the
    newest checkpoint that its agent published where it is, which is not yet home.
    """

    spec: Spec
    script: Script
    shelf: Shelf
    machine: Machine
    at: datetime
    step: int = 0
    saved: int = 0
    journal: bytearray = field(default_factory=bytearray)
    log: bytearray = field(default_factory=bytearray)
    stop_at: datetime | None = None
    ended_at: datetime | None = None
    collected: bool = False
    agent_dead: bool = False

    def begin(self) -> None:
        """The agent starts, puts the newest checkpoint back, and runs the command."""
        self.tell(journal.AGENT_STARTED, pid=1, version="1", python="3", epoch=self.spec.epoch, adopted=False)
        if self.shelf.step is not None:
            self.step = self.saved = self.shelf.step
            self.tell(journal.RESTORED, step=self.step, epoch=self.shelf.epoch, path="/s", seconds=0.0)
        self.tell(journal.RUN_STARTED, pid=2, pgid=2)
        self.log += f"epoch {self.spec.epoch}\n".encode()

    def live(self, until: datetime) -> None:
        """Go on to ``until``, or to the end of the machine or of the agent."""
        until = min(until, self.machine.until)
        while not self.agent_dead and self.ended_at is None:
            due, what = self._next()
            if due > until:
                return
            self.at = due
            getattr(self, f"_on_{what}")()

    def _next(self) -> tuple[datetime, str]:
        ends = [(self.at + STEP, "step"), (datetime.fromtimestamp(self.spec.hard_end, self.at.tzinfo), "hard_end")]
        if self.machine.noticed_at is not None:
            ends.append((max(self.machine.noticed_at, self.at), "notice"))
        if self.stop_at is not None:
            ends.append((max(self.stop_at, self.at), "stop"))
        if self.machine.agent_dies is not None:
            ends.append((max(self.machine.agent_dies, self.at), "agent_dies"))
        return min(ends)

    def _on_step(self) -> None:
        if self.step + 1 == self.script.fails_at:
            self._ended(self.script.exit, "exit")
            return
        self.step += 1
        event = {"type": "step", "step": self.step, "total_steps": self.script.steps, "t": self.at.timestamp()}
        self.tell(journal.JOB, event=event, events_offset=self.step)
        if self.step >= self.script.steps:
            self._ended(0, "exit")
        elif self.step % SAVE_EVERY == 0:
            self._save()

    def _on_notice(self) -> None:
        deadline = self.machine.reclaim_at
        self.tell(journal.NOTICE, deadline=deadline.timestamp() if deadline else 0.0, source="file")
        self._asked_to_end("notice", CHECKPOINTED)

    def _on_stop(self) -> None:
        self._asked_to_end("stop", 143)

    def _on_hard_end(self) -> None:
        self._asked_to_end("hard-end", 143)

    def _on_agent_dies(self) -> None:
        self.agent_dead, self.machine.agent_dies = True, None

    def _asked_to_end(self, why: str, code: int) -> None:
        self.tell(journal.STOP_SENT, why=why, grace_seconds=30.0, until=self.at.timestamp() + 30, pids=[2])
        self._save()
        self.at += timedelta(seconds=1)
        self._ended(code, why)

    def _save(self) -> None:
        """Publish a checkpoint, unless a newer epoch has put up its fence."""
        if self._fenced() or self.step == self.saved:
            return
        self.saved = self.step
        self.tell(
            journal.CHECKPOINT, step=self.step, epoch=self.spec.epoch, path=f"/{self.machine.id}/{self.step}",
            bytes=1, seconds=0.1,
        )  # fmt: skip

    def bring(self, path: str) -> None:
        """A checkpoint comes home whole, unless a newer epoch has begun.

        Raises:
            ValueError: it has.
        """
        if self._fenced():
            raise ValueError(f"{path}: fenced")
        step = int(path.rpartition("/")[2])
        if (self.spec.epoch, step) > (self.shelf.epoch, self.shelf.step or 0):
            self.shelf.step, self.shelf.epoch = step, self.spec.epoch
            self.shelf.published.append(self.spec.epoch)

    def _fenced(self) -> bool:
        try:
            return int((Path(self.spec.store) / FENCE).read_text()) > self.spec.epoch
        except FileNotFoundError:
            return False

    def _ended(self, code: int, why: str) -> None:
        self.ended_at = self.at
        self.tell(journal.RUN_ENDED, exit=code, why=why)
        self.tell(journal.OUTPUTS, files=len(self.spec.outputs), bytes=1, seconds=0.0, missing=[])

    def tell(self, type_: str, **fields: object) -> None:
        """Write one record."""
        self.journal += journal.line(type_, self.at.timestamp(), **fields)

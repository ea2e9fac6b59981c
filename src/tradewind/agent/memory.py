"""What the journal says so far: the agent's whole memory, the same in every life.

``Memory`` is the fold of the journal's records. The agent changes it only by writing a record, so an agent that was
killed and started again stands exactly where the last whole line stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from tradewind.wire import events, journal

Record = Dict[str, Any]


@dataclass
class Memory:
    """The attempt as the journal tells it.

    Attributes:
        began: when the first agent started; seconds since the epoch, as all instants here.
        starts: how often the run was asked to start again; the run's number.
        told_start: the number of the start whose ``run_started`` is written, -1 before the first.
        count, count_step: restarts without a step after ``count_step``.
        last_step: the newest step that the job's events tell.
        stop_why, stop_at, kill_at: the first reason to stop, when SIGTERM went out, when SIGKILL is due.
        outlived: whether SIGTERM ended none of the job's programs where it stood: each had a say in how it ends.
        published: steps of this epoch in the store; ``rejected``: folders found torn.
    """

    began: float = 0.0
    lives: int = 0
    setup_started: bool = False
    setup_exit: Optional[int] = None
    restored: Optional[Record] = None
    rejected: Set[str] = field(default_factory=set)
    starts: int = 0
    told_start: int = -1
    pid: Optional[int] = None
    count: int = 0
    count_step: int = -1
    last_step: int = -1
    events_offset: int = 0
    notice: Optional[float] = None
    rebalance: bool = False
    notice_unknown: bool = False
    stop_why: Optional[str] = None
    stop_at: float = 0.0
    kill_at: float = 0.0
    stopped: List[int] = field(default_factory=list)
    outlived: bool = False
    published: Set[int] = field(default_factory=set)
    failures: Dict[int, str] = field(default_factory=dict)
    run_ended: Optional[Tuple[float, int, str]] = None
    setup_failed_at: Optional[float] = None
    outputs: bool = False
    agent_ended: bool = False

    def take(self, record: Record) -> None:
        """Remember one record."""
        change = _CHANGES.get(record["type"])
        if change:
            change(self, record)

    def ended_at(self) -> Optional[float]:
        """When the work came to its end, by the run's end or a setup that failed."""
        return self.run_ended[0] if self.run_ended else self.setup_failed_at


def recall(records: List[Record]) -> Memory:
    """The memory that the records make."""
    memory = Memory()
    for record in records:
        memory.take(record)
    return memory


def _agent_started(memory: Memory, record: Record) -> None:
    memory.began = memory.began or record["at"]
    memory.lives += 1


def _setup_started(memory: Memory, record: Record) -> None:
    memory.setup_started = True


def _setup_ended(memory: Memory, record: Record) -> None:
    memory.setup_exit = record["exit"]
    if record["exit"] != 0:
        memory.setup_failed_at = record["at"]


def _restored(memory: Memory, record: Record) -> None:
    memory.restored = record


def _rejected(memory: Memory, record: Record) -> None:
    memory.rejected.add(record["path"])


def _run_started(memory: Memory, record: Record) -> None:
    memory.told_start, memory.pid = memory.starts, record["pid"]


def _job(memory: Memory, record: Record) -> None:
    memory.events_offset = record["events_offset"]
    step = record["event"].get("step")
    if record["event"].get("type") == events.STEP and isinstance(step, int):
        memory.last_step = max(memory.last_step, step)


def _restarted(memory: Memory, record: Record) -> None:
    memory.starts += 1
    memory.count, memory.count_step = record["count"], record["step"]


def _notice(memory: Memory, record: Record) -> None:
    memory.notice = record["deadline"]


def _rebalance(memory: Memory, record: Record) -> None:
    memory.rebalance = True


def _notice_unknown(memory: Memory, record: Record) -> None:
    memory.notice_unknown = True


def _stop_sent(memory: Memory, record: Record) -> None:
    first = memory.stop_why is None
    if first:
        memory.stop_why, memory.stop_at = record["why"], record["at"]
        memory.outlived = bool(record.get("outlived"))
    memory.kill_at = record["until"] if first else min(memory.kill_at, record["until"])
    memory.stopped += record["pids"]


def _checkpoint(memory: Memory, record: Record) -> None:
    memory.published.add(record["step"])


def _checkpoint_failed(memory: Memory, record: Record) -> None:
    memory.failures[record["step"]] = record["why"]


def _run_ended(memory: Memory, record: Record) -> None:
    memory.run_ended = (record["at"], record["exit"], record["why"])


def _outputs(memory: Memory, record: Record) -> None:
    memory.outputs = True


def _agent_ended(memory: Memory, record: Record) -> None:
    memory.agent_ended = True


_CHANGES: Dict[str, Callable[[Memory, Record], None]] = {
    journal.AGENT_STARTED: _agent_started,
    journal.SETUP_STARTED: _setup_started,
    journal.SETUP_ENDED: _setup_ended,
    journal.RESTORED: _restored,
    journal.REJECTED: _rejected,
    journal.RUN_STARTED: _run_started,
    journal.JOB: _job,
    journal.RESTARTED: _restarted,
    journal.NOTICE: _notice,
    journal.REBALANCE: _rebalance,
    journal.NOTICE_UNKNOWN: _notice_unknown,
    journal.STOP_SENT: _stop_sent,
    journal.CHECKPOINT: _checkpoint,
    journal.CHECKPOINT_FAILED: _checkpoint_failed,
    journal.RUN_ENDED: _run_ended,
    journal.OUTPUTS: _outputs,
    journal.AGENT_ENDED: _agent_ended,
}

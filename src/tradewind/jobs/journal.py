"""Folding what an agent wrote into the job, its attempt, its checkpoints and its history. Pure.

``measures`` of a job holds what the run has shown:
    ``frontier``     the furthest step ever reached, {step, at}
    ``train_s``, ``steps``                    seconds and steps of training of the attempts that ended
    ``attempt_train_s``, ``attempt_steps``    the same of the current attempt, from the end of its first step
    ``first_step_at``, ``first_step``         when that was told, and [its number, its ``train_s``]
    ``gpu``, ``gpu_mem_mb``                   the fullest GPU by its own name, and its peak of allocated memory
    ``noticed``, ``taken_at``                 a notice was seen in the current attempt, and for when
    ``ended``        the current attempt's run_ended record; ``outputs`` its outputs record
    ``time_scale``   planned-offer seconds that one real second stands for
    ``saving``       what saves take; ``cadence`` what the node was told of losses last: see ``cadence``
    ``saved_step``, ``checkpoint_bytes``      the newest checkpoint from which the next attempt starts
    ``unverified``   of a plain script: its folder was kept; ``run_since``, ``run_s`` since when it runs in the current
                     attempt, and seconds that it ran in those that ended
    ``to_keep``, ``kept_open``                published where the node is and not here yet: see ``keeping``
    ``starts``       real seconds from each order to its first step, as far as ``starts_of`` (an attempt)
    ``pool``, ``decided_at``, ``at_risk``     the last decision; ``tempo``, ``switching``: see the files of these names
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from tradewind.domain.records import Attempt, Checkpoint, Job
from tradewind.jobs.cadence import learnt
from tradewind.jobs.room import Note
from tradewind.wire import events as told
from tradewind.wire import journal as wire


@dataclass(slots=True)
class Reading:
    """A job and its attempt while records are folded in, one after the other.

    ``published`` are the records of checkpoints: whether those count is not for a journal to say.
    """

    job: Job
    attempt: Attempt
    previous: Attempt | None
    notes: list[Note] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    published: list[dict[str, Any]] = field(default_factory=list)

    def measure(self, **values: Any) -> None:
        """Put measures down."""
        self.job = replace(self.job, measures={**self.job.measures, **values})

    def note(self, kind: str, at: datetime, cause: str | None = None, **data: Any) -> None:
        """Have an event written."""
        self.notes.append(Note(kind, cause, {**data, "attempt": self.attempt.attempt}, at))


def fold(reading: Reading, records: list[dict[str, Any]]) -> Reading:
    """The reading after these records; types that are not known are passed over."""
    for record in records:
        handle = _HANDLERS.get(str(record.get("type")))
        if handle is not None:
            handle(reading, record, instant_of(record))
    return reading


def instant_of(record: dict[str, Any]) -> datetime:
    """When the agent wrote a record."""
    return datetime.fromtimestamp(float(record.get("at", 0.0)), UTC)


def by_our_clock(records: list[dict[str, Any]], skew_s: float) -> list[dict[str, Any]]:
    """Records of a node whose clock is ``skew_s`` ahead of ours, with their instants by ours."""
    return [_shifted(record, skew_s) for record in records] if skew_s else records


def _shifted(record: dict[str, Any], skew_s: float) -> dict[str, Any]:
    told = {name: record[name] - skew_s for name in ("at", "deadline", "saved_at", "t") if _number(record.get(name))}
    event = record.get("event")
    return {**record, **told, **({"event": _shifted(event, skew_s)} if isinstance(event, dict) else {})}


def _reached(reading: Reading, step: int, at: datetime) -> None:
    """A step was completed: it may be the furthest yet, and end what an interruption cost."""
    attempt = reading.attempt
    reading.attempt = replace(attempt, last_step=max(step, attempt.last_step or 0))
    frontier = reading.job.measures.get("frontier")
    if frontier is not None and step <= frontier["step"]:
        return
    if frontier is not None and reading.previous is not None and attempt.lost_seconds is None:
        gone = at.timestamp() - float(frontier["at"])
        reading.attempt = replace(reading.attempt, lost_seconds=round(max(gone, 0.0), 3))
        reading.note("training-again", at, None, step=step, lost_seconds=reading.attempt.lost_seconds,
                     repeated_steps=reading.attempt.repeated_steps)  # fmt: skip
    reading.measure(frontier={"step": step, "at": at.timestamp()})


def _resumed(reading: Reading, step: int, at: datetime, path: str | None, **more: Any) -> None:
    previous = reading.previous
    before = previous.last_step if previous else None
    repeated = max(0, (before or 0) - step)
    reading.attempt = replace(reading.attempt, resumed_step=step, repeated_steps=repeated)
    reading.measure(saved_step=step)
    reading.note("resumed", at, None, step=step, repeated_steps=repeated, path=path, **more)


def _on_restored(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    path, unverified = record.get("path"), not record.get("verified", True)
    saved_at = _instant_text(datetime.fromtimestamp(float(record.get("saved_at") or 0.0), UTC))
    more = {"verified": False, "saved_at": saved_at} if unverified else {}
    if record.get("counted", True):
        _resumed(reading, int(record["step"]), at, path, **more)
    else:  # a script that tells no steps: where it goes on from, and what it repeats, nobody knows
        reading.note("resumed", at, None, step=None, repeated_steps=None, path=path, **more)


def _on_rejected(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    step, epoch, path = record.get("step"), record.get("epoch"), str(record.get("path"))
    reading.note("checkpoint-rejected", at, record.get("why"), step=step, path=path)
    if isinstance(step, int) and isinstance(epoch, int):
        reading.checkpoints.append(Checkpoint(reading.job.id, step, epoch, at, 0, "torn", path))


def _on_checkpoint(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    reading.published.append(record)
    _saved(reading, "store_s", record.get("seconds"), 1)


def _on_notice(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    reading.measure(noticed=True, taken_at=record.get("deadline"))
    reading.note("notice-seen", at, record.get("source"), deadline=record.get("deadline"))


def _on_run_ended(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    reading.measure(ended={"exit": record["exit"], "why": record.get("why"), "at": at.timestamp()})
    reading.note("run-ended", at, record.get("why"), exit=record["exit"])


def _on_run_started(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    if "run_since" not in reading.job.measures:
        reading.measure(run_since=at.timestamp())
    reading.note("run-started", at, None, pid=record.get("pid"), pgid=record.get("pgid"))


def _on_setup_ended(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    reading.note("setup-ended", at, None, exit=record.get("exit"))
    if record.get("exit"):
        reading.measure(ended={"exit": record["exit"], "why": "setup", "at": at.timestamp()})


def _on_outputs(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    reading.measure(outputs={"files": record.get("files"), "bytes": record.get("bytes"),
                             "missing": record.get("missing", [])})  # fmt: skip


def _plain(kind: str, *names: str) -> Callable[[Reading, dict[str, Any], datetime], None]:
    def handle(reading: Reading, record: dict[str, Any], at: datetime) -> None:
        reading.note(kind, at, record.get("why"), **{name: record.get(name) for name in names})

    return handle


def _on_job(reading: Reading, record: dict[str, Any], at: datetime) -> None:
    event = record.get("event")
    if isinstance(event, dict):
        handle = _TOLD.get(str(event.get("type")))
        if handle is not None:
            handle(reading, event, _told_at(event, at))


def _told_at(event: dict[str, Any], at: datetime) -> datetime:
    t = event.get("t")
    return datetime.fromtimestamp(t, UTC) if isinstance(t, int | float) and t > 0 else at


def _instant_text(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _told_step(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    step = event.get("step")
    if not isinstance(step, int):
        return
    known = reading.job.progress or {}
    total = event.get("total_steps")
    progress = {
        "step": step, "total_steps": total if isinstance(total, int) else known.get("total_steps"),
        "samples_per_second": _number(event.get("samples_s")), "loss": _number(event.get("loss")),
        "accuracy": _number(event.get("accuracy")), "updated_at": _instant_text(at),
    }  # fmt: skip
    reading.job = replace(reading.job, progress=progress)
    _trained(reading, step, event, at)
    _reached(reading, step, at)


def _trained(reading: Reading, step: int, event: dict[str, Any], at: datetime) -> None:
    measures = reading.job.measures
    seconds = _number(event.get("train_s"))
    if "first_step" not in measures:
        reading.measure(first_step_at=at.timestamp(), first_step=[step, seconds or 0.0])
        if reading.attempt.repeated_steps is None:  # nobody told where it goes on from: its first step does
            reached = (reading.previous.last_step if reading.previous else None) or 0
            reading.attempt = replace(reading.attempt, repeated_steps=max(reached - step + 1, 0))
    first_at: float = reading.job.measures["first_step_at"]
    first, before = reading.job.measures["first_step"]  # what was told of it is over: steps are timed from end to end
    reading.measure(attempt_train_s=at.timestamp() - first_at if seconds is None else max(seconds - before, 0.0),
                    attempt_steps=max(step - first, 0))  # fmt: skip
    memory = _number(event.get("gpu_mem_mb"))
    if memory is not None:
        reading.measure(gpu=str(event.get("gpu")), gpu_mem_mb=max(memory, float(measures.get("gpu_mem_mb") or 0.0)))


def _told_eval(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    values = {key: value for key, value in event.items()
              if key not in ("v", "t", "type", "step") and _number(value) is not None}  # fmt: skip
    reading.job = replace(reading.job, metrics={**reading.job.metrics, **values})
    reading.note("evaluated", at, None, step=event.get("step"), **values)


def _told_resumed(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    step = event.get("step")
    if isinstance(step, int) and step != reading.attempt.resumed_step:
        _resumed(reading, step, at, event.get("path"))


def _told_committed(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    step = event.get("step")
    if isinstance(step, int):
        _reached(reading, step, at)
    _saved(reading, "persist_s", event.get("total_ms"), 1000)


def _told_snapshot(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    _saved(reading, "blocking_s", event.get("block_ms"), 1000)


def _saved(reading: Reading, name: str, took: Any, units_a_second: float) -> None:
    amount = _number(took)
    if amount is not None and 0 <= amount < math.inf:
        reading.measure(saving=learnt(reading.job.measures, name, amount / units_a_second))


def _told_rejected(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    reading.note("checkpoint-rejected", at, event.get("why"), path=event.get("path"))


def _told_started(reading: Reading, event: dict[str, Any], at: datetime) -> None:
    reading.note("training-started", at, None, versions=event.get("versions"))


_HANDLERS: dict[str, Callable[[Reading, dict[str, Any], datetime], None]] = {
    wire.JOB: _on_job, wire.RESTORED: _on_restored, wire.REJECTED: _on_rejected, wire.CHECKPOINT: _on_checkpoint,
    wire.NOTICE: _on_notice, wire.RUN_ENDED: _on_run_ended, wire.SETUP_ENDED: _on_setup_ended,
    wire.OUTPUTS: _on_outputs, wire.AGENT_STARTED: _plain("agent-started", "pid", "adopted", "python"),
    wire.REBALANCE: _plain("rebalance-seen", "source"), wire.NOTICE_UNKNOWN: _plain("notice-unknown", "source", "why"),
    wire.RUN_STARTED: _on_run_started, wire.STOP_SENT: _plain("stop-sent", "grace_seconds"),
    wire.CHECKPOINT_FAILED: _plain("checkpoint-failed", "step"), "restarted": _plain("restarted", "count"),
}  # fmt: skip

_TOLD: dict[str, Callable[[Reading, dict[str, Any], datetime], None]] = {
    told.STEP: _told_step, told.EVAL: _told_eval, told.RESUMED: _told_resumed, told.STOPPED: _told_committed,
    told.CHECKPOINT_COMMITTED: _told_committed, told.CHECKPOINT_REJECTED: _told_rejected,
    told.RUN_STARTED: _told_started, told.SNAPSHOT_DONE: _told_snapshot,
}  # fmt: skip

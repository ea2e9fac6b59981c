"""Checkpoints count once they lie whole in the job's store here.

A node tells of what its agent published where it is; the transport brings that home, while the job goes on. Until then
it is in ``measures.to_keep``, oldest first: the one that is on its way, which is seen through (given up for a newer one
each time, on a slow line none would ever come), and the newest. An attempt that is over waits for its last one,
as long as its machine may be heard; ``measures.kept_open`` is since when.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tradewind.domain.records import Checkpoint, Job, Lease
from tradewind.domain.states import LEASE_CLOSED
from tradewind.jobs.journal import Reading, instant_of
from tradewind.jobs.room import Note, Step, lost
from tradewind.ports.compute import Capabilities, Instance
from tradewind.ports.transport import Transport, Unreachable
from tradewind.wire import manifest

TO_KEEP, KEPT_OPEN = "to_keep", "kept_open"


def kept(reading: Reading, transport: Transport, instance: Instance, store: Path) -> Reading:
    """The reading with every checkpoint counted that lies in the store by now; the others are asked for again."""
    due: list[dict[str, Any]] = [*reading.job.measures.get(TO_KEEP, []), *reading.published]
    while due:
        try:
            if not transport.keep(instance, str(due[0]["path"]), store):
                break
        except Unreachable:
            break
        except ValueError as fault:
            if len(due) == 1:  # else a newer one has taken its place
                _rejected(reading, due[0], str(fault))
        else:
            _count(reading, due[0], store)
        due = due[1:]
    _put_off(reading, due if len(due) < 2 else [due[0], due[-1]])
    return reading


def _put_off(reading: Reading, due: list[dict[str, Any]]) -> None:
    if due:
        reading.measure(**{TO_KEEP: due})
    elif TO_KEEP in reading.job.measures:
        reading.job = replace(reading.job, measures=_without(reading.job, TO_KEEP, KEPT_OPEN))


def _without(job: Job, *names: str) -> dict[str, Any]:
    return {name: value for name, value in job.measures.items() if name not in names}


def _count(reading: Reading, record: dict[str, Any], store: Path) -> None:
    step, epoch, size, at = int(record["step"]), int(record["epoch"]), int(record["bytes"]), instant_of(record)
    verified, counted = record.get("verified", True), record.get("counted", True)
    if counted:
        reading.attempt = replace(reading.attempt, last_checkpoint_step=step)
        reading.measure(saved_step=step)
    reading.measure(checkpoint_bytes=size, **({} if verified else {"unverified": True}))
    if not verified and record.get("saved_at"):
        at = instant_of({"at": record["saved_at"]})
    path = store / manifest.epoch_folder(epoch) / manifest.folder_name(step)
    state = "complete" if verified else "unverified" if counted else "uncounted"
    reading.checkpoints.append(Checkpoint(reading.job.id, step, epoch, at, size, state, str(path)))
    reading.note("checkpoint-stored", at, None, step=step if counted else None, bytes=size,
                 seconds=record.get("seconds"), verified=verified)  # fmt: skip


def _rejected(reading: Reading, record: dict[str, Any], why: str) -> None:
    reading.note("checkpoint-rejected", instant_of(record), why, step=record["step"], path=record["path"])


def held_open(step: Step, lease: Lease, caps: Capabilities, now: datetime) -> Step | None:
    """The step of an attempt that is over and waits for its last checkpoint; None: there is nothing to wait for."""
    due = step.job.measures.get(TO_KEEP)
    since = float(step.job.measures.get(KEPT_OPEN, now.timestamp()))
    if not due or lease.state in LEASE_CLOSED or now.timestamp() - since >= left_open_s(lease, caps):
        return None
    measures = {**step.job.measures, KEPT_OPEN: since}
    return replace(step, job=replace(step.job, measures=measures, why=f"checkpoint-coming{_step(due[-1])}"))


def left_open_s(lease: Lease, caps: Capabilities) -> float:
    """How long a machine is left for the last checkpoint to come home, seconds since its run is over."""
    if lost(lease) or caps.keep_open_s is None:
        return caps.hear_out_s
    return caps.keep_open_s


def _step(record: dict[str, Any]) -> str:
    return f" step={record['step']}" if record.get("counted", True) else ""


def given_up(job: Job) -> tuple[Note, ...]:
    """What is said of a last checkpoint that never came home."""
    due = job.measures.get(TO_KEEP)
    return (Note("checkpoint-late", None, {"step": due[-1]["step"]}),) if due else ()

"""Jobs as ``ps`` and ``show`` tell them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tradewind.app.views.book import Book
from tradewind.app.views.decisions import decisions
from tradewind.app.views.values import instant, money_json
from tradewind.domain.records import Attempt, Checkpoint, Event, Job
from tradewind.domain.states import JOB_ENDED
from tradewind.jobs.measure import measured_step_seconds
from tradewind.jobs.pools import offer_of, pools_of
from tradewind.jobs.tempo import LONGEST, deadline_at

TAIL_LINES = 20
TAIL_BYTES = 16_384


def ps_row(job: Job, book: Book, now: datetime) -> dict[str, Any]:
    """One element of ``ps --json``."""
    eta, deadline = _eta(job, now), deadline_at(job)
    progress = job.progress
    if progress is not None and progress.get("total_steps") is None:
        progress = {**progress, "total_steps": job.settings.get("total_steps")}
    offer = offer_of(job)
    return {
        "job": job.id, "name": job.name, "state": job.state.value, "why": job.why, "wake_at": instant(job.wake_at),
        "attempt": job.attempt, "epoch": job.epoch, "rehearsal": job.rehearsal,
        "offer": {key: value for key, value in offer.items() if key != "billing"}, "gpus": offer["gpus"],
        "progress": progress, "eta": instant(eta), "deadline": instant(deadline),
        "on_time": None if eta is None or deadline is None else eta <= deadline, "cost": money_json(book.cost()),
        "submitted_at": instant(job.submitted_at), "ended_at": instant(job.ended_at), "exit_code": job.exit_code,
        "on": machine_of(job),
    }  # fmt: skip


def machine_of(job: Job) -> str | None:
    """The name of the user's machine that the job is, was, or will be first on; None anywhere else."""
    account: str = pools_of(job)[int(job.measures.get("pool", 0))].get("account", job.account)
    return account.partition(":")[2] or None


def _eta(job: Job, now: datetime) -> datetime | None:
    """When the last step is due at the pace measured here; None when that is not known."""
    progress = job.progress or {}
    total = progress.get("total_steps") or job.settings.get("total_steps")
    seconds = measured_step_seconds(job)
    if job.state in JOB_ENDED or total is None or seconds is None or not progress.get("step"):
        return None
    left = max(0, total - progress["step"]) * seconds
    return now + timedelta(seconds=left) if left < LONGEST.total_seconds() else None


def show_object(
    job: Job,
    book: Book,
    attempts: Sequence[Attempt],
    checkpoints: Sequence[Checkpoint],
    events: Sequence[Event],
    folder: Path,
    supervisor: dict[str, Any] | None,
) -> dict[str, Any]:
    """The object of ``show --json``."""
    chosen = (job.plan or {}).get("chosen")
    return {
        **ps_row(job, book, book.now),
        "workload": job.workload, "plan": job.plan,
        "attempts": [_attempt(each, folder) for each in attempts],
        "checkpoints": [_checkpoint(each) for each in checkpoints],
        "decisions": decisions(job, events),
        "events": [event_json(event) for event in events],
        "outputs": job.measures.get("fetched"),
        "predicted": {"hours": chosen["hours"], "cost": chosen["cost"]} if chosen else None,
        "actual": {"hours": book.hours(time_scale(job) or 1.0), "cost": money_json(book.cost())},
        "here": _here(job, book) if job.rehearsal else None,
        "metrics": job.metrics, "supervisor": supervisor,
        "time_scale": time_scale(job), "measured_step_seconds": measured_step_seconds(job),
    }  # fmt: skip


def _here(job: Job, book: Book) -> dict[str, Any]:
    """What the rehearsal was expected to take of this computer before it began, beside what it took."""
    return {
        "predicted": job.settings.get("expected"),
        "actual": {"hours": book.hours(1.0), "cost": money_json(book.cost())},
    }  # fmt: skip


def time_scale(job: Job) -> float | None:
    """Planned-offer seconds that one real second stands for; None while it is still to be measured."""
    scale = job.settings.get("time_scale", 1)
    return float(job.measures["time_scale"]) if "time_scale" in job.measures else None if scale == "auto" else scale


def event_json(event: Event) -> dict[str, Any]:
    """One element of ``events``."""
    return {
        "id": event.id, "at": instant(event.at), "kind": event.kind, "what": event.what, "from": event.old,
        "to": event.new, "why": event.cause, "data": event.data,
    }  # fmt: skip


def _attempt(attempt: Attempt, folder: Path) -> dict[str, Any]:
    return {
        "attempt": attempt.attempt, "epoch": attempt.epoch, "leases": list(attempt.leases),
        "from": instant(attempt.started_at), "to": instant(attempt.ended_at),
        "outcome": attempt.outcome.value if attempt.outcome else None, "exit_code": attempt.exit_code,
        "resumed_step": attempt.resumed_step, "last_checkpoint_step": attempt.last_checkpoint_step,
        "repeated_steps": attempt.repeated_steps, "lost_seconds": attempt.lost_seconds,
        "log_tail": _tail(folder / "logs" / f"attempt-{attempt.attempt}.log"),
    }  # fmt: skip


def _tail(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            return file.read().decode("utf-8", "replace").splitlines()[-TAIL_LINES:]
    except FileNotFoundError:
        return []


def _checkpoint(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "step": None if checkpoint.state == "uncounted" else checkpoint.step, "at": instant(checkpoint.at),
        "bytes": checkpoint.bytes, "state": "torn" if checkpoint.state == "torn" else "complete",
        "verified": checkpoint.state == "complete", "path": checkpoint.path, "epoch": checkpoint.epoch,
    }  # fmt: skip

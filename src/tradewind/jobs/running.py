"""RUNNING: hear the node, and see the run through to its end or its interruption."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import EndReason, JobState, Outcome
from tradewind.jobs.cadence import paced
from tradewind.jobs.contact import SECRETS_MISSING, may_answer_yet, why_silent
from tradewind.jobs.hearing import Look, hear
from tradewind.jobs.interrupted import interrupt
from tradewind.jobs.keeping import KEPT_OPEN, given_up, held_open
from tradewind.jobs.limits import GRACE_SECONDS, MARGIN_SECONDS, continues, reached
from tradewind.jobs.measure import with_time_scale
from tradewind.jobs.parcel import secrets_lacking
from tradewind.jobs.room import Note, Room, Sight, Step, instance_of, lost
from tradewind.jobs.situation import started
from tradewind.jobs.switching import leave, leaving, overdue, steer
from tradewind.jobs.tempo import with_tempo
from tradewind.jobs.verdict import finishing, judge, may_go_on
from tradewind.ports.transport import Unreachable
from tradewind.store import records
from tradewind.wire.spec import Command

_OUTCOMES = {"succeeded": Outcome.SUCCEEDED, "failed": Outcome.FAILED, "expired": Outcome.STOPPED}
_SILENT = timedelta(seconds=1)
LEFT = "left"  # of its own will, by a checkpoint
_OUTPUTS_WITHIN_S = 600.0  # after the end of the run; then what is there is what there is


def step_running(room: Room, sight: Sight) -> Step:
    """One beat of a running job."""
    job, attempt, lease, now = sight.job, sight.attempt, sight.lease, room.clock.now()
    if attempt is None or lease is None:
        raise RuntimeError(f"{job.id} runs without a lease")
    try:
        look = hear(room, sight, attempt, lease)
        step = after(room, sight, attempt, lease, look)
        if step.job.state is JobState.RUNNING and not lost(lease):
            step = _limited(room, sight, step, lease)
            step = paced(room, step, lease, now)
            step = steer(room, sight, step, lease, now) if _may_go_on(step) else step
    except Unreachable as fault:
        return _unheard(room, sight, lease, fault, now)
    if step.job.state is not JobState.RUNNING:
        return step
    if overdue(step.job, now) and KEPT_OPEN not in step.job.measures:
        return interrupt(room, sight, LEFT, step)
    if lost(lease) and not look.more:
        return _lost(room, sight, lease, now, step)  # its last words are heard
    return step


def _unheard(room: Room, sight: Sight, lease: Lease, fault: Unreachable, now: datetime) -> Step:
    """The node does not answer: news will come, unless it is lost, or was to be left and had its time."""
    job, caps = sight.job, room.caps(lease)
    if not may_answer_yet(job, lease, caps, fault, now):
        if lost(lease):
            return _lost(room, sight, lease, now)
        if overdue(job, now):
            return interrupt(room, sight, LEFT)
    why = secrets_lacking(room, job) if fault.code == SECRETS_MISSING else None
    return Step(replace(job, wake_at=now + _SILENT, last_error=str(fault), why=why or why_silent(fault)))


def _may_go_on(step: Step) -> bool:
    return step.job.state is JobState.RUNNING and "limit" not in step.job.measures


def _limited(room: Room, sight: Sight, step: Step, lease: Lease) -> Step:
    """Ask the job to checkpoint and end, once a limit is near; what does not obey loses its lease."""
    now, job = room.clock.now(), step.job
    if "limit" in job.measures:
        if now.timestamp() - float(job.measures["limit_at"]) < GRACE_SECONDS + MARGIN_SECONDS:
            return step
        return _expired(step, str(job.measures["limit"]), now)
    limit = None if leaving(job) else reached(job, lease, sight.budget, now)
    if limit is None:
        return step
    if continues(job, lease, sight.leases, sight.budget, now):
        return leave(step, limit, now)
    room.transport(lease).command(instance_of(lease), Command("stop", GRACE_SECONDS).to_json(), "stop")
    measures = {**job.measures, "limit": limit, "limit_at": now.timestamp()}
    return replace(step, job=replace(job, measures=measures), notes=(*step.notes, Note("limit-reached", limit)))


def _lost(room: Room, sight: Sight, lease: Lease, now: datetime, step: Step | None = None) -> Step:
    heard, why = step or Step(sight.job), lease.end_reason or EndReason.VANISHED
    if "limit" in heard.job.measures:
        return _expired(heard, str(heard.job.measures["limit"]), now)
    at_its_end = why in (EndReason.EXPIRED, EndReason.BUDGET) and lease.reclaim_at is None
    if at_its_end and not continues(heard.job, lease, sight.leases, sight.budget, now):
        return _expired(heard, lease.limit, now)
    waits = held_open(heard, lease, room.caps(lease), now) if step else None
    return waits or interrupt(room, sight, why.value, step)


def _expired(step: Step, limit: str, now: datetime) -> Step:
    measures = {**step.job.measures, "limit": limit}
    expired = finishing(replace(step.job, measures=measures), "expired", limit, now)
    return replace(step, job=expired, notes=(*step.notes, Note("job-expired", limit)))


def after(room: Room, sight: Sight, attempt: Attempt, lease: Lease, look: Look) -> Step:
    """What follows from what was heard."""
    now, reading = room.clock.now(), look.reading
    job, notes = with_time_scale(reading.job)
    job = with_tempo(started(job, reading.attempt, lease), now)
    notes = (*reading.notes, *notes)
    wake_at = now if look.more else now + room.hear_again(lease)
    heard = replace(job, wake_at=wake_at, last_error=None, why=None)
    step = Step(heard, notes, (attempt, reading.attempt), tuple(reading.checkpoints), _announced(heard, lease))
    ended = job.measures.get("ended")
    if ended is None or look.more:
        return step
    return _ended(room, sight, step, ended, lease, now)


def _announced(job: Job, lease: Lease) -> tuple[Callable[[Connection], None], ...]:
    """That the lease bears when its machine is taken, where only the node was told."""
    taken_at = job.measures.get("taken_at")
    if taken_at is None or lease.reclaim_at is not None:
        return ()
    announced = replace(lease, reclaim_at=datetime.fromtimestamp(float(taken_at), UTC))
    return (partial(records.update_lease, old=lease, new=announced),)


def _ended(room: Room, sight: Sight, step: Step, ended: dict[str, Any], lease: Lease, now: datetime) -> Step:
    job = step.job
    done = step.attempt[1] if step.attempt else sight.attempts[-1]
    measures = job.measures
    verdict = judge(ended, done, noticed=bool(measures.get("noticed")), limited="limit" in measures,
                    left=leaving(job), goes_on=may_go_on(job))  # fmt: skip
    waits = held_open(step, lease, room.caps(lease), now)
    if waits is not None:
        return waits
    if verdict == "interrupted":
        return interrupt(room, sight, _interrupted_by(job, ended, lease), step)
    if _outputs_to_come(job, ended, now) and not lost(lease):
        return step
    try:
        fetched, notes = fetch(room, job, lease)
    except Unreachable as fault:
        if not lost(lease):
            return replace(step, job=replace(job, last_error=str(fault), wake_at=now + _SILENT))
        if verdict == "succeeded" and job.workload.get("outputs"):  # the end is done again, from the last checkpoint
            return interrupt(room, sight, "outputs lost with the node", step)
        fetched, notes = job, (Note("outputs-lost", str(fault)),)
    damaged = next((note.cause for note in notes if note.kind == "outputs-damaged"), None)
    verdict = "failed" if damaged else verdict
    outcome = _OUTCOMES[verdict]
    closed = replace(done, ended_at=now, outcome=outcome, exit_code=int(ended["exit"]))
    why = damaged or _why(verdict, ended, job, lease)
    finished = replace(finishing(fetched, verdict, why, now), exit_code=int(ended["exit"]))
    return replace(step, job=finished, attempt=(step.attempt[0], closed) if step.attempt else None,
                   notes=(*step.notes, *notes, *given_up(job),
                          Note("job-ended", why, {"exit": ended["exit"]})))  # fmt: skip


def _why(verdict: str, ended: dict[str, Any], job: Job, lease: Lease) -> str | None:
    if verdict == "succeeded":
        return None
    if verdict == "expired":
        return str(job.measures.get("limit") or lease.limit)
    cause = ended.get("why") or "exit"
    return f"exited exit={ended['exit']}" + ("" if cause == "exit" else f" cause={cause}")


def _outputs_to_come(job: Job, ended: dict[str, Any], now: datetime) -> bool:
    if "outputs" in job.measures or not job.workload.get("outputs") or ended.get("why") == "setup":
        return False
    return now.timestamp() - float(ended["at"]) < _OUTPUTS_WITHIN_S


def _interrupted_by(job: Job, ended: dict[str, Any], lease: Lease) -> str:
    if leaving(job) and ended.get("why") != "notice":
        return LEFT
    if ended.get("why") == "notice" or lease.reclaim_at is not None:
        return EndReason.RECLAIMED.value
    return f"killed exit={ended['exit']}"


def fetch(room: Room, job: Job, lease: Lease) -> tuple[Job, tuple[Note, ...]]:
    """Bring the outputs home and let the agent go; the job with what was brought, and what to note.

    Raises:
        Unreachable: the node does not answer any more.
    """
    transport, instance = room.transport(lease), instance_of(lease)
    notes: tuple[Note, ...] = ()
    if "outputs" in job.measures:
        into = room.job_folder(job.id) / "outputs"
        shutil.rmtree(into, ignore_errors=True)  # of an earlier try
        try:
            files = transport.fetch_outputs(instance, into)
        except (ValueError, OSError) as fault:
            return job, (Note("outputs-damaged", str(fault)),)
        missing = job.measures["outputs"].get("missing") or []
        notes = (Note("outputs-fetched", None, {"files": len(files), "missing": missing, "path": str(into)}),)
        job = replace(
            job, measures={**job.measures, "fetched": {"files": list(files), "path": str(into), "missing": missing}}
        )
    try:
        transport.command(instance, Command("collected").to_json(), "collected")
    except Unreachable:
        if not lost(lease):
            raise
    return job, notes

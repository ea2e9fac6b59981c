"""One claimed job, one step: the state says which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from tradewind.domain.records import Job
from tradewind.domain.states import JobState
from tradewind.jobs.acquiring import step_acquiring, step_planned, step_queued, step_waiting
from tradewind.jobs.finishing import step_finishing
from tradewind.jobs.interrupted import step_interrupted
from tradewind.jobs.preparing import step_preparing
from tradewind.jobs.room import ACTOR, Room, Sight, Step, look
from tradewind.jobs.running import step_running
from tradewind.jobs.stopping import begin_stopping, step_stopping
from tradewind.store import queue, records
from tradewind.store.queue import Claim

STEPS: dict[JobState, Callable[[Room, Sight], Step]] = {
    JobState.QUEUED: step_queued,
    JobState.PLANNED: step_planned,
    JobState.ACQUIRING: step_acquiring,
    JobState.WAITING: step_waiting,
    JobState.PREPARING: step_preparing,
    JobState.RUNNING: step_running,
    JobState.INTERRUPTED: step_interrupted,
    JobState.FINISHING: step_finishing,
    JobState.STOPPING: step_stopping,
}
_OUTCOME_STANDS = (JobState.FINISHING, JobState.STOPPING)  # a stop changes nothing any more
_AFTER_FAULT = timedelta(seconds=5)


def reconcile(room: Room, held: Claim[Job]) -> Job:
    """Take one step and write it down; the job as written.

    Raises:
        records.Stale: the claim ran out meanwhile; what was seen is dropped.
    """
    sight = look(room, held)
    job = sight.job
    if not job.wanted and job.state not in _OUTCOME_STANDS:
        step = begin_stopping(room, sight)
    else:
        step = STEPS[job.state](room, sight)
    _write(room, held, step)
    return step.job


def _write(room: Room, held: Claim[Job], step: Step) -> None:
    now, job = room.clock.now(), step.job
    with room.db.write() as db:
        queue.finish_job(db, held, job, now)
        if step.attempt is not None:
            records.update_attempt(db, *step.attempt)
        for checkpoint in step.checkpoints:
            records.put_checkpoint(db, checkpoint)
        for write in step.also:
            write(db)
        for note in step.notes:
            records.append_event(db, note.at or now, ACTOR, note.kind, job.id, job=job.id, cause=note.cause,
                                 data=note.data)  # fmt: skip
        if job.state != held.record.state:
            records.append_event(db, now, ACTOR, "job-state", job.id, job=job.id, old=held.record.state,
                                 new=job.state, cause=job.why)  # fmt: skip


def put_off(room: Room, held: Claim[Job], why: str) -> None:
    """A step broke: say so on the row and look again soon."""
    now = room.clock.now()
    with room.db.write() as db:
        queue.finish_job(db, held, replace(held.record, last_error=why, wake_at=now + _AFTER_FAULT), now)

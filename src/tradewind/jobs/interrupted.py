"""INTERRUPTED: the node is lost or left; the next attempt starts while the old lease is released."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.engine import Connection

from tradewind.domain.states import LEASE_CLOSED, EndReason, JobState, Outcome
from tradewind.jobs.acquiring import attempt_of, begin
from tradewind.jobs.keeping import given_up
from tradewind.jobs.measure import closed_attempt
from tradewind.jobs.room import Note, Room, Sight, Step
from tradewind.jobs.switching import prepared_lease, switched
from tradewind.leasing.intent import let_go
from tradewind.store import records

if TYPE_CHECKING:
    from tradewind.domain.records import Attempt


def interrupt(room: Room, sight: Sight, why: str, step: Step | None = None) -> Step:
    """Close the attempt as interrupted and let its lease go; ``step`` is what was heard in the same look."""
    now = room.clock.now()
    before = step or Step(sight.job)
    current = before.attempt[1] if before.attempt else sight.attempt
    ended = before.job.measures.get("ended") or {}
    reason = EndReason.RECLAIMED if why == EndReason.RECLAIMED.value else EndReason.DONE
    closed: tuple[Attempt, Attempt] | None = None
    if current is not None and sight.attempt is not None:
        closed = (sight.attempt, replace(current, ended_at=now, outcome=Outcome.INTERRUPTED,
                                         exit_code=ended.get("exit")))  # fmt: skip

    prepared = prepared_lease(sight)

    def release(db: Connection) -> None:
        for lease in sight.leases:
            if lease.state not in LEASE_CLOSED and lease is not prepared:
                let_go(db, lease, reason, now)

    job = replace(closed_attempt(before.job), state=JobState.INTERRUPTED, state_since=now, wake_at=now, why=why)
    return replace(before, job=job, attempt=closed, also=(*before.also, release),
                   notes=(*before.notes, *given_up(before.job), Note("job-interrupted", why)))  # fmt: skip


def step_interrupted(room: Room, sight: Sight) -> Step:
    """The next attempt, with a new epoch: on the machine that a switch has prepared, else where is decided."""
    next_one = replace(sight.job, attempt=sight.job.attempt + 1, epoch=sight.job.epoch + 1)
    prepared = prepared_lease(sight)
    job = switched(next_one, prepared)
    facts = {"attempt": job.attempt, "epoch": job.epoch}
    if prepared is None:
        return begin(room, sight, job, Note("job-acquiring", "resume", facts))
    now = room.clock.now()
    acquiring = replace(job, state=JobState.ACQUIRING, state_since=now, wake_at=now, why=None)
    attempt = attempt_of(acquiring, (prepared.id,), now)
    return Step(acquiring, (Note("job-acquiring", "switch", facts),), also=(partial(records.insert, record=attempt),))

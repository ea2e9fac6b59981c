"""Leaving a machine that runs: the next one is made ready before, the job checkpoints, and the next attempt is there.

    RUNNING ─▶ next lease intended ─▶ it runs ─▶ leave: stop with a checkpoint ─▶ INTERRUPTED ─▶ attempt + 1 on it
                      └▶ refused: noted, nothing is lost

``measures.switching``: ``pool`` is where the next machine is prepared, with the epoch of the next attempt; ``leave``
since when the job is asked to go, written before it is asked. With no machine prepared it goes all the same: to wait,
into a pool that the budget does not hold beside this one, or because its lease ends and another may follow; where to is
decided once it has gone.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.engine import Connection

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, LeaseState
from tradewind.jobs.acquiring import why_refused, wish_of
from tradewind.jobs.deciding import decided, due
from tradewind.jobs.limits import GRACE_SECONDS, allowance
from tradewind.jobs.pools import name_of, placed, pool_index, pools_of
from tradewind.jobs.room import Note, Room, Sight, Step, instance_of, lost
from tradewind.jobs.situation import spare
from tradewind.leasing.intent import intend, let_go
from tradewind.wire.spec import Command

SAVED_WITHIN_SECONDS = 300.0  # for the last checkpoint to come into the store: nothing hurries
_KEY = "switching"


def prepared_lease(sight: Sight) -> Lease | None:
    """The lease that was made ready for the next attempt, if it may still carry it."""
    ahead = (each for each in sight.leases if each.epoch == sight.job.epoch + 1 and each.wanted and not lost(each))
    return next(ahead, None) if _KEY in sight.job.measures else None


def leaving(job: Job) -> bool:
    """Whether the job is asked to checkpoint and go on elsewhere."""
    return bool((job.measures.get(_KEY) or {}).get("leave"))


def switched(job: Job, prepared: Lease | None) -> Job:
    """The job after it has left: nothing is prepared any more, and it is in the pool of the lease that was."""
    pool = pool_index(job, prepared) if prepared else None
    gone = _without(job)
    return gone if pool is None else placed(gone, pool)


def leave(step: Step, why: str, now: datetime) -> Step:
    """The job is to go; the next look asks it."""
    told = {**step.job.measures.get(_KEY, {}), "leave": now.timestamp()}
    job = replace(step.job, measures={**step.job.measures, _KEY: told}, wake_at=now)
    return replace(step, job=job, notes=(*step.notes, Note("job-leaving", why)))


def steer(room: Room, sight: Sight, step: Step, lease: Lease, now: datetime) -> Step:
    """One look at a job that runs well: see a switch through, or decide again when it is time.

    Raises:
        Unreachable: the node does not answer.
    """
    if leaving(step.job):
        room.transport(lease).command(instance_of(lease), Command("stop", GRACE_SECONDS).to_json(), "stop")
        return step
    if _KEY in step.job.measures:
        return _prepared(sight, step, now)
    ending = "ended" in step.job.measures or "noticed" in step.job.measures or lease.reclaim_at is not None
    return step if ending or not due(step.job, now) else _decide(room, sight, step, now)


def overdue(job: Job, now: datetime) -> bool:
    """Whether the job was asked to go and had all the time that it may take."""
    since = (job.measures.get(_KEY) or {}).get("leave")
    return since is not None and now.timestamp() - float(since) >= GRACE_SECONDS + SAVED_WITHIN_SECONDS


def _decide(room: Room, sight: Sight, step: Step, now: datetime) -> Step:
    current = step.attempt[1] if step.attempt else sight.attempt
    attempts = [current if current and each.attempt == current.attempt else each for each in sight.attempts]
    job, decision, notes = decided(step.job, attempts, sight.leases, sight.budget, now)
    step = replace(step, job=job, notes=(*step.notes, *notes))
    if decision.action == "wait":
        return leave(step, "wait", now)
    if decision.action != "switch" or decision.pool is None:
        return step
    return _prepare(room, sight, step, decision.pool, now)


def _prepare(room: Room, sight: Sight, step: Step, pool: int, now: datetime) -> Step:
    """Intend the next machine beside the one that runs; where the money does not hold both, this one is left first."""
    job, place = step.job, pools_of(step.job)[pool]
    if not spare(job, place["offer"], sight.leases, sight.budget, now):
        return leave(step, "switch", now)
    allowed = allowance(job, sight.leases, sight.budget, now, place["offer"])

    def write(db: Connection) -> None:
        intend(db, wish_of(room, job, place, allowed, job.epoch + 1), room.leasing.owner, now)

    preparing = replace(job, measures={**job.measures, _KEY: {"pool": pool}})
    told = Note("job-switching", None, {"pool": name_of(place)})
    return replace(step, job=preparing, notes=(*step.notes, told), also=(*step.also, write))


def _prepared(sight: Sight, step: Step, now: datetime) -> Step:
    """Go once the next machine answers; stay when it was refused."""
    ahead = prepared_lease(sight)
    if ahead is not None:
        return leave(step, "switch", now) if ahead.state is LeaseState.RUNNING else step
    others = [each for each in sight.leases if sight.attempt and each.id not in sight.attempt.leases]
    why = why_refused(others[-1]) if others else None

    def let_others_go(db: Connection) -> None:
        for lease in others:
            if lease.state not in LEASE_CLOSED:
                let_go(db, lease, EndReason.DONE, now)

    return replace(step, job=_without(step.job), notes=(*step.notes, Note("job-switch-refused", why)),
                   also=(*step.also, let_others_go))  # fmt: skip


def _without(job: Job) -> Job:
    return replace(job, measures={name: value for name, value in job.measures.items() if name != _KEY})

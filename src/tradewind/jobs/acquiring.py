"""QUEUED, PLANNED, ACQUIRING, WAITING: from a plan to a node that answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, JobState, LeaseState
from tradewind.jobs.limits import Allowance, allowance
from tradewind.jobs.room import Note, Room, Sight, Step
from tradewind.jobs.verdict import finishing
from tradewind.leasing.intent import Wish, intend
from tradewind.leasing.retry import FaultClass, class_of, pause
from tradewind.ports.compute import HardEnd
from tradewind.store import records

MOST_REFUSALS = 3  # of one attempt in a row; then what was refused is said and the job ends
_LONGEST_WAIT = timedelta(minutes=15)


def step_queued(room: Room, sight: Sight) -> Step:
    """The plan was chosen at submit: note it."""
    now = room.clock.now()
    chosen = (sight.job.plan or {}).get("chosen") or {}
    note = Note("job-planned", None, {"plan": (sight.job.plan or {}).get("plan_id"), "offer": chosen.get("offer")})
    return Step(replace(sight.job, state=JobState.PLANNED, state_since=now, wake_at=now), (note,))


def step_planned(room: Room, sight: Sight) -> Step:
    """Begin the attempt: intend its lease."""
    return begin(room, sight, sight.job, Note("job-acquiring"))


def begin(room: Room, sight: Sight, job: Job, note: Note) -> Step:
    """An attempt of this job's number and epoch, with its first lease, in one transaction."""
    now = room.clock.now()
    allowed = allowance(job, sight.leases, sight.budget, now)
    if not allowed.lifetime:
        return _expired(sight.job, allowed.limit, now)
    acquiring = replace(job, state=JobState.ACQUIRING, state_since=now, wake_at=now, why=None)

    def write(db: Connection) -> None:
        lease = intend(db, wish_of(room, job, allowed), room.leasing.owner, now)
        first = job.attempt == 1  # it repeats nothing and lost nothing; of a later one that is still to be seen
        attempt = Attempt(job.id, job.attempt, job.epoch, (lease.id,), started_at=now,
                          repeated_steps=0 if first else None, lost_seconds=0.0 if first else None)  # fmt: skip
        records.insert(db, attempt)

    return Step(acquiring, (note,), also=(write,))


def wish_of(room: Room, job: Job, allowed: Allowance) -> Wish:
    """What to rent for a job, until a limit at the latest."""
    offer: dict[str, Any] = job.settings["offer"]
    hard_end_by = room.leasing.accounts[job.account].compute.caps.hard_end
    return Wish(job.id, job.epoch, job.account, offer, allowed.lifetime, HardEnd(hard_end_by), allowed.limit,
                job.settings.get("budget"), allowed.hold)  # fmt: skip


def step_acquiring(room: Room, sight: Sight) -> Step:
    """Wait for the node; a refusal or a node that never came is tried again, a few times."""
    lease, attempt, now = sight.lease, sight.attempt, room.clock.now()
    if lease is None or attempt is None:
        raise RuntimeError(f"{sight.job.id} acquires without a lease")
    if lease.state is LeaseState.RUNNING:
        return Step(
            replace(sight.job, state=JobState.PREPARING, state_since=now, wake_at=now), (Note("job-preparing"),)
        )
    if lease.wanted and lease.state not in LEASE_CLOSED:
        return Step(replace(sight.job, wake_at=now + _LONGEST_WAIT))  # the lease wakes the job when it changes
    allowed = allowance(sight.job, sight.leases, sight.budget, now)
    if lease.end_reason in (EndReason.EXPIRED, EndReason.BUDGET) or not allowed.lifetime:
        return _expired(sight.job, lease.limit if lease.end_reason else allowed.limit, now)
    return _refused(room, sight.job, attempt, lease)


def _expired(job: Job, limit: str, now: datetime) -> Step:
    expired = replace(finishing(job, "expired", limit, now), measures={**job.measures, "limit": limit})
    return Step(expired, (Note("job-expired", limit),))


def _refused(room: Room, job: Job, attempt: Attempt, lease: Lease) -> Step:
    """Waiting cures a lack of capacity; it cures no right, quota, price or fault of the request."""
    why, now, refusals = why_refused(lease), room.clock.now(), len(attempt.leases)
    if refusals >= MOST_REFUSALS or class_of(lease.fault_kind) in (FaultClass.AUTH, FaultClass.INVALID):
        times = f"refused {refusals} times, last: {why}" if refusals > 1 else f"refused: {why}"
        return Step(finishing(job, "failed", times, now),
                    (Note("job-unplaced", why, {"leases": list(attempt.leases)}),))  # fmt: skip
    wake_at = now + pause("capacity", refusals, room.leasing.draw())
    waiting = replace(job, state=JobState.WAITING, state_since=now, wake_at=wake_at, why=f"refused: {why}")
    return Step(waiting, (Note("job-waiting", why, {"until": wake_at.isoformat()}),))


def why_refused(lease: Lease) -> str:
    """Why a lease never carried its attempt, in the cloud's words where it gave any."""
    return lease.last_error or (lease.end_reason.value if lease.end_reason else "refused")


def step_waiting(room: Room, sight: Sight) -> Step:
    """The wait is over: another lease for the same attempt."""
    attempt, now = sight.attempt, room.clock.now()
    if attempt is None:
        raise RuntimeError(f"{sight.job.id} waits without an attempt")
    allowed = allowance(sight.job, sight.leases, sight.budget, now)
    if not allowed.lifetime:
        return _expired(sight.job, allowed.limit, now)
    job = replace(sight.job, state=JobState.ACQUIRING, state_since=now, wake_at=now, why=None)

    def write(db: Connection) -> None:
        lease = intend(db, wish_of(room, job, allowed), room.leasing.owner, now)
        records.update_attempt(db, attempt, replace(attempt, leases=(*attempt.leases, lease.id)))

    return Step(job, (Note("job-acquiring"),), also=(write,))

"""QUEUED, PLANNED, ACQUIRING, WAITING: from a plan to a node that answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, JobState, LeaseState
from tradewind.jobs.room import Note, Room, Sight, Step
from tradewind.jobs.verdict import finishing
from tradewind.leasing.intent import Wish, intend
from tradewind.ports.compute import HardEnd
from tradewind.store import records

MOST_REFUSALS = 3  # of one attempt in a row; then what was refused is said and the job ends
_PAUSE = timedelta(seconds=2)
_LONGEST_WAIT = timedelta(seconds=60)


def step_queued(room: Room, sight: Sight) -> Step:
    """The plan was chosen at submit: note it."""
    now = room.clock.now()
    chosen = (sight.job.plan or {}).get("chosen") or {}
    note = Note("job-planned", None, {"plan": (sight.job.plan or {}).get("plan_id"), "offer": chosen.get("offer")})
    return Step(replace(sight.job, state=JobState.PLANNED, state_since=now, wake_at=now), (note,))


def step_planned(room: Room, sight: Sight) -> Step:
    """Begin the attempt: intend its lease."""
    return begin(room, sight.job, sight.leases, Note("job-acquiring"))


def begin(room: Room, job: Job, leases: tuple[Lease, ...], note: Note) -> Step:
    """An attempt of this number and epoch, with its first lease, in one transaction."""
    now = room.clock.now()
    if lifetime_left(job, leases, now) <= timedelta(0):
        return _expired(job, now)
    acquiring = replace(job, state=JobState.ACQUIRING, state_since=now, wake_at=now, why=None)

    def write(db: Connection) -> None:
        lease = intend(db, wish_of(room, job, leases, now), room.leasing.owner, now)
        first = job.attempt == 1  # it repeats nothing and lost nothing; of a later one that is still to be seen
        attempt = Attempt(job.id, job.attempt, job.epoch, (lease.id,), started_at=now,
                          repeated_steps=0 if first else None, lost_seconds=0.0 if first else None)  # fmt: skip
        records.insert(db, attempt)

    return Step(acquiring, (note,), also=(write,))


def wish_of(room: Room, job: Job, leases: tuple[Lease, ...], now: datetime) -> Wish:
    """What to rent for a job, until its hard end at the latest."""
    offer: dict[str, Any] = job.settings["offer"]
    hard_end_by = room.leasing.accounts[job.account].compute.caps.hard_end
    return Wish(job.id, job.epoch, job.account, offer, lifetime_left(job, leases, now), HardEnd(hard_end_by))


def lifetime_left(job: Job, leases: tuple[Lease, ...], now: datetime) -> timedelta:
    """How long the next lease may live: what ``schedule.max_duration`` leaves of its paid hours, 12 h at the most."""
    whole = timedelta(seconds=float(job.settings["max_lifetime_s"]))
    if not job.workload.get("schedule", {}).get("max_duration"):
        return whole
    paid = ((lease.paid_to or now) - lease.paid_from for lease in leases if lease.paid_from)
    return max(whole - sum(paid, timedelta(0)), timedelta(0))


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
    if lease.end_reason is EndReason.EXPIRED or lifetime_left(sight.job, sight.leases, now) <= timedelta(0):
        return _expired(sight.job, now)
    return _refused(sight.job, attempt, lease, now)


def _expired(job: Job, now: datetime) -> Step:
    return Step(finishing(job, "expired", "schedule.max_duration is used up", now), (Note("job-expired"),))


def _refused(job: Job, attempt: Attempt, lease: Lease, now: datetime) -> Step:
    why = lease.last_error or (lease.end_reason.value if lease.end_reason else "refused")
    if len(attempt.leases) >= MOST_REFUSALS:
        return Step(finishing(job, "failed", f"refused {len(attempt.leases)} times, last: {why}", now),
                    (Note("job-unplaced", why, {"leases": list(attempt.leases)}),))  # fmt: skip
    waiting = replace(job, state=JobState.WAITING, state_since=now, wake_at=now + _PAUSE, why=f"refused: {why}")
    return Step(waiting, (Note("job-waiting", why),))


def step_waiting(room: Room, sight: Sight) -> Step:
    """The wait is over: another lease for the same attempt."""
    attempt, now = sight.attempt, room.clock.now()
    if attempt is None:
        raise RuntimeError(f"{sight.job.id} waits without an attempt")
    job = replace(sight.job, state=JobState.ACQUIRING, state_since=now, wake_at=now, why=None)

    def write(db: Connection) -> None:
        lease = intend(db, wish_of(room, job, sight.leases, now), room.leasing.owner, now)
        records.update_attempt(db, attempt, replace(attempt, leases=(*attempt.leases, lease.id)))

    return Step(job, (Note("job-acquiring"),), also=(write,))

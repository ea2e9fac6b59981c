"""QUEUED, PLANNED, ACQUIRING, WAITING: from a plan to a node that answers.

What is rented, and whether at all now, the policy decides where there is a choice of pools. A job with one pool asks
for that, waits after a refusal, and gives up after three. What is busy comes back by itself: that is waited for without
end. A job whose secrets are not at hand waits before anything is rented for it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, JobState, LeaseState
from tradewind.jobs.deciding import decided, reason_of, until
from tradewind.jobs.limits import Allowance, allowance, continues
from tradewind.jobs.parcel import secrets_lacking
from tradewind.jobs.pools import PoolJson, account_of, placed, pools_of, steered
from tradewind.jobs.room import Note, Room, Sight, Step
from tradewind.jobs.seen import refused, tried
from tradewind.jobs.verdict import finishing
from tradewind.leasing.intent import Wish, intend
from tradewind.leasing.retry import FaultClass, class_of, pause
from tradewind.planning.steering import Decision
from tradewind.ports.compute import HardEnd
from tradewind.store import records

MOST_REFUSALS = 3  # of one attempt in a row; then what was refused is said and the job ends
_LONGEST_WAIT = timedelta(minutes=15)
_BOOKS = timedelta(seconds=5)  # a lease wakes the job when it is closed, and its hold is free then
_SECRETS_AGAIN = timedelta(seconds=60)  # a limit may end the wait; otherwise whoever brings them does


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
    """An attempt of this job's number and epoch, with its first lease or its wait for one, in one transaction."""
    return _place(room, sight, job, None, note)


def attempt_of(job: Job, leases: tuple[str, ...], now: datetime) -> Attempt:
    """The attempt of the job's number, as it begins."""
    first = job.attempt == 1  # it repeats nothing and lost nothing; of a later one that is still to be seen
    return Attempt(job.id, job.attempt, job.epoch, leases, started_at=now, repeated_steps=0 if first else None,
                   lost_seconds=0.0 if first else None)  # fmt: skip


def _place(room: Room, sight: Sight, job: Job, attempt: Attempt | None, note: Note) -> Step:
    """A machine for an attempt, which is begun with it when it is None: rent, wait or give up, as is decided."""
    now = room.clock.now()
    lacking = secrets_lacking(room, job)
    if lacking is not None:
        return _without_secrets(sight, job, attempt, lacking, now)
    job, decision, notes = decided(job, sight.attempts, sight.leases, sight.budget, now)
    if decision.action == "give-up":
        return _unplaced(sight, job, decision, notes, now)
    pool = pools_of(job)[decision.pool or 0]
    allowed = allowance(job, sight.leases, sight.budget, now, pool["offer"])
    if not allowed.lifetime:
        if allowed.limit == "budget" and _books_open(sight):
            return Step(replace(sight.job, wake_at=now + _BOOKS))
        return _expired(sight, allowed.limit, now)
    if decision.action == "wait":
        why = _busy(sight.lease) or reason_of(decision)
        return _wait(job, attempt, why, until(job, decision, now), notes, now)
    placed_job = placed(replace(job, state=JobState.ACQUIRING, wake_at=now, why=None), decision.pool or 0)
    if job.state is not JobState.ACQUIRING:
        placed_job = replace(placed_job, state_since=now)

    def write(db: Connection) -> None:
        lease = intend(db, wish_of(room, placed_job, pool, allowed), room.leasing.owner, now)
        if attempt is None:
            records.insert(db, attempt_of(placed_job, (lease.id,), now))
        else:
            records.update_attempt(db, attempt, replace(attempt, leases=(*attempt.leases, lease.id)))

    return Step(placed_job, (*notes, note), also=(write,))


def _without_secrets(sight: Sight, job: Job, attempt: Attempt | None, lacking: str, now: datetime) -> Step:
    """Whoever brings the secrets wakes the job; a limit that is reached meanwhile ends it."""
    allowed = allowance(job, sight.leases, sight.budget, now)
    if not allowed.lifetime and not _books_open(sight):
        return _expired(sight, allowed.limit, now)
    return _wait(job, attempt, lacking, now + _SECRETS_AGAIN, (), now)


def _wait(
    job: Job, attempt: Attempt | None, why: str, wake_at: datetime, notes: tuple[Note, ...], now: datetime
) -> Step:
    """WAITING, with why and until when; a wait that goes on is no new state."""
    waiting = replace(job, state=JobState.WAITING, wake_at=wake_at, why=why)
    if job.state is not JobState.WAITING:
        waiting = replace(waiting, state_since=now)
        notes = (*notes, Note("job-waiting", why, {"until": wake_at.isoformat()}))
    also = () if attempt is not None else (partial(records.insert, record=attempt_of(job, (), now)),)
    return Step(waiting, notes, also=also)


def _unplaced(sight: Sight, job: Job, decision: Decision, notes: tuple[Note, ...], now: datetime) -> Step:
    """No machine was to be had: the end, with what was tried."""
    why = reason_of(decision)
    told = Note("job-unplaced", why, {"tried": tried(job, sight.leases, now)})
    return Step(finishing(job, "failed", why, now), (*notes, told))


def _books_open(sight: Sight) -> bool:
    """Whether money is still held by machines that are on their way out."""
    return any(each.hold and not each.wanted for each in sight.leases)


def wish_of(room: Room, job: Job, pool: PoolJson, allowed: Allowance, epoch: int | None = None) -> Wish:
    """What to rent for a job in a pool, until a limit at the latest."""
    account = account_of(job, pool)
    place = room.leasing.accounts[account]
    return Wish(job.id, job.epoch if epoch is None else epoch, account, pool["offer"], allowed.lifetime,
                HardEnd(place.compute.caps.hard_end), allowed.limit, job.settings.get("budget"), allowed.hold,
                place.site, _disk_gb(job))  # fmt: skip


def _disk_gb(job: Job) -> int | None:
    asked = (job.workload.get("resources") or {}).get("disk_gb")
    return math.ceil(asked) if asked else None


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
    at_its_end = lease.end_reason in (EndReason.EXPIRED, EndReason.BUDGET)
    if at_its_end and not continues(sight.job, lease, sight.leases, sight.budget, now):
        return _expired(sight, lease.limit, now)
    if not allowed.lifetime and not (allowed.limit == "budget" and steered(sight.job)):
        return _expired(sight, allowed.limit, now)
    if steered(sight.job):
        return _place(room, sight, sight.job, attempt, Note("job-acquiring", "next-pool"))
    return _refused(room, sight, attempt, lease)


def _expired(sight: Sight, limit: str, now: datetime) -> Step:
    """A limit is reached without a machine: the end, with what was tried."""
    job = sight.job
    expired = replace(finishing(job, "expired", limit, now), measures={**job.measures, "limit": limit})
    return Step(expired, (Note("job-expired", limit, {"tried": tried(job, sight.leases, now)}),))


def _refused(room: Room, sight: Sight, attempt: Attempt, lease: Lease) -> Step:
    """Waiting cures a lack of capacity; it cures no right, quota, price or fault of the request."""
    job, now, busy, why = sight.job, room.clock.now(), _busy(lease), why_refused(lease)
    refusals = sum(each.id in attempt.leases and (_busy(each) is None) == (busy is None) for each in sight.leases)
    if busy is not None:
        return _wait(job, attempt, busy, now + pause("busy", refusals, room.leasing.draw()), (), now)
    if refusals >= MOST_REFUSALS or class_of(lease.fault_kind) in (FaultClass.AUTH, FaultClass.INVALID):
        times = f"refused {refusals} times, last: {why}" if refusals > 1 else f"refused: {why}"
        return Step(finishing(job, "failed", times, now),
                    (Note("job-unplaced", why, {"leases": list(attempt.leases)}),))  # fmt: skip
    wake_at = now + pause("capacity", refusals, room.leasing.draw())
    waiting = replace(job, state=JobState.WAITING, state_since=now, wake_at=wake_at, why=f"refused: {why}")
    return Step(waiting, (Note("job-waiting", why, {"until": wake_at.isoformat()}),))


def _busy(lease: Lease | None) -> str | None:
    """That a lease was refused because what there is is in use, as a reason; None: it was not, or for another cause."""
    if lease is None or not refused(lease) or class_of(lease.fault_kind) is not FaultClass.BUSY:
        return None
    return f"machine-busy said={why_refused(lease).removeprefix('busy: ')!r}"


def why_refused(lease: Lease) -> str:
    """Why a lease never carried its attempt, in the cloud's words where it gave any."""
    return lease.last_error or (lease.end_reason.value if lease.end_reason else "refused")


def step_waiting(room: Room, sight: Sight) -> Step:
    """The wait is over: another lease for the same attempt, or a further wait."""
    attempt = sight.attempt
    if attempt is None:
        raise RuntimeError(f"{sight.job.id} waits without an attempt")
    return _place(room, sight, sight.job, attempt, Note("job-acquiring"))

"""The states of leases and jobs and their transition tables, as data.

Every write is checked against these tables, and the pictures in the docs are drawn from them.
"""

from __future__ import annotations

from enum import StrEnum


class LeaseState(StrEnum):
    """Where a lease is between intent and released."""

    INTENDED = "INTENDED"
    REQUESTED = "REQUESTED"
    UNKNOWN = "UNKNOWN"
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUSPECT = "SUSPECT"
    RELEASING = "RELEASING"
    RELEASED = "RELEASED"
    REFUSED = "REFUSED"


class JobState(StrEnum):
    """Where a job is between submit and its end."""

    QUEUED = "QUEUED"
    PLANNED = "PLANNED"
    ACQUIRING = "ACQUIRING"
    WAITING = "WAITING"
    PREPARING = "PREPARING"
    RUNNING = "RUNNING"
    INTERRUPTED = "INTERRUPTED"
    FINISHING = "FINISHING"
    STOPPING = "STOPPING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    EXPIRED = "EXPIRED"
    STOPPED = "STOPPED"


class Lane(StrEnum):
    """Whose worker takes a row: stopping spend never waits behind starting it, nor watching behind either."""

    ENDING = "ending"
    STARTING = "starting"
    WATCHING = "watching"


class EndReason(StrEnum):
    """Why a lease ended."""

    DONE = "done"
    STOPPED = "stopped"
    RECLAIMED = "reclaimed"
    VANISHED = "vanished"
    BOOT_TIMEOUT = "boot-timeout"
    REFUSED_LATE = "refused-late"
    BUDGET = "budget"
    EXPIRED = "expired"
    SURPLUS = "surplus"
    ORPHAN = "orphan"


class Outcome(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"


L, J = LeaseState, JobState

LEASE_TRANSITIONS: dict[LeaseState, frozenset[LeaseState]] = {
    L.INTENDED: frozenset({L.REQUESTED, L.RELEASED}),
    L.REQUESTED: frozenset({L.REQUESTED, L.PENDING, L.UNKNOWN, L.REFUSED}),
    L.UNKNOWN: frozenset({L.PENDING, L.RELEASING, L.REFUSED}),
    L.PENDING: frozenset({L.RUNNING, L.SUSPECT, L.RELEASING}),
    L.RUNNING: frozenset({L.SUSPECT, L.RELEASING}),
    L.SUSPECT: frozenset({L.RUNNING, L.RELEASING}),
    L.RELEASING: frozenset({L.RELEASED}),
    L.RELEASED: frozenset(),
    L.REFUSED: frozenset(),
}

_LIVE = (J.QUEUED, J.PLANNED, J.ACQUIRING, J.WAITING, J.PREPARING, J.RUNNING, J.INTERRUPTED)

JOB_TRANSITIONS: dict[JobState, frozenset[JobState]] = {
    J.QUEUED: frozenset({J.PLANNED, J.FINISHING, J.STOPPING}),
    J.PLANNED: frozenset({J.ACQUIRING, J.WAITING, J.FINISHING, J.STOPPING}),
    J.ACQUIRING: frozenset({J.PREPARING, J.WAITING, J.FINISHING, J.STOPPING}),
    J.WAITING: frozenset({J.ACQUIRING, J.FINISHING, J.STOPPING}),
    J.PREPARING: frozenset({J.RUNNING, J.INTERRUPTED, J.FINISHING, J.STOPPING}),
    J.RUNNING: frozenset({J.INTERRUPTED, J.FINISHING, J.STOPPING}),
    J.INTERRUPTED: frozenset({J.ACQUIRING, J.WAITING, J.FINISHING, J.STOPPING}),
    J.FINISHING: frozenset({J.SUCCEEDED, J.FAILED, J.EXPIRED, J.STOPPING}),
    J.STOPPING: frozenset({J.STOPPED}),
    J.SUCCEEDED: frozenset(),
    J.FAILED: frozenset(),
    J.EXPIRED: frozenset(),
    J.STOPPED: frozenset(),
}

LEASE_CLOSED = frozenset(state for state, after in LEASE_TRANSITIONS.items() if not after)
JOB_ENDED = frozenset(state for state, after in JOB_TRANSITIONS.items() if not after)
LEASE_PAID = frozenset({L.PENDING, L.RUNNING, L.SUSPECT, L.UNKNOWN, L.RELEASING})  # these may cost money


def lease_lane(state: LeaseState, wanted: bool) -> Lane:
    """The lane of a lease: ending once it is unwanted, starting until the cloud has taken the order."""
    if state is L.RELEASING or not wanted:
        return Lane.ENDING
    return Lane.STARTING if state in (L.INTENDED, L.REQUESTED) else Lane.WATCHING


def job_lane(state: JobState, wanted: bool) -> Lane:
    """The lane of a job: ending once it is to release what it rents; starting until its agent runs."""
    if state in (J.FINISHING, J.STOPPING) or not wanted:
        return Lane.ENDING
    return Lane.WATCHING if state in (J.RUNNING, J.INTERRUPTED) else Lane.STARTING


def check_lease(old: LeaseState, new: LeaseState) -> None:
    """Nothing, when a lease may go from ``old`` to ``new``.

    Raises:
        ValueError: the table has no such transition.
    """
    if new not in LEASE_TRANSITIONS[old]:
        raise ValueError(f"a lease cannot go from {old} to {new}")


def check_job(old: JobState, new: JobState) -> None:
    """Nothing, when a job may go from ``old`` to ``new``.

    Raises:
        ValueError: the table has no such transition.
    """
    if new not in JOB_TRANSITIONS[old]:
        raise ValueError(f"a job cannot go from {old} to {new}")

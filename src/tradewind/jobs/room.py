"""What the room works with, and the shape of one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Budget, Checkpoint, Job, Lease
from tradewind.domain.states import LEASE_CLOSED, LeaseState
from tradewind.leasing import room as leasing
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Capabilities, Instance, InstanceState
from tradewind.ports.transport import Transport
from tradewind.store import budgets, records
from tradewind.store.database import Database
from tradewind.store.queue import Claim

ACTOR = "jobs"


class Secrets(Protocol):
    """Values of jobs' secrets, as far as this process was given them: they lie in no file."""

    def of(self, job: str, names: Sequence[str]) -> Mapping[str, str] | None:
        """NAME → value of these names; None when one is missing, no matter which."""
        ...

    def missing(self, job: str, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the names that have no value here."""
        ...

    def forget(self, job: str) -> None:
        """Keep nothing of a job any longer."""
        ...


@dataclass(frozen=True, slots=True)
class Room:
    """The store, the clock, the leasing room, the jobs' folder, what travels to every node, and to some."""

    db: Database
    clock: Clock
    leasing: leasing.Room
    folder: Path
    agent: Path
    library: Path
    secrets: Secrets

    def job_folder(self, job: str) -> Path:
        """Where a job's archive, logs, checkpoints and outputs lie."""
        return self.folder / job

    def transport(self, lease: Lease) -> Transport:
        """How the lease's node is reached."""
        return self.leasing.accounts[lease.account].transport

    def caps(self, lease: Lease) -> Capabilities:
        """What is known of the place where the lease is."""
        return self.leasing.accounts[lease.account].compute.caps

    def hear_again(self, lease: Lease) -> timedelta:
        """How long until a node that was heard is heard again."""
        return timedelta(seconds=self.caps(lease).hear_s)


@dataclass(frozen=True, slots=True)
class Note:
    """An event to write with a step; ``at`` when it happened, if earlier than now."""

    kind: str
    cause: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one look at a job.

    Attributes:
        job: the job as it is to be written.
        attempt: the current attempt as read and as it is to be written.
        also: further writes of the same transaction.
    """

    job: Job
    notes: tuple[Note, ...] = ()
    attempt: tuple[Attempt, Attempt] | None = None
    checkpoints: tuple[Checkpoint, ...] = ()
    also: tuple[Callable[[Connection], None], ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known of a claimed job before its step: its attempts, its leases, its budget."""

    held: Claim[Job]
    attempts: tuple[Attempt, ...]
    leases: tuple[Lease, ...]
    budget: Budget | None = None

    @property
    def job(self) -> Job:
        """The job as claimed."""
        return self.held.record

    @property
    def attempt(self) -> Attempt | None:
        """The current attempt, if it has begun."""
        current = [each for each in self.attempts if each.attempt == self.job.attempt]
        return current[0] if current else None

    @property
    def previous(self) -> Attempt | None:
        """The attempt before the current one."""
        earlier = [each for each in self.attempts if each.attempt == self.job.attempt - 1]
        return earlier[0] if earlier else None

    @property
    def lease(self) -> Lease | None:
        """The newest lease of the current attempt."""
        attempt = self.attempt
        return newest(attempt, self.leases) if attempt else None


def newest(attempt: Attempt, leases: Sequence[Lease]) -> Lease | None:
    """The lease that an attempt asked for last; several may have been asked for in one moment."""
    known = {each.id: each for each in leases}
    return next((known[id_] for id_ in reversed(attempt.leases) if id_ in known), None)


def look(room: Room, held: Claim[Job]) -> Sight:
    """Read what belongs to a job."""
    job = held.record
    with room.db.read() as db:
        budget = budgets.budget(db, job.settings["budget"]) if job.settings.get("budget") else None
        return Sight(held, tuple(records.attempts(db, job.id)), tuple(records.leases(db, job=job.id)), budget)


def lost(lease: Lease) -> bool:
    """Whether the lease can no longer carry an attempt."""
    return lease.state in LEASE_CLOSED or lease.state is LeaseState.RELEASING


def instance_of(lease: Lease) -> Instance:
    """The machine of a lease that has been reached, as its transport wants it."""
    node = lease.node or {}
    return Instance(
        id=lease.cloud_id or "", token=lease.token, lease=lease.id, owner="", state=InstanceState.RUNNING, why=None,
        address=node.get("address", ""), launched_at=lease.paid_from or lease.created_at,
    )  # fmt: skip

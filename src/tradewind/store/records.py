"""Reading and writing records. A write names the fields that changed, so that two writers never undo each other."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Checkpoint, Event, Job, Lease
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED, check_job, check_lease
from tradewind.store import schema

R = TypeVar("R", Lease, Job, Attempt, Checkpoint, Event)


class Stale(Exception):
    """The claim under which a result was made is no longer held: the result is dropped."""


def as_record(kind: type[R], row: sa.Row[Any]) -> R:
    """A row as the record of its table."""
    values = {field.name: row._mapping[field.name] for field in fields(kind)}
    if kind is Attempt:
        values["leases"] = tuple(values["leases"])
    return kind(**values)


def _changes(old: Any, new: Any) -> dict[str, Any]:
    names = [field.name for field in fields(old)]
    return {name: getattr(new, name) for name in names if getattr(new, name) != getattr(old, name)}


def append_event(
    db: Connection,
    at: datetime,
    actor: str,
    kind: str,
    what: str,
    *,
    job: str | None = None,
    old: str | None = None,
    new: str | None = None,
    cause: str | None = None,
    data: dict[str, Any] | None = None,
) -> None:
    """Write one line of history, in the transaction of the change it tells of."""
    db.execute(
        schema.event.insert().values(
            at=at, actor=actor, kind=kind, what=what, job=job, old=old, new=new, cause=cause, data=data or {}
        )
    )


def insert(db: Connection, record: Lease | Job | Attempt) -> None:
    """Add a new row."""
    table = {Lease: schema.lease, Job: schema.job, Attempt: schema.attempt}[type(record)]
    values = asdict(record)
    if isinstance(record, Attempt):
        values["leases"] = list(record.leases)
    db.execute(table.insert().values(**values))


def update_lease(db: Connection, old: Lease, new: Lease, claim: str | None = None) -> None:
    """Write what differs between two values of a lease.

    Raises:
        Stale: ``claim`` is given and no longer held.
        ValueError: the transition table forbids the change.
    """
    if old.state != new.state:
        check_lease(old.state, new.state)
    _update(db, schema.lease, old.id, _changes(old, new), claim)


def update_job(db: Connection, old: Job, new: Job, claim: str | None = None) -> None:
    """Write what differs between two values of a job; raises as :func:`update_lease`."""
    if old.state != new.state:
        check_job(old.state, new.state)
    _update(db, schema.job, old.id, _changes(old, new), claim)


def _update(db: Connection, table: sa.Table, id_: str, changes: dict[str, Any], claim: str | None) -> None:
    where = [table.c.id == id_]
    if claim is not None:
        where.append(table.c.claim_token == claim)
    values = {**changes, "version": table.c.version + 1}
    if db.execute(table.update().where(*where).values(**values)).rowcount == 0:
        raise Stale(id_)


def update_attempt(db: Connection, old: Attempt, new: Attempt) -> None:
    """Write what differs between two values of an attempt."""
    changes = _changes(old, new)
    if "leases" in changes:
        changes["leases"] = list(changes["leases"])
    if changes:
        table = schema.attempt
        db.execute(table.update().where(table.c.job == old.job, table.c.attempt == old.attempt).values(**changes))


def put_checkpoint(db: Connection, checkpoint: Checkpoint) -> None:
    """Add a checkpoint, or write over what is known of it."""
    table = schema.checkpoint
    key = (table.c.job == checkpoint.job, table.c.epoch == checkpoint.epoch, table.c.step == checkpoint.step)
    values = asdict(checkpoint)
    if db.execute(table.update().where(*key).values(**values)).rowcount == 0:
        db.execute(table.insert().values(**values))


def lease(db: Connection, id_: str) -> Lease | None:
    """One lease."""
    row = db.execute(sa.select(schema.lease).where(schema.lease.c.id == id_)).one_or_none()
    return as_record(Lease, row) if row else None


def leases(db: Connection, *, job: str | None = None, open_only: bool = False) -> list[Lease]:
    """Leases in the order they were intended."""
    query = sa.select(schema.lease).order_by(schema.lease.c.created_at, schema.lease.c.id)
    if job is not None:
        query = query.where(schema.lease.c.job == job)
    if open_only:
        query = query.where(schema.lease.c.state.not_in(sorted(LEASE_CLOSED)))
    return [as_record(Lease, row) for row in db.execute(query)]


def job(db: Connection, id_: str) -> Job | None:
    """One job."""
    row = db.execute(sa.select(schema.job).where(schema.job.c.id == id_)).one_or_none()
    return as_record(Job, row) if row else None


def jobs(db: Connection, *, open_only: bool = False) -> list[Job]:
    """Jobs, the newest first."""
    query = sa.select(schema.job).order_by(schema.job.c.submitted_at.desc(), schema.job.c.id.desc())
    if open_only:
        query = query.where(schema.job.c.state.not_in(sorted(JOB_ENDED)))
    return [as_record(Job, row) for row in db.execute(query)]


def job_by_request(db: Connection, request_id: str) -> Job | None:
    """The job that a request id made."""
    row = db.execute(sa.select(schema.job).where(schema.job.c.request_id == request_id)).one_or_none()
    return as_record(Job, row) if row else None


def attempts(db: Connection, job_id: str) -> list[Attempt]:
    """A job's attempts in order."""
    table = schema.attempt
    query = sa.select(table).where(table.c.job == job_id).order_by(table.c.attempt)
    return [as_record(Attempt, row) for row in db.execute(query)]


def checkpoints(db: Connection, job_id: str) -> list[Checkpoint]:
    """A job's checkpoints in the order they were made."""
    table = schema.checkpoint
    query = sa.select(table).where(table.c.job == job_id).order_by(table.c.epoch, table.c.step)
    return [as_record(Checkpoint, row) for row in db.execute(query)]


def events(db: Connection, *, job: str | None = None, what: str | None = None, after: int = 0) -> list[Event]:
    """History in order, of one job or of one thing."""
    table = schema.event
    query = sa.select(table).where(table.c.id > after).order_by(table.c.id)
    if job is not None:
        query = query.where(table.c.job == job)
    if what is not None:
        query = query.where(table.c.what == what)
    return [as_record(Event, row) for row in db.execute(query)]


def wake(db: Connection, table: sa.Table, id_: str, at: datetime) -> None:
    """Have a row looked at no later than ``at``; a row that is held just now, again once it is given back."""
    sooner = sa.case((table.c.wake_at <= at, table.c.wake_at), else_=sa.literal(at, schema.Instant))
    db.execute(table.update().where(table.c.id == id_).values(wake_at=sooner, version=table.c.version + 1))


def last_event(db: Connection, job_id: str) -> int | None:
    """The id of a job's newest event."""
    query = sa.select(sa.func.max(schema.event.c.id)).where(schema.event.c.job == job_id)
    return db.execute(query).scalar()

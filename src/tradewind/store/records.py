"""Reading and writing records. A write names the fields that changed, so that two writers never undo each other."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tradewind.domain.records import Attempt, Budget, Checkpoint, Event, Job, Lease
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED, LeaseState, check_job, check_lease
from tradewind.store import rows, schema

R = TypeVar("R", Lease, Job, Attempt, Checkpoint, Event, Budget)


class Stale(Exception):
    """The claim under which a result was made is no longer held: the result is dropped."""


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
    values = {"at": at, "actor": actor, "kind": kind, "what": what, "job": job, "old": old, "new": new, "cause": cause,
              "data": data or {}}  # fmt: skip
    db.execute(rows.INSERT[Event], values)


def insert(db: Connection, record: Lease | Job | Attempt | Budget) -> None:
    """Add a new row."""
    db.execute(rows.INSERT[type(record)], rows.values_of(record))


def update_lease(db: Connection, old: Lease, new: Lease, claim: str | None = None) -> None:
    """Write what differs between two values of a lease.

    Raises:
        Stale: ``claim`` is given and no longer held.
        ValueError: the transition table forbids the change.
    """
    if old.state != new.state:
        check_lease(old.state, new.state)
    _update(db, schema.lease, old, new, claim)


def update_job(db: Connection, old: Job, new: Job, claim: str | None = None) -> None:
    """Write what differs between two values of a job; raises as :func:`update_lease`."""
    if old.state != new.state:
        check_job(old.state, new.state)
    _update(db, schema.job, old, new, claim)


def _update(db: Connection, table: sa.Table, old: Lease | Job, new: Lease | Job, claim: str | None) -> None:
    values = {**rows.changes(old, new), "lane": rows.lane_of(new)}
    statement = rows.update(table, tuple(values), claimed=claim is not None)
    at = {"id": old.id} if claim is None else {"id": old.id, "claim": claim}
    if db.execute(statement, rows.parameters(values, **at)).rowcount == 0:
        raise Stale(old.id)


def update_attempt(db: Connection, old: Attempt, new: Attempt) -> None:
    """Write what differs between two values of an attempt."""
    changes = rows.changes(old, new)
    if changes:
        table = schema.attempt
        db.execute(table.update().where(table.c.job == old.job, table.c.attempt == old.attempt).values(**changes))


def put_checkpoint(db: Connection, checkpoint: Checkpoint) -> None:
    """Add a checkpoint, or write over what is known of it."""
    table = schema.checkpoint
    key = (table.c.job == checkpoint.job, table.c.epoch == checkpoint.epoch, table.c.step == checkpoint.step)
    values = rows.values_of(checkpoint)
    if db.execute(table.update().where(*key).values(**values)).rowcount == 0:
        db.execute(rows.INSERT[Checkpoint], values)


def lease(db: Connection, id_: str) -> Lease | None:
    """One lease."""
    row = db.execute(sa.select(*rows.COLUMNS[Lease]).where(schema.lease.c.id == id_)).one_or_none()
    return rows.record(Lease, row) if row else None


def lease_by_token(db: Connection, token: str) -> Lease | None:
    """The lease with that token; None when this store knows of none."""
    row = db.execute(sa.select(*rows.COLUMNS[Lease]).where(schema.lease.c.token == token)).one_or_none()
    return rows.record(Lease, row) if row else None


def leases(db: Connection, *, job: str | None = None, open_only: bool = False) -> list[Lease]:
    """Leases in the order they were intended."""
    if job is not None and not open_only:
        return [rows.record(Lease, row) for row in db.execute(_LEASES_OF_JOB, {"at_job": job})]
    query = sa.select(*rows.COLUMNS[Lease]).order_by(schema.lease.c.created_at, schema.lease.c.id)
    if job is not None:
        query = query.where(schema.lease.c.job == job)
    if open_only:
        query = query.where(schema.lease.c.state.not_in(sorted(LEASE_CLOSED)))
    return [rows.record(Lease, row) for row in db.execute(query)]


def leases_of_account(db: Connection, account: str, *, open_only: bool = False) -> list[Lease]:
    """The leases that an account rented, in the order they were intended."""
    table = schema.lease
    query = sa.select(*rows.COLUMNS[Lease]).where(table.c.account == account).order_by(table.c.created_at, table.c.id)
    if open_only:
        query = query.where(table.c.state.not_in(sorted(LEASE_CLOSED)))
    return [rows.record(Lease, row) for row in db.execute(query)]


def leases_of_instance(db: Connection, cloud_id: str) -> list[Lease]:
    """The leases, open or closed, of what a cloud calls so."""
    table = schema.lease
    query = sa.select(*rows.COLUMNS[Lease]).where(table.c.cloud_id == cloud_id).order_by(table.c.created_at)
    return [rows.record(Lease, row) for row in db.execute(query)]


def leases_refused(db: Connection, since: datetime) -> list[Lease]:
    """The leases that were refused since an instant."""
    table = schema.lease
    query = sa.select(*rows.COLUMNS[Lease]).where(table.c.state == LeaseState.REFUSED, table.c.state_since >= since)
    return [rows.record(Lease, row) for row in db.execute(query)]


def accounts_named(db: Connection, since: datetime) -> list[str]:
    """The accounts that leases since an instant, and open ones, were rented by."""
    table = schema.lease
    live = sa.or_(table.c.created_at >= since, table.c.state.not_in(sorted(LEASE_CLOSED)))
    return list(db.execute(sa.select(table.c.account).where(live).distinct().order_by(table.c.account)).scalars())


def anything_open(db: Connection) -> bool:
    """Whether a job or a lease is not at its end."""
    leases = sa.select(schema.lease.c.id).where(schema.lease.c.wake_at.is_not(None)).exists()
    jobs = sa.select(schema.job.c.id).where(schema.job.c.wake_at.is_not(None)).exists()
    return bool(db.execute(sa.select(sa.or_(leases, jobs))).scalar())


def job(db: Connection, id_: str) -> Job | None:
    """One job."""
    row = db.execute(sa.select(*rows.COLUMNS[Job]).where(schema.job.c.id == id_)).one_or_none()
    return rows.record(Job, row) if row else None


def jobs(db: Connection, *, open_only: bool = False) -> list[Job]:
    """Jobs, the newest first."""
    query = sa.select(*rows.COLUMNS[Job]).order_by(schema.job.c.submitted_at.desc(), schema.job.c.id.desc())
    if open_only:
        query = query.where(schema.job.c.state.not_in(sorted(JOB_ENDED)))
    return [rows.record(Job, row) for row in db.execute(query)]


def job_by_request(db: Connection, request_id: str) -> Job | None:
    """The job that a request id made."""
    row = db.execute(sa.select(*rows.COLUMNS[Job]).where(schema.job.c.request_id == request_id)).one_or_none()
    return rows.record(Job, row) if row else None


def secrets_wanted(db: Connection) -> dict[str, list[str]]:
    """The names of the secrets of jobs that have not ended; jobs without any are left out."""
    table = schema.job
    names = table.c.workload["secrets"]
    named = sa.cast(names, sa.Text).not_in(("[]", "null"))  # a workload without the key is neither
    query = sa.select(table.c.id, names).where(table.c.state.not_in(sorted(JOB_ENDED)), named).order_by(table.c.id)
    return {id_: list(told) for id_, told in db.execute(query)}


def attempts(db: Connection, job_id: str) -> list[Attempt]:
    """A job's attempts in order."""
    return [rows.record(Attempt, row) for row in db.execute(_ATTEMPTS, {"at_job": job_id})]


def checkpoints(db: Connection, job_id: str) -> list[Checkpoint]:
    """A job's checkpoints in the order they were made."""
    table = schema.checkpoint
    query = sa.select(*rows.COLUMNS[Checkpoint]).where(table.c.job == job_id).order_by(table.c.epoch, table.c.step)
    return [rows.record(Checkpoint, row) for row in db.execute(query)]


def events(db: Connection, *, job: str | None = None, what: str | None = None, after: int = 0) -> list[Event]:
    """History in order, of one job or of one thing."""
    table = schema.event
    query = sa.select(*rows.COLUMNS[Event]).where(table.c.id > after).order_by(table.c.id)
    if job is not None:
        query = query.where(table.c.job == job)
    if what is not None:
        query = query.where(table.c.what == what)
    return [rows.record(Event, row) for row in db.execute(query)]


def wake(db: Connection, table: sa.Table, id_: str, at: datetime) -> None:
    """Have a row looked at no later than ``at``; a row that is held just now, again once it is given back.

    A row at its end sleeps for ever.
    """
    db.execute(rows.wake(table), rows.parameters({}, id=id_, now=at))


def last_event(db: Connection, job_id: str) -> int | None:
    """The id of a job's newest event."""
    query = sa.select(sa.func.max(schema.event.c.id)).where(schema.event.c.job == job_id)
    return db.execute(query).scalar()


_ATTEMPTS = (
    sa.select(*rows.COLUMNS[Attempt]).where(schema.attempt.c.job == sa.bindparam("at_job"))
    .order_by(schema.attempt.c.attempt)
)  # fmt: skip
_LEASES_OF_JOB = (
    sa.select(*rows.COLUMNS[Lease]).where(schema.lease.c.job == sa.bindparam("at_job"))
    .order_by(schema.lease.c.created_at, schema.lease.c.id)
)  # fmt: skip

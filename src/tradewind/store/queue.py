"""The work queue: rows that are due, each claimed by one worker for a short time.

A worker claims, looks at the world, and applies under its claim; a claim that ran out drops the result. Two workers may
so repeat a look, never a write.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tradewind.domain.records import Job, Lease
from tradewind.store import records, schema

CLAIM_SECONDS = 30.0
R = TypeVar("R", Lease, Job)


@dataclass(frozen=True, slots=True)
class Claim(Generic[R]):
    """A row held by one worker, with the version at which it was read."""

    record: R
    token: str
    version: int


def claim_lease(db: Connection, now: datetime, owner: str) -> Claim[Lease] | None:
    """The lease that has been due longest, or None."""
    row = _claim(db, schema.lease, now, owner)
    return Claim(records.as_record(Lease, row), row.claim_token, row.version) if row else None


def claim_job(db: Connection, now: datetime, owner: str) -> Claim[Job] | None:
    """The job that has been due longest, or None."""
    row = _claim(db, schema.job, now, owner)
    return Claim(records.as_record(Job, row), row.claim_token, row.version) if row else None


def _claim(db: Connection, table: sa.Table, now: datetime, owner: str) -> sa.Row[Any] | None:
    free = sa.or_(table.c.claim_until.is_(None), table.c.claim_until <= now)
    due = (
        sa.select(table.c.id).where(table.c.wake_at <= now, free)
        .order_by(table.c.wake_at).limit(1)
    )  # fmt: skip
    return db.execute(
        table.update()
        .where(table.c.id.in_(due))
        .values(claim_token=str(uuid.uuid4()), claim_until=now + timedelta(seconds=CLAIM_SECONDS), claim_owner=owner)
        .returning(*table.c)
    ).one_or_none()


@dataclass(frozen=True, slots=True)
class Wakes:
    """When the next lease and the next job that nobody holds are due; None: all sleep or are held."""

    lease: datetime | None
    job: datetime | None

    @property
    def next(self) -> datetime | None:
        """The sooner of the two."""
        return min((time for time in (self.lease, self.job) if time is not None), default=None)


def wakes(db: Connection, now: datetime) -> Wakes:
    """What is due next, in one statement."""
    return Wakes(*db.execute(_WAKES, {"now": now}).one())


def _next_wake(table: sa.Table) -> sa.ScalarSelect[Any]:
    free = sa.or_(table.c.claim_until.is_(None), table.c.claim_until <= sa.bindparam("now", type_=schema.Instant))
    return sa.select(sa.func.min(table.c.wake_at)).where(free, table.c.wake_at.is_not(None)).scalar_subquery()


_WAKES = sa.select(_next_wake(schema.lease), _next_wake(schema.job))  # asked many times a second: built once


def release_all(db: Connection) -> None:
    """Drop every claim. Only for the one supervisor of a database, at its start: whoever held them is gone."""
    for table in (schema.lease, schema.job):
        db.execute(table.update().where(table.c.claim_token.is_not(None)).values(claim_token=None, claim_until=None))


def finish_lease(db: Connection, held: Claim[Lease], new: Lease, now: datetime) -> None:
    """Write the result of a step and give the claim back; raises ``records.Stale`` when it is no longer held."""
    records.update_lease(db, held.record, replace(new, wake_at=held.record.wake_at), held.token)
    _give_back(db, schema.lease, held, new.wake_at, now)


def finish_job(db: Connection, held: Claim[Job], new: Job, now: datetime) -> None:
    """As :func:`finish_lease`, for a job."""
    records.update_job(db, held.record, replace(new, wake_at=held.record.wake_at), held.token)
    _give_back(db, schema.job, held, new.wake_at, now)


def _give_back(db: Connection, table: sa.Table, held: Claim[Any], wake_at: datetime | None, now: datetime) -> None:
    # Somebody wrote to the row while it was held (a stop, a wish to release): look again at once.
    touched = table.c.version > held.version + 1
    at_once, later = sa.literal(now, schema.Instant), sa.literal(wake_at, schema.Instant)
    db.execute(
        table.update()
        .where(table.c.id == held.record.id, table.c.claim_token == held.token)
        .values(wake_at=sa.case((touched, at_once), else_=later), claim_token=None, claim_until=None)
    )

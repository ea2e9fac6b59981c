"""The work queue: rows that are due, each claimed by one worker for a short time.

A worker claims, looks at the world, and applies under its claim; a claim that ran out drops the result. Two workers may
so repeat a look, never a write. Every row stands in a lane, and each lane has workers of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import Lane, check_job, check_lease
from tradewind.store import records, rows, schema

CLAIM_SECONDS = 30.0
RENEW_SECONDS = CLAIM_SECONDS / 3
R = TypeVar("R", Lease, Job)


@dataclass(frozen=True, slots=True)
class Claim(Generic[R]):
    """A row held by one worker, with the version at which it was read."""

    record: R
    token: str
    version: int


def claim_leases(db: Connection, lane: Lane, now: datetime, owner: str, limit: int) -> list[Claim[Lease]]:
    """Up to ``limit`` leases of a lane, those that have been due longest."""
    return [_claimed(Lease, row) for row in _claim(db, Lease, lane, now, owner, limit)]


def claim_jobs(db: Connection, lane: Lane, now: datetime, owner: str, limit: int) -> list[Claim[Job]]:
    """Up to ``limit`` jobs of a lane, those that have been due longest."""
    return [_claimed(Job, row) for row in _claim(db, Job, lane, now, owner, limit)]


def _claimed(kind: type[R], row: sa.Row[Any]) -> Claim[R]:
    return Claim(rows.record(kind, row), row.claim_token, row.version)


def _claim(
    db: Connection, kind: type[Lease] | type[Job], lane: Lane, now: datetime, owner: str, limit: int
) -> Sequence[sa.Row[Any]]:
    at = {"lane": lane, "now": now, "limit": limit, "token": str(uuid.uuid4()), "owner": owner,
          "until": now + timedelta(seconds=CLAIM_SECONDS)}  # fmt: skip
    return db.execute(_CLAIMING[kind], rows.parameters({}, **at)).all()


def _claiming(kind: type) -> sa.sql.dml.ReturningUpdate[Any]:
    # Materialized: as a subquery PostgreSQL may run it again for each row and claim more than the limit. Rows that
    # another worker holds locked are passed over, not waited for; SQLite, with one writer, has none and says nothing.
    table = rows.TABLES[kind]
    now = sa.bindparam("at_now", type_=schema.Instant)
    lane = sa.bindparam("at_lane", type_=table.c.lane.type)
    free = sa.or_(table.c.claim_until.is_(None), table.c.claim_until <= now)
    due = (
        sa.select(table.c.id).where(table.c.lane == lane, table.c.wake_at <= now, free)
        .order_by(table.c.wake_at).limit(sa.bindparam("at_limit", type_=sa.Integer))
        .with_for_update(skip_locked=True).cte("due").prefix_with("MATERIALIZED")
    )  # fmt: skip
    return (
        table.update().where(table.c.id == due.c.id)
        .values(claim_token=sa.bindparam("at_token"), claim_owner=sa.bindparam("at_owner"),
                claim_until=sa.bindparam("at_until", type_=schema.Instant))
        .returning(*rows.COLUMNS[kind], table.c.claim_token, table.c.version)
    )  # fmt: skip


_CLAIMING = {kind: _claiming(kind) for kind in (Lease, Job)}


def renew(db: Connection, held: Sequence[Claim[Lease] | Claim[Job]], now: datetime) -> None:
    """Hold claims for longer; one that ran out and was taken by another stays lost."""
    ids, tokens = [each.record.id for each in held], {each.token for each in held}
    until = now + timedelta(seconds=CLAIM_SECONDS)
    for table in (schema.lease, schema.job):
        mine = (table.c.id.in_(ids), table.c.claim_token.in_(tokens))  # the ids find the rows without a search
        db.execute(table.update().where(*mine).values(claim_until=until))


def wakes(db: Connection, now: datetime) -> dict[Lane, datetime]:
    """When the next row of each lane that nobody holds is due; a lane whose rows all sleep or are held is not there."""
    times = db.execute(_WAKES, {"now": now}).one()
    found: dict[Lane, datetime] = {}
    for lane, time in zip(_PLACES, times, strict=True):
        if time is not None:
            found[lane] = min(time, found.get(lane, time))
    return found


def _next_wake(table: sa.Table, lane: Lane) -> sa.ScalarSelect[Any]:
    free = sa.or_(table.c.claim_until.is_(None), table.c.claim_until <= sa.bindparam("now", type_=schema.Instant))
    return (
        sa.select(table.c.wake_at).where(table.c.lane == lane, table.c.wake_at.is_not(None), free)
        .order_by(table.c.wake_at).limit(1).scalar_subquery()
    )  # fmt: skip


_PLACES = [lane for lane in Lane for _ in range(2)]
_WAKES = sa.select(  # asked many times a second: built once
    *(_next_wake(table, lane) for lane in Lane for table in (schema.lease, schema.job))
)


def release(db: Connection, owner: str) -> None:
    """Drop every claim of an owner that begins anew: whoever held them under this name is gone."""
    for table in (schema.lease, schema.job):
        db.execute(table.update().where(table.c.claim_owner == owner).values(claim_token=None, claim_until=None,
                                                                             claim_owner=None))  # fmt: skip


def take_back(db: Connection, table: sa.Table, id_: str) -> None:
    """Drop the claim on a row, so that its holder's result is dropped as well."""
    db.execute(table.update().where(table.c.id == id_).values(claim_token=None, claim_until=None))


def shift(db: Connection, by: timedelta) -> None:
    """Move every wake-up and every claim by a span: the wall clock was set."""
    for table in (schema.lease, schema.job):
        awake = sa.select(table.c.id, table.c.wake_at, table.c.claim_until).where(table.c.wake_at.is_not(None))
        for row in db.execute(awake).all():
            until = row.claim_until + by if row.claim_until else None
            values = {"wake_at": row.wake_at + by, "claim_until": until}
            db.execute(table.update().where(table.c.id == row.id).values(**values))


def finish_lease(db: Connection, held: Claim[Lease], new: Lease, now: datetime) -> None:
    """Write the result of a step and give the claim back.

    Raises:
        records.Stale: it is no longer held.
        ValueError: the transition table forbids the change.
    """
    if held.record.state != new.state:
        check_lease(held.record.state, new.state)
    _finish(db, schema.lease, held, new, now)


def finish_job(db: Connection, held: Claim[Job], new: Job, now: datetime) -> None:
    """As :func:`finish_lease`, for a job."""
    if held.record.state != new.state:
        check_job(held.record.state, new.state)
    _finish(db, schema.job, held, new, now)


def _finish(db: Connection, table: sa.Table, held: Claim[Any], new: Lease | Job, now: datetime) -> None:
    values = {**rows.changes(held.record, new), "lane": rows.lane_of(new)}
    values.pop("wake_at", None)
    ends = new.wake_at is None
    at = {"id": held.record.id, "claim": held.token}
    if not ends:
        at |= {"version": held.version, "now": now, "wake": new.wake_at}
    statement = rows.finish(table, tuple(values), ends=ends)
    if db.execute(statement, rows.parameters(values, **at)).rowcount == 0:
        raise records.Stale(held.record.id)

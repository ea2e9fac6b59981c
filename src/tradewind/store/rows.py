"""Records as rows, and the statements that write them, each built once: building one costs more than running it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

import sqlalchemy as sa

from tradewind.domain.records import Attempt, Budget, Checkpoint, Event, Job, Lease
from tradewind.domain.states import Lane, job_lane, lease_lane
from tradewind.store import schema

R = TypeVar("R", Lease, Job, Attempt, Checkpoint, Event, Budget)
TABLES: dict[type[Any], sa.Table] = {
    Lease: schema.lease, Job: schema.job, Attempt: schema.attempt, Checkpoint: schema.checkpoint,
    Event: schema.event, Budget: schema.budget,
}  # fmt: skip
NAMES = {kind: tuple(field.name for field in fields(kind)) for kind in TABLES}  # of a record's fields
COLUMNS = {kind: tuple(table.c[name] for name in NAMES[kind]) for kind, table in TABLES.items()}  # in that order
INSERT = {kind: table.insert() for kind, table in TABLES.items()}  # parameters are columns


def record(kind: type[R], row: sa.Row[Any]) -> R:
    """The record in a row whose first columns are ``COLUMNS[kind]``."""
    values: Sequence[Any] = row[: len(NAMES[kind])]
    if kind is Attempt:
        values = [tuple(value) if name == "leases" else value for name, value in zip(NAMES[kind], values, strict=True)]
    return kind(*values)


def values_of(each: Any) -> dict[str, Any]:
    """Column → value of a record, its lane with it where its table has one."""
    values = {name: getattr(each, name) for name in NAMES[type(each)]}
    if isinstance(each, Attempt):
        values["leases"] = list(each.leases)
    elif isinstance(each, Lease | Job):
        values["lane"] = lane_of(each)
    return values


def lane_of(each: Lease | Job) -> Lane:
    """Whose workers take the row."""
    return (lease_lane if isinstance(each, Lease) else job_lane)(each.state, each.wanted)  # type: ignore[arg-type]


def changes(old: Any, new: Any) -> dict[str, Any]:
    """Column → new value of what differs."""
    found = {}
    for name in NAMES[type(old)]:
        value = getattr(new, name)
        if value != getattr(old, name):
            found[name] = list(value) if name == "leases" else value
    return found


@cache
def update(table: sa.Table, changed: tuple[str, ...], *, claimed: bool) -> sa.Update:
    """Columns of one row set, its version counted; parameters ``at_id``, ``at_claim``, and ``new_`` and the column."""
    where = [table.c.id == _at("id", table.c.id)]
    if claimed:
        where.append(table.c.claim_token == _at("claim", table.c.claim_token))
    return table.update().where(*where).values({**_new(table, changed), "version": table.c.version + 1})


@cache
def finish(table: sa.Table, changed: tuple[str, ...], *, ends: bool) -> sa.Update:
    """A claimed row written and given back; parameters as :func:`update`, and ``at_version``, ``at_now``, ``at_wake``.

    Somebody who wrote to the row while it was held (a stop, a wish to release) has it looked at again at once, unless
    it ended; and what became unwanted meanwhile stands in the lane of what ends.
    """
    touched = table.c.version > _at("version", table.c.version)
    wake_at: Any = sa.null() if ends else sa.case(
        (touched, _at("now", table.c.wake_at)), else_=_at("wake", table.c.wake_at)
    )  # fmt: skip
    new = _new(table, changed)
    lane = sa.case((new.get("wanted", table.c.wanted), new["lane"]), else_=sa.literal(Lane.ENDING, table.c.lane.type))
    held = (table.c.id == _at("id", table.c.id), table.c.claim_token == _at("claim", table.c.claim_token))
    given_back = {"wake_at": wake_at, "claim_token": None, "claim_until": None, "claim_owner": None}
    return table.update().where(*held).values({**new, "lane": lane, "version": table.c.version + 1, **given_back})


@cache
def wake(table: sa.Table) -> sa.Update:
    """A row that does not sleep for ever due at ``at_now`` at the latest; parameters ``at_id``, ``at_now``."""
    now = _at("now", table.c.wake_at)
    sooner = sa.case((table.c.wake_at <= now, table.c.wake_at), else_=now)
    awake = (table.c.id == _at("id", table.c.id), table.c.wake_at.is_not(None))
    return table.update().where(*awake).values(wake_at=sooner, version=table.c.version + 1)


def _at(name: str, column: sa.Column[Any]) -> sa.BindParameter[Any]:
    return sa.bindparam(f"at_{name}", type_=column.type)


def _new(table: sa.Table, changed: tuple[str, ...]) -> dict[str, Any]:
    return {name: sa.bindparam(f"new_{name}", type_=table.c[name].type) for name in changed}


def parameters(values: dict[str, Any], **at: Any) -> dict[str, Any]:
    """The parameters of a statement of this module."""
    told = {f"new_{name}": value for name, value in values.items()}
    return told | {f"at_{name}": value for name, value in at.items()}

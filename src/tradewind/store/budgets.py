"""Budgets: one guarded row each. A hold is taken or refused in one statement, so no two leases take the same money."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tradewind.domain.records import Budget
from tradewind.store import records, rows, schema

_T = schema.budget
_ONE = sa.select(*rows.COLUMNS[Budget]).where(_T.c.id == sa.bindparam("at_id"))


def open_budget(db: Connection, budget: Budget) -> None:
    """Add a budget."""
    records.insert(db, budget)


def budget(db: Connection, id_: str) -> Budget | None:
    """One budget."""
    row = db.execute(_ONE, {"at_id": id_}).one_or_none()
    return rows.record(Budget, row) if row else None


def hold(db: Connection, id_: str, amount: int) -> bool:
    """Hold ``amount`` millionths, unless held and spent would then pass the cap; whether it is held."""
    fits = sa.or_(_T.c.cap.is_(None), _T.c.held + _T.c.spent + amount <= _T.c.cap)
    taken = db.execute(_T.update().where(_T.c.id == id_, fits).values(held=_T.c.held + amount))
    return taken.rowcount == 1


def settle(db: Connection, id_: str, held: int, spent: int) -> None:
    """Give back a hold and book what was spent instead."""
    db.execute(_T.update().where(_T.c.id == id_).values(held=_T.c.held - held, spent=_T.c.spent + spent))


def set_cap(db: Connection, id_: str, cap: int) -> None:
    """Set what may be held and spent in all, in millionths."""
    db.execute(_T.update().where(_T.c.id == id_).values(cap=cap))

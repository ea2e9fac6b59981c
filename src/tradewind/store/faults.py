"""What a failure of the database means to people, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

import sqlalchemy as sa

from tradewind.domain.errors import BadInput, TradewindError, Unavailable
from tradewind.store import backup


class Fault(Enum):
    """Full, busy and away pass; damage does not."""

    FULL = auto()
    BUSY = auto()
    AWAY = auto()
    DAMAGED = auto()


def told(fault: Fault, url: sa.URL, why: str) -> TradewindError:
    """The error of a fault; ``why`` is the database's own sentence."""
    path = place(url)
    if fault is Fault.FULL:
        return Unavailable("database-full", path=path, why=why)
    if fault is Fault.BUSY:
        return Unavailable("database-busy", path=path, why=why)
    if fault is Fault.AWAY:
        return Unavailable("database-unavailable", path=path, why=why)
    return BadInput("database-damaged", path=path, why=why, backup=newest_backup(url))


def place(url: sa.URL) -> str:
    """Where a database is, for people: the path of its file, or its address without password and options."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    return url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def newest_backup(url: sa.URL) -> str:
    """The newest backup that lies beside a SQLite file; empty when there is none, and for PostgreSQL."""
    found = backup.newest(Path(str(url.database))) if url.get_backend_name() == "sqlite" else None
    return str(found or "")

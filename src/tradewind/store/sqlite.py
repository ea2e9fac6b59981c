"""SQLite: WAL with synchronous FULL, one writer at a time, readers beside it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, ExceptionContext

from tradewind.domain.errors import TradewindError
from tradewind.store import filesystems
from tradewind.store.faults import Fault, told

_BUSY_MS = 30_000
_CODES = {
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_BUSY: Fault.BUSY,
    sqlite3.SQLITE_LOCKED: Fault.BUSY,
    sqlite3.SQLITE_PROTOCOL: Fault.BUSY,
    sqlite3.SQLITE_IOERR: Fault.AWAY,
    sqlite3.SQLITE_CANTOPEN: Fault.AWAY,
    sqlite3.SQLITE_PERM: Fault.AWAY,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
}
_READ_ONLY = {sqlite3.SQLITE_READONLY: Fault.AWAY}  # to a writer: the file or its disk has become so


def engines(path: Path) -> tuple[Engine, Engine]:
    """The writing and the reading engine of a file, whose folder is made when missing.

    Writers begin IMMEDIATE, so that a busy database is waited for and a read-then-write is never refused half-way.
    """
    filesystems.refuse_network(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # it holds the environment of jobs
    writer = _engine(path, "BEGIN IMMEDIATE", "query_only=OFF", _CODES | _READ_ONLY)
    return writer, _engine(path, "BEGIN", "query_only=ON", _CODES)


def _engine(path: Path, begin: str, role: str, codes: dict[int, Fault]) -> Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)), hide_parameters=True,
        connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False},
    )  # fmt: skip

    @sa.event.listens_for(engine, "connect")
    def _connected(raw: Any, _record: Any) -> None:
        raw.isolation_level = None  # the driver's own BEGIN is deferred: it would refuse a late write at once
        for pragma in (f"busy_timeout={_BUSY_MS}", "synchronous=FULL", "foreign_keys=ON", role):
            raw.execute("PRAGMA " + pragma)
        with _alone(path.parent):
            raw.execute("PRAGMA journal_mode=WAL")

    @sa.event.listens_for(engine, "begin")
    def _began(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    @sa.event.listens_for(engine, "handle_error")
    def _failed(context: ExceptionContext) -> TradewindError | None:
        error = context.original_exception
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK)
        fault = codes.get(code & 0xFF)  # the higher bytes say in which call it was
        return told(fault, engine.url, str(error)) if fault else None

    return engine


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time: of two that turn a new file to WAL at once, SQLite refuses one without waiting."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)

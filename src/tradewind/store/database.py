"""Opening the database: SQLite in WAL with synchronous FULL, one writer at a time, readers beside it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tradewind.store import migrations

_BUSY_MS = 30_000


class Database:
    """One SQLite file with a writing and a reading engine.

    Writers begin IMMEDIATE, so that a busy database is waited for and a read-then-write is never refused half-way.
    No transaction may be open across a call to the outside.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # it holds the environment of jobs
        self.path = path
        self._writer = _engine(path, "BEGIN IMMEDIATE")
        self._reader = _engine(path, "BEGIN")
        # Connections close with the last reference, also in a process that never says that it is done.
        self.close = weakref.finalize(self, _dispose, self._writer, self._reader)
        migrations.bring_up(self._writer)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may change things; committed on leaving, rolled back on an exception."""
        with self._writer.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view."""
        with self._reader.begin() as connection:
            yield connection


def _dispose(*engines: Engine) -> None:
    for engine in engines:
        engine.dispose()


def _engine(path: Path, begin: str) -> Engine:
    engine = sa.create_engine(
        f"sqlite:///{path}", connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False}
    )

    @sa.event.listens_for(engine, "connect")
    def _connected(raw: Any, _record: Any) -> None:
        raw.isolation_level = None  # the driver's own BEGIN is deferred: it would refuse a late write at once
        for pragma in ("busy_timeout=" + str(_BUSY_MS), "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            raw.execute("PRAGMA " + pragma)

    @sa.event.listens_for(engine, "begin")
    def _began(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine

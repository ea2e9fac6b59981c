"""One database, SQLite or PostgreSQL: transactions that write, transactions that read, and what their failures mean."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tradewind.domain.errors import Unavailable
from tradewind.store import migrations, sqlite
from tradewind.store.faults import Fault, told

__all__ = ["Database", "Unavailable"]


class Database:
    """A database with a writing and a reading engine. No transaction may be open across a call to the outside.

    Args:
        where: the path of a SQLite file (made when missing), or a ``postgresql://`` URL.

    Raises:
        Unavailable: here, in ``write()`` and in ``read()``: the database is full, busy, restarting or unreachable. The
            transaction is not committed, unless it was its commit that failed: then the answer is lost, so look.
        BadInput: the file is damaged, newer than this program, on a network file system; the URL cannot be used.
        NotConfigured: the driver for PostgreSQL is not installed.
    """

    def __init__(self, where: Path | str) -> None:
        self._writer, self._reader = _engines(where)
        # SQLite lets a second writer in by trying again and again; threads of one process wait for their turn instead.
        self._turn: AbstractContextManager[Any] = nullcontext() if self.has_clock else threading.Lock()
        # Connections close with the last reference, also in a process that never says that it is done.
        self.close = weakref.finalize(self, _dispose, self._writer, self._reader)
        migrations.bring_up(self._writer)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may change things; committed on leaving, rolled back on an exception."""
        with self._turn, _transaction(self._writer) as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view, that of the first query."""
        with _transaction(self._reader) as connection:
            yield connection

    @property
    def has_clock(self) -> bool:
        """Whether the database has a time of its own, which its workers share."""
        return self._reader.dialect.name != "sqlite"

    def now(self) -> datetime:
        """The present instant by the database's own clock, where ``has_clock``."""
        with self.read() as connection:
            now: datetime = connection.execute(sa.text("SELECT clock_timestamp()")).scalar_one()
        return now


def _engines(where: Path | str) -> tuple[Engine, Engine]:
    if isinstance(where, Path):
        return sqlite.engines(where)
    from tradewind.store import postgres  # a tenth of a second that SQLite need not wait for

    return postgres.engines(where)


def _dispose(*engines: Engine) -> None:
    for engine in engines:
        engine.dispose()


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except sa.exc.TimeoutError as waited:
        raise told(Fault.BUSY, engine.url, "all connections are in use") from waited
    with connection:
        transaction = connection.begin()
        try:
            yield connection
        except BaseException:
            with suppress(Unavailable):  # nothing is left to roll back then, and what the caller raised is the reason
                transaction.rollback()
            raise
        transaction.commit()

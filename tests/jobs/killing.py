"""Killing a process at one of its commits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import Connection

from tradewind.store.database import Database


class Killed(BaseException):
    """The process is gone."""


@contextmanager
def counted(db: Database, kill_at: int | None, after: bool) -> Iterator[list[int]]:
    """Counts the writing transactions of a database, and dies before or after the commit of one."""
    seen: list[int] = []
    write = db.write

    @contextmanager
    def wrapped() -> Iterator[Connection]:
        mine = len(seen)
        seen.append(mine)
        with write() as connection:
            yield connection
            if mine == kill_at and not after:
                raise Killed
        if mine == kill_at:
            raise Killed

    db.write = wrapped  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        db.write = write  # type: ignore[method-assign]

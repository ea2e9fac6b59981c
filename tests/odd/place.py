"""Where a world's rows lie: a database, migrated once a process, emptied for each world; rows copied and put back."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from cluster import cluster

from tradewind.store import schema
from tradewind.store.database import Database

TABLES = tuple(schema.metadata.sorted_tables)
Copy = dict[str, list[dict[str, Any]]]


@dataclass
class Place:
    """A database that worlds take turns in, and a folder for what jobs leave behind."""

    where: Path | str
    folder: Path
    opened: list[Database] = field(default_factory=list)

    def open(self) -> Database:
        """A Database object of its own, as a new process would have."""
        self.opened.append(Database(self.where))
        return self.opened[-1]

    def shared(self) -> Database:
        """The first one again: what it keeps between transactions is connections and compiled statements."""
        return self.opened[0] if self.opened else self.open()

    def clean(self) -> None:
        """No rows, no files."""
        put_back(self.shared(), {})
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for extra in self.opened[1:]:
            extra.close()
        del self.opened[1:]


def copy_of(db: Database) -> Copy:
    """All rows of all tables."""
    with db.read() as connection:
        return {table.name: [dict(row._mapping) for row in connection.execute(sa.select(table))] for table in TABLES}


def put_back(db: Database, copy: Copy) -> None:
    """The rows of a copy, and no others."""
    with db.write() as connection:
        for table in reversed(TABLES):
            connection.execute(table.delete())
        for table in TABLES:
            if copy.get(table.name):
                connection.execute(table.insert(), copy[table.name])


def in_memory() -> Path:
    """A folder on a file system in memory where there is one, gone with this process."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="odd-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def sqlite() -> Place:
    """The SQLite place of this process."""
    folder = in_memory()
    return Place(folder / "odd.db", folder / "home")


@cache
def postgresql() -> Place:
    """The PostgreSQL place of this process, a real server; without one a test is skipped, or fails with CI=true."""
    return Place(cluster().fresh(), in_memory() / "home")

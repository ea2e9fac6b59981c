"""Bringing a database to the newest revision, by Alembic; nothing heavy is imported when it is there already."""

from __future__ import annotations

import logging
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tradewind.domain.errors import BadInput
from tradewind.store import backup
from tradewind.store.faults import newest_backup, place

HEAD = "0002"
_log = logging.getLogger("tradewind.store")


_LOCK = 0x74726164  # "trad": one number of ours among the advisory locks of a PostgreSQL database


def revision(connection: Connection) -> str | None:
    """The revision that a database is at; None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return found


def bring_up(engine: Engine) -> None:
    """Upgrade to ``HEAD``, unless it is there: whole or not at all; of two that start at once, one upgrades.

    Raises:
        BadInput: the database is newer than this program.
        Unavailable: no backup of a SQLite file can be written; nothing was changed.
    """
    with engine.begin() as connection:
        found = revision(connection)
    if found is not None and found > HEAD:
        kept = newest_backup(engine.url)
        raise BadInput("database-newer", path=place(engine.url), revision=found, newest=HEAD, backup=kept)
    if found != HEAD:
        with engine.connect() as connection:
            connection.detach()  # closed afterwards, and its settings with it
            _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:  # a table is changed by making it anew: the rows that point to it must not mind. Only before BEGIN
        connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
    with connection.begin():  # on SQLite the writer's lock
        if not sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        found = revision(connection)
        if found == HEAD:
            return
        if sqlite and found is not None:
            kept = backup.write(Path(str(connection.engine.url.database)), HEAD)
            _log.info("the database goes from revision %s to %s; its backup is %s", found, HEAD, kept)
        _run(connection)
        if sqlite and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
            raise RuntimeError(f"revision {HEAD} lost rows that others point to")


def _run(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")

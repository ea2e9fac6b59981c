"""Bringing a database to the newest revision, by Alembic; nothing heavy is imported when it is there already."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Engine

HEAD = "0001"


def revision(engine: Engine) -> str | None:
    """The revision that a database is at; None for an empty one."""
    with engine.begin() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def bring_up(engine: Engine) -> None:
    """Upgrade to ``HEAD``, unless it is there."""
    if revision(engine) == HEAD:
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.begin() as connection:  # the writer's lock: of two that start at once, one upgrades
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

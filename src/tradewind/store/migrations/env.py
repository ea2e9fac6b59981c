"""Run by Alembic: migrate on the connection that ``bring_up`` hands over."""

from __future__ import annotations

from alembic import context

from tradewind.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=False)
context.run_migrations()

"""Budgets with their holds, lanes of the work queue, faults of a lease

Revision 0002, after 0001.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_JOB_LANES = """UPDATE job SET lane = CASE
    WHEN state IN ('FINISHING', 'STOPPING') OR wanted = {no} THEN 'ending'
    WHEN state IN ('RUNNING', 'INTERRUPTED') THEN 'watching' ELSE 'starting' END"""
_LEASE_LANES = """UPDATE lease SET lane = CASE
    WHEN state = 'RELEASING' OR wanted = {no} THEN 'ending'
    WHEN state IN ('INTENDED', 'REQUESTED') THEN 'starting' ELSE 'watching' END"""


def upgrade() -> None:
    """To this revision."""
    op.create_table(
        "budget",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("cap", sa.BigInteger(), nullable=True),
        sa.Column("held", sa.BigInteger(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("lease") as lease:
        lease.add_column(sa.Column("limit", sa.String(16), server_default="max-lifetime", nullable=False))
        lease.add_column(sa.Column("budget", sa.String(40), nullable=True))
        lease.add_column(sa.Column("hold", sa.BigInteger(), server_default="0", nullable=False))
        lease.add_column(sa.Column("faults", sa.Integer(), server_default="0", nullable=False))
        lease.add_column(sa.Column("fault_kind", sa.String(16), nullable=True))
    dialect = op.get_bind().dialect.name
    no = "0" if dialect == "sqlite" else "FALSE"
    awake: dict[str, Any] = {
        f"{dialect}_where": sa.text("wake_at IS NOT NULL")
    }  # naming another dialect would import it
    for table, lanes in (("lease", _LEASE_LANES), ("job", _JOB_LANES)):
        op.drop_index(f"{table}_wake", table_name=table)
        op.add_column(table, sa.Column("lane", sa.String(32), nullable=True))
        op.execute(lanes.format(no=no))
        with op.batch_alter_table(table) as batch:
            batch.alter_column("lane", existing_type=sa.String(32), nullable=False)
        op.create_index(f"{table}_due", table, ["lane", "wake_at"], **awake)
    op.create_index("lease_cloud_id", "lease", ["cloud_id"])

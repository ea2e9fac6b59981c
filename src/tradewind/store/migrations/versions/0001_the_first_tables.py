"""The first tables: lease, job, attempt, checkpoint, event

Revision 0001, after None.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from tradewind.store.schema import Instant

revision = "0001"
down_revision = None


def upgrade() -> None:
    """To this revision."""
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", Instant, nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=48), nullable=False),
        sa.Column("what", sa.String(length=40), nullable=False),
        sa.Column("job", sa.String(length=40), nullable=True),
        sa.Column("old", sa.String(length=16), nullable=True),
        sa.Column("new", sa.String(length=16), nullable=True),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_event_job"), "event", ["job"], unique=False)
    op.create_index(op.f("ix_event_what"), "event", ["what"], unique=False)
    op.create_table(
        "job",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("rehearsal", sa.Boolean(), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("workload", sa.JSON(), nullable=False),
        sa.Column("plan", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("submitted_at", Instant, nullable=False),
        sa.Column("state_since", Instant, nullable=False),
        sa.Column("request_id", sa.String(length=200), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("progress", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("measures", sa.JSON(), nullable=False),
        sa.Column("metrics", sa.JSON(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("ended_at", Instant, nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("wake_at", Instant, nullable=True),
        sa.Column("version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claim_token", sa.String(length=36), nullable=True),
        sa.Column("claim_until", Instant, nullable=True),
        sa.Column("claim_owner", sa.String(length=128), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("request_id"),
    )
    op.create_index(
        "job_wake",
        "job",
        ["wake_at"],
        unique=False,
        sqlite_where=sa.text("wake_at IS NOT NULL"),
    )
    op.create_table(
        "lease",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("token", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("offer", sa.JSON(), nullable=False),
        sa.Column("order", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("state_since", Instant, nullable=False),
        sa.Column("hard_end", Instant, nullable=False),
        sa.Column("hard_end_by", sa.String(length=32), nullable=False),
        sa.Column("sent", sa.String(length=8), nullable=False),
        sa.Column("looks", sa.Integer(), nullable=False),
        sa.Column("looked_since", Instant, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("cloud_id", sa.String(length=128), nullable=True),
        sa.Column("requested_at", Instant, nullable=True),
        sa.Column("paid_from", Instant, nullable=True),
        sa.Column("paid_to", Instant, nullable=True),
        sa.Column("reclaim_at", Instant, nullable=True),
        sa.Column("end_reason", sa.String(32), nullable=True),
        sa.Column("node", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("contact_at", Instant, nullable=True),
        sa.Column("wake_at", Instant, nullable=True),
        sa.Column("version", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claim_token", sa.String(length=36), nullable=True),
        sa.Column("claim_until", Instant, nullable=True),
        sa.Column("claim_owner", sa.String(length=128), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token"),
    )
    op.create_index(op.f("ix_lease_job"), "lease", ["job"], unique=False)
    op.create_index(
        "lease_wake",
        "lease",
        ["wake_at"],
        unique=False,
        sqlite_where=sa.text("wake_at IS NOT NULL"),
    )
    op.create_table(
        "attempt",
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("leases", sa.JSON(), nullable=False),
        sa.Column("started_at", Instant, nullable=False),
        sa.Column("ended_at", Instant, nullable=True),
        sa.Column("outcome", sa.String(32), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("resumed_step", sa.Integer(), nullable=True),
        sa.Column("last_step", sa.Integer(), nullable=True),
        sa.Column("last_checkpoint_step", sa.Integer(), nullable=True),
        sa.Column("repeated_steps", sa.Integer(), nullable=True),
        sa.Column("lost_seconds", sa.Float(), nullable=True),
        sa.Column("journal_offset", sa.BigInteger(), nullable=False),
        sa.Column("log_offset", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job"],
            ["job.id"],
        ),
        sa.PrimaryKeyConstraint("job", "attempt"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("at", Instant, nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job"],
            ["job.id"],
        ),
        sa.PrimaryKeyConstraint("job", "epoch", "step"),
    )

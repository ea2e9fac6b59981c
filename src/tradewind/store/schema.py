"""The tables. Column names are the field names of ``domain.records``; claims are columns beside them.

A reconciled table (``lease``, ``job``) has ``wake_at`` (asleep when NULL), ``lane`` (whose workers take it; follows
from the state), ``version`` (counts writes) and a claim: ``claim_token`` with ``claim_until``, by which one worker
holds a row for a short time.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

from tradewind.domain.states import EndReason, JobState, Lane, LeaseState, Outcome

metadata = sa.MetaData()
E = TypeVar("E", bound=StrEnum)


class Instant(sa.types.TypeDecorator[datetime]):
    """A UTC instant: text that sorts by time on SQLite, ``timestamptz`` elsewhere."""

    impl = sa.String(27)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        """The column type of this database."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(sa.String(27))
        return dialect.type_descriptor(sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """What is stored."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).isoformat(timespec="microseconds")[:26] + "Z"

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """What is read back: aware, UTC."""
        if value is None or dialect.name != "sqlite":
            return value  # type: ignore[no-any-return]
        return datetime.fromisoformat(value)


class Word(sa.types.TypeDecorator[E], Generic[E]):
    """A member of an enumeration, stored as its word."""

    impl = sa.String(32)
    cache_ok = True

    def __init__(self, words: type[E]) -> None:
        super().__init__()
        self.words = words

    def process_bind_param(self, value: E | None, dialect: Dialect) -> Any:
        """What is stored."""
        return None if value is None else value.value

    def process_result_value(self, value: Any, dialect: Dialect) -> E | None:
        """What is read back."""
        return None if value is None else self.words(value)


def _claimed() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("lane", Word(Lane), nullable=False),
        sa.Column("wake_at", Instant),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
        sa.Column("claim_token", sa.String(36)),
        sa.Column("claim_until", Instant),
        sa.Column("claim_owner", sa.String(128)),
    )


lease = sa.Table(
    "lease",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("token", sa.String(36), nullable=False, unique=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("state", Word(LeaseState), nullable=False),
    sa.Column("job", sa.String(40), nullable=False, index=True),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("account", sa.String(64), nullable=False),
    sa.Column("offer", sa.JSON, nullable=False),
    sa.Column("order", sa.Text, nullable=False),
    sa.Column("wanted", sa.Boolean, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("state_since", Instant, nullable=False),
    sa.Column("hard_end", Instant, nullable=False),
    sa.Column("hard_end_by", sa.String(32), nullable=False),
    sa.Column("sent", sa.String(8), nullable=False),
    sa.Column("looks", sa.Integer, nullable=False),
    sa.Column("looked_since", Instant),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("last_error", sa.Text),
    sa.Column("cloud_id", sa.String(128)),
    sa.Column("requested_at", Instant),
    sa.Column("paid_from", Instant),
    sa.Column("paid_to", Instant),
    sa.Column("reclaim_at", Instant),
    sa.Column("end_reason", Word(EndReason)),
    sa.Column("node", sa.JSON(none_as_null=True)),
    sa.Column("contact_at", Instant),
    sa.Column("limit", sa.String(16), nullable=False, server_default="max-lifetime"),
    sa.Column("budget", sa.String(40)),
    sa.Column("hold", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("faults", sa.Integer, nullable=False, server_default="0"),
    sa.Column("fault_kind", sa.String(16)),
    *_claimed(),
)

job = sa.Table(
    "job",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("state", Word(JobState), nullable=False),
    sa.Column("wanted", sa.Boolean, nullable=False),
    sa.Column("rehearsal", sa.Boolean, nullable=False),
    sa.Column("account", sa.String(64), nullable=False),
    sa.Column("workload", sa.JSON, nullable=False),
    sa.Column("plan", sa.JSON(none_as_null=True)),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("submitted_at", Instant, nullable=False),
    sa.Column("state_since", Instant, nullable=False),
    sa.Column("request_id", sa.String(200), unique=True),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("why", sa.Text),
    sa.Column("progress", sa.JSON(none_as_null=True)),
    sa.Column("measures", sa.JSON, nullable=False),
    sa.Column("metrics", sa.JSON, nullable=False),
    sa.Column("outcome", sa.String(16)),
    sa.Column("exit_code", sa.Integer),
    sa.Column("ended_at", Instant),
    sa.Column("last_error", sa.Text),
    *_claimed(),
)

budget = sa.Table(
    "budget",
    metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("currency", sa.String(3), nullable=False),
    sa.Column("cap", sa.BigInteger),
    sa.Column("held", sa.BigInteger, nullable=False),
    sa.Column("spent", sa.BigInteger, nullable=False),
)

attempt = sa.Table(
    "attempt",
    metadata,
    sa.Column("job", sa.String(40), sa.ForeignKey("job.id"), primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("leases", sa.JSON, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    sa.Column("outcome", Word(Outcome)),
    sa.Column("exit_code", sa.Integer),
    sa.Column("resumed_step", sa.Integer),
    sa.Column("last_step", sa.Integer),
    sa.Column("last_checkpoint_step", sa.Integer),
    sa.Column("repeated_steps", sa.Integer),
    sa.Column("lost_seconds", sa.Float),
    sa.Column("journal_offset", sa.BigInteger, nullable=False),
    sa.Column("log_offset", sa.BigInteger, nullable=False),
)

checkpoint = sa.Table(
    "checkpoint",
    metadata,
    sa.Column("job", sa.String(40), sa.ForeignKey("job.id"), primary_key=True),
    sa.Column("epoch", sa.Integer, primary_key=True),
    sa.Column("step", sa.BigInteger, primary_key=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("bytes", sa.BigInteger, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("path", sa.Text, nullable=False),
)

event = sa.Table(
    "event",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("actor", sa.String(64), nullable=False),
    sa.Column("kind", sa.String(48), nullable=False),
    sa.Column("what", sa.String(40), nullable=False, index=True),
    sa.Column("job", sa.String(40), index=True),
    sa.Column("old", sa.String(16)),
    sa.Column("new", sa.String(16)),
    sa.Column("cause", sa.Text),
    sa.Column("data", sa.JSON, nullable=False),
    sqlite_autoincrement=True,
)

for _table in (lease, job):  # the next due row of a lane is one seek, however many sleep
    sa.Index(f"{_table.name}_due", _table.c.lane, _table.c.wake_at, sqlite_where=_table.c.wake_at.is_not(None))
sa.Index("lease_cloud_id", lease.c.cloud_id)

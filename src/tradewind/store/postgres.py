"""PostgreSQL by psycopg: writers at READ COMMITTED, readers on one snapshot, both in UTC."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Engine, ExceptionContext

from tradewind.domain.errors import BadInput, NotConfigured, TradewindError
from tradewind.store.faults import Fault, told

_LOCK_MS = 30_000
# A peer that is gone without a word is noticed in a minute, not after the two hours of the system's default.
_NOTICE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3,
           "tcp_user_timeout": 60_000}  # fmt: skip
# SQLSTATE, whole or its class. Source: PostgreSQL 15 manual, appendix A.
_CODES = {
    "53100": Fault.FULL,
    "40001": Fault.BUSY,  # serialization failure
    "40P01": Fault.BUSY,  # deadlock
    "55P03": Fault.BUSY,  # lock timeout
    "XX001": Fault.DAMAGED,
    "XX002": Fault.DAMAGED,
    "08": Fault.AWAY,  # connection
    "53": Fault.AWAY,  # resources
    "57": Fault.AWAY,  # shutdown, recovery
    "58": Fault.AWAY,  # input and output
}
_READ_ONLY = {"25006": Fault.AWAY}  # to a writer: another server has become the primary


def engines(url: str) -> tuple[Engine, Engine]:
    """The writing and the reading engine of a ``postgresql://`` URL.

    Every write is guarded by one statement of its own (a claim's token, a state, a budget's cap), so READ COMMITTED is
    enough. The two levels are kept in two pools.
    """
    target = _parsed(url)
    writer = _engine(target, "READ COMMITTED", _CODES | _READ_ONLY)
    reader = _engine(target, "REPEATABLE READ", _CODES).execution_options(postgresql_readonly=True)
    return writer, reader


def _parsed(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise BadInput("database-url-unusable") from None  # the text may hold a password
    if parsed.drivername not in ("postgresql", "postgres"):
        raise BadInput("database-url-unusable", scheme=parsed.drivername)
    return parsed.set(drivername="postgresql+psycopg")


def _engine(url: sa.URL, isolation: str, codes: dict[str, Fault]) -> Engine:
    options = f"{url.query.get('options', '')} -c timezone=UTC -c lock_timeout={_LOCK_MS}"
    try:
        engine = sa.create_engine(
            url, isolation_level=isolation, hide_parameters=True, pool_pre_ping=True, pool_size=5, max_overflow=5,
            connect_args={**_NOTICE, "application_name": "tradewind", "options": options},
        )  # fmt: skip
    except ModuleNotFoundError as missing:
        raise NotConfigured("database-driver-missing", module=missing.name) from missing

    @sa.event.listens_for(engine, "handle_error")
    def _failed(context: ExceptionContext) -> TradewindError | None:
        fault = _fault(context.original_exception, codes)
        why = _without_password(url, " ".join(str(context.original_exception).split()))
        return told(fault, url, why) if fault else None

    return engine


def _fault(error: BaseException, codes: dict[str, Fault]) -> Fault | None:
    """What a failure of the server means; None for a mistake of ours."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    if error.sqlstate is None:  # the connection failed before the server could say why
        return Fault.AWAY if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) else None
    return codes.get(error.sqlstate) or codes.get(error.sqlstate[:2])


def _without_password(url: sa.URL, text: str) -> str:
    return text.replace(str(url.password), "***") if url.password else text

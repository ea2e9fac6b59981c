"""Measured spot markets: those that are shipped, by name, and a user's own, by path."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tradewind.catalog.places import nearest
from tradewind.catalog.traces.arrays import from_npz
from tradewind.catalog.traces.text import from_csv
from tradewind.domain.errors import BadInput, NotFound, Where
from tradewind.domain.trace import SpotTrace

__all__ = ["read_trace", "trace", "traces"]

SHIPPED = Path(__file__).parent / "data"
LARGEST_BYTES = 64_000_000  # of a user's file
_ZIP = b"PK\x03\x04"


def traces() -> tuple[str, ...]:
    """Names of the shipped traces."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.csv")))


def trace(name_or_path: str) -> SpotTrace:
    """A shipped trace by its name, or one of the user's by the path of its file (.csv or .npz).

    Raises:
        NotFound: ``trace-unknown`` (name, nearest, known): neither a shipped name nor a file.
        BadInput: as :func:`read_trace`.
    """
    if name_or_path in traces():
        return _shipped(name_or_path)
    path = Path(name_or_path)
    if not path.exists():
        near = ", ".join(nearest(name_or_path, traces()))
        raise NotFound("trace-unknown", name=name_or_path, nearest=near, known=", ".join(traces()))
    return read_trace(path)


def read_trace(path: Path) -> SpotTrace:
    """The trace in a file of either kind.

    Raises:
        BadInput: ``trace-file-unreadable`` (file, cause), ``trace-file-large`` (file, limit_mb), and what
            :func:`from_csv` and :func:`from_npz` raise.
    """
    where = Where(str(path))
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise BadInput("trace-file-large", where=where, file=path, limit_mb=LARGEST_BYTES // 1_000_000)
        content = path.read_bytes()
    except OSError as error:
        raise BadInput("trace-file-unreadable", where=where, file=path, cause=error.strerror or error) from None
    return from_npz(content, path) if content.startswith(_ZIP) else from_csv(content, path)


@cache
def _shipped(name: str) -> SpotTrace:
    return read_trace(SHIPPED / f"{name}.csv")

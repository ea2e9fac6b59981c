"""A copy of a SQLite file beside it, made before its tables are changed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from tradewind.domain.errors import Unavailable


def write(path: Path, revision: str) -> Path:
    """``NAME.before-REVISION`` with what is committed in ``path``, on disk when this returns; readable by its owner.

    It takes its name when it is whole, so a copy that broke off never stands where a good one did.

    Raises:
        Unavailable: it cannot be written.
    """
    whole = path.with_name(f"{path.name}.before-{revision}")
    part = whole.with_name(f"{whole.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
            source.backup(target)
        _sync(part)
        part.replace(whole)
        _sync(path.parent)
    except (OSError, sqlite3.Error) as error:
        raise Unavailable("database-backup-failed", path=whole, why=error) from error
    return whole


def newest(path: Path) -> Path | None:
    """The backup of the newest revision that lies beside a SQLite file."""
    found = [each for each in path.parent.glob(f"{path.name}.before-*") if each.suffix != ".part"]
    return max(found, default=None)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

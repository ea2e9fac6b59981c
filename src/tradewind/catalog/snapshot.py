"""The snapshot: one SQLite file under the home folder, found, checked, and built when it is missing, stale or damaged.

Its name is ``catalog-INPUTS-CONTENT.sqlite``. INPUTS changes with the size or time of any CSV file, shipped or laid
over it (a change that cannot be missed by reading them: that would cost more than the whole search), CONTENT is the
CRC-32 of the file itself, so a flipped bit in a price is noticed. Reading imports sqlite3 and nothing heavier.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tradewind.catalog.parts import DATA, is_whole, overlay_files, shipped_files
from tradewind.domain.errors import NotConfigured

FORMAT = 2  # counted up when the tables change, so that an older file is not read with newer questions


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A refreshed or own file that could not be trusted and was left out, and why."""

    file: str
    why: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A checked snapshot, ready to be read.

    Attributes:
        date: newest day on which any of its prices was listed, ``YYYY-MM-DD``.
        fingerprint: SHA-256 of the CSV files it was built from.
        origin: ``found`` as it was, ``built`` because there was none, ``rebuilt`` because it was damaged.
        passed_over: what should lie over the shipped files and does not.
    """

    path: Path
    date: str
    fingerprint: str
    origin: Literal["found", "built", "rebuilt"]
    passed_over: tuple[PassedOver, ...]

    def rows(self, question: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows that answer an SQL question."""
        return _ask(self.path, question, values)


def open_snapshot(home: Path, data: Path = DATA, overlays: Path | None = None) -> Snapshot:
    """The snapshot of the CSV files in ``data``, kept under ``home``/catalog; safe for several processes at once.

    Args:
        overlays: the folder with ``refreshed`` and ``own``; it may be missing. None: the shipped data alone.

    Raises:
        NotConfigured: ``catalog-home-unwritable`` (path, cause): it must be built and cannot be stored.
    """
    folder, inputs = home / "catalog", _inputs_key(data, overlays)
    candidates = sorted(folder.glob(f"catalog-{inputs}-*.sqlite"))
    for path in candidates:
        if is_whole(path):
            return _described(path, "found")
    from tradewind.catalog.build import build  # only when needed: the reading path stays light

    try:
        path = build(data, folder, inputs, overlays)
    except (OSError, sqlite3.OperationalError) as error:
        cause = getattr(error, "strerror", None) or error
        raise NotConfigured("catalog-home-unwritable", path=folder, cause=cause) from error
    return _described(path, "rebuilt" if candidates else "built")


def _inputs_key(data: Path, overlays: Path | None) -> str:
    files = shipped_files(data) + overlay_files(overlays)
    stats = [(f"{path.parent.name}/{path.name}", path.stat()) for path in files]
    stamp = f"{FORMAT}|" + "|".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in stats)
    return f"{zlib.crc32(stamp.encode()):08x}"


def _described(path: Path, origin: Literal["found", "built", "rebuilt"]) -> Snapshot:
    meta = dict(_ask(path, "SELECT key, value FROM meta"))
    passed = tuple(PassedOver(*row) for row in _ask(path, "SELECT file, why FROM passed_over"))
    return Snapshot(path, meta["date"], meta["fingerprint"], origin, passed)


def _ask(path: Path, question: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    # immutable: a finished snapshot is never written again, so no locks and no journal are needed.
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        return database.execute(question, tuple(values)).fetchall()

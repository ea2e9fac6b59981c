"""CSV files in, one SQLite file out: written aside, made durable, then named, so that no half is ever seen.

CSV files ─┬─▶ tables ─▶ catalog-INPUTS-CONTENT.sqlite
overlays ──┘
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tradewind.catalog.parts import content_key, is_whole
from tradewind.catalog.tables import fill

KEPT = 2  # snapshots of other versions left beside the newest, for those who share the home folder


def build(data: Path, folder: Path, inputs: str, overlays: Path | None = None) -> Path:
    """The path of a new snapshot in ``folder`` of the CSV files; damaged and outdated ones are removed.

    Two processes may build at once: each writes a file of its own, and both names lead to the same bytes.

    Raises:
        OSError: the folder cannot be written.
        ValueError: the CSV files contradict each other; a fault of the package.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix="building-", dir=folder)
    os.close(handle)
    aside = Path(name)
    try:
        fill(aside, data, overlays)
        content = _settled(aside)
        path = folder / f"catalog-{inputs}-{content_key(content)}.sqlite"
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    _clear(folder, path, inputs)
    return path


def _settled(path: Path) -> bytes:
    """The content of a file that has been forced to the disk, so that a power cut cannot leave a name without it."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        return file.read()


def _clear(folder: Path, current: Path, inputs: str) -> None:
    others = [path for path in folder.glob("catalog-*.sqlite") if path != current]
    same = {path for path in others if path.name.startswith(f"catalog-{inputs}-")}
    damaged = [path for path in same if not is_whole(path)]
    outdated = sorted(set(others) - same, key=_changed, reverse=True)[KEPT:]
    # Another process may be building at this moment; what it left an hour ago, it died with.
    left = [path for path in folder.glob("building-*") if _changed(path) < _changed(current) - 3600]
    for path in damaged + outdated + left:
        path.unlink(missing_ok=True)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # removed by another process meanwhile
        return 0.0

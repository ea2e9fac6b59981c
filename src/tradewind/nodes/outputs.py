"""Fetched outputs: copied aside, compared with their manifest, then given their names."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from tradewind.wire import manifest


def take(told: dict[str, Any], source: Path, into: Path) -> tuple[str, ...]:
    """Copy the files that the manifest ``told`` names from ``source`` into ``into``; their names.

    Nothing appears in ``into`` before all files were found right; what lies there of other names stays.

    Raises:
        ValueError: a file is missing or differs from the manifest, or its name leads out of the folder.
    """
    names = tuple(str(entry["name"]) for entry in told["files"])
    into.mkdir(parents=True, exist_ok=True)
    draft = into / f".fetching-{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        for entry in told["files"]:
            _copy(entry, source, draft)
        for name in names:
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).replace(into / name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return names


def _copy(entry: dict[str, Any], source: Path, draft: Path) -> None:
    name = str(entry["name"])
    place = draft / name
    if not place.resolve().is_relative_to(draft.resolve()):
        raise ValueError(f"{name}: leads out of the outputs")
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copy(source / name, place)
    except FileNotFoundError:
        raise ValueError(f"{name}: is missing") from None
    size, crc = manifest.crc32_of(str(place))
    if size != entry["bytes"] or crc != entry["crc32"]:
        raise ValueError(f"{name}: has {size} bytes and checksum {crc}, not {entry['bytes']} and {entry['crc32']}")

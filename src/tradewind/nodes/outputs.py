"""Files fetched by a manifest: gathered aside, each compared with what the manifest says, then given their names."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tradewind.wire import manifest

Entry = Mapping[str, Any]
# Gets the bytes of these files, by their names, into a folder; what lies there of one is its beginning.
Bring = Callable[[Sequence[Entry], Path], None]
_DRAFT = ".fetching"


def take(told: Mapping[str, Any], bring: Bring, into: Path) -> tuple[str, ...]:
    """The files that the manifest ``told`` names, brought into ``into``; their names.

    Nothing appears in ``into`` before all files were found right; what lies there of other names stays. What was
    gathered before a cut is not brought again, nor is what lies there already.

    Raises:
        ValueError: a file is missing or differs from the manifest, or its name leads out of the folder.
    """
    draft = into / _DRAFT
    into.mkdir(parents=True, exist_ok=True)
    try:
        missing = [entry for entry in told["files"] if _fault(entry, into)]
        gather(missing, bring, draft)
    except ValueError:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    for entry in missing:
        place = into / entry["name"]
        place.parent.mkdir(parents=True, exist_ok=True)
        (draft / entry["name"]).replace(place)
    shutil.rmtree(draft, ignore_errors=True)
    return tuple(str(entry["name"]) for entry in told["files"])


def gather(files: Sequence[Entry], bring: Bring, draft: Path) -> None:
    """Bring files into the folder ``draft``, except those that lie there right already.

    Raises:
        ValueError: as :func:`take`; what is right stays in ``draft``.
    """
    draft.mkdir(parents=True, exist_ok=True)
    wanted = [entry for entry in files if _fault(entry, draft)]
    bring(wanted, draft)
    wrong = _without(wanted, draft)
    if wrong:  # a beginning that lay there was another file's
        bring(wrong, draft)
        faults = [_fault(entry, draft) for entry in wrong]
        if any(faults):
            _without(wrong, draft)
            raise ValueError(next(fault for fault in faults if fault))


def _without(files: Sequence[Entry], draft: Path) -> list[Entry]:
    """The files that are wrong, which are taken away."""
    wrong = [entry for entry in files if _fault(entry, draft)]
    for entry in wrong:
        (draft / entry["name"]).unlink(missing_ok=True)
    return wrong


def _fault(entry: Entry, folder: Path) -> str | None:
    """What is wrong with a file in ``folder``; None when it is as the manifest says.

    Raises:
        ValueError: its name leads out of the folder.
    """
    name = str(entry["name"])
    place = folder / name
    if not place.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"{name}: leads out of the folder")
    if not place.is_file():
        return f"{name}: is missing"
    if place.stat().st_size != entry["bytes"]:
        return f"{name}: has {place.stat().st_size} bytes, not {entry['bytes']}"
    _, crc = manifest.crc32_of(str(place))
    return None if crc == entry["crc32"] else f"{name}: has checksum {crc}, not {entry['crc32']}"

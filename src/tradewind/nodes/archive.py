"""The archive of a workdir: a plain tar whose bytes depend on the files only, and a manifest that says where each lies.

The manifest, a JSON object beside the archive, lists what is in it, a folder before what is in that folder::

    {"v": 1, "entries": [{"name": "a", "kind": "folder", "mode": 493},
                         {"name": "a/run.sh", "kind": "file", "mode": 493, "bytes": 9, "sha256": "…", "offset": 1024},
                         {"name": "b", "kind": "link", "link": "a/run.sh"}]}

``offset`` is that of the file's bytes in the archive, so that a part of it is read without the rest. A name that is not
UTF-8 holds its other bytes as lone surrogates (U+DC80 to U+DCFF), as Python's ``surrogateescape`` has them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from tradewind.domain.errors import BadInput

VERSION = 1
# One date for all: 1980-01-01 UTC, the first that zip files (and so wheels) can hold.
_DATE = 315_532_800
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that goes into an archive: its name there (``/`` between folders), where it lies, a link's target."""

    name: str
    path: Path
    status: os.stat_result
    link: str | None = None


def manifest_path(archive: Path) -> Path:
    """Where the manifest of an archive lies: ``work.json`` beside ``work.tar``."""
    return archive.with_suffix(".json")


def read_manifest(archive: Path) -> list[dict[str, Any]]:
    """The entries of an archive's manifest."""
    entries: list[dict[str, Any]] = json.loads(manifest_path(archive).read_bytes())["entries"]
    return entries


def write(entries: Iterable[Entry], into: Path, shelf: Path | None) -> None:
    """Write archive and manifest, each whole or not at all; on the ``shelf`` there is one copy of the same archive.

    Raises:
        BadInput: ``workdir-unreadable``: a file cannot be read, or became shorter while it was.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    draft, told_draft = (path.with_name(f".{path.name}.{os.getpid()}") for path in (into, manifest_path(into)))
    try:
        with draft.open("wb") as archive:
            told = [line for entry in entries if (line := _add(archive, entry))]
            archive.write(bytes(2 * tarfile.BLOCKSIZE))
        text = json.dumps({"v": VERSION, "entries": told}, separators=(",", ":")).encode()
        told_draft.write_bytes(text)
        if shelf is not None:
            _share(draft, shelf, f"{hashlib.sha256(text).hexdigest()}.tar")
        told_draft.replace(manifest_path(into))
        draft.replace(into)
    finally:
        draft.unlink(missing_ok=True)
        told_draft.unlink(missing_ok=True)


def _add(archive: BinaryIO, entry: Entry) -> dict[str, Any] | None:
    """Put one entry into the archive; its line of the manifest. None for a file that is gone since it was listed."""
    header = tarfile.TarInfo(entry.name)
    header.mtime = _DATE
    mode = entry.status.st_mode
    header.mode = 0o755 if stat.S_ISDIR(mode) or mode & stat.S_IXUSR else 0o644
    told: dict[str, Any] = {"name": entry.name}
    if entry.link is not None:
        header.type, header.linkname = tarfile.SYMTYPE, entry.link
        archive.write(_packed(header))
        return {**told, "kind": "link", "link": entry.link}
    if stat.S_ISDIR(mode):
        header.type = tarfile.DIRTYPE
        archive.write(_packed(header))
        return {**told, "kind": "folder", "mode": header.mode}
    header.size = entry.status.st_size
    try:
        with entry.path.open("rb", buffering=0) as source:
            archive.write(_packed(header))
            offset = archive.tell()
            digest = _copy(source, header.size, archive)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise BadInput("workdir-unreadable", path=entry.name, why=fault.strerror or fault) from fault
    archive.write(bytes(-header.size % tarfile.BLOCKSIZE))
    return {**told, "kind": "file", "mode": header.mode, "bytes": header.size, "sha256": digest, "offset": offset}


def _packed(header: tarfile.TarInfo) -> bytes:
    return header.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


def _copy(source: FileIO, size: int, archive: BinaryIO) -> str:
    """Copy ``size`` bytes of a file into the archive; their sha256."""
    digest = hashlib.sha256()
    while size:
        data = source.read(min(size, _CHUNK))
        if not data:
            raise OSError("it became shorter while it was read")
        digest.update(data)
        archive.write(data)
        size -= len(data)
    return digest.hexdigest()


def _share(draft: Path, shelf: Path, name: str) -> None:
    """Make ``draft`` and the archive of this content on the shelf one file; what no job has any more is taken off.

    Where that cannot be (no hard links there, another disk) the draft stays a copy of its own.
    """
    kept, link = shelf / name, draft.with_name(f"{draft.name}.link")
    try:
        shelf.mkdir(mode=0o700, parents=True, exist_ok=True)
        for each in shelf.iterdir():
            if each != kept and each.stat().st_nlink == 1:
                each.unlink()
        if kept.exists() and kept.stat().st_size == draft.stat().st_size:
            os.link(kept, link)
            link.replace(draft)
        else:
            kept.unlink(missing_ok=True)
            os.link(draft, kept)
    except OSError:  # also: another submit did the same at the same time
        link.unlink(missing_ok=True)

"""The manifest that makes a checkpoint complete, and the one check of it.

A checkpoint is a folder ``step-00000220`` whose ``MANIFEST.json`` was written last::

    {"v": 1, "step": 220, "epoch": 1, "at": 1795000000.0, "files": [{"name", "bytes", "crc32"}]}

``crc32`` is of the whole file, eight hex digits. The training library adds ``save``: which save of the job this was,
from 1, by which it keeps milestones. A folder without a readable manifest, with a missing file, another size or another
checksum is torn, and is never resumed from.

``"kind": "opaque"`` marks a copy of a whole checkpoint folder of a job that does not write such folders itself: its
files, below ``content/``, go back into the checkpoint folder as they were. That they were written to their end was
seen, not said, so it is *unverified*. ``at`` is when the job wrote there last; ``counted``: ``step`` is one that the
job told, else a running number; ``layout`` says when each file was written, and which folders and links there were.

A job's store keeps ``epoch-0001/step-00000220``; the file ``FENCE`` there holds the newest epoch that was started, and
whoever has an older one may not publish.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from typing import Any, Dict, List, Optional, Tuple

VERSION = 1
MANIFEST = "MANIFEST.json"
FENCE = "FENCE"
KIND, OPAQUE = "kind", "opaque"
COUNTED, LAYOUT = "counted", "layout"
# A file of this name in a checkpoint folder: who saves there writes manifests, and what has none is not whole yet.
MARK = ".tradewind"
_FOLDER = re.compile(r"^step-(\d{8,})$")
_EPOCH = re.compile(r"^epoch-(\d{4,})$")
_CHUNK = 1 << 20


def folder_name(step: int) -> str:
    """``step-00000220`` for 220; sorts by step."""
    return "step-{:08d}".format(step)


def step_of(name: str) -> Optional[int]:
    """The step in a checkpoint folder's name, or None for any other name."""
    match = _FOLDER.match(name)
    return int(match.group(1)) if match else None


def epoch_folder(epoch: int) -> str:
    """``epoch-0001`` for 1; sorts by epoch."""
    return "epoch-{:04d}".format(epoch)


def epoch_of(name: str) -> Optional[int]:
    """The epoch in the name of a store's folder, or None for any other name."""
    match = _EPOCH.match(name)
    return int(match.group(1)) if match else None


def crc32_of(path: str) -> Tuple[int, str]:
    """Bytes and crc32 (eight hex digits) of a file."""
    size, crc = 0, 0
    with open(path, "rb") as file:
        while True:
            chunk = file.read(_CHUNK)
            if not chunk:
                return size, "{:08x}".format(crc)
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)


def build(folder: str, step: int, epoch: int, at: float) -> Dict[str, Any]:
    """The manifest of all files that lie in ``folder`` now (subfolders too), names with ``/``."""
    files: List[Dict[str, Any]] = []
    for base, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(base, name)
            relative = os.path.relpath(path, folder).replace(os.sep, "/")
            if relative != MANIFEST:
                size, crc = crc32_of(path)
                files.append({"name": relative, "bytes": size, "crc32": crc})
    return {"v": VERSION, "step": step, "epoch": epoch, "at": at, "files": files}


def read(folder: str) -> Dict[str, Any]:
    """The manifest of ``folder``.

    Raises:
        ValueError: there is none, or it is not one; the text says why.
    """
    try:
        with open(os.path.join(folder, MANIFEST), encoding="utf-8") as file:
            value = json.load(file)
        if not isinstance(value, dict) or not isinstance(value["step"], int):
            raise ValueError("not an object with a step")
        for entry in value["files"]:
            if not (isinstance(entry["name"], str) and isinstance(entry["bytes"], int) and entry["crc32"]):
                raise ValueError("a file entry is incomplete")
        return value
    except FileNotFoundError:
        raise ValueError("no manifest: the save was cut short") from None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise ValueError("manifest unreadable: {}".format(fault)) from None


def check(folder: str) -> Dict[str, Any]:
    """The manifest of ``folder`` after every file was read and its checksum found right.

    Raises:
        ValueError: torn; the text names the file and what is wrong.
    """
    manifest = read(folder)
    for entry in manifest["files"]:
        path = os.path.join(folder, *entry["name"].split("/"))
        if not os.path.isfile(path):
            raise ValueError("{} is missing".format(entry["name"]))
        size, crc = crc32_of(path)
        if size != entry["bytes"]:
            raise ValueError("{} has {} bytes, not {}".format(entry["name"], size, entry["bytes"]))
        if crc != entry["crc32"]:
            raise ValueError("{} has checksum {}, not {}".format(entry["name"], crc, entry["crc32"]))
    return manifest


def nature_of(manifest: Dict[str, Any]) -> Dict[str, Any]:
    """What records say of a checkpoint beside its step: ``saved_at``, ``verified``, ``counted``."""
    verified = manifest.get(KIND) != OPAQUE
    return {"saved_at": manifest.get("at"), "verified": verified, COUNTED: verified or bool(manifest.get(COUNTED))}


def total_bytes(manifest: Dict[str, Any]) -> int:
    """Bytes of all files that a manifest names."""
    return sum(int(entry["bytes"]) for entry in manifest["files"])

"""Files that are whole or not there: written aside, synced, renamed."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from typing import Any, Dict, List, Optional, Tuple

_CHUNK = 1 << 20
_GONE = ".gone-"


def write(path: str, data: bytes) -> None:
    """Write ``data`` whole and synced over whatever was at ``path``; only the owner may read it."""
    draft = os.path.join(os.path.dirname(path), ".{}.{}".format(os.path.basename(path), os.getpid()))
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    sync(os.path.dirname(path))


def write_json(path: str, value: Dict[str, Any]) -> None:
    """Write one JSON object whole and synced."""
    write(path, json.dumps(value, sort_keys=True).encode())


def read_json(path: str) -> Optional[Dict[str, Any]]:
    """The object in a file; None when there is none or it is not whole."""
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def sync(path: str) -> None:
    """Make what is in a file, or the names in a folder, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy_file(source: str, target: str) -> Tuple[int, str]:
    """Copy one file, synced, its permissions with it; bytes and crc32 (eight hex digits) of what was written."""
    size, crc = 0, 0
    with open(source, "rb") as read, open(target, "wb") as written:
        for chunk in iter(lambda: read.read(_CHUNK), b""):
            written.write(chunk)
            size += len(chunk)
            crc = zlib.crc32(chunk, crc)
        written.flush()
        os.fsync(written.fileno())
    shutil.copymode(source, target)
    return size, "{:08x}".format(crc)


def copy_files(source: str, target: str, names: List[str]) -> List[Dict[str, Any]]:
    """Copy the named files (``/`` between folders) into an emptied ``target``; their names, bytes and checksums."""
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    copied, folders = [], {target}
    for name in names:
        place = os.path.join(target, *name.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        folders.add(os.path.dirname(place))
        size, crc = copy_file(os.path.join(source, *name.split("/")), place)
        copied.append({"name": name, "bytes": size, "crc32": crc})
    for folder in sorted(folders):
        sync(folder)
    return copied


def files_under(folder: str) -> List[str]:
    """Names of all files below ``folder``, ``/`` between folders, sorted; links to folders are not followed."""
    found = []
    for base, _, names in os.walk(folder):
        below = os.path.relpath(base, folder).replace(os.sep, "/")
        found += [name if below == "." else below + "/" + name for name in names]
    return sorted(name for name in found if os.path.isfile(os.path.join(folder, name)))


def remove(folder: str) -> None:
    """Take a folder away: renamed first, so that no reader ever sees half of it under its name."""
    base, name = os.path.split(folder)
    aside = os.path.join(base, _GONE + name)
    shutil.rmtree(aside, ignore_errors=True)
    os.rename(folder, aside)
    shutil.rmtree(aside, ignore_errors=True)


def sweep(folder: str, drafts: str) -> None:
    """Finish removals that were cut short in ``folder``, and drop drafts: names that begin with ``drafts``."""
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.startswith((_GONE, drafts)):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)

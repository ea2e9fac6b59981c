"""Files that come in parts: each part goes to its offset, so that one that comes twice does no harm."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Dict, Tuple

from tradewind.agent import disk
from tradewind.agent.door import layout
from tradewind.agent.door.faults import Refused
from tradewind.wire import manifest

_WAIT_SECONDS = 10.0  # for the part before, which another thread is writing
_grew = threading.Condition()


def part_of(path: str) -> str:
    """Where the parts of a file lie until it is whole."""
    base, name = os.path.split(path)
    return os.path.join(base, ".{}.part".format(name))


def size_of(path: str) -> int:
    """Bytes of a file; 0 when there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def grow(path: str, offset: int, body: bytes) -> int:
    """Write ``body`` at ``offset``, when all before it is there; the bytes present then.

    Raises:
        Refused: ``invalid``: what comes before did not come.
        OSError: no room, or no right to write here.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _await(handle, offset)
        written = 0
        while written < len(body):
            written += os.pwrite(handle, memoryview(body)[written:], offset + written)
        return os.fstat(handle).st_size
    finally:
        os.close(handle)
        with _grew:
            _grew.notify_all()


def _await(handle: int, offset: int) -> None:
    until = time.monotonic() + _WAIT_SECONDS
    with _grew:
        while os.fstat(handle).st_size < offset:
            if time.monotonic() > until:
                raise Refused("invalid", "the bytes before {} did not come".format(offset))
            _grew.wait(0.1)


def inside(folder: str, path: str) -> str:
    """The file that ``path`` names below ``folder``; no way leads out of it, over links neither.

    Raises:
        Refused: ``invalid``.
    """
    if "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise Refused("invalid", "{!r} is no path in an instance's folder".format(path))
    place = os.path.join(folder, *path.split("/"))
    if not os.path.realpath(place).startswith(os.path.realpath(folder) + os.sep):
        raise Refused("invalid", "{!r} leads out of the instance's folder".format(path))
    return place


def put(root: str, request: Dict[str, Any], body: bytes) -> Tuple[Dict[str, Any], bytes]:
    """A part of a file for the instance's store."""
    path = _of_store(root, request)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    return {"present": grow(part_of(path), request["offset"], body)}, b""


def put_done(root: str, request: Dict[str, Any], _: bytes) -> Tuple[Dict[str, Any], bytes]:
    """Give the parts their name; parts that are not what was meant are taken away."""
    path = _of_store(root, request)
    part = part_of(path)
    if not os.path.exists(part):
        if os.path.exists(path) and manifest.crc32_of(path)[1] == request["crc32"]:
            return {}, b""  # asked again, since the first answer was lost
        raise Refused("gone", "nothing of {} came".format(request["path"]))
    crc = manifest.crc32_of(part)[1]
    if crc != request["crc32"]:
        os.unlink(part)
        raise Refused("invalid", "{} has checksum {}, not {}".format(request["path"], crc, request["crc32"]))
    disk.sync(part)
    os.replace(part, path)
    disk.sync(os.path.dirname(path))
    return {}, b""


def _of_store(root: str, request: Dict[str, Any]) -> str:
    if not str(request["path"]).startswith(layout.STORE + "/"):
        raise Refused("invalid", "only the store takes files: {!r}".format(request["path"]))
    return inside(layout.folder_of(root, request["id"]), request["path"])


OPERATIONS = {"put": put, "put-done": put_done}

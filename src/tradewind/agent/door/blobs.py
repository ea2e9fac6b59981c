"""What was sent to this host once, by content: a workdir that comes again costs what changed of it.

Small blobs lie one after the other in packs (``blobs/000001.pack``; in ``000001.index`` sha256, offset and length of
each), so that a hundred thousand small files are a few files here; a large one is a file named by its sha256, synced
and checked before it has that name. Packs are not synced: their blobs are checked when they are taken out. What was not
asked for in 30 days is taken away.
"""

from __future__ import annotations

import hashlib
import os
import struct
import time
from typing import Any, Dict, NamedTuple, Optional, Tuple

from tradewind.agent import disk, locks
from tradewind.agent.door import parts
from tradewind.agent.door.faults import Refused
from tradewind.wire.door import CHUNK

FOLDER = "blobs"
_LOCK = "lock"
_PACK, _INDEX = ".pack", ".index"
_PACK_BYTES = 64 << 20
_LINE = struct.Struct(">32sQI")
_KEEP_SECONDS = 30 * 86400.0
_READ = 1 << 20


class Place(NamedTuple):
    """Where a small blob lies."""

    pack: str
    offset: int
    bytes: int


Index = Dict[bytes, Place]


def is_small(size: int) -> bool:
    """Whether a blob of so many bytes lies in a pack."""
    return size < CHUNK


def folder_of(root: str) -> str:
    """The folder of all blobs; made when it is missing."""
    folder = os.path.join(root, FOLDER)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def large_path(folder: str, name: str) -> str:
    """Where the large blob with this sha256 lies, or will."""
    return os.path.join(folder, _digest(name).hex())


def index_of(folder: str) -> Index:
    """Every small blob there is."""
    found: Index = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(_INDEX):
            continue
        pack = os.path.join(folder, name[: -len(_INDEX)] + _PACK)
        held = parts.size_of(pack)
        with open(os.path.join(folder, name), "rb") as file:
            lines = file.read()
        whole = len(lines) - len(lines) % _LINE.size
        for digest, offset, size in _LINE.iter_unpack(lines[:whole]):
            if offset + size <= held:
                found[digest] = Place(pack, offset, size)
    return found


def place_of(index: Index, name: str, size: int) -> Optional[Place]:
    """Where the small blob with this sha256 lies; None when it is not there."""
    place = index.get(_digest(name))
    return place if place and place.bytes == size else None


def drop(pack: str) -> None:
    """Take away a pack that does not hold what its index says."""
    _unlink(pack[: -len(_PACK)] + _INDEX)
    _unlink(pack)


def have(root: str, request: Dict[str, Any], _: bytes) -> Tuple[Dict[str, Any], bytes]:
    """Which of these are missing, and how much of each large one is there; what is there counts as used now."""
    folder = folder_of(root)
    index, missing, used = index_of(folder), [], set()
    for name, size in request["blobs"]:
        if is_small(size):
            place = place_of(index, name, size)
            if place is None:
                missing.append([name, 0])
            else:
                used.add(place.pack)
        elif parts.size_of(large_path(folder, name)) == size:
            used.add(large_path(folder, name))
        else:
            missing.append([name, min(size, parts.size_of(parts.part_of(large_path(folder, name))))])
    for path in used:
        os.utime(path)
    return {"missing": missing}, b""


def take_small(root: str, request: Dict[str, Any], body: bytes) -> Tuple[Dict[str, Any], bytes]:
    """Add small blobs to a pack; all of them, or none when one is not what its name says."""
    lines, at = [], 0
    for name, size in request["items"]:
        digest = hashlib.sha256(body[at : at + size]).digest()
        if digest != _digest(name):
            raise Refused("invalid", "a blob is not what its name says: {}".format(name))
        lines.append((digest, at, size))
        at += size
    folder = folder_of(root)
    with locks.alone(os.path.join(folder, _LOCK)):
        pack = _open_pack(folder)
        with open(pack, "ab") as file, open(pack[: -len(_PACK)] + _INDEX, "ab") as index:
            start = file.tell()
            try:
                file.write(body)
                file.flush()
            except OSError:
                os.ftruncate(file.fileno(), start)
                raise
            index.truncate(index.tell() - index.tell() % _LINE.size)
            index.write(b"".join(_LINE.pack(digest, start + at, size) for digest, at, size in lines))
    return {}, b""


def take_part(root: str, request: Dict[str, Any], body: bytes) -> Tuple[Dict[str, Any], bytes]:
    """Add a part of a large blob; the last one gives it its name, if it is what that says."""
    path, size, offset = large_path(folder_of(root), request["sha256"]), int(request["bytes"]), int(request["offset"])
    if parts.size_of(path) == size:
        return {"present": size}, b""
    part = parts.part_of(path)
    present = parts.grow(part, offset, body)
    if offset + len(body) < size:  # whoever brought the last bytes sees to the rest
        return {"present": present}, b""
    with open(part, "rb") as file:
        digest = hashlib.sha256()
        for chunk in iter(lambda: file.read(_READ), b""):
            digest.update(chunk)
        os.fsync(file.fileno())
    if digest.hexdigest() != request["sha256"]:
        os.unlink(part)
        raise Refused("invalid", "a blob is not what its name says: {}".format(request["sha256"]))
    os.replace(part, path)
    disk.sync(os.path.dirname(path))
    return {"present": size}, b""


def prune(root: str) -> None:
    """Take away what was not asked for in a long time."""
    folder, oldest = folder_of(root), time.time() - _KEEP_SECONDS
    with locks.alone(os.path.join(folder, _LOCK)):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name == _LOCK or name.endswith(_INDEX) or _used_at(path) > oldest:
                continue
            if name.endswith(_PACK):
                drop(path)
            else:
                _unlink(path)


def _used_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except FileNotFoundError:  # a part that got its name meanwhile
        return float("inf")


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _digest(name: str) -> bytes:
    try:
        digest = bytes.fromhex(name)
    except ValueError:
        digest = b""
    if len(digest) != hashlib.sha256().digest_size:
        raise Refused("invalid", "not a sha256: {!r}".format(name))
    return digest


def _open_pack(folder: str) -> str:
    """The pack that grows; a full one is followed by a new one."""
    packs = sorted(name for name in os.listdir(folder) if name.endswith(_PACK))
    if packs and parts.size_of(os.path.join(folder, packs[-1])) < _PACK_BYTES:
        return os.path.join(folder, packs[-1])
    number = int(packs[-1][: -len(_PACK)]) + 1 if packs else 1
    return os.path.join(folder, "{:06d}{}".format(number, _PACK))


OPERATIONS = {"have": have, "blobs": take_small, "part": take_part}

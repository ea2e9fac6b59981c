"""The workdir written from its manifest (see ``nodes.archive``) and the blobs that were sent."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Set, Tuple

from tradewind.agent.door import blobs
from tradewind.agent.door.faults import Refused

_FOLDER_MODE = 0o700
_WRITERS, _WRITTEN_AT_ONCE = 8, 512
_NAMES_AT_FAULT = (errno.EILSEQ, errno.ENAMETOOLONG, errno.EEXIST)


class Blobs:
    """The blobs of a host, for writing files from them."""

    def __init__(self, root: str) -> None:
        self._folder = blobs.folder_of(root)
        self._index = blobs.index_of(self._folder)

    def write(self, name: str, size: int, path: bytes, mode: int) -> None:
        """Write the blob with this sha256 to ``path``.

        Raises:
            Refused: ``gone``: it is not there, or not what its name says; send it again.
            OSError: ``path`` cannot be written.
        """
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            os.fchmod(handle, mode)
            if blobs.is_small(size):
                _write(handle, self._small(name, size) if size else b"")
            else:
                self._copy_large(name, size, path)
        finally:
            os.close(handle)

    def _small(self, name: str, size: int) -> bytes:
        place = blobs.place_of(self._index, name, size)
        if place is None:
            raise _missing(name)
        try:
            with open(place.pack, "rb") as file:
                data = os.pread(file.fileno(), size, place.offset)
        except FileNotFoundError:
            raise _missing(name) from None
        if hashlib.sha256(data).hexdigest() != name:
            blobs.drop(place.pack)
            raise _missing(name)
        return data

    def _copy_large(self, name: str, size: int, path: bytes) -> None:
        source = blobs.large_path(self._folder, name)
        if not os.path.exists(source):
            raise _missing(name)
        shutil.copyfile(os.fsencode(source), path)
        if os.stat(path).st_size != size:
            os.unlink(source)
            raise _missing(name)


def lay_out(entries: List[Dict[str, Any]], into: str, source: Blobs) -> None:
    """Write all entries into ``into``, which is emptied first; nothing is written outside it.

    Raises:
        Refused: ``gone``: a blob is missing; ``invalid``: an entry leads out of the folder, or cannot be named here.
        OSError: no room.
    """
    empty(into)
    top, folders, files = os.fsencode(into), {b""}, []
    for entry in entries:
        name = _name(entry["name"], folders)
        path = os.path.join(top, name)
        with _naming(entry):
            if entry["kind"] == "folder":
                os.mkdir(path, _FOLDER_MODE)
                os.chmod(path, entry["mode"])
                folders.add(name)
            elif entry["kind"] == "link":
                os.symlink(_target(entry["link"], name), path)
            else:
                files.append((entry, path))
    _write_all(files, source)


def _write_all(files: List[Tuple[Dict[str, Any], bytes]], source: Blobs) -> None:
    """Several at a time: making a file waits for the disk, and on a network file system for long."""

    def write(file: Tuple[Dict[str, Any], bytes]) -> None:
        entry, path = file
        with _naming(entry):
            source.write(entry["sha256"], entry["bytes"], path, entry["mode"])

    with ThreadPoolExecutor(_WRITERS) as pool:
        for start in range(0, len(files), _WRITTEN_AT_ONCE):  # one that fails stops those to come
            list(pool.map(write, files[start : start + _WRITTEN_AT_ONCE]))


@contextmanager
def _naming(entry: Dict[str, Any]) -> Iterator[None]:
    """A name that this host's file system cannot hold is the work's fault, not the host's."""
    try:
        yield
    except OSError as fault:
        if fault.errno not in _NAMES_AT_FAULT:
            raise
        raise Refused("invalid", "this host cannot hold {!r}: {}".format(entry["name"], fault.strerror)) from None


def empty(folder: str) -> None:
    """Make a folder, without what a start that was cut short left there."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder, _FOLDER_MODE)


def unzip(path: str, into: str) -> None:
    """The library as a folder on PYTHONPATH."""
    empty(into)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(into)


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def _missing(name: str) -> Refused:
    return Refused("gone", "the blob {} is not here any more".format(name), {"blob": name})


def _name(name: str, folders: Set[bytes]) -> bytes:
    """The name in bytes, as it was packed; its folder was written before it."""
    raw = name.encode("utf-8", "surrogateescape")
    base, last = os.path.split(raw)
    if base not in folders or last in (b"", b".", b"..") or b"\0" in raw:
        raise Refused("invalid", "{!r} is no name in a workdir".format(name))
    return raw


def _target(link: str, name: bytes) -> bytes:
    """A link's target; it stays in the workdir, since folders on its way are folders."""
    raw = link.encode("utf-8", "surrogateescape")
    ends = os.path.normpath(os.path.join(os.path.dirname(name), raw))
    if os.path.isabs(ends) or ends == b".." or ends.startswith(b"../"):
        raise Refused("invalid", "the link {!r} leads out of the workdir".format(name))
    return raw

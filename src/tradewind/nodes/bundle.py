"""The workdir as one archive: the same files give the same bytes, and nothing travels that should not."""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tradewind.domain.errors import BadInput
from tradewind.nodes.ignore import Rules, above

# As docs/job-file.md states under `workdir`.
MAX_BYTES, MAX_FILES = 500 * 10**6, 20_000
_LARGEST_NAMED = 5
# One date for all: 1980-01-01 UTC, the first that zip files (and so wheels) can hold.
_DATE = 315_532_800
_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """An archive of a workdir.

    Attributes:
        path: the gzipped tar file.
        files, bytes: how many files it holds, and their size before compression.
        left_out: what stayed behind although no rule says so, each with why: links out of the workdir, sockets.
    """

    path: Path
    files: int
    bytes: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    path: Path
    status: os.stat_result
    link: str | None = None


def pack(workdir: Path, into: Path, leave_out: Sequence[Path] = ()) -> Bundle:
    """Write the archive of ``workdir`` to the file ``into``.

    Args:
        workdir: what travels; every ``.gitignore`` in it and above it is honoured, ``.git`` always stays behind.
        into: the archive's path, ``.tar.gz``; written whole or not at all.
        leave_out: folders that stay behind wherever they lie (our own state, when it lies in the workdir).

    Raises:
        BadInput: ``workdir-missing``, ``workdir-unreadable``, ``workdir-too-large``.
    """
    top = workdir.resolve()
    if not top.is_dir():
        raise BadInput("workdir-missing", path=workdir)
    left_out: list[str] = []
    hidden = frozenset(path.resolve() for path in (*leave_out, into))
    entries = list(_entries(top, top, above(top), hidden, left_out))
    files = [entry for entry in entries if not stat.S_ISDIR(entry.status.st_mode)]
    size = sum(entry.status.st_size for entry in files if entry.link is None)
    if size > MAX_BYTES or len(files) > MAX_FILES:
        raise BadInput("workdir-too-large", path=workdir, files=len(files), size=words(size), largest=_largest(files))
    _write(entries, into)
    return Bundle(into, len(files), size, tuple(left_out))


def _entries(folder: Path, top: Path, rules: Rules, hidden: frozenset[Path], left_out: list[str]) -> Iterator[_Entry]:
    """All that travels of ``folder``, by name; a folder before what is in it."""
    rules = rules.within(folder)
    try:
        found = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError as fault:
        raise _unreadable(folder, top, fault) from fault
    for each in found:
        path, is_folder = Path(each.path), each.is_dir(follow_symlinks=False)
        if path in hidden or rules.ignores(path, folder=is_folder):
            continue
        entry = _entry(path, top, left_out)
        if entry is None:
            continue
        yield entry
        if is_folder:
            yield from _entries(path, top, rules, hidden, left_out)


def _entry(path: Path, top: Path, left_out: list[str]) -> _Entry | None:
    name = path.relative_to(top).as_posix()
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return _link(name, path, status, top, left_out)
    except OSError as fault:
        raise _unreadable(path, top, fault) from fault
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        left_out.append(f"{name} (neither file nor folder)")
        return None
    if not os.access(path, os.R_OK):
        raise BadInput("workdir-unreadable", path=name, why="permission denied")
    return _Entry(name, path, status)


def _link(name: str, path: Path, status: os.stat_result, top: Path, left_out: list[str]) -> _Entry | None:
    """A link that stays inside the workdir, as a relative one; None for one that leads out."""
    target = Path(os.path.normpath(path.parent.resolve() / path.readlink()))
    target = target.parent.resolve() / target.name
    if not target.is_relative_to(top) or not path.resolve().is_relative_to(top):
        left_out.append(f"{name} (a link to {path.readlink()}, outside the workdir)")
        return None
    return _Entry(name, path, status, os.path.relpath(target, path.parent.resolve()))


def _unreadable(path: Path, top: Path, fault: OSError) -> BadInput:
    return BadInput("workdir-unreadable", path=path.relative_to(top).as_posix(), why=fault.strerror or fault)


def _largest(files: list[_Entry]) -> str:
    """The largest of what lies at the top of the workdir: ``data (300 MB, 12 files), a.bin (9 MB)``."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for entry in files:
        first = entry.name.split("/")[0]
        sizes[first] += entry.status.st_size
        counts[first] += 1
    ranked = sorted(sizes, key=lambda name: (-max(sizes[name] / MAX_BYTES, counts[name] / MAX_FILES), name))
    folders = {entry.name.split("/")[0] for entry in files if "/" in entry.name}
    told = [
        f"{name} ({words(sizes[name])}, {counts[name]} files)" if name in folders else f"{name} ({words(sizes[name])})"
        for name in ranked[:_LARGEST_NAMED]
    ]
    return ", ".join(told)


def words(size: int) -> str:
    """Bytes as people read them: ``300 MB``, ``1.5 GB``, ``12 kB``."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}".replace(".0 ", " ")
    return f"{size} B"


def _write(entries: list[_Entry], into: Path) -> None:
    into.parent.mkdir(parents=True, exist_ok=True)
    draft = into.with_name(f".{into.name}.{os.getpid()}")
    try:
        with (
            draft.open("wb") as raw,
            gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as squeezed,
            tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for entry in entries:
                _add(archive, entry)
        draft.replace(into)
    finally:
        draft.unlink(missing_ok=True)


def _add(archive: tarfile.TarFile, entry: _Entry) -> None:
    told = tarfile.TarInfo(entry.name)
    told.mtime = _DATE
    mode = entry.status.st_mode
    told.mode = 0o755 if stat.S_ISDIR(mode) or mode & stat.S_IXUSR else 0o644
    if entry.link is not None:
        told.type, told.linkname = tarfile.SYMTYPE, entry.link
        archive.addfile(told)
    elif stat.S_ISDIR(mode):
        told.type = tarfile.DIRTYPE
        archive.addfile(told)
    else:
        told.size = entry.status.st_size
        try:
            with entry.path.open("rb") as file:
                archive.addfile(told, file)
        except OSError as fault:  # a file that became shorter while it was read is one, too
            raise BadInput("workdir-unreadable", path=entry.name, why=fault.strerror or fault) from fault


def unpack(archive: Path, into: Path) -> None:
    """Extract an archive into the folder ``into``; nothing in it can reach outside.

    Raises:
        tarfile.FilterError: an entry would; nothing of ours writes such an archive.
    """
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "r:gz") as opened:
        opened.extractall(into, filter="data")

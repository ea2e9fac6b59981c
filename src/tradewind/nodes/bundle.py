"""The workdir as one archive: the same files give the same bytes, and nothing travels that should not."""

from __future__ import annotations

import os
import stat
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tradewind.domain.errors import BadInput
from tradewind.nodes import archive
from tradewind.nodes.archive import Entry
from tradewind.nodes.ignore import Rules, above

# As docs/job-file.md states under `workdir`.
MAX_BYTES, MAX_FILES = 500 * 10**6, 20_000
_LARGEST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Bundle:
    """An archive of a workdir.

    Attributes:
        path: the tar file; its manifest (see ``nodes.archive``) lies beside it.
        files, bytes: how many files it holds, and their size.
        left_out: what stayed behind although no rule says so, each with why: links out of the workdir, sockets.
    """

    path: Path
    files: int
    bytes: int
    left_out: tuple[str, ...]


def pack(
    workdir: Path, into: Path, leave_out: Sequence[Path] = (), shelf: Path | None = None,
    most_bytes: int = MAX_BYTES, most_files: int = MAX_FILES,
) -> Bundle:  # fmt: skip
    """Write the archive of ``workdir`` to the file ``into``, and its manifest beside it.

    Args:
        workdir: what travels; every ``.gitignore`` in it and above it is honoured, ``.git`` always stays behind.
        into: the archive's path, ``.tar``; written whole or not at all.
        leave_out: folders that stay behind wherever they lie (our own state, when it lies in the workdir).
        shelf: a folder of archives by content: the same work packed again for another job takes no disk a second time.
        most_bytes, most_files: what is more is refused.

    Raises:
        BadInput: ``workdir-missing``, ``workdir-unreadable``, ``workdir-too-large``.
    """
    top = workdir.resolve()
    if not top.is_dir():
        raise BadInput("workdir-missing", path=workdir)
    left_out: list[str] = []
    hidden = frozenset(path.resolve() for path in (*leave_out, into, archive.manifest_path(into)))
    entries = list(_entries(top, top, above(top), hidden, left_out))
    files = [entry for entry in entries if not stat.S_ISDIR(entry.status.st_mode)]
    size = sum(entry.status.st_size for entry in files if entry.link is None)
    if size > most_bytes or len(files) > most_files:
        largest = _largest(files, most_bytes, most_files)
        raise BadInput("workdir-too-large", path=workdir, files=len(files), size=words(size),
                       largest=", ".join(largest.values()), first=next(iter(largest)))  # fmt: skip
    archive.write(entries, into, shelf)
    return Bundle(into, len(files), size, tuple(left_out))


def _entries(folder: Path, top: Path, rules: Rules, hidden: frozenset[Path], left_out: list[str]) -> Iterator[Entry]:
    """All that travels of ``folder``, by name; a folder before what is in it."""
    rules = rules.within(folder)
    try:
        found = sorted(os.scandir(folder), key=lambda each: each.name)
    except FileNotFoundError:  # gone since it was seen: others may be at work in the workdir
        return
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


def _entry(path: Path, top: Path, left_out: list[str]) -> Entry | None:
    name = path.relative_to(top).as_posix()
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return _link(name, path, status, top, left_out)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise _unreadable(path, top, fault) from fault
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        left_out.append(f"{name} (neither file nor folder)")
        return None
    if not os.access(path, os.R_OK):
        if not path.exists():
            return None
        raise BadInput("workdir-unreadable", path=name, why="permission denied")
    return Entry(name, path, status)


def _link(name: str, path: Path, status: os.stat_result, top: Path, left_out: list[str]) -> Entry | None:
    """A link that stays inside the workdir, as a relative one; None for one that leads out."""
    target = Path(os.path.normpath(path.parent.resolve() / path.readlink()))
    target = target.parent.resolve() / target.name
    if not target.is_relative_to(top) or not path.resolve().is_relative_to(top):
        left_out.append(f"{name} (a link to {path.readlink()}, outside the workdir)")
        return None
    return Entry(name, path, status, os.path.relpath(target, path.parent.resolve()))


def _unreadable(path: Path, top: Path, fault: OSError) -> BadInput:
    return BadInput("workdir-unreadable", path=path.relative_to(top).as_posix(), why=fault.strerror or fault)


def _largest(files: list[Entry], most_bytes: int, most_files: int) -> dict[str, str]:
    """The largest of what lies at the top of the workdir: ``{"data/": "data (300 MB, 12 files)", "a": "a (9 MB)"}``."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for entry in files:
        first = entry.name.split("/")[0]
        sizes[first] += entry.status.st_size
        counts[first] += 1
    ranked = sorted(sizes, key=lambda name: (-max(sizes[name] / most_bytes, counts[name] / most_files), name))
    folders = {entry.name.split("/")[0] for entry in files if "/" in entry.name}
    told: dict[str, str] = {}
    for name in ranked[:_LARGEST_NAMED]:
        if name in folders:
            told[f"{name}/"] = f"{name} ({words(sizes[name])}, {counts[name]} files)"
        else:
            told[name] = f"{name} ({words(sizes[name])})"
    return told


def words(size: int) -> str:
    """Bytes as people read them: ``300 MB``, ``1.5 GB``, ``12 kB``."""
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}".replace(".0 ", " ")
    return f"{size} B"


def unpack(path: Path, into: Path) -> None:
    """Extract an archive into the folder ``into``; nothing in it can reach outside.

    Raises:
        tarfile.FilterError: an entry would; nothing of ours writes such an archive.
    """
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "r:") as opened:
        opened.extractall(into, filter="data")

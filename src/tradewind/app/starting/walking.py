"""What lies in a folder: names and sizes, within bounds, so that 40 GB of data or a million files hold nobody up."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tradewind.nodes.ignore import Rules, above

MOST_FILES = 30_000
MOST_OF_A_FOLDER = 10_000
# Looked into after everything else: large, and hardly ever what somebody wrote.
_LATER = frozenset({"node_modules", "__pycache__", "venv", "env", "site-packages", "build", "dist", "wandb", "mlruns"})


@dataclass(frozen=True, slots=True)
class File:
    """A file by its path below the folder, with ``/``; ``travels``: it would be sent to a node."""

    name: str
    bytes: int
    travels: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a folder, those near its top first; not ``complete``: there are more."""

    files: tuple[File, ...]
    complete: bool

    def below(self, folder: str) -> tuple[File, ...]:
        """The files in ``folder`` and deeper."""
        return tuple(file for file in self.files if file.name.startswith(f"{folder}/"))


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path
    name: str
    rules: Rules
    travels: bool


def listing(top: Path, most: int = MOST_FILES, most_of_a_folder: int = MOST_OF_A_FOLDER) -> Listing:
    """The files below ``top``, at most ``most``, and of each folder at most ``most_of_a_folder`` entries.

    Links to folders are not followed; what cannot be read, and names that are no text, are passed over.
    """
    files: list[File] = []
    soon, later = deque([_Folder(top, "", above(top.resolve()), True)]), deque[_Folder]()
    whole = True
    while (soon or later) and len(files) < most:
        folder = (soon or later).popleft()
        rules = folder.rules.within(folder.path.resolve()) if folder.travels else folder.rules
        entries = list(islice(_entries(folder.path), most_of_a_folder + 1))
        whole = whole and len(entries) <= most_of_a_folder
        for entry in sorted(entries[:most_of_a_folder], key=lambda each: each.name):
            name = f"{folder.name}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            travels = folder.travels and not rules.ignores(folder.path.resolve() / entry.name, folder=is_folder)
            if is_folder:
                inner = _Folder(folder.path / entry.name, f"{name}/", rules, travels)
                hidden = entry.name.startswith(".") or entry.name in _LATER
                (later if hidden or not travels else soon).append(inner)
            elif entry.is_file():
                files.append(File(name, _bytes(entry), travels))
    return Listing(tuple(files[:most]), whole and not soon and not later and len(files) <= most)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            yield from (entry for entry in found if entry.name.isprintable() and entry.name != ".git")
    except OSError:
        return


def _bytes(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except OSError:
        return 0

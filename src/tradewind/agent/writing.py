"""Whether a process of the job is writing a file: open for writing, or mapped so that stores reach it."""

from __future__ import annotations

import os
from typing import Iterable, Optional, Set, Tuple

_PROC = "/proc"
Identity = Tuple[int, int]  # device, inode


def written(files: Set[Identity], pids: Iterable[int]) -> Optional[bool]:
    """Whether one of the processes may still write one of the files; None when that cannot be seen of all of them."""
    if not os.path.isdir(_PROC + "/self"):
        return None
    unseen = False
    for pid in pids:
        try:
            if _has_open(pid, files) or _has_mapped(pid, {inode for _, inode in files}):
                return True
        except PermissionError:
            unseen = True
        except OSError:
            continue  # it ended meanwhile
    return None if unseen else False


def _has_open(pid: int, files: Set[Identity]) -> bool:
    for number in os.listdir("{}/{}/fd".format(_PROC, pid)):
        try:
            status = os.stat("{}/{}/fd/{}".format(_PROC, pid, number))
            if (status.st_dev, status.st_ino) in files and _for_writing(pid, number):
                return True
        except PermissionError:
            raise
        except OSError:
            continue  # closed meanwhile
    return False


def _for_writing(pid: int, number: str) -> bool:
    with open("{}/{}/fdinfo/{}".format(_PROC, pid, number), encoding="ascii", errors="replace") as file:
        flags = next((int(line.split()[1], 8) for line in file if line.startswith("flags:")), os.O_RDWR)
    return flags & os.O_ACCMODE != os.O_RDONLY


def _has_mapped(pid: int, inodes: Set[int]) -> bool:
    """By inode alone: some file systems name another device here than ``stat`` does; a mistake only costs a wait."""
    with open("{}/{}/maps".format(_PROC, pid), encoding="utf-8", errors="replace") as file:
        for line in file:
            _, rights, _, _, inode = line.split(None, 5)[:5]
            if rights[1] == "w" and rights[3] == "s" and int(inode) in inodes:
                return True
    return False

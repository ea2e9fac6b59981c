"""The checkpoint folder of a script that writes no manifests: what lies in it, and when it may be taken as it lies.

    look ─▶ new? ─▶ as it was two seconds ago? ─▶ does nobody write? ─▶ quiet: may be taken

Where it cannot be seen who writes (beyond Linux, in another user's container) only a long quiet counts. Logs hold
nothing up: they are written all the time and no script starts from them.
"""

from __future__ import annotations

import fnmatch
import os
import stat
import time
from typing import Callable, Dict, Iterator, NamedTuple, Optional, Set, Tuple

from tradewind.agent.writing import Identity
from tradewind.wire import manifest
from tradewind.wire.shelf import DRAFT, names

STILL_SECONDS, UNSEEN_STILL_SECONDS = 2.0, 30.0
LOOK_SECONDS = 0.5
_LOOK_SHARE = 200  # a look at very many files is not repeated before so many times what it took: the agent stays small
_LOGS = ("*.log", "events.out.tfevents.*")


class Stamp(NamedTuple):
    """How a file looks. ``changed`` is the system's own word, in nanoseconds, which no program can set back."""

    device: int
    inode: int
    bytes: int
    changed: int
    modified: int


class State(NamedTuple):
    """What lies in the folder, names with ``/``: files, logs among them apart, folders' times (ns), inner links."""

    files: Dict[str, Stamp]
    logs: Dict[str, Stamp]
    folders: Dict[str, int]
    links: Dict[str, str]

    def like(self, other: Optional["State"]) -> bool:
        """Whether a script would start from the same thing."""
        return other is not None and (self.files, self.links) == (other.files, other.links)

    def written_at(self) -> float:
        """When the script wrote last, seconds since the epoch."""
        return max((stamp.changed for stamp in self.files.values()), default=0) / 1e9

    def identities(self) -> Set[Identity]:
        """By what the system knows the files, logs left out."""
        return {(stamp.device, stamp.inode) for stamp in self.files.values()}


def is_plain(folder: str) -> bool:
    """Whether nothing in the folder comes from the training library: it saves by itself, and better."""
    return not os.path.exists(os.path.join(folder, manifest.MARK)) and not any(
        manifest.step_of(name[len(DRAFT) :]) is not None
        if name.startswith(DRAFT)
        else manifest.step_of(name) is not None and os.path.exists(os.path.join(folder, name, manifest.MANIFEST))
        for name in names(folder)
    )


def scan(folder: str) -> State:
    """What lies in the folder now.

    Raises:
        OSError: something went away meanwhile.
    """
    state = State({}, {}, {}, {})
    for name, path in _below(folder):
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            target = _inner(folder, path)
            if target is not None:
                state.links[name] = target
                continue
            status = os.stat(path)  # what lies elsewhere is taken by its contents, folders are not
        elif stat.S_ISDIR(status.st_mode):
            state.folders[name] = status.st_mtime_ns
        if stat.S_ISREG(status.st_mode):
            kind = state.logs if _is_log(name) else state.files
            kind[name] = Stamp(status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns, status.st_mtime_ns)
    return state


def _below(folder: str) -> Iterator[Tuple[str, str]]:
    """Name and path of everything in the folder, at any depth; links are not followed."""
    waiting = [""]
    while waiting:
        above = waiting.pop()
        with os.scandir(os.path.join(folder, above)) as entries:
            for entry in entries:
                name = above + entry.name
                yield name, entry.path
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name + "/")


def _inner(folder: str, path: str) -> Optional[str]:
    """What a link says, when it is relative and leads to something in the folder."""
    target = os.readlink(path)
    leads = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return None if os.path.isabs(target) or not leads.startswith(os.path.join(folder, "")) else target


def _is_log(name: str) -> bool:
    return any(fnmatch.fnmatch(name.rpartition("/")[2], pattern) for pattern in _LOGS)


class Watch:
    """Looks at the folder every so often.

    ``quiet``: the newest state seen, once it may be taken; ``step``: what the script had told when it was first seen.
    """

    def __init__(self, folder: str, written: Callable[[Set[Identity]], Optional[bool]]) -> None:
        self._folder, self._written = folder, written
        self._known: Optional[State] = None
        self._seen: Optional[State] = None
        self._since = self._look_at = 0.0
        self.quiet: Optional[State] = None
        self.step = -1

    def know(self, state: Optional[State] = None) -> None:
        """A state, by default the present one, is nothing new: it was taken, or lay there before the script began."""
        self._known = self.present() if state is None else state
        self.quiet = None

    def look(self, now: float, step: int) -> None:
        """Look, when it is time to; ``step``: the last one that the script told."""
        if now < self._look_at:
            return
        began = time.perf_counter()
        self._see(now, step)
        self._look_at = now + max(LOOK_SECONDS, _LOOK_SHARE * (time.perf_counter() - began))

    def _see(self, now: float, step: int) -> None:
        state = self.new()
        if state is None or not state.like(self._seen):
            self._seen, self._since, self.step, self.quiet = state, now, step, None
            return
        if self.quiet is None and now - self._since >= STILL_SECONDS:
            busy = self._written(state.identities())
            if busy is False or (busy is None and now - self._since >= UNSEEN_STILL_SECONDS):
                self.quiet = state

    def new(self) -> Optional[State]:
        """What lies there now, when it is the work of a script that writes no manifests, and not yet known."""
        state = self.present() if is_plain(self._folder) else None
        return state if state and state.files and not state.like(self._known) else None

    def present(self) -> Optional[State]:
        """What lies there now; None when it cannot be read, or something went away meanwhile."""
        try:
            return scan(self._folder)
        except OSError:
            return None

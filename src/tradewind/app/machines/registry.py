"""The registry: the user's machines, one file each in the home, read again whenever a file has changed.

``NAME.json``          the machine as it was added, with what its last check found
``NAME.removed.json``  when it was removed
"""

from __future__ import annotations

import json
import os
import re
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

from tradewind.domain.errors import BadInput, NotFound
from tradewind.domain.machine import Machine
from tradewind.domain.money import Money

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_FILE, _REMOVED = ".json", ".removed.json"
Stamp = tuple[int, int, int]  # of a file: its number, size and the time of its last change


class Registry:
    """The machines of one home. Several processes may use it: a file is written whole, and nothing is kept for long."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._read: dict[str, tuple[Stamp, Machine]] = {}

    def names(self) -> tuple[str, ...]:
        """The names of all machines, in order."""
        return tuple(each for each in self._files(_FILE) if not each.endswith(".removed"))

    def all(self) -> tuple[Machine, ...]:
        """All machines, by name. Raises as :meth:`get`."""
        found = map(self.get, self.names())
        return tuple(each for each in found if each is not None)

    def get(self, name: str) -> Machine | None:
        """The machine of that name; None when there is none.

        Raises:
            BadInput: ``machine-unreadable`` (path, cause): its file is damaged.
        """
        path = self._folder / f"{name}{_FILE}"
        try:
            there = path.stat()
            stamp = there.st_ino, there.st_size, there.st_mtime_ns
            with self._lock:
                known = self._read.get(name)
                if known is None or known[0] != stamp:
                    known = self._read[name] = stamp, _machine(json.loads(path.read_text()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise BadInput("machine-unreadable", path=path, cause=repr(error)) from error
        return known[1]

    def require(self, name: str) -> Machine:
        """The machine of that name.

        Raises:
            NotFound: ``machine-not-added`` (name, known).
            BadInput: as :meth:`get`.
        """
        found = self.get(name)
        if found is None:
            raise NotFound("machine-not-added", name=name, known=", ".join(self.names()))
        return found

    def write(self, machine: Machine) -> None:
        """Add a machine, or put it in place of the one of its name."""
        self._write(f"{machine.name}{_FILE}", _told(machine))
        (self._folder / f"{machine.name}{_REMOVED}").unlink(missing_ok=True)

    def retire(self, name: str, now: datetime) -> None:
        """Take a machine out."""
        self._write(f"{name}{_REMOVED}", {"removed_at": now.isoformat()})
        (self._folder / f"{name}{_FILE}").unlink(missing_ok=True)

    def removed(self) -> tuple[str, ...]:
        """The names of machines that were taken out, and are not there again."""
        return self._files(_REMOVED)

    def _files(self, ending: str) -> tuple[str, ...]:
        try:
            found = sorted(each.name for each in self._folder.iterdir())
        except FileNotFoundError:
            return ()
        return tuple(each.removesuffix(ending) for each in found if each.endswith(ending) and each[0] != ".")

    def _write(self, file: str, value: dict[str, Any]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self._folder / f".{file}.{os.getpid()}"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump(value, out, indent=2)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(self._folder / file)


def require_name(name: str) -> str:
    """The name, when a machine may have it.

    Raises:
        BadInput: ``machine-name-unreadable`` (name).
    """
    if not _NAME.fullmatch(name) or name.endswith(".removed"):
        raise BadInput("machine-name-unreadable", name=name)
    return name


def name_for(host: str, taken: tuple[str, ...]) -> str:
    """A name for a host that is not taken: its first label, or its address, numbered where need be."""
    label = host if re.fullmatch(r"[\d.]+|.*:.*", host) else host.partition(".")[0]
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", label).strip("-._")[:50] or "machine"
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (base, *numbered) if each not in taken)


def _told(machine: Machine) -> dict[str, Any]:
    told = {name: getattr(machine, name) for name in Machine.__slots__}
    price = machine.price.to_json() if machine.price else None
    return told | {"price": price, "added_at": machine.added_at.isoformat()}


def _machine(told: dict[str, Any]) -> Machine:
    """The inverse of :func:`_told`; what a later version wrote besides is passed over."""
    known = {name: told[name] for name in Machine.__slots__ if name in told}
    gpus = told.get("gpus")
    return Machine(**known | {
        "added_at": datetime.fromisoformat(told["added_at"]), "host_keys": tuple(told["host_keys"]),
        "price": Money.from_json(told["price"]) if told.get("price") else None,
        "gpus": None if gpus is None else tuple(int(each) for each in gpus),
    })  # fmt: skip

"""One supervisor a home: a file that it keeps locked. Who asks never starts one by accident."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tradewind.app.views.values import instant
from tradewind.ports.clock import Clock

_TRIES, _PAUSE = 20, 0.1  # somebody may be asking just now: holding it for an instant


class SupervisorLock:
    """Held from ``take`` until ``drop`` or the end of the process."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._file: int | None = None

    def take(self) -> bool:
        """Whether this process is now the supervisor of the home."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        for _ in range(_TRIES):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._clock.sleep(_PAUSE)
                continue
            held = {"pid": os.getpid(), "host": socket.gethostname(), "since": instant(self._clock.now())}
            os.ftruncate(file, 0)
            os.pwrite(file, json.dumps(held).encode(), 0)
            self._file = file
            return True
        os.close(file)
        return False

    def drop(self) -> None:
        """Let another be the supervisor."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.drop()


def holder(path: Path) -> dict[str, Any] | None:
    """``{"pid", "host", "since"}`` of the supervisor that is alive; None when there is none."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        try:
            value: dict[str, Any] = json.loads(os.pread(file, 4096, 0))
        except ValueError:
            value = {"pid": None, "host": socket.gethostname(), "since": None}  # it is starting
        return value
    finally:
        os.close(file)
    return None

"""Locks that end with the process that holds them: ``flock`` on a file, so no stale pid is ever believed."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import Iterator, Optional

# A look at a lock takes it, shared, for an instant; who wants to hold it tries again meanwhile.
_TRIES, _BETWEEN_SECONDS = 20, 0.01


def hold(path: str) -> Optional[int]:
    """A descriptor that holds the lock until this process ends, or None when another process holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except OSError:
            time.sleep(_BETWEEN_SECONDS)
    os.close(handle)
    return None


@contextmanager
def alone(path: str) -> Iterator[None]:
    """Waits for the lock, and holds it inside: one after the other, threads and processes alike."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def is_held(path: str) -> bool:
    """Whether a live process holds the lock."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(handle)

"""Exclusive use of a GPU, over all users of a host: an abstract unix socket named after the GPU's uuid.

The name is the kernel's, one for every process of the host's network namespace: it needs no folder that all users may
write to, leaves no file, and is free the moment the process that holds it dies, however it dies. Whoever connects is
told by the kernel who listens (SO_PEERCRED, unix(7)). Linux only.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pwd
import socket
import struct
import sys
from typing import Any, Dict, Optional

_NAME = "\0tradewind-gpu-{}"
_WAITING = 128  # who asks at one moment, before the holder next looks
_PEER = struct.Struct("iII")  # struct ucred: pid, uid, gid

Holder = Dict[str, Any]


def offered() -> bool:
    """Whether this system has such locks."""
    return sys.platform == "linux"


def take(uuid: str) -> Optional[socket.socket]:
    """The lock of a GPU, held until it is closed everywhere; None when somebody holds it."""
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        lock.bind(_NAME.format(uuid))
        lock.listen(_WAITING)
    except OSError as fault:
        lock.close()
        if fault.errno == errno.EADDRINUSE:
            return None
        raise
    return lock


def inherit(handle: int) -> socket.socket:
    """The lock that a parent handed over; from now on this process is named as its holder."""
    lock = socket.socket(fileno=handle)
    lock.listen(_WAITING)
    lock.setblocking(False)
    return lock


def answer(lock: socket.socket) -> None:
    """Let everyone go who asked; the kernel has told them."""
    with contextlib.suppress(BlockingIOError):
        while True:
            lock.accept()[0].close()


def holder(uuid: str) -> Optional[Holder]:
    """Who holds the lock of a GPU: ``{"pid", "user"}``, null each when that cannot be told; None: nobody."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.setblocking(False)
        try:
            asking.connect(_NAME.format(uuid))
        except ConnectionRefusedError:
            return None
        except BlockingIOError:
            return {"pid": None, "user": None}  # so many ask that nobody is told at this moment
        peer = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    pid, uid, _ = _PEER.unpack(peer)
    return {"pid": pid, "user": user(uid)}


def user(uid: int) -> str:
    """A user's name, or the number of one without."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def user_of(pid: int) -> Optional[str]:
    """Whose process this is; None when that cannot be told."""
    try:
        return user(os.stat("/proc/{}".format(pid)).st_uid)
    except OSError:
        return None

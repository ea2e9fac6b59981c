"""The socket by which commands hand secrets to the supervisor of a home: only this user's processes reach it.

A socket's path may be no longer than about a hundred bytes, and a home's is what it is. So the socket lies in a folder
of its own in the temporary folder, and ``supervisor.socket`` in the home is a link to it. On each connection one JSON
object is asked, and one answered::

    {"missing": {JOB: [NAME]}}           which of these are not there       {JOB: [NAME]}
    {"give": {JOB: {NAME: VALUE}}}       they are kept                      {}
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import shutil
import socket
import struct
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tradewind.app.secrets import Secrets

LONGEST_PLACE = 70  # bytes of a folder in which a socket's path still fits (macOS takes 103 in all)
TALK_SECONDS, LOOK_SECONDS = 5.0, 10.0
MOST_BYTES = 1 << 22
_PREFIX = "tradewind-"

_log = logging.getLogger("tradewind.supervisor")


@contextlib.contextmanager
def receiving(link: Path, secrets: Secrets) -> Iterator[None]:
    """While this lasts, what commands hand over at ``link`` is kept in ``secrets``."""
    woken, wake = os.pipe()
    thread = threading.Thread(target=_receive, args=(link, secrets, woken), name="secrets", daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.close(wake)
        thread.join()
        os.close(woken)


def _receive(link: Path, secrets: Secrets, woken: int) -> None:
    """Answer until woken. A socket that could not be made, or was swept away as an old file, is made again."""
    server: socket.socket | None = None
    while True:
        if server is None or not link.exists():
            if server:
                server.close()
            server = _opened(link)
        sources: list[int | socket.socket] = [woken, server] if server else [woken]
        ready, _, _ = select.select(sources, [], [], LOOK_SECONDS)
        if woken in ready:
            break
        if server and ready:
            with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):  # cut short, or nothing of ours
                _answer(server, secrets)
    if server:
        server.close()
    _removed(link)


def _opened(link: Path) -> socket.socket | None:
    _removed(link)
    place = tempfile.gettempdir()
    place = place if len(os.fsencode(place)) <= LONGEST_PLACE else "/tmp"  # noqa: S108 - the folder is made anew
    server = socket.socket(socket.AF_UNIX)
    try:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place)) / "s"
        server.bind(str(path))
        server.listen()
        link.symlink_to(path)
    except OSError as fault:
        _log.warning("no secrets can be handed over: %s", fault)
        server.close()
        return None
    return server


def _removed(link: Path) -> None:
    """Take the link away and the folder that it leads to: our own, or what a killed supervisor left."""
    with contextlib.suppress(OSError):
        folder = link.readlink().parent
        link.unlink()
        if folder.name.startswith(_PREFIX) and folder.stat().st_uid == os.getuid():
            shutil.rmtree(folder)


def _answer(server: socket.socket, secrets: Secrets) -> None:
    talk, _ = server.accept()
    with talk:
        talk.settimeout(TALK_SECONDS)
        if not _same_user(talk):
            return
        asked = json.loads(_read(talk))
        for job, values in asked.get("give", {}).items():
            secrets.give(job, values)
        missing = {job: secrets.missing(job, names) for job, names in asked.get("missing", {}).items()}
        talk.sendall(json.dumps({job: names for job, names in missing.items() if names}).encode())


def ask(link: Path, asked: dict[str, Any]) -> dict[str, Any] | None:
    """The supervisor's answer; None when none listens."""
    try:
        with socket.socket(socket.AF_UNIX) as talk:
            talk.settimeout(TALK_SECONDS)
            talk.connect(str(link.readlink()))
            if not _same_user(talk):
                return None
            talk.sendall(json.dumps(asked).encode())
            talk.shutdown(socket.SHUT_WR)
            answer: dict[str, Any] = json.loads(_read(talk))
            return answer
    except (OSError, ValueError):
        return None


def _read(talk: socket.socket) -> bytes:
    told = b""
    while len(told) <= MOST_BYTES:
        part = talk.recv(1 << 16)
        if not part:
            return told
        told += part
    raise ValueError("too long")


def _same_user(talk: socket.socket) -> bool:
    """Whether the other end is this user's. Where the system does not tell, the folder's mode holds alone."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = struct.unpack("3i", talk.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return bool(uid == os.getuid())

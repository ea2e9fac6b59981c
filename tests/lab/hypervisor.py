"""Boots machines for real on this computer: each has namespaces, a file system, an sshd and a metadata service.

A machine sees this computer's programs and libraries (that is its image) through a layer that takes up what it writes,
in memory. Its address is one of loopback, 127.77.x.y. Process 1 of it (``guest_init.py``) holds everything: it ends
when the pipe from here ends, however this process ended, and with it all that runs in the machine and all it wrote.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import IO

from lab import guest_init
from lab.machines import NETWORK, Guest, OnOff
from lab.metadata import MetadataService, NoticeKind

_REPOSITORY = Path(__file__).resolve().parents[2]
_SSHD = "sshd"
_PROGRAMS = ("unshare", "mount", "ssh-keygen", _SSHD)
_END_S = 10.0
_CONSOLE_BYTES = 65536
_UNSHARE = ("unshare", "--mount", "--propagation", "private", "--pid", "--uts", "--fork", "--kill-child")
_OVERLAY = (
    'mount -t tmpfs machine "$1" && mkdir "$1/u" "$1/w" "$1/r" && '
    'mount -t overlay machine -o "lowerdir=/,upperdir=$1/u,workdir=$1/w" "$1/r"'
)


@cache
def lacking() -> str | None:
    """Why machines cannot be booted on this computer; None: they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "root on Linux"
    program = next((name for name in ("unshare", "mount", "ssh-keygen") if shutil.which(name) is None), None)
    if program or _sshd() is None:
        return program or _SSHD
    with socket.socket() as tried_port:
        try:
            tried_port.bind((f"{NETWORK}.255.254", 22))
        except OSError:
            return "port 22 of its own: an sshd of this computer listens at all addresses"
    with tempfile.TemporaryDirectory(prefix="tradewind-lab-") as place:
        tried = subprocess.run([*_UNSHARE, "sh", "-c", _OVERLAY, "sh", place], capture_output=True, check=False)
    return None if tried.returncode == 0 else f"an overlay in a namespace ({tried.stderr.decode().strip()})"


def require() -> None:
    """Skip where machines cannot be booted; where it is only a program that lacks, fail with ``CI=true``."""
    import pytest

    why = lacking()
    if why is None:
        return
    say = pytest.fail if os.environ.get("CI") == "true" and why in _PROGRAMS else pytest.skip
    say(f"the lab's machines need {why}")


def _sshd() -> str | None:
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


class Hypervisor:
    """Machines that are real (:class:`~lab.machines.Machines`)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}
        self._consoles: dict[str, bytes] = {}  # of machines that are gone
        self._went: list[_Running] = []  # by themselves
        self._addresses = _addresses()

    @cached_property
    def _place(self) -> Path:
        """An empty folder, on which each machine mounts its files where only it sees them."""
        return Path(tempfile.mkdtemp(prefix="tradewind-lab-"))

    def boot(self, guest: Guest, on_off: OnOff | None = None) -> str:
        with self._lock:
            metadata = self._metadata(guest)
            self._running[guest.id] = running = _Running(guest, metadata, self._place, self._off, on_off)
        return running.address

    def _metadata(self, guest: Guest) -> MetadataService:
        """At the next address that nobody has, which is the machine's from then on."""
        for address in self._addresses:
            try:
                return MetadataService(guest.cloud, guest.facts(), guest.token_required, address)
            except OSError:
                continue
        raise AssertionError("the numbers of addresses have no end")

    def _off(self, id_: str) -> None:
        with self._lock:
            gone = self._running.pop(id_, None)
        if gone:
            self._went.append(gone)
            self._consoles[id_] = gone.forget()

    def stop(self, id_: str) -> None:
        if running := self._running.get(id_):
            running.stop()

    def start(self, id_: str) -> None:
        if running := self._running.get(id_):
            running.start()

    def end(self, id_: str) -> None:
        with self._lock:
            running = self._running.pop(id_, None)
        if running:
            self._consoles[id_] = running.end()

    def alive(self, id_: str) -> bool:
        running = self._running.get(id_)
        return running is not None and running.up.is_set()

    def notice(self, id_: str, at: datetime | None, kind: NoticeKind = "terminate") -> None:
        if running := self._running.get(id_):
            running.metadata.notices.tell(kind, at)

    def change_host_key(self, id_: str) -> None:
        if running := self._running.get(id_):
            running.tell("new-host-key")

    def console(self, id_: str) -> bytes:
        with self._lock:
            running = self._running.get(id_)
            return running.console() if running else self._consoles.get(id_, b"")

    def close(self) -> None:
        for id_ in list(self._running):
            self.end(id_)
        for each in self._went:
            each.hearing.join()
        if "_place" in self.__dict__:
            self._place.rmdir()


def _addresses() -> Iterator[str]:
    """Without end; those of labs that run side by side begin at different places, and stop at each other's."""
    for number in itertools.count(os.getpid() * 97):
        yield f"{NETWORK}.{number // 250 % 250}.{1 + number % 250}"


class _Running:
    """One machine: the pipe to its process 1, and a thread that hears what that says."""

    def __init__(self, guest: Guest, metadata: MetadataService, place: Path, off: OnOff, on_off: OnOff | None) -> None:
        self.metadata = metadata
        self.address = metadata.address
        self.up, self._down = threading.Event(), threading.Event()
        self._guest, self._off, self._on_off = guest, off, on_off
        self._ending = False
        self._console: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 closed in forget
        self._process = subprocess.Popen(
            [*_UNSHARE, sys.executable, "-I", "-S", guest_init.__file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._console, start_new_session=True, cwd="/",
            env={"PATH": guest_init.SYSTEM_PATH, "LANG": "C.UTF-8"},
        )  # fmt: skip
        self.hearing = threading.Thread(target=self._hear, name=f"machine-{guest.id}")
        self.hearing.start()
        self.tell(json.dumps(_told(guest, metadata, place)))

    def tell(self, line: str) -> None:
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError, ValueError):  # it is gone, or going
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def stop(self) -> None:
        """Returns when its processes have ended."""
        self.tell("stop")
        self._down.wait(_END_S)

    def start(self) -> None:
        self._down.clear()
        self.tell("start")

    def end(self) -> bytes:
        """What it wrote to its console; returns when nothing else of it is left."""
        self._ending = True
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self.hearing.join()
        return self.forget()

    def forget(self) -> bytes:
        """Give back its address; what it wrote to its console."""
        self.metadata.close()
        with self._console:
            return self.console()

    def console(self) -> bytes:
        return os.pread(self._console.fileno(), _CONSOLE_BYTES, 0)

    def _hear(self) -> None:
        assert self._process.stdout and self._process.stdin
        with self._process.stdout as said:
            for word in said:
                self._heard(word.strip())
        self._process.wait()
        self.up.clear()
        self._down.set()
        if not self._ending:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            self._off(self._guest.id)
            self._tell_off()

    def _heard(self, word: bytes) -> None:
        if word == b"up":
            self.up.set()
            return
        self.up.clear()
        if word == b"stopped" or self._guest.shutdown == "stop":
            self._down.set()
        if word == b"off" and self._guest.shutdown == "stop":
            self._tell_off()

    def _tell_off(self) -> None:
        if self._on_off:
            self._on_off(self._guest.id)


def _told(guest: Guest, metadata: MetadataService, place: Path) -> dict[str, object]:
    """What process 1 has to know."""
    uuids = [uuid.uuid5(uuid.NAMESPACE_OID, f"{guest.id}/{number}") for number in range(guest.gpus)]
    return {
        "id": guest.id, "address": metadata.address, "metadata": metadata.url, "root": str(place),
        "user_data": guest.user_data.hex(), "shutdown": guest.shutdown, "fault": guest.fault, "sshd": _sshd(),
        "path": [str(Path(sys.prefix) / "bin")], "keep": sorted({sys.base_prefix, sys.prefix, str(_REPOSITORY)}),
        "gpus": [f"{number} GPU-{each} {guest.gpu_memory_mib} {guest.gpu}" for number, each in enumerate(uuids)],
    }  # fmt: skip

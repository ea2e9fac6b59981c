"""A host whose door is a child of the test: the real door and its frames, over pipes in place of an SSH session."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, BinaryIO

from tradewind.nodes.parcel import build_agent
from tradewind.ports.compute import Instance, InstanceState
from tradewind.ports.host import Host, HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.wire import door

_SECONDS = 60.0
Answer = tuple[dict[str, Any], bytes]


@cache
def zipapp() -> Path:
    return build_agent(Path(mkdtemp(prefix="tradewind-door-")))


class DoorPipe:
    """One door of the folder ``root``; ``ports.Host``, and what ``nodes.ssh.Road`` has besides.

    After ``cut_after(N)`` the door is killed when N more bytes went to it, wherever in a frame that is, and after
    ``cut_after(received=N)`` when N bytes in all came from it; ``reopen`` begins another one.
    """

    def __init__(self, root: Path, python: str = sys.executable, env: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.sent = self.received = 0
        self.skew_s = 0.0
        self._command = [python, "-I", "-S", str(zipapp()), "door", str(root)]
        self._env = {"PATH": os.environ["PATH"], "HOME": str(root.parent), **(env or {})}
        self._lock = threading.Lock()
        self._left: int | None = None
        self._enough: int | None = None
        self.reopen()

    def reopen(self) -> None:
        self.close()
        self._left = self._enough = None
        self._shut = False
        self._pending: dict[int, Future[Answer]] = {}
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._env, cwd="/"
        )
        assert self.process.stdout
        assert self.process.stdout.read(len(door.GREETING)) == door.GREETING
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout, self._pending), daemon=True)
        self._reader.start()

    def cut_after(self, sent: int | None = None, received: int | None = None) -> None:
        self._left, self._enough = sent, received

    def close(self) -> None:
        process = getattr(self, "process", None)
        if process is None:
            return
        with suppress(OSError):
            process.stdin.close()
        process.wait(_SECONDS)
        self._reader.join()
        process.stdout.close()

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = _SECONDS) -> dict[str, Any]:
        return self.exchange(op, request, b"", timeout_s)[0]

    def exchange(self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = _SECONDS) -> Answer:
        return self.begin(op, request, body, timeout_s).result(timeout_s)

    def begin(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = _SECONDS
    ) -> Future[Answer]:
        del timeout_s
        answer: Future[Answer] = Future()
        with self._lock:
            number = len(self._pending) + 1
            self._pending[number] = answer
            try:
                if self._shut:
                    raise BrokenPipeError
                self._write(door.frame({**request, "n": number, "op": op}, body))
            except (OSError, ValueError):
                if not answer.done():
                    answer.set_exception(_cut())
        return answer

    def _write(self, data: bytes) -> None:
        assert self.process.stdin
        whole = self._left is None or self._left >= len(data)
        part = data if whole else data[: self._left]
        self.process.stdin.write(part)
        self.process.stdin.flush()
        self.sent += len(part)
        if self._left is not None:
            self._left -= len(part)
        if not whole:
            time.sleep(0)  # the door may be at work on what came before
            self.process.kill()
            self.process.stdin.close()
            raise BrokenPipeError

    def _read(self, stream: BinaryIO, pending: dict[int, Future[Answer]]) -> None:
        with suppress(OSError, ValueError):
            while head := stream.read(door.HEAD_BYTES):
                text, size = door.read_head(head)
                header, body = door.read_header(stream.read(text)), stream.read(size)
                if len(body) < size:
                    break
                self.received += door.HEAD_BYTES + text + size
                answer = pending[header["n"]]
                if "ok" in header:
                    answer.set_result((header["ok"], body))
                else:
                    fault = header["fault"]
                    answer.set_exception(HostRefused(fault["kind"], fault["words"], fault["data"]))
                if self._enough is not None and self.received >= self._enough:
                    self.process.kill()
                    break
        with self._lock:
            self._shut = True  # a pipe may take what nobody reads any more
            for answer in pending.values():
                if not answer.done():
                    answer.set_exception(_cut())


def _cut() -> Unreachable:
    return Unreachable("the door was shut", "cut", "maybe")


def take(host: Host, token: str | None = None, **changes: Any) -> Instance:
    """A new instance on the host, without GPUs, for an hour."""
    token = token or str(uuid.uuid4())
    order = {
        "token": token, "lease": f"lease-{token[:8]}", "owner": "owner", "tags": {}, "instance_type": "cpu",
        "region": "host", "zone": None, "purchase": "on_demand", "hard_end": time.time() + 3600, **changes,
    }  # fmt: skip
    told = host.ask("take", {"order": order, "gpus": 0, "allowed": None})["instance"]
    return Instance(
        id=told["id"], token=token, lease=told["lease"], owner=told["owner"], state=InstanceState.RUNNING, why=None,
        address=told["address"], launched_at=datetime.fromtimestamp(told["launched_at"], UTC),
    )  # fmt: skip

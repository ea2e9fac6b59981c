"""A door of a real host, for tests: the agent's zipapp run as a child with pipes, as SSH runs it, asked in turn."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from agent_node import WAIT_SECONDS, wait_for, zipapp

from tradewind.wire import door

Answer = dict[str, Any]
# A system that has nothing of a GPU: what a test's host finds is what the test puts on PATH first.
PATH = "/usr/local/bin:/usr/bin:/bin"


def become(user: str | None) -> list[str]:
    """What comes before a command that another user is to run."""
    return [] if user is None else ["setpriv", f"--reuid={user}", "--regid=nogroup", "--clear-groups"]


class Fault(Exception):
    """The door said no."""

    def __init__(self, kind: str, words: str, data: Answer) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind, self.words, self.data = kind, words, data


class Host:
    """A ROOT under ``place`` and its door; ``user``: who it runs as, when not the caller."""

    def __init__(self, place: Path, owner: str = "me", python: str = sys.executable, user: str | None = None) -> None:
        self.home = place / "home"
        self.root = self.home / ".tradewind-node" / owner
        self.python, self.user, self.owner = python, user, owner
        self.env = {"PATH": PATH, "HOME": str(self.home)}
        self.home.mkdir(exist_ok=True)
        if user is not None:
            os.chown(self.home, pwd.getpwnam(user).pw_uid, -1)
        self.tokens: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None

    def open(self) -> door.Header:
        """Put the agent there, open the door, and what it says first."""
        put = f'mkdir -p "{self.root}" && cat > "{self.pyz}"'
        with zipapp().open("rb") as agent:
            subprocess.run([*become(self.user), "sh", "-c", put], stdin=agent, check=True)
        self._process = subprocess.Popen(
            [*become(self.user), self.python, "-I", "-S", str(self.pyz), "door", str(self.root)], env=self.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stdout.read(len(door.GREETING)) == door.GREETING
        return self.ask("hello")

    @property
    def pyz(self) -> Path:
        return self.root / "agent-test.pyz"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def ask(self, op: str, **request: Any) -> door.Header:
        return self.exchange(op, b"", **request)[0]

    def exchange(self, op: str, body: bytes, **request: Any) -> tuple[door.Header, bytes]:
        """One question, its answer, and what came with it."""
        self.send(door.frame({"n": 1, "op": op, **request}, body))
        header, out = self.read()
        if "fault" in header:
            raise Fault(**header["fault"])
        return header["ok"], out

    def send(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self) -> tuple[door.Header, bytes]:
        assert self.process.stdout is not None
        head = self.process.stdout.read(door.HEAD_BYTES)
        text, body = door.read_head(head)
        return door.read_header(self.process.stdout.read(text)), self.process.stdout.read(body)

    def close(self) -> int:
        """Close the stream; the door's exit code."""
        with self.process:  # which closes the pipes and waits
            assert self.process.stdin is not None
            self.process.stdin.close()
            return self.process.wait(WAIT_SECONDS)

    def order(self, token: str | None = None, seconds: float = 600.0) -> Answer:
        """An order of this owner; marks of two test runs at once must differ, so tokens do."""
        token = token or str(uuid.uuid4())
        self.tokens.append(token)
        return {
            "token": token, "lease": f"lease-{token[:8]}", "owner": self.owner, "tags": {"a": "b"},
            "instance_type": "cpu", "region": "box", "zone": None, "purchase": "on_demand",
            "hard_end": time.time() + seconds,
        }  # fmt: skip

    def take(self, gpus: int = 0, allowed: list[int] | None = None, **order: Any) -> Answer:
        found: Answer = self.ask("take", order=self.order(**order), gpus=gpus, allowed=allowed)["instance"]
        return found

    def instance(self, id_: str) -> Answer:
        """What the door says of it now."""
        (found,) = self.ask("instances", ids=[id_])["instances"]
        assert isinstance(found, dict)
        return found

    def instance_ids(self) -> list[str]:
        return [each["id"] for each in self.ask("instances", ids=None)["instances"]]

    def until(self, id_: str, state: str) -> Answer:
        """The instance, once it is in ``state``."""

        def look() -> Answer | None:
            found = self.instance(id_)
            return found if found["state"] == state else None

        return wait_for(look, f"{id_} {state}")

    def start_on(self, id_: str, *command: str, user: str | None = None) -> subprocess.Popen[bytes]:
        """A process of the instance, as its agent would start it."""
        env = {"PATH": PATH, "TRADEWIND_INSTANCE": id_}
        return subprocess.Popen([*become(user or self.user), *command], env=env, cwd="/", start_new_session=True)

    def end(self) -> None:
        """Kill whatever is left of this host."""
        if self._process is not None:
            with self._process:  # which closes the pipes
                self._process.kill()
        for process in psutil.process_iter():
            try:
                if process.environ().get("TRADEWIND_INSTANCE", "").removeprefix("machine-") in self.tokens:
                    process.kill()
            except psutil.Error:
                continue
        shutil.rmtree(self.root, ignore_errors=True)


@contextmanager
def hosting(*hosts: Host) -> Iterator[None]:
    """Doors that are open, and nothing left of them afterwards."""
    try:
        for host in hosts:
            host.open()
        yield
    finally:
        for host in hosts:
            host.end()

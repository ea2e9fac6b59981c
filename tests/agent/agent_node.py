"""A node folder with a real agent, for tests: builds the zipapp, writes specs, waits for what the journal says."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

import psutil

from tradewind.nodes.parcel import build_agent
from tradewind.wire import journal
from tradewind.wire.spec import Command, Spec, write_secrets

WAIT_SECONDS = 20.0
Record = dict[str, Any]
T = TypeVar("T")


@cache
def zipapp() -> Path:
    return build_agent(Path(mkdtemp(prefix="tradewind-agent-")))


def wait_for(look: Callable[[], T | None], what: str, seconds: float = WAIT_SECONDS) -> T:
    """The first answer that is not None or False."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = look()
        if answer is not None and answer is not False:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}")


class Node:
    """One node's folder under ``place``; ``store`` beside it outlives it."""

    def __init__(self, place: Path, name: str = "node", python: str = sys.executable) -> None:
        self.python = python
        self.root = place / name
        self.host: dict[str, str] = {}  # what the agent is started with besides
        self.store = place / "store"
        self.notice = place / f"{name}-notice.json"
        self.mark = f"test-{name}-{os.getpid()}-{time.monotonic_ns()}"
        for folder in ("work", "commands", "lib"):
            (self.root / folder).mkdir(parents=True)
        self.store.mkdir(exist_ok=True)
        shutil.copy(zipapp(), self.root / "agent.pyz")

    def spec(self, run: str, **changes: Any) -> Spec:
        env = {"PATH": os.environ["PATH"], "PY": self.python}
        given: dict[str, Any] = {
            "key": "job/1", "job": "job", "epoch": 1, "attempt": 1, "env": env, "store": str(self.store),
            "notice": {"kind": "file", "path": str(self.notice)}, "after_exit_seconds": 30.0,
        }  # fmt: skip
        return Spec(run=run, **{**given, **changes})

    def write(self, name: str, text: str) -> None:
        path = self.root / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def serve(self, secrets: dict[str, str] | None = None) -> int:
        done = subprocess.run(
            [self.python, "-I", "-S", str(self.root / "agent.pyz"), "serve", str(self.root)],
            input=write_secrets(secrets or {}).encode(), timeout=WAIT_SECONDS, check=False,
            env={"PATH": os.environ["PATH"], **self.host, "TRADEWIND_INSTANCE": self.mark},
        )  # fmt: skip
        return done.returncode

    def start(self, run: str, secrets: dict[str, str] | None = None, **changes: Any) -> None:
        named = sorted(secrets or {})
        (self.root / "spec.json").write_text(self.spec(run, secrets=named, **changes).to_json())
        assert self.serve(secrets) == 0

    def records(self, type_: str | None = None) -> list[Record]:
        path = self.root / "journal.jsonl"
        found, _ = journal.read_lines(path.read_bytes() if path.exists() else b"")
        return [each for each in found if type_ in (None, each["type"])]

    def types(self) -> list[str]:
        return [each["type"] for each in self.records() if each["type"] not in (journal.SAMPLE, journal.JOB)]

    def wait(self, type_: str, number: int = 1) -> Record:
        """The ``number``-th record of a type."""

        def look() -> Record | None:
            found = self.records(type_)
            return found[number - 1] if len(found) >= number else None

        try:
            return wait_for(look, f"{type_} ({number})")
        except AssertionError:
            raise AssertionError(f"no {type_}: {self.types()}\n{self.log()}\n{self.agent_log()}") from None

    def wait_step(self, step: int) -> None:
        wait_for(
            lambda: any(each["event"].get("step", -1) >= step for each in self.records(journal.JOB)), f"step {step}"
        )

    def log(self) -> str:
        path = self.root / "log"
        return path.read_text() if path.exists() else ""

    def agent_log(self) -> str:
        path = self.root / "agent.log"
        return path.read_text() if path.exists() else ""

    def agent_pid(self) -> int:
        return int(json.loads((self.root / "agent.json").read_text())["pid"])

    def run_pid(self) -> int:
        return int(json.loads((self.root / "run.json").read_text())["pid"])

    def runner_pid(self) -> int:
        return int(json.loads((self.root / "runner.json").read_text())["pid"])

    def kill_agent(self) -> None:
        pid = self.agent_pid()
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not alive(pid), "the agent's death")

    def command(self, name: str, grace_seconds: float | None = None, file: str | None = None) -> None:
        draft = self.root / "commands" / ".draft"
        draft.write_text(Command(name, grace_seconds).to_json())
        draft.replace(self.root / "commands" / f"{file or name}.json")

    def give_notice(self, seconds: float) -> None:
        draft = self.notice.with_suffix(".draft")
        draft.write_text(json.dumps({"deadline": time.time() + seconds}))
        draft.replace(self.notice)

    def processes(self) -> list[psutil.Process]:
        """Everything that carries this node's mark."""
        found = []
        for process in psutil.process_iter():
            try:
                marked = process.environ().get("TRADEWIND_INSTANCE") == self.mark
                if marked and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def job_processes(self) -> list[psutil.Process]:
        return [each for each in self.processes() if each.pid != self.agent_pid()]

    def collect(self) -> None:
        self.command("collected")
        self.wait(journal.AGENT_ENDED)

    def end(self) -> None:
        """Kill whatever is left of this node."""
        for _ in range(50):
            left = self.processes()
            if not left:
                return
            for process in left:
                try:
                    process.kill()
                except psutil.Error:
                    continue
            time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False

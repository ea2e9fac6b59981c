"""The agent's side of the runner: asking it, reading what it wrote, signalling the job.

Nothing is kept in memory that a later life of the agent would miss.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional, Set

from tradewind.agent import container, disk, environment, locks, processes, runner
from tradewind.agent.glance import Glance
from tradewind.agent.targets import BYSTANDERS, targets, trapping_shells
from tradewind.agent.writing import Identity, written
from tradewind.wire import spec as wire

LOST, NOT_STARTABLE = 137, 126
_TRIES = 3
_DISMISS_SECONDS, _ALIVE_SECONDS = 5.0, 0.5


class Result:
    """A file that the runner replaces, parsed again only when it looks new."""

    def __init__(self, path: str) -> None:
        self._glance = Glance(path)
        self._value: Optional[Dict[str, Any]] = None

    def read(self) -> Optional[Dict[str, Any]]:
        """What it holds; None while it is not there."""
        if self._glance.changed(time.time()):
            self._value = disk.read_json(self._glance.path)
        return self._value


class Work:
    """Setup and run of one node folder, as the runner's files tell of them."""

    def __init__(self, root: str) -> None:
        self.secrets: Dict[str, str] = {}
        self._root = root
        self._child: Optional[subprocess.Popen[bytes]] = None
        self._tries = 0
        self._claim_seen = False
        self._asked: Optional[Dict[str, Any]] = None
        self._alive, self._alive_at = True, float("-inf")
        self._results = {phase: Result(self._path(name)) for phase, name in runner.RESULTS.items()}

    def ask(self, phase: str, start: int) -> None:
        """Have a phase carried out, once however often it is asked; starts the runner when there was none."""
        ask = {"phase": phase, "start": start}
        if self._asked != ask:
            disk.write_json(self._path(runner.ASK), ask)
            self._asked = ask
        if not self.begun() and (self._child is None or self._child.poll() is not None) and self._tries < _TRIES:
            self._tries += 1
            self._child = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with open(self._path("agent.log"), "ab") as log:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", self._path(wire.ZIPAPP), "exec", self._root],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/",
                env=environment.handed(self.secrets),
            )  # fmt: skip

    def told(self, phase: str, start: int) -> Optional[Dict[str, Any]]:
        """What the runner wrote of this start: pid, pgid, exit; None before it began."""
        result = self._results[phase].read()
        return result if result and result["start"] == start else None

    def outcome(self, phase: str, start: int) -> Optional[int]:
        """The exit code of what was asked; None while it goes on."""
        told = self.told(phase, start)
        if told and told["exit"] is not None:
            return int(told["exit"])
        if not self.begun():
            gone = self._child is not None and self._child.poll() is not None
            return NOT_STARTABLE if self._tries >= _TRIES and gone and not self.begun() else None
        if self._runner_lately_alive():
            return None
        self._results[phase] = Result(self._path(runner.RESULTS[phase]))
        told = self.told(phase, start)  # read anew: it may have written its last word before it ended
        if told and told["exit"] is not None:
            return int(told["exit"])
        return None if told and self._job_alive(told) else LOST

    def _job_alive(self, told: Dict[str, Any]) -> bool:
        seen = processes.one(told["pid"]) if told["pid"] else None
        return seen is not None and seen.started == told["started"]

    def begun(self) -> bool:
        """Whether there ever was a runner: the only one, and it has the secrets."""
        self._claim_seen = self._claim_seen or os.path.exists(self._path(runner.CLAIM))
        return self._claim_seen

    def _runner_lately_alive(self) -> bool:
        now = time.monotonic()
        if self._alive and now >= self._alive_at + _ALIVE_SECONDS:
            self._alive, self._alive_at = self.runner_alive(), now
        return self._alive

    def runner_alive(self) -> bool:
        """Whether the runner lives: it holds its lock."""
        if self._child is not None:
            self._child.poll()
        return locks.is_held(self._path(runner.LOCK))

    def runner_pid(self) -> Optional[int]:
        """Pid and session of the runner, when processes of that session can only be ours."""
        claim = disk.read_json(self._path(runner.CLAIM))
        if claim is None:
            return None
        now = processes.one(claim["pid"])
        return int(claim["pid"]) if now is None or now.started == claim["started"] else None

    def targets(self, phase: str, start: int) -> List[int]:
        """Who SIGTERM goes to now."""
        told = self.told(phase, start)
        if not told or not told["pid"]:
            return []
        seen = processes.table()
        found = (targets(seen, each, processes.program) for each in self._outermost(seen, told["pid"]))
        return sorted(pid for pids in found for pid in pids)

    def second_targets(self, phase: str, start: int, first: List[int]) -> List[int]:
        """Shells with a trap on SIGTERM whose turn it is: all that were signalled have ended, the job goes on.

        bash runs a trap when the program it waits for has ended, so what they started meanwhile is signalled with them.
        """
        told = self.told(phase, start)
        seen = processes.table()
        if not told or not told["pid"] or any(pid in seen for pid in first):
            return []
        found: Set[int] = set()
        for outermost in self._outermost(seen, told["pid"]):
            shells = trapping_shells(seen, outermost, processes.program, processes.traps_term)
            found.update(shells, targets(seen, outermost, processes.program) if shells else [])
        return sorted(found - set(first))

    def _outermost(self, seen: processes.Table, first: int) -> List[int]:
        """Where the job's processes begin: at its first one, or at the first of its container.

        Before there is a container, and where the host does not show what is inside (a virtual machine), that is the
        engine's client, which hands a signal on.
        """
        inside = container.inside(self._root, seen)
        return [pid for pid in inside if seen[pid].parent not in inside] or [first]

    def written(self, files: Set[Identity]) -> Optional[bool]:
        """Whether a process of the job may still write one of these files; None where that cannot be seen."""
        members = self._members()
        return None if members is None else written(files, [process.pid for process in members])

    def outlives_term(self) -> bool:
        """Whether SIGTERM ends no program of the job where it stands."""
        programs = [each for each in self._members() or [] if processes.program(each) not in BYSTANDERS]
        return bool(programs) and all(processes.outlives_term(each.pid) for each in programs)

    def _members(self) -> Optional[List[processes.Process]]:
        """The processes of the job; None where the host does not show those in its container."""
        pid, seen = self.runner_pid(), processes.table()
        inside = container.inside(self._root, seen)
        if not inside and os.path.exists(self._path(container.RECORD)):
            return None
        return processes.members(seen, pid, inside) if pid else []

    def kill(self) -> bool:
        """SIGKILL everything of the job, the runner spared; whether there was anything."""
        pid = self.runner_pid()
        return runner.kill_all(pid, self._root) if pid else False

    def dismiss(self) -> None:
        """End the runner and whatever of the job is left; nothing of the session remains, and nothing begins."""
        disk.write_json(self._path(runner.ASK), {"phase": runner.END, "start": 0})
        self.kill()
        if self._child is not None and not self.begun():
            self._child.kill()
        pid = self.runner_pid()
        if pid and self.runner_alive():
            terminate([pid], signal.SIGKILL)
        if self._child is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout=_DISMISS_SECONDS)
        self.kill()
        container.end_all(os.environ.get(wire.ENV_INSTANCE, ""), self._root)

    def _path(self, name: str) -> str:
        return os.path.join(self._root, name)


def terminate(pids: List[int], how: int = signal.SIGTERM) -> None:
    """Send a signal; who ended meanwhile is passed over."""
    for pid in pids:
        try:
            os.kill(pid, how)
        except OSError:
            continue

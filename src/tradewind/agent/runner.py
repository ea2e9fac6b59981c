"""The runner: the parent of setup and run, which outlives the agent and writes their exit codes to disk.

It does what ``ask.json`` says, each thing once, and writes ``setup.json`` and ``run.json``: pid, pgid, start, exit. It
holds ``runner.lock`` as long as it lives and is never replaced: what it was carrying out when it was killed has ended
with exit 137. The secrets are in its memory and the job's, and nowhere else once it has begun. At the hard end it kills
the job although no agent lives.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from typing import Any, Dict, List, Optional, Tuple

from tradewind.agent import disk, locks, processes
from tradewind.agent.environment import checkpoint_folder, environment, received
from tradewind.wire import spec as wire

ASK, CLAIM, LOCK, SETUP_RESULT = "ask.json", "runner.json", "runner.lock", "setup.json"
SETUP, RUN, END = "setup", "run", "end"
RESULTS = {SETUP: SETUP_RESULT, RUN: wire.RUN}
_LOOK_SECONDS = 0.02
_STRAGGLER_SECONDS = 3.0
# The agent acts at the hard end; the runner only when that did not happen.
_HARD_END_MARGIN_SECONDS = 2.0
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, linux/prctl.h
_PLAIN = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(root: str) -> int:
    """Carry out what is asked until dismissed; 0 at once when another runner was first."""
    if locks.hold(os.path.join(root, LOCK)) is None or os.path.exists(os.path.join(root, CLAIM)):
        return 0
    with open(os.path.join(root, wire.SPEC), encoding="utf-8") as file:
        spec = wire.read_spec(file.read())
    here = processes.one(os.getpid())
    disk.write_json(os.path.join(root, CLAIM), {"pid": os.getpid(), "started": here.started if here else ""})
    env = environment(root, spec, _take_secrets(root, spec))
    with contextlib.suppress(OSError):  # where the job may not write, it says so itself
        os.makedirs(checkpoint_folder(root, spec), exist_ok=True)
    _adopt_orphans()
    for plain in _PLAIN:
        signal.signal(plain, signal.SIG_IGN)
    _arm(spec)
    return _serve(root, spec, env)


def _take_secrets(root: str, spec: wire.Spec) -> Dict[str, str]:
    """The secrets that the agent handed over; their file is removed."""
    path = os.path.join(root, spec.secrets_path)
    if spec.secrets_path and os.path.exists(path):
        os.remove(path)
    return received(os.environ)


def _adopt_orphans() -> None:
    """Processes of the job whose parent ended become ours, so that one which left the session is found as well."""
    try:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # not Linux: the session alone tells


def _arm(spec: wire.Spec) -> None:
    def due(_signal: int, _frame: Any) -> None:
        kill_all(os.getpid())

    signal.signal(signal.SIGALRM, due)
    if spec.hard_end:
        signal.setitimer(signal.ITIMER_REAL, max(spec.hard_end + _HARD_END_MARGIN_SECONDS - time.time(), 0.01), 1.0)


def _serve(root: str, spec: wire.Spec, env: Dict[str, str]) -> int:
    done: List[Tuple[str, int]] = []
    idle_since = time.time()
    while not _over(root, spec, idle_since):
        ask = disk.read_json(os.path.join(root, ASK)) or {}
        work = (str(ask.get("phase")), int(ask.get("start", 0)))
        if work[0] == END:
            return 0
        if ask and work not in done:
            done.append(work)
            text = spec.setup if work[0] == SETUP else spec.run
            carry_out(root, text, env, os.path.join(root, RESULTS[work[0]]), work[1])
            idle_since = time.time()
        time.sleep(_LOOK_SECONDS)
    return 0


def _over(root: str, spec: wire.Spec, idle_since: float) -> bool:
    """Whether nobody will ask any more: past the hard end, or no agent lived while it should have been revived."""
    now = time.time()
    if spec.hard_end and now >= spec.hard_end + _HARD_END_MARGIN_SECONDS:
        return True
    return now - idle_since > spec.after_exit_seconds and not locks.is_held(os.path.join(root, wire.AGENT_LOCK))


def carry_out(root: str, text: str, env: Dict[str, str], result: str, start: int) -> None:
    """Run a shell text in ``work/`` to its end, its output appended to ``log``; its exit code lies in ``result``."""
    told: Dict[str, Any] = {"start": start, "pid": None, "pgid": None, "started": None, "exit": None}
    disk.write_json(result, told)
    process = _spawn(root, text, env)
    if process is None:
        disk.write_json(result, {**told, "exit": 127})
        return
    seen = processes.one(process.pid)
    told.update(pid=process.pid, pgid=process.pid, started=seen.started if seen else "")
    disk.write_json(result, told)
    code = _wait_for(process.pid)
    process.returncode = code
    end_stragglers(os.getpid())
    disk.write_json(result, {**told, "exit": code})


def _spawn(root: str, text: str, env: Dict[str, str]) -> Optional[subprocess.Popen[bytes]]:
    with open(os.path.join(root, wire.LOG), "ab") as log:
        try:
            return subprocess.Popen(
                ["bash", "-eo", "pipefail", "-c", text], cwd=os.path.join(root, wire.WORK), env=env,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=_plain_group,  # noqa: PLW1509 - the runner has one thread
            )  # fmt: skip
        except OSError as fault:
            log.write("cannot start bash: {}\n".format(fault).encode())
            return None


def _plain_group() -> None:
    """In the child: a process group of its own, and signals as any program expects them."""
    os.setpgid(0, 0)
    for plain in _PLAIN:
        signal.signal(plain, signal.SIG_DFL)


def _wait_for(pid: int) -> int:
    """Exit code of ``pid``, 128+n for a signal; orphans that end meanwhile are reaped."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended == pid:
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def kill_all(runner: int) -> bool:
    """SIGKILL everything of the job; whether there was anything."""
    left = processes.members(processes.table(), runner)
    for process in left:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except OSError:
            continue  # it ended by itself
    return bool(left)


def end_stragglers(runner: int) -> None:
    """End what the job left running; what cannot be killed within seconds is left to the instance's own end."""
    deadline = time.time() + _STRAGGLER_SECONDS
    while kill_all(runner) and time.time() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except OSError:
            pass  # no child of ours is left
        time.sleep(_LOOK_SECONDS)

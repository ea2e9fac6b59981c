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
from typing import Any, Dict, List, Tuple

from tradewind.agent import container, disk, locks, processes
from tradewind.agent.container import Way
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
    with contextlib.suppress(OSError):  # where the job may not write, it says so itself
        os.makedirs(checkpoint_folder(root, spec), exist_ok=True)
    _adopt_orphans()
    for plain in _PLAIN:
        signal.signal(plain, signal.SIG_IGN)
    _arm(root, spec)
    return _serve(root, spec, received(os.environ))


def _adopt_orphans() -> None:
    """Processes of the job whose parent ended become ours, so that one which left the session is found as well."""
    try:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # not Linux: the session alone tells


def _arm(root: str, spec: wire.Spec) -> None:
    def due(_signal: int, _frame: Any) -> None:
        kill_all(os.getpid(), root)

    signal.signal(signal.SIGALRM, due)
    if spec.hard_end:
        signal.setitimer(signal.ITIMER_REAL, max(spec.hard_end + _HARD_END_MARGIN_SECONDS - time.time(), 0.01), 1.0)


def _serve(root: str, spec: wire.Spec, secrets: Dict[str, str]) -> int:
    done: List[Tuple[str, int]] = []
    idle_since = time.time()
    while not _over(root, spec, idle_since):
        ask = disk.read_json(os.path.join(root, ASK)) or {}
        work = (str(ask.get("phase")), int(ask.get("start", 0)))
        if work[0] == END:
            return 0
        if ask and work not in done:
            done.append(work)
            carry_out(root, spec, secrets, *work)
            idle_since = time.time()
        time.sleep(_LOOK_SECONDS)
    return 0


def _over(root: str, spec: wire.Spec, idle_since: float) -> bool:
    """Whether nobody will ask any more: past the hard end, or no agent lived while it should have been revived."""
    now = time.time()
    if spec.hard_end and now >= spec.hard_end + _HARD_END_MARGIN_SECONDS:
        return True
    return now - idle_since > spec.after_exit_seconds and not locks.is_held(os.path.join(root, wire.AGENT_LOCK))


def carry_out(root: str, spec: wire.Spec, secrets: Dict[str, str], phase: str, start: int) -> None:
    """Run a phase's text in ``work/`` to its end, its output appended to ``log``; its exit code lies in its result."""
    result = os.path.join(root, RESULTS[phase])
    told: Dict[str, Any] = {"start": start, "pid": None, "pgid": None, "started": None, "exit": None}
    disk.write_json(result, told)
    try:
        way = _way(root, spec, spec.setup if phase == SETUP else spec.run, secrets)
        process = _spawn(root, way)
    except (OSError, container.NoEngine) as fault:
        _note(root, "cannot start: {}".format(fault))
        disk.write_json(result, {**told, "exit": 127})
        return
    seen = processes.one(process.pid)
    told.update(pid=process.pid, pgid=process.pid, started=seen.started if seen else "")
    disk.write_json(result, told)
    _feed(process, way.given)
    code = _wait_for(process.pid)
    process.returncode = code
    end_stragglers(os.getpid(), root)
    if spec.image:
        _close_container(root, code)
    disk.write_json(result, {**told, "exit": code})


def _way(root: str, spec: wire.Spec, text: str, secrets: Dict[str, str]) -> Way:
    """How a text is carried out: by bash here, or by one in a container."""
    if spec.image:
        return container.way(root, spec, text, secrets)
    return Way(["bash", "-eo", "pipefail", "-c", text], environment(root, spec, secrets), b"")


def _spawn(root: str, way: Way) -> "subprocess.Popen[bytes]":
    with open(os.path.join(root, wire.LOG), "ab") as log:
        return subprocess.Popen(
            way.argv, cwd=os.path.join(root, wire.WORK), env=way.env,
            stdin=subprocess.PIPE if way.given else subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=_plain_group,  # noqa: PLW1509 - the runner has one thread
        )  # fmt: skip


def _feed(process: "subprocess.Popen[bytes]", given: bytes) -> None:
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(given)


def _close_container(root: str, code: int) -> None:
    """Take away what the engine did not, and say in the log what its own exit codes mean."""
    meant = container.said(root, code)
    if meant:
        _note(root, meant)
    if not container.end_all(os.environ.get(wire.ENV_INSTANCE, ""), root):
        _note(root, "the engine does not say whether the container is gone")


def _note(root: str, text: str) -> None:
    with open(os.path.join(root, wire.LOG), "ab") as log:
        log.write("tradewind: {}\n".format(text).encode())


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


def kill_all(runner: int, root: str) -> bool:
    """SIGKILL everything of the job; whether there was anything."""
    seen = processes.table()
    left = processes.members(seen, runner, container.inside(root, seen))
    for process in left:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except OSError:
            continue  # it ended by itself
    return bool(left)


def end_stragglers(runner: int, root: str) -> None:
    """End what the job left running; what cannot be killed within seconds is left to the instance's own end."""
    deadline = time.time() + _STRAGGLER_SECONDS
    while kill_all(runner, root) and time.time() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except OSError:
            pass  # no child of ours is left
        time.sleep(_LOOK_SECONDS)

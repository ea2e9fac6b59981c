"""The processes of an instance: found by the mark in their environment or by the sessions that carry it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from functools import cache
from pathlib import Path

import psutil

MARK = "TRADEWIND_INSTANCE"
_WAIT_SECONDS = 5.0


@cache
def boot() -> str:
    """The id of this boot of the computer: another one after a restart, the same after a sleep or a clock's jump."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:  # macOS
        done = subprocess.run(["sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True, check=True)
        return done.stdout.strip()


def alive(pid: int, started: str) -> bool:
    """Whether the process with this pid and start runs, in this boot; a zombie does not."""
    try:
        return started_at(pid) == started and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def started_at(pid: int) -> str:
    """When a process of this boot began, exact enough to know it from a later one under the same number.

    Linux: clock ticks since the boot, which no change of the clock touches. Elsewhere seconds since the epoch, as the
    system noted them once.

    Raises:
        psutil.NoSuchProcess: it is gone.
    """
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return repr(psutil.Process(pid).create_time())  # raises on Linux, where it is gone
    return told.rpartition(")")[2].split()[19]  # field 22 of proc(5); the name before it may hold blanks


def of_instance(instance_id: str, spare: int | None = None) -> list[psutil.Process]:
    """All live processes that carry the instance's mark, and those in a session that one of them leads or is in.

    ``spare``: a pid that is left out (the caller itself). The caller's own session is never taken as the instance's.
    """
    marked, others, sessions = [], [], set()
    for process in psutil.process_iter(["pid"]):
        if process.pid == spare:
            continue
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if process.environ().get(MARK) == instance_id:
                marked.append(process)
                sessions.add(os.getsid(process.pid))
            else:
                others.append(process)
        except (psutil.Error, OSError):
            continue
    if spare is None:
        sessions.discard(os.getsid(0))
    return marked + [process for process in others if _session(process.pid) in sessions]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def end_all(instance_id: str, spare: int | None = None) -> bool:
    """Kill everything of an instance; whether nothing is left. A fork in between is found by looking again."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while True:
        left = of_instance(instance_id, spare)
        if not left:
            return True
        for process in left:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.Error:
                continue  # it went by itself
        psutil.wait_procs(left, timeout=0.5)
        if time.monotonic() > deadline:
            return not of_instance(instance_id, spare)

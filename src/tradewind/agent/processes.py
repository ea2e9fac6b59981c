"""The process table: from ``/proc`` on Linux, from ``ps`` elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Dict, List, NamedTuple, Optional, Set

_PROC = "/proc"
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_PS = ["ps", "-A", "-o", "pid=,ppid=,state=,time=,rss=,lstart=,comm="]
_PS_LINE = re.compile(r"\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(\S+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)")
# Bits of Linux signal masks (/proc/PID/status, SigCgt, SigIgn): bit n-1 stands for signal n.
_TERM, _ALRM = 1 << 14, 1 << 13


class Process(NamedTuple):
    """One live process. ``started`` is the system's own word for its start: equal for the same process only."""

    pid: int
    parent: int
    session: int
    started: str
    cpu_seconds: float
    rss_bytes: int
    name: str


Table = Dict[int, Process]


def table(skip: Optional[Set[int]] = None) -> Table:
    """All live processes by pid, zombies left out; ``skip``: pids that need not be looked at."""
    if not os.path.isdir(_PROC + "/self"):
        return _from_ps()
    pids = {int(name) for name in os.listdir(_PROC) if name.isdigit()} - (skip or set())
    found = (_from_proc(pid) for pid in pids)
    return {process.pid: process for process in found if process}


def one(pid: int) -> Optional[Process]:
    """The live process with this pid, or None."""
    return _from_proc(pid) if os.path.isdir(_PROC + "/self") else _from_ps().get(pid)


def _from_proc(pid: int) -> Optional[Process]:
    try:
        with open("{}/{}/stat".format(_PROC, pid), "rb") as file:
            head, _, tail = file.read().rpartition(b")")
    except OSError:
        return None
    part = tail.split()
    if not part or part[0] in (b"Z", b"X"):
        return None
    return Process(
        pid, int(part[1]), int(part[3]), part[19].decode(), (int(part[11]) + int(part[12])) / _TICKS,
        int(part[21]) * _PAGE, head.partition(b"(")[2].decode("utf-8", "replace"),
    )  # fmt: skip


def _from_ps() -> Table:
    told = subprocess.run(_PS, stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}, check=False).stdout
    found: List[Process] = []
    for line in told.decode("utf-8", "replace").splitlines():
        match = _PS_LINE.match(line)
        if match and match.group(3) != "Z":
            pid, parent, _, time, rss, started, name = match.groups()
            session = _session(int(pid))
            cpu = _seconds(time)
            found.append(Process(int(pid), int(parent), session, started, cpu, int(rss) * 1024, os.path.basename(name)))
    return {process.pid: process for process in found}


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _seconds(text: str) -> float:
    """Seconds in ``[[DD-]HH:]MM:SS[.cc]``."""
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + 86400 * int(days or 0)


def program(process: Process) -> str:
    """Name of the program file that runs: ``bash`` also for a script that calls itself ``train.sh``."""
    try:
        return os.path.basename(os.readlink("{}/{}/exe".format(_PROC, process.pid)))
    except OSError:
        return process.name.lstrip("-")


def traps_term(pid: int) -> bool:
    """Whether a shell has a trap of its own on SIGTERM; False where the system does not tell.

    bash and dash catch SIGTERM only for a trap on it; bash's trap on EXIT catches SIGALRM and others with it
    (SigCgt of bash 5.2 and dash 0.5.12, read 2026-11).
    """
    caught = _signals(pid, "SigCgt:")
    return bool(caught & _TERM) and not caught & _ALRM


def outlives_term(pid: int) -> bool:
    """Whether SIGTERM does not end this process where it stands: it catches or ignores it. False where unknown."""
    return bool((_signals(pid, "SigCgt:") | _signals(pid, "SigIgn:")) & _TERM)


def _signals(pid: int, mask: str) -> int:
    """One of the signal masks of a process; none set where the system does not tell."""
    try:
        with open("{}/{}/status".format(_PROC, pid), encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1], 16) for line in file if line.startswith(mask)), 0)
    except (OSError, ValueError):
        return 0


def below(seen: Table, roots: Set[int]) -> Set[int]:
    """The pids ``roots`` and those of all their descendants."""
    inside, grew = set(roots), True
    while grew:
        more = {pid for pid, process in seen.items() if process.parent in inside} - inside
        inside |= more
        grew = bool(more)
    return inside


def members(seen: Table, runner: int, contained: Set[int]) -> List[Process]:
    """Everything of a job without its runner: the runner's session, its descendants, and what runs in a container."""
    inside = below(seen, {pid for pid, process in seen.items() if process.session == runner} | {runner})
    return [seen[pid] for pid in sorted((inside | contained) - {runner}) if pid in seen]

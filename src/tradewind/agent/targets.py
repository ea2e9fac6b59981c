"""Who gets SIGTERM: the outermost programs that are not shells.

A shell that waits for a program is passed over: it would die at once and leave the program an orphan; the program ends,
and the shell hands on its exit code. Below a signalled program nobody is signalled: the loaders of a training process
are its own to end. Pure: the table and two questions come in.
"""

from __future__ import annotations

from typing import Callable, Dict, List

from tradewind.agent.processes import Process, Table, below

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ksh93", "mksh", "busybox", "ash"})
# They wait for one child and end with its exit code. A signal they do not hand on; or, as the first process in a
# container, to that child alone, which is a shell.
_WAITERS = frozenset({"time", "flock", "docker-init", "tini", "catatonit", "podman-init"})
# Ends of a pipe: they end by themselves once nobody writes; ended early they break the writer's last words.
_FILTERS = frozenset({"tee", "cat", "grep", "sed", "awk", "gawk", "mawk", "ts", "head", "tail", "sort", "tr"})
# A shell that sleeps does its work itself: it gets the signal, the sleep is left to end.
_PAUSES = frozenset({"sleep"})
# What is no program of the job's own: nobody's work is cut short when one of these ends.
BYSTANDERS = SHELLS | _WAITERS | _FILTERS | _PAUSES


def targets(seen: Table, root: int, program: Callable[[Process], str]) -> List[int]:
    """Pids below ``root`` (itself included) that SIGTERM goes to, sorted.

    Args:
        seen: the live processes.
        root: pid of the job's first process.
        program: the name of the program file of a process.
    """
    children: Dict[int, List[Process]] = {}
    for process in seen.values():
        children.setdefault(process.parent, []).append(process)
    found: List[Process] = []
    waiting = [seen[root]] if root in seen else []
    while waiting:
        process = waiting.pop()
        below = [child for child in children.get(process.pid, []) if program(child) not in _PAUSES]
        if below and program(process) in SHELLS | _WAITERS:
            waiting += below
        else:
            found.append(process)
    programs = [process for process in found if program(process) not in _FILTERS]
    return sorted(process.pid for process in programs or found)


def trapping_shells(
    seen: Table, root: int, program: Callable[[Process], str], traps: Callable[[int], bool]
) -> List[int]:
    """Shells below ``root`` that were passed over although their script handles SIGTERM itself, sorted.

    They get their turn when the programs that were signalled have ended and the job goes on.
    """
    shells = [seen[pid] for pid in below(seen, {root}) if pid in seen and program(seen[pid]) in SHELLS]
    return sorted(shell.pid for shell in shells if traps(shell.pid))

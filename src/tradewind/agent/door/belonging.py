"""What runs of an instance: found by its mark, by the processes it wrote down, by their sessions and descendants.

A mark counts only in a process of our own user: whoever else carries it is left alone. A session counts when its leader
is ours or has ended; nobody can join a session from outside.
"""

from __future__ import annotations

import os
import signal
import time
from typing import List, Optional, Set

from tradewind.agent import container, disk, environment, processes
from tradewind.agent.door import layout
from tradewind.agent.runner import CLAIM
from tradewind.wire import spec as wire

_WAIT_SECONDS, _LOOK_SECONDS = 5.0, 0.05


def of_instance(folder: str, spare: Optional[int] = None) -> List[processes.Process]:
    """All live processes of the instance; ``spare``: a pid that is left out, the caller itself."""
    seen = processes.table()
    ours = {pid for pid in seen if _marked(pid, os.path.basename(folder))} | _written_down(folder, seen)
    sessions = {seen[pid].session for pid in ours} - {os.getsid(0)}
    sessions = {leader for leader in sessions if leader in ours or leader not in seen}
    ours |= {pid for pid, process in seen.items() if process.session in sessions}
    more = ours
    while more:
        more = {pid for pid, process in seen.items() if process.parent in ours} - ours
        ours |= more
    return [seen[pid] for pid in sorted(ours) if pid not in (spare, os.getpid())]


def _marked(pid: int, instance_id: str) -> bool:
    try:
        own = os.stat("/proc/{}".format(pid)).st_uid == os.getuid()
    except OSError:  # it ended, or the system has no such table
        return False
    return own and environment.of_process(pid).get(wire.ENV_INSTANCE) == instance_id


def _written_down(folder: str, seen: processes.Table) -> Set[int]:
    """Holder, agent and runner, as far as they still are who they were."""
    node = layout.node_of(folder)
    found = set()
    for path in (os.path.join(folder, layout.MACHINE), os.path.join(node, wire.AGENT), os.path.join(node, CLAIM)):
        told = disk.read_json(path) or {}
        process = seen.get(told.get("pid", 0))
        if process is not None and process.started == told.get("started"):
            found.add(process.pid)
    return found


def end_all(folder: str, spare: Optional[int] = None) -> bool:
    """End the containers and kill the processes of an instance; whether nothing is left."""
    node = layout.node_of(folder)
    # Before the processes: an engine is to see the end of its containers. Without a node nothing was ever begun.
    contained = os.path.isdir(node) and not container.end_all(os.path.basename(folder), node)
    return kill_all(folder, spare) and not contained


def kill_all(folder: str, spare: Optional[int] = None) -> bool:
    """Kill the processes of an instance; whether none is left. A fork in between is found by looking again."""
    deadline = time.monotonic() + _WAIT_SECONDS
    left = of_instance(folder, spare)
    while left and time.monotonic() < deadline:
        for process in left:
            _kill(process)
        time.sleep(_LOOK_SECONDS)
        left = of_instance(folder, spare)
    return not left


def _kill(process: processes.Process) -> None:
    now = processes.one(process.pid)
    if now is None or now.started != process.started:
        return  # it ended, and another may have its number
    try:
        os.kill(process.pid, signal.SIGKILL)
    except OSError:
        return

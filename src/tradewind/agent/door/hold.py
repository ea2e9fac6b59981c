"""The process that holds an instance: while it lives, the instance runs, and the GPUs whose locks it was given are its.

It has a session of its own and outlives whoever asked for it. It ends everything of the instance at the hard end, when
an announced reclaim is due, or when the agent has ended and said so, whether or not anybody looks. The folder stays:
the agent's last words and the outputs are read there later. It touches nothing else; it powers a machine off that was
rented to end in that way, and no other.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import time
import traceback
from typing import List, Optional

from tradewind.agent import disk
from tradewind.agent.door import belonging, gpu_locks, layout, machine
from tradewind.wire.spec import RELEASE

# Written by the first boot of a machine that is ended by being powered off: {"token": whose, "argv": how}.
_POWER_OFF = "/etc/tradewind/power-off.json"
_LOOK_SECONDS = 0.25
_FAILED = 1


def main(folder: str, lock: int, gpus: List[int]) -> int:
    """Start the process that holds ``folder``, and return 0 once it does, else an errno, or 1; return in it at the end.

    Args:
        folder: the instance's.
        lock: a descriptor that holds ``machine.lock``; kept as long as the process lives.
        gpus: descriptors of GPU locks.
    """
    told, tell = os.pipe()
    if os.fork():
        os.close(tell)
        with open(told, "rb") as answer:
            return int(answer.read() or b"%d" % _FAILED)
    os.close(told)
    code, locks = 0, []
    try:
        locks = _begin(folder, gpus)
    except OSError as fault:
        traceback.print_exc()
        code = fault.errno or _FAILED
    os.write(tell, b"%d" % code)
    os.close(tell)
    if code == 0:
        _end(folder, wait(folder, locks))
        power_off(folder)
    return code


def _begin(folder: str, gpus: List[int]) -> List[socket.socket]:
    """Become the process that is written down."""
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    locks = [gpu_locks.inherit(handle) for handle in gpus]
    disk.write_json(os.path.join(folder, layout.MACHINE), machine.describe())
    return locks


def wait(folder: str, locks: List[socket.socket]) -> str:
    """Hold until the instance is due to end, and say why: ``expired``, ``reclaimed``, or ``ours``."""
    while True:
        why = due(folder, time.time())
        if why is not None:
            return why
        for lock in select.select(locks, [], [], _LOOK_SECONDS)[0]:
            gpu_locks.answer(lock)


def due(folder: str, now: float) -> Optional[str]:
    """Why the instance ends at ``now``; None: it goes on."""
    identity = layout.identity(folder)
    if identity is None or now >= identity["hard_end"]:
        return "expired"
    if now >= _told(os.path.join(folder, layout.NOTICE), "deadline"):
        return "reclaimed"
    if now >= _told(os.path.join(layout.node_of(folder), RELEASE), "at"):
        return "ours"
    return None


def _told(path: str, name: str) -> float:
    """The instant in a file; never, while there is none."""
    told = (disk.read_json(path) or {}).get(name)
    return float(told) if isinstance(told, (int, float)) else float("inf")


def _end(folder: str, why: str) -> None:
    belonging.end_all(folder, spare=os.getpid())
    if os.path.isdir(folder):
        layout.write_once(folder, layout.ENDED, {"at": time.time(), "why": why})


def power_off(folder: str, config: str = _POWER_OFF) -> bool:
    """Power the machine off, if it was rented for this very instance and ends so; whether it is on its way."""
    told, identity = disk.read_json(config), layout.identity(folder)
    if told is None or identity is None or told["token"] != identity["token"]:
        return False
    return subprocess.run(told["argv"], stdin=subprocess.DEVNULL, check=False).returncode == 0

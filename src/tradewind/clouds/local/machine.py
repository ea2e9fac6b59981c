"""The process that holds an instance: while it lives, the instance runs. It has a session of its own.

It ends everything of the instance at the hard end, when an announced reclaim is due, or when the agent has ended and
said so, whether or not anybody looks. The folder stays: the agent's last words and the outputs are read there later. It
never touches anything else, and powers nothing off. Run as ``python -m tradewind.clouds.local.machine FOLDER``.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from pathlib import Path

from tradewind.clouds.local import processes
from tradewind.clouds.local.folder import ENDED, INSTANCE, MACHINE, NOTICE, Folder
from tradewind.wire.spec import RELEASE

_LOOK_SECONDS = 0.25


def hold(folder: Folder) -> str:
    """Wait until the instance is due to end, and say why: ``expired``, ``reclaimed``, or ``ours``."""
    hard_end = float((folder.read(INSTANCE) or {})["hard_end"])
    node = Folder(folder.path / "node")
    while True:
        now = time.time()
        if now >= hard_end or not folder.path.exists():
            return "expired"
        for place, name, due, why in (
            (folder, NOTICE, "deadline", "reclaimed"),
            (node, RELEASE, "at", "ours"),
        ):
            told = place.read(name) if (place.path / name).exists() else None
            if told and now >= float(told[due]):
                return why
        time.sleep(_LOOK_SECONDS)


def main() -> None:
    """Hold the instance of the folder given, then end it."""
    folder = Folder(Path(sys.argv[1]))
    lock = os.open(folder.path / "machine.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # kept over the fork: one process holds an instance
    except OSError:
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    folder.write(MACHINE, {
        "pid": os.getpid(), "pgid": os.getpgid(0), "started": processes.started_at(os.getpid()),
        "boot": processes.boot(),
    })  # fmt: skip
    why = hold(folder)
    processes.end_all(folder.id, spare=os.getpid())
    if folder.path.exists():
        folder.write_once(ENDED, {"at": time.time(), "why": why})


if __name__ == "__main__":
    main()

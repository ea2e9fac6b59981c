"""The process that holds an instance: while it lives, the instance runs. It has a session of its own.

It ends everything of the instance at the hard end, or when an announced reclaim is due, whether or not anybody looks;
it never touches anything else, and powers nothing off. Run as ``python -m tradewind.clouds.local.machine FOLDER``.
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

_LOOK_SECONDS = 0.25


def hold(folder: Folder) -> str:
    """Wait until the instance is due to end, and say why: ``expired`` or ``reclaimed``."""
    identity = folder.read(INSTANCE) or {}
    hard_end = float(identity["hard_end"])
    while True:
        now = time.time()
        if now >= hard_end:
            return "expired"
        notice = folder.read(NOTICE) if (folder.path / NOTICE).exists() else None
        if notice and now >= float(notice["deadline"]):
            return "reclaimed"
        if not folder.path.exists():
            return "expired"
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
    folder.write(MACHINE, {"pid": os.getpid(), "pgid": os.getpgid(0), "started": processes.started_at(os.getpid())})
    why = hold(folder)
    processes.end_all(folder.id, spare=os.getpid())
    if folder.path.exists():
        folder.write_once(ENDED, {"at": time.time(), "why": why})


if __name__ == "__main__":
    main()

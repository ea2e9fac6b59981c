"""The process that holds an instance, as it is written down and known again: pid, start, boot."""

from __future__ import annotations

import os
import subprocess
import time
from functools import lru_cache
from typing import Any, Dict

from tradewind.agent import processes

_BOOT = "/proc/sys/kernel/random/boot_id"


@lru_cache(maxsize=None)
def boot() -> str:
    """The id of this boot of the host: another one after a restart, the same after a sleep or a clock's jump."""
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read().strip()
    except OSError:  # macOS
        return _sysctl("kern.bootsessionuuid")


def booted_at() -> float:
    """When this boot began, seconds since the epoch; now, where the system does not tell."""
    try:
        with open("/proc/stat", encoding="ascii", errors="replace") as file:
            return next(float(line.split()[1]) for line in file if line.startswith("btime "))
    except (OSError, StopIteration):
        return time.time()


def describe() -> Dict[str, Any]:
    """This process."""
    here = processes.one(os.getpid())
    return {"pid": os.getpid(), "pgid": os.getpgid(0), "started": here.started if here else "", "boot": boot()}


def lives(told: Dict[str, Any]) -> bool:
    """Whether the process that ``told`` describes is alive."""
    if told["boot"] != boot():  # whoever has its number now is another
        return False
    seen = processes.one(int(told["pid"]))
    return seen is not None and seen.started == told["started"]


def _sysctl(name: str) -> str:
    done = subprocess.run(["sysctl", "-n", name], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().strip()

"""Operation ``facts``: what ``machines check`` tells of a host. Memory in GiB, disk in GB (10^9).

``now`` ``hostname`` ``machine`` (x86_64 …) ``os`` ``kernel`` ``python`` ``python_path`` ``user`` ``uid`` ``home`` ·
``cpus`` ``memory_gib`` ``memory_free_gib`` · ``root`` ``home_disk`` ``shm`` ``tmp``: a file system each, see
:mod:`disks` · ``open_files``: ``{"soft", "hard"}``, null: no limit · ``bash`` and ``programs``: where they are on a
login's PATH · ``docker`` ``docker_gpus`` ``podman`` ``podman_gpus``: see :func:`programs.engines` ·
``processes_end_at_logout`` · ``login_environment``: what a job's PATH and the like begin with · ``gpus``: the answer of
``gpus`` · ``unknown``: fact → why it is null.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import time
from operator import itemgetter
from typing import Any, Callable, Dict, Optional, Tuple

from tradewind.agent.door import disks, gpus, login, programs
from tradewind.agent.door.gpu_locks import user
from tradewind.wire.door import Header

_ENGINES = ("docker", "docker_gpus", "podman", "podman_gpus")
_SHOWN = ("PATH", "LANG", "SHELL", "LD_LIBRARY_PATH", "CUDA_HOME", "CONDA_PREFIX", "VIRTUAL_ENV")


class Unknown(Exception):
    """Why a fact could not be found."""


def facts(root: str) -> Header:
    """All of them: each has its key, null when it could not be found."""
    found: Dict[str, Any] = {"unknown": {}}
    for names, look in _looks(root, login.look()):
        try:
            values = look()
        except (Unknown, OSError) as fault:
            found["unknown"].update({name: str(fault) for name in names})
            values = (None,) * len(names)
        found.update(zip(names, values))
    return found


def _looks(root: str, told: login.Login) -> Tuple[Tuple[Tuple[str, ...], Callable[[], Tuple[Any, ...]]], ...]:
    """Which facts, and how they are found, together."""
    home = os.path.expanduser("~")
    return (
        (("now", "hostname", "machine"), lambda: (time.time(), os.uname().nodename, os.uname().machine)),
        (("os", "kernel"), lambda: (_system(), "{} {}".format(os.uname().sysname, os.uname().release))),
        (("python", "python_path"), lambda: (sys.version.split()[0], sys.executable)),
        (("user", "uid", "home"), lambda: (user(os.getuid()), os.getuid(), home)),
        (("cpus",), lambda: (_cpus(),)),
        (("memory_gib",), lambda: (_gib(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),)),
        (("memory_free_gib",), lambda: (_free_memory(),)),
        (("root",), lambda: (disks.look(root),)),
        (("home_disk",), lambda: (disks.look(home),)),
        (("shm",), lambda: (disks.look("/dev/shm"),)),  # noqa: S108 - shared memory itself, nothing is written there
        (("tmp",), lambda: (disks.look(told.environment.get("TMPDIR", "/tmp")),)),  # noqa: S108 - looked at only
        (("open_files",), lambda: (_open_files(),)),
        (("bash",), lambda: (shutil.which("bash", path=told.environment["PATH"]),)),
        (("programs",), lambda: (programs.paths(told.environment),)),
        (_ENGINES, lambda: itemgetter(*_ENGINES)(programs.engines(told.environment))),
        (("processes_end_at_logout",), lambda: (_ends_at_logout(),)),
        (("login_environment",), lambda: (_shown(told),)),
        (("gpus",), lambda: (gpus.read(),)),
    )


def _system() -> str:
    """The system's name as it calls itself, ``PRETTY_NAME`` of os-release(5)."""
    try:
        with open("/etc/os-release", encoding="utf-8", errors="replace") as file:
            lines = [line.partition("=") for line in file.read().splitlines()]
    except OSError:
        return os.uname().sysname
    return next((value.strip("\"'") for name, _, value in lines if name == "PRETTY_NAME"), os.uname().sysname)


def _cpus() -> int:
    """How many this user's processes may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _free_memory() -> float:
    """What programs may still take."""
    try:
        with open("/proc/meminfo", encoding="ascii", errors="replace") as file:
            return next(_gib(int(line.split()[1]) * 1024) for line in file if line.startswith("MemAvailable:"))
    except (FileNotFoundError, StopIteration):
        raise Unknown("this system has no MemAvailable in /proc/meminfo") from None


def _gib(size: int) -> float:
    return round(size / 2**30, 1)


def _open_files() -> Dict[str, Optional[int]]:
    """The limits of open files a process; null: none."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (None if each == resource.RLIM_INFINITY else each for each in limits)
    return {"soft": soft, "hard": hard}


def _ends_at_logout() -> bool:
    told = programs.ends_at_logout()
    if told is None:
        raise Unknown("systemd-logind does not answer")
    return told


def _shown(told: login.Login) -> Dict[str, str]:
    if told.why is not None:
        raise Unknown(told.why)
    return {name: told.environment[name] for name in _SHOWN if name in told.environment}

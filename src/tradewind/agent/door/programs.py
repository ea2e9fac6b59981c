"""Programs that a job may want: where they are, and whether this user may use the container engines."""

from __future__ import annotations

import glob
import shutil
import subprocess
from typing import Any, Dict, List, Optional, Tuple

_NAMES = ("rsync", "git", "docker", "podman", "nvidia-smi", "nvidia-container-runtime")
_SECONDS = 5.0
# The Container Device Interface's places of specifications (CDI specification 0.6).
_CDI = ("/etc/cdi/*nvidia*", "/var/run/cdi/*nvidia*")
_ENGINES = {
    "docker": ["info", "--format", "{{.ServerVersion}} {{json .Runtimes}}"],
    "podman": ["info", "--format", "{{.Version.Version}}"],
}
# What the engines' own errors say, in English, which is all they speak (docker 20 to 28, podman 3 to 5, read 2026-11).
_WHY = (("permission denied", "not-allowed"), ("daemon running", "not-running"), ("refused", "not-running"))
USABLE, FAILED = "usable", "failed"


def paths(environment: Dict[str, str]) -> Dict[str, Optional[str]]:
    """Where each program is; None: not on this PATH."""
    return {name: shutil.which(name, path=environment["PATH"]) for name in _NAMES}


def engines(environment: Dict[str, str]) -> Dict[str, Any]:
    """``docker``, ``podman``: ``usable``, ``not-allowed``, ``not-running``, ``failed``, or null when it is not there;
    ``docker_gpus``, ``podman_gpus``: whether it can give GPUs to a container, null when it cannot be asked.
    """
    docker, said = _engine("docker", environment)
    podman, _ = _engine("podman", environment)
    cdi = any(glob.glob(place) for place in _CDI)
    return {
        "docker": docker, "docker_gpus": ('"nvidia"' in said or cdi) if docker == USABLE else None,
        "podman": podman, "podman_gpus": cdi if podman == USABLE else None,
    }  # fmt: skip


def _engine(name: str, environment: Dict[str, str]) -> Tuple[Optional[str], str]:
    path = shutil.which(name, path=environment["PATH"])
    if path is None:
        return None, ""
    code, said = _run([path, *_ENGINES[name]], environment)
    if code == 0:
        return USABLE, said
    return next((why for words, why in _WHY if words in said.lower()), FAILED), said


def _run(command: List[str], environment: Optional[Dict[str, str]] = None) -> Tuple[int, str]:
    """Exit code and everything that a command says; 124 when it takes too long."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS,
            env=environment, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as fault:
        return 124, str(fault)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def ends_at_logout() -> Optional[bool]:
    """Whether systemd ends a user's processes when the last session closes; None where it cannot be asked."""
    code, said = _run([
        "busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
        "KillUserProcesses",
    ])  # fmt: skip
    return said.strip() == "b true" if code == 0 else None

"""Pythons of this computer besides the one that runs the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path


@cache
def python(version: str) -> str | None:
    """A Python of a version such as ``3.8``, when there is one."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [*map(str, sorted(root.glob(f"versions/{version}.*/bin/python"))), shutil.which(f"python{version}")]
    for path in found:
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    return None


def python38() -> str | None:
    """The oldest Python on which an agent runs, when it is here."""
    return python("3.8")

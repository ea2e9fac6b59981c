"""Pythons of this computer besides the one that runs the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path


@cache
def python38() -> str | None:
    """A Python 3.8, when there is one."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = [*map(str, sorted(root.glob("versions/3.8*/bin/python"))), shutil.which("python3.8")]
    for path in found:
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    return None

"""The wheel, made of the working tree, and installations of nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from product import REPO, Cli, Done

PARTS = ("src", "pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE")
NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")  # of the venv itself


@dataclass
class Installed(Cli):
    """The command as a wheel installed it, in an environment of its own."""

    venv: Path = Path()

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.venv / "bin"), "/usr/bin", "/bin"])
        return {**super().environment(), "PATH": path, "VIRTUAL_ENV": str(self.venv)}

    @property
    def packages(self) -> Path:
        return next((self.venv / "lib").glob("python3*/site-packages"))

    def python(self, code: str) -> Done:
        done = subprocess.run([str(self.venv / "bin" / "python"), "-c", code], env=self.environment(), text=True,
                              capture_output=True, check=False)  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def megabytes(self) -> float:
        """MB (10⁶ bytes) of all that was installed, without the bytecode that any Python writes again."""
        files = (each for each in self.packages.rglob("*") if each.is_file() and each.suffix != ".pyc")
        return sum(
            each.stat().st_size for each in files if not each.relative_to(self.packages).parts[0].startswith(NOT_OURS)
        ) / 1e6  # fmt: skip


def wheel_of_the_tree(folder: Path) -> Path:
    """The wheel, made from a copy, so that nothing is left in the checkout."""
    for name in PARTS:
        source, target = REPO / name, folder / "tree" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(folder / "tree"))
    return next(folder.glob("*.whl"))


def installed(python: str, wheel: Path, folder: Path) -> Installed:
    """The wheel in a new environment of a Python, with its base dependencies at the pinned versions."""
    venv = folder / "venv"
    subprocess.run([python, "-m", "venv", str(venv)], check=True, capture_output=True)
    _pip(str(venv / "bin" / "python"), "install", "--constraint", str(REPO / "constraints.txt"), str(wheel))
    return Installed(folder / "home", program=venv / "bin" / "tradewind", venv=venv)


def _pip(python: str, *words: str) -> None:
    """pip; without a package index the test is skipped, or fails where ``CI=true``."""
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    if "(from versions: none)" in done.stderr:
        _without("no package index answers")
    raise AssertionError(done.stderr[-3000:])


def _without(what: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)

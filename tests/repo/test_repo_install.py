"""Setting up says what is missing and how to mend it, before it downloads anything."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What setting up reads, in a folder with a space in its name."""
    folder = tmp_path / "a checkout"
    (folder / "scripts").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "scripts/install"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def program(folder: Path, name: str, text: str) -> Path:
    """An executable shell script in ``folder``."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def set_up(checkout: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "scripts/install"],
        cwd=checkout,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def python_without(module: str, folder: Path) -> Path:
    """This Python, as it is where the system leaves ``module`` out."""
    return program(folder, "python3", f'case "$*" in *{module}*) exit 1 ;; esac\nexec "{sys.executable}" "$@"')


def test_a_python_that_is_too_old_is_refused_with_the_fix(checkout: Path, tmp_path: Path) -> None:
    old = python_without("version_info < (3, 11)", tmp_path / "bin")
    run = set_up(checkout, PYTHON=str(old))
    assert run.returncode == 1
    assert "Python 3.11 or newer is needed" in run.stderr
    assert "Fix: install Python 3.11" in run.stderr


def test_a_python_without_venv_is_refused_with_the_package_to_install(checkout: Path, tmp_path: Path) -> None:
    bare = python_without("ensurepip", tmp_path / "bin")
    run = set_up(checkout, PYTHON=str(bare))
    assert run.returncode == 1
    assert f"apt-get install python3.{sys.version_info.minor}-venv" in run.stderr


def test_a_python_without_sqlite_is_refused(checkout: Path, tmp_path: Path) -> None:
    poor = python_without("sqlite3", tmp_path / "bin")
    run = set_up(checkout, PYTHON=str(poor))
    assert run.returncode == 1
    assert "was built without sqlite3, ssl or zlib" in run.stderr
    assert "make PYTHON=/path/to/python3" in run.stderr


def test_a_full_disk_is_refused_with_both_figures(checkout: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin", "df", 'echo header; echo "/dev/disk 9 9 1048576 99% /"')
    run = set_up(checkout, PYTHON=sys.executable, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert run.returncode == 1
    assert "1024 MB are free here; setting up torch needs 3000 MB" in run.stderr
    assert not (checkout / ".venv").exists()


def test_two_do_not_set_up_at_once(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / ".unfinished").write_text(str(os.getpid()))
    run = set_up(checkout, PYTHON=sys.executable)
    assert run.returncode == 1
    assert f"Process {os.getpid()} is setting up .venv right now" in run.stderr
    assert (checkout / ".venv" / ".unfinished").exists()


def test_every_dependency_is_pinned() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    plain = [re.split(r"[\[><=~! ]", each)[0] for each in asked]
    names = {"".join(c if c.isalnum() else "-" for c in each.lower()) for each in plain}
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in pins}
    assert all("==" in line for line in pins)
    assert names - pinned == set()

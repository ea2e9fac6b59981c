"""Running training programs as real processes: cold, or warm where only the import of torch would be repeated."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

PROGRAMS = Path(__file__).parent / "programs"


@dataclass
class Running:
    """A program at work, in a process group of its own; ``out`` is its stdout and stderr."""

    pid: int
    out: TextIO
    wait: Callable[[], int]

    def read_until(self, line: str) -> None:
        told = []
        for told_line in self.out:
            told.append(told_line)
            if told_line.strip() == line:
                return
        raise AssertionError(f"ended without {line!r}: {''.join(told)}")


Cold = Callable[..., subprocess.Popen[str]]
Warm = Callable[..., Running]


def clean_environment() -> dict[str, str]:
    """The caller's, without settings of a job that the tests may be running in."""
    return {key: value for key, value in os.environ.items() if not key.startswith("TRADEWIND_")}


def begin(program: Path, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(program), *arguments],
        cwd=folder,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )

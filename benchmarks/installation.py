"""A Tradewind of its own for a benchmark: a fresh home, asked through the command line's JSON, nothing left open."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).parents[1]
TRADEWIND = str(Path(sys.executable).with_name("tradewind"))
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Installation:
    """One ``TRADEWIND_HOME``."""

    home: Path

    @property
    def env(self) -> dict[str, str]:
        """The environment in which its commands run; jobs find this interpreter as ``python``."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "TRADEWIND_HOME": str(self.home), "PATH": path}

    def ask(self, *words: str) -> Any:
        """The JSON answer of ``tradewind WORDS --json``, whatever its exit code.

        Raises:
            RuntimeError: there was no answer; the text has what was said instead.
        """
        run = subprocess.run(
            [TRADEWIND, *words, "--json"],
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        try:
            answer = json.loads(run.stdout)
        except ValueError:
            raise RuntimeError(f"tradewind {' '.join(words)}: exit {run.returncode}\n{run.stderr}") from None
        if isinstance(answer, dict) and set(answer) == {"error"}:
            raise RuntimeError(f"tradewind {' '.join(words)}: {answer['error']}")
        return answer

    def submit(self, job_file: Path, *words: str) -> str:
        """The id of a job submitted and left to itself."""
        return str(self.ask("run", str(job_file), "--detach", "--yes", *words)["job"])

    def node_of(self, job: str) -> dict[str, Any]:
        """Address, contact and process group of the job's node, once it has one."""

        def look() -> dict[str, Any] | None:
            leases = [each for each in self.ask("leases") if each["job"] == job and each["node"]]
            return dict(leases[-1]["node"]) if leases else None

        return until(look, "a node")

    def close(self) -> None:
        """Stop what still runs and wait until no lease is open."""
        for job in self.ask("ps"):
            self.ask("stop", job["job"])
        until(lambda: self.ask("leases") == [], "no open lease")


@contextmanager
def installation() -> Iterator[Installation]:
    """A fresh installation, closed and removed at the end, also after a failure or SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-", ignore_cleanup_errors=True) as folder:
        fresh = Installation(Path(folder) / "home")
        try:
            yield fresh
        finally:
            fresh.close()


def until(look: Callable[[], Found | None], what: str, seconds: float = 120.0, every: float = 0.1) -> Found:
    """What ``look`` finds, once it finds something.

    Raises:
        TimeoutError: nothing was found within ``seconds``.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(every)
    raise TimeoutError(f"no sign of {what} within {seconds:g} s")


def write_job(folder: Path, name: str, run: str, extra: str = "") -> Path:
    """A job file of its own in a folder of its own, so that the workdir holds nothing else."""
    workdir = folder / name
    workdir.mkdir(parents=True, exist_ok=True)
    path = workdir / "job.yaml"
    path.write_text(f"name: {name}\nrun: {json.dumps(run)}\n{extra}", encoding="utf-8")
    return path

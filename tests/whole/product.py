"""The product as its users run it: the command, a home of its own, real processes; nothing may be left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

REPO = Path(__file__).resolve().parents[2]
EXAMPLE = REPO / "examples" / "digits" / "job.yaml"
TRADEWIND = Path(sys.executable).with_name("tradewind")
METADATA = (  # see conftest.py
    "ALIBABA_CLOUD_CLI_PROFILE_DISABLED", "ALIBABA_CLOUD_CREDENTIALS_FILE", "ALIBABA_CLOUD_ECS_METADATA_DISABLED",
    "AWS_CONFIG_FILE", "AWS_EC2_METADATA_DISABLED", "AWS_SHARED_CREDENTIALS_FILE", "NO_GCE_CHECK",
)  # fmt: skip
PATIENCE = 240.0  # seconds; generous, for a busy machine


def command_line(process: psutil.Process) -> str:
    """Words of a process with blanks between them; empty once it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


@dataclass
class Done:
    """An ended command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Cli:
    """The command line with a home of its own."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)
    program: Path = TRADEWIND

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(TRADEWIND.parent), os.environ["PATH"]])
        kept = {name: os.environ[name] for name in (*METADATA, "HOME", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, "PATH": path, "TRADEWIND_HOME": str(self.home), "COLUMNS": "110", **self.env}

    def start(self, *words: str) -> subprocess.Popen[str]:
        command, silent = [str(self.program), *words], subprocess.DEVNULL
        return subprocess.Popen(command, env=self.environment(), text=True, stdin=silent, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd="/")  # fmt: skip

    def __call__(self, *words: str, timeout: float = PATIENCE) -> Done:
        process = self.start(*words)
        out, err = process.communicate(timeout=timeout)
        return Done(process.returncode, out, err)

    def json(self, *words: str) -> Any:
        done = self(*words, "--json")
        assert done.code == 0, done.err + done.out
        return done.json

    def detach(self, job: Path, *words: str) -> str:
        told = self.json("run", str(job), "--detach", "--yes", *words)
        return str(told["job"])

    def show(self, job: str) -> Any:
        done = self("show", job, "--json")
        return done.json

    def until(self, job: str, what: Callable[[Any], Any], patience: float = PATIENCE) -> Any:
        """The first show object of which ``what`` is true."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            shown = self.show(job)
            if what(shown):
                return shown
            time.sleep(1.5)  # each look is a whole command: leave the processors to the training
        raise AssertionError(f"never: {json.dumps(shown)[-3000:]}")

    def processes(self) -> list[psutil.Process]:
        """Everything that runs for this home, by its name in a command line or environment."""
        return [process for process in psutil.process_iter() if self._ours(process)]

    def _ours(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            told = " ".join(process.cmdline()) + " ".join(process.environ().values())
        except psutil.Error:
            return False
        return str(self.home) in told and process.pid != os.getpid()

    def quiet(self) -> list[str]:
        """What still runs once the supervisor had time to end by itself; empty is right."""
        deadline = time.monotonic() + 30
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.1)
        return [line for process in self.processes() if (line := command_line(process))]


def cut(folder: Path, epochs: int) -> Path:
    """A copy of the example with fewer epochs."""
    folder.mkdir()
    (folder / "train.py").write_text((EXAMPLE.parent / "train.py").read_text())
    lines = {
        "epochs": f"  epochs: {epochs}",
        "env": f'env: {{SEED: "0", DIGITS_EPOCHS: "{epochs}"}}',
        "checkpoint": "checkpoint: {path: ./checkpoints, every: 10 steps}",
    }
    given = EXAMPLE.read_text().splitlines()
    (folder / "job.yaml").write_text("\n".join(lines.get(line.strip().split(":")[0], line) for line in given) + "\n")
    return folder / "job.yaml"

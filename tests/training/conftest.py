"""Fixtures: training programs as real processes."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from training_runs import PROGRAMS, Cold, Running, Warm, begin


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Cold]:
    """Starts a program in ``tmp_path``."""
    started: list[subprocess.Popen[str]] = []

    def start(program: str, *arguments: str) -> subprocess.Popen[str]:
        started.append(begin(PROGRAMS / program, tmp_path, *arguments))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[object], int]]:
    """Asks the nursery and gives its answer."""
    process = begin(PROGRAMS / "nursery.py", tmp_path_factory.mktemp("nursery"))
    assert process.stdin is not None
    assert process.stdout is not None
    orders, answers = process.stdin, process.stdout

    def ask(order: object) -> int:
        orders.write(json.dumps(order) + "\n")
        orders.flush()
        return int(answers.readline())

    yield ask
    process.communicate(timeout=30)


@pytest.fixture
def warm(nursery: Callable[[object], int], tmp_path: Path) -> Iterator[Warm]:
    """Starts a program in ``tmp_path`` with torch already imported."""
    started: list[Running] = []

    def start(program: str | Path, *arguments: str, **env: str) -> Running:
        out = tmp_path / f".out-{len(started)}"
        os.mkfifo(out)
        order = {"program": str(PROGRAMS / program), "arguments": arguments, "folder": str(tmp_path), "env": env}
        pid = nursery({**order, "out": str(out)})
        started.append(Running(pid, out.open(encoding="utf-8"), lambda: nursery(pid)))
        return started[-1]

    yield start
    for running in started:
        running.out.close()

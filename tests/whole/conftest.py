"""Fixtures: the command with a home of its own, and the example cut short."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from left_rehearsals import leave
from product import Cli, cut


@pytest.fixture
def cli(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cli]:
    """With ``TEST_REHEARSALS=FOLDER`` its rehearsals are left there for ``benchmarks/prediction.py``."""
    made = Cli(tmp_path / "home")
    yield made
    if left := os.environ.get("TEST_REHEARSALS"):
        leave(made, request.node.name, Path(left))
    for process in made.processes():
        process.send_signal(signal.SIGKILL)


@pytest.fixture
def short_job(tmp_path: Path) -> Path:
    """The digits job with its epochs cut to a few seconds of training."""
    return cut(tmp_path / "digits", epochs=4)

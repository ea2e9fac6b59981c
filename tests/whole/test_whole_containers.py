"""A job in a container on a machine of one's own, over a real sshd and a stand-in for the engine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_standin import Engine
from product import TRADEWIND, Cli
from sshd import Sshd
from test_whole_machines import CANARY, add, at_home

pytestmark = pytest.mark.long

JOB = """\
name: contained
image: docker:some/image:1
setup: echo prepared > ~/prepared
run: |
  cat ~/prepared; printf %s "$HF_TOKEN" | sha256sum; echo "$COLOUR [$CUDA_VISIBLE_DEVICES]"; mkdir out; echo 1 > out/1
env: {COLOUR: blue}
secrets: [HF_TOKEN]
outputs: [out]
"""


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.close()


@pytest.fixture
def own(cli: Cli, engine: Engine, tmp_path: Path) -> Iterator[Cli]:
    """A user who has one machine, ``box``, whose logins find the engine."""
    with Sshd(path=f"{TRADEWIND.parent}:{os.environ['PATH']}") as server:
        (Path(server.home) / ".profile").write_text(f"export PATH={engine.bin}:$PATH\n")
        cli.env.update(at_home(server, tmp_path / "user"))
        assert add(cli, server, "box").code == 0
        (tmp_path / "work").mkdir()
        yield cli


def test_a_job_runs_in_its_image_and_its_secret_is_not_the_engines(own: Cli, engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "work" / "job.yaml"
    file.write_text(JOB)
    own.env["HF_TOKEN"] = CANARY
    done = own("run", str(file), "--on", "box", "--json")
    assert done.code == 0, done.err + done.out
    log = next((own.home / "jobs").glob("*/logs/attempt-1.log")).read_text()
    assert log.startswith("prepared\n") and log.endswith("blue []\n")
    assert [path.name for path in (own.home / "jobs").glob("*/outputs/out/*")] == ["1"]
    assert len(engine.ran()) == 2 and engine.containers == {}
    assert CANARY not in json.dumps([vars(call) for call in engine.calls])


def test_a_job_whose_supervisor_was_killed_is_stopped_with_its_container(
    own: Cli, engine: Engine, tmp_path: Path
) -> None:
    file = tmp_path / "work" / "job.yaml"
    file.write_text("run: sleep 100; true\nimage: docker:some/image:1\n")
    job = own.detach(file, "--on", "box")
    own.until(job, lambda shown: bool(engine.containers))
    for process in own.processes():
        process.kill()
    assert list(engine.containers)
    assert own("stop", job, "--json").json["state"] == "STOPPED"
    assert engine.containers == {} and own.json("leases") == []

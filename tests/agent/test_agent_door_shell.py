"""A shell where the job works, as a user's terminal opens it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_door import Fault, Host, hosting

from tradewind.wire.spec import Spec


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    made = Host(tmp_path_factory.mktemp("host"))
    with hosting(made):
        yield made


def visit(host: Host, id_: str, text: str) -> subprocess.CompletedProcess[str]:
    argv = host.ask("shell", id=id_)["argv"]
    return subprocess.run(argv, input=text, env=host.env, capture_output=True, text=True, timeout=30, check=False)


def test_a_shell_opens_where_the_job_works_with_its_environment_and_its_mark(host: Host) -> None:
    (host.home / ".profile").write_text("export CUDA_HOME=/usr/cuda\numask 027\n")
    taken = host.take()
    node = Path(taken["address"]) / "node"
    (node / "work").mkdir(parents=True)
    spec = Spec("job/1", "job", 1, 1, "true", env={"NCCL_DEBUG": "WARN"}, host_environment=True, secrets=["HF_TOKEN"])
    (node / "spec.json").write_text(spec.to_json())
    asked = (
        'echo "$(pwd)|$NCCL_DEBUG|$CUDA_HOME|$TRADEWIND_INSTANCE|${HF_TOKEN-none}|$(umask)|[$CUDA_VISIBLE_DEVICES]"\n'
    )
    done = visit(host, taken["id"], asked)
    assert done.returncode == 0
    told = done.stdout.splitlines()[-1]
    assert told == f"{node / 'work'}|WARN|/usr/cuda|{taken['id']}|none|0027|[]"


def test_a_shell_before_anything_was_started_says_so(host: Host) -> None:
    taken = host.take()
    done = visit(host, taken["id"], "true\n")
    assert done.returncode == 1
    assert "no job is here" in done.stderr


def test_a_shell_on_what_is_not_there_is_refused(host: Host) -> None:
    with pytest.raises(Fault) as fault:
        host.ask("shell", id="machine-nothing")
    assert fault.value.kind == "gone"
    assert json.dumps(fault.value.data) == "{}"

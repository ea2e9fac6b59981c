"""What a job finds in its environment: secrets that came through standard input, the login's, its own GPUs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_node import Node, wait_for

from tradewind.agent.environment import environment
from tradewind.wire import journal
from tradewind.wire import spec as wire


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path)
    yield made
    made.end()


def test_nothing_begins_before_all_secrets_are_given_and_others_are_not_the_jobs(node: Node) -> None:
    run = 'echo "${ONE} ${TWO} ${OTHER-none}"'
    (node.root / "spec.json").write_text(node.spec(run, secrets=["ONE", "TWO"]).to_json())
    for given in ({}, {"ONE": "1"}):
        assert node.serve(given) == wire.NEEDS
        wait_for(lambda: not node.processes(), "the end of what cannot serve")
        assert node.records() == [] and not (node.root / "runner.json").exists()
    assert node.serve({"ONE": "1", "TWO": "2\\n\n", "OTHER": "3"}) == wire.SERVING
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    assert node.log() == "1 2\\n\n none\n"


def test_an_agent_whose_job_has_its_secrets_goes_on_without_them(node: Node) -> None:
    node.start('until [ -e go ]; do sleep 0.05; done; echo "$TOKEN"', {"TOKEN": "sesame"})
    node.wait(journal.RUN_STARTED)
    node.kill_agent()
    assert node.serve() == wire.SERVING
    node.write("go", "")
    node.wait(journal.RUN_ENDED)
    node.kill_agent()
    assert node.serve() == wire.SERVING
    assert node.log() == "sesame\n"


def environment_of(node: Node) -> dict[str, str]:
    assert node.wait(journal.RUN_ENDED)["exit"] == 0, node.log()
    pairs = (node.root / "work" / "environment").read_text().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def test_what_a_login_finds_is_the_jobs_where_the_spec_says_so(node: Node) -> None:
    node.host = {
        "COLOUR": "grey",
        "CUDA_HOME": "/cuda",
        "TRADEWIND_GPUS": "GPU-a",
        "SSH_AUTH_SOCK": "/agent",
        "PYTHONPATH": "/theirs",
    }
    node.start(
        "env -0 > environment", {"TOKEN": "sesame"}, env={"COLOUR": "blue", "PY": node.python}, host_environment=True
    )
    told = environment_of(node)
    assert told["PATH"] == os.environ["PATH"] and told["CUDA_HOME"] == "/cuda"
    assert told["CUDA_VISIBLE_DEVICES"] == "GPU-a" and told["COLOUR"] == "blue" and told["TOKEN"] == "sesame"
    assert told["PYTHONPATH"] == f"{node.root}/lib:/theirs"
    assert not [name for name in told if re.match("SSH_|TRADEWIND_(SECRETS|GPUS)", name)]


@pytest.mark.parametrize(
    ("given", "cuda", "nvidia"),
    [(None, "7", "all"), ("", "", "void"), ("GPU-a,GPU-b", "GPU-a,GPU-b", "GPU-a,GPU-b")],
    ids=["whatever there is", "none", "two"],
)
def test_a_job_sees_the_gpus_of_its_instance_whatever_it_asks_for(
    node: Node, monkeypatch: pytest.MonkeyPatch, given: str | None, cuda: str, nvidia: str
) -> None:
    monkeypatch.delenv("TRADEWIND_GPUS", raising=False)
    if given is not None:
        monkeypatch.setenv("TRADEWIND_GPUS", given)
    spec = node.spec("true", env={"CUDA_VISIBLE_DEVICES": "7", "NVIDIA_VISIBLE_DEVICES": "all"})
    told = environment(str(node.root), spec, {})
    assert (told["CUDA_VISIBLE_DEVICES"], told["NVIDIA_VISIBLE_DEVICES"]) == (cuda, nvidia)

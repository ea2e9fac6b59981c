"""Any process of a node may be killed: what goes on goes on once, and ends with the right exit code, told once."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_node import Node, alive, wait_for
from test_agent_stopping import training

from tradewind.wire import journal, manifest

GATED = "echo started >> starts; until [ -e go ]; do sleep 0.05; done; exit 5"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path)
    yield made
    made.end()


def test_an_agent_that_was_killed_adopts_the_running_job(node: Node) -> None:
    node.start(GATED)
    pid = node.wait(journal.RUN_STARTED)["pid"]
    for _ in range(2):
        node.kill_agent()
        assert alive(pid)
        assert node.serve() == 0
    assert [each["adopted"] for each in node.records(journal.AGENT_STARTED)] == [False, True, True]
    node.write("go", "")
    assert node.wait(journal.RUN_ENDED)["exit"] == 5
    node.wait(journal.OUTPUTS)
    node.collect()
    assert len(node.records(journal.RUN_ENDED)) == len(node.records(journal.RUN_STARTED)) == 1
    assert (node.root / "work" / "starts").read_text() == "started\n"


def test_the_exit_code_survives_an_agent_that_was_away_when_the_job_ended(node: Node) -> None:
    node.start(GATED)
    pid = node.wait(journal.RUN_STARTED)["pid"]
    node.kill_agent()
    node.write("go", "")
    wait_for(lambda: not alive(pid), "the job's end")
    assert node.serve() == 0
    assert node.wait(journal.RUN_ENDED)["exit"] == 5


def test_a_setup_goes_on_without_the_agent_and_is_not_repeated_and_keeps_the_secrets(node: Node) -> None:
    setup = "echo setup; until [ -e go ]; do sleep 0.05; done"
    node.start('echo "run $TOKEN"', {"TOKEN": "abcdef"}, setup=setup)
    wait_for(lambda: "setup" in node.log(), "setup")
    node.kill_agent()
    node.write("go", "")
    assert node.serve() == 0
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    assert node.log() == "setup\nrun abcdef\n"
    assert len(node.records(journal.SETUP_STARTED)) == len(node.records(journal.SETUP_ENDED)) == 1


def test_a_job_that_was_killed_ended_with_137(node: Node) -> None:
    node.start("\"$PY\" -c 'import time; time.sleep(60)'")
    os.killpg(node.wait(journal.RUN_STARTED)["pgid"], signal.SIGKILL)
    assert node.wait(journal.RUN_ENDED)["exit"] == 137


@pytest.mark.parametrize("agent_too", [False, True])
def test_a_job_that_was_killed_with_its_runner_ended_with_137(node: Node, agent_too: bool) -> None:
    node.start("sleep 60")
    pid = node.wait(journal.RUN_STARTED)["pid"]
    if agent_too:
        node.kill_agent()
    os.kill(node.runner_pid(), signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    if agent_too:
        assert node.serve() == 0
    assert node.wait(journal.RUN_ENDED)["exit"] == 137


def test_a_job_outlives_its_runner_and_is_still_stopped(node: Node) -> None:
    node.start("sleep 60")
    pid = node.wait(journal.RUN_STARTED)["pid"]
    os.kill(node.runner_pid(), signal.SIGKILL)
    node.kill_agent()
    assert node.serve() == 0
    assert alive(pid)
    node.command("stop", 5.0)
    assert node.wait(journal.RUN_ENDED) | {"at": 0} == {
        "v": 1,
        "at": 0,
        "type": "run_ended",
        "exit": 137,
        "why": "stop",
    }
    assert not alive(pid)


def test_whenever_the_agent_is_killed_nothing_is_lost_or_doubled(node: Node) -> None:
    chance = random.Random(20261125)
    node.start('"$PY" train.py', setup="sleep 0.2", **training(node, STEPS="120", EVERY="15"))
    for _ in range(7):
        time.sleep(chance.uniform(0.0, 0.4))  # when it hits is the point
        node.kill_agent()
        assert node.serve() == 0
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    assert [each["event"]["step"] for each in node.records(journal.JOB)] == list(range(1, 121))
    for type_ in (journal.SETUP_STARTED, journal.SETUP_ENDED, journal.RUN_STARTED, journal.RUN_ENDED):
        assert len(node.records(type_)) == 1, type_
    assert node.log() == "from 0\n"
    assert node.records(journal.CHECKPOINT)[-1]["step"] == 120
    for path in node.store.glob("epoch-*/*"):
        assert manifest.check(str(path))


def test_a_torn_last_line_is_cut_off_and_no_event_is_lost_or_doubled(node: Node) -> None:
    step = 'echo "{\\"v\\":1,\\"type\\":\\"step\\",\\"step\\":$N}" >> "$TRADEWIND_EVENTS"'
    node.start(
        f"for N in 1 2 3; do {step}; done; until [ -e go ]; do sleep 0.05; done; N=4; {step}; "
        "printf half >> $TRADEWIND_EVENTS"
    )
    node.wait(journal.JOB, 3)
    node.kill_agent()
    path = node.root / "journal.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    last_job = max(number for number, line in enumerate(whole) if b'"job"' in line)
    path.write_bytes(b"".join(whole[:last_job]) + whole[last_job][:20])
    node.write("go", "")
    assert node.serve() == 0
    node.wait(journal.RUN_ENDED)
    assert [each["event"]["step"] for each in node.records(journal.JOB)] == [1, 2, 3, 4]
    assert not [each for each in node.records() if each["type"] == "unreadable"]

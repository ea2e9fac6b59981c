"""A job from its start to the agent's end, with a real agent, bash and Python."""

from __future__ import annotations

import json
import os
import signal
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_node import Node, alive, wait_for
from pythons import python38

from tradewind.wire import journal
from tradewind.wire.spec import RELEASE


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path)
    yield made
    made.end()


@pytest.mark.parametrize("python", [sys.executable, python38()], ids=["current", "3.8"])
def test_a_job_runs_from_setup_to_collected(tmp_path: Path, python: str | None) -> None:
    if python is None:
        pytest.skip("no Python 3.8 here")
    node = Node(tmp_path, python=python)
    try:
        node.start(
            'echo to-stdout; echo to-stderr >&2; echo \'{"v":1,"type":"step","step":7}\' >> "$TRADEWIND_EVENTS"; '
            'mkdir -p out/deep; printf abc > out/deep/a.txt; exit 3',
            setup="echo setting up; touch made-by-setup", outputs=["./out", "*.log"],
        )  # fmt: skip
        gathered = node.wait(journal.OUTPUTS)
        assert gathered["files"] == 1 and gathered["bytes"] == 3 and gathered["missing"] == ["*.log"]
        told = json.loads((node.root / "outputs" / "outputs.json").read_text())
        assert told["files"] == [{"name": "out/deep/a.txt", "bytes": 3, "crc32": f"{zlib.crc32(b'abc'):08x}"}]
        assert (node.root / "outputs" / "files" / "out" / "deep" / "a.txt").read_text() == "abc"
        node.collect()
        assert node.types() == [
            "agent_started", "setup_started", "setup_ended", "run_started", "run_ended", "outputs", "agent_ended",
        ]  # fmt: skip
        assert node.wait(journal.RUN_ENDED) | {"at": 0} == {
            "v": 1, "at": 0, "type": "run_ended", "exit": 3, "why": "exit",
        }  # fmt: skip
        assert [each["event"]["step"] for each in node.records(journal.JOB)] == [7]
        assert node.log().splitlines() == ["setting up", "to-stdout", "to-stderr"]
        wait_for(lambda: not node.processes(), "no process left")
    finally:
        node.end()


@pytest.mark.parametrize(("run", "code"), [("false | true; true", 1), ("kill -USR1 $$", 128 + signal.SIGUSR1)])
def test_the_exit_code_is_bashs_own(node: Node, run: str, code: int) -> None:
    node.start(run)
    assert node.wait(journal.RUN_ENDED)["exit"] == code


def test_a_setup_that_fails_is_told_and_the_run_never_starts(node: Node) -> None:
    node.start("touch ran", setup="echo no such package; exit 4")
    assert node.wait(journal.SETUP_ENDED)["exit"] == 4
    node.collect()
    assert "no such package" in node.log()
    assert not (node.root / "work" / "ran").exists()
    assert node.types() == ["agent_started", "setup_started", "setup_ended", "agent_ended"]


def test_the_job_has_the_specs_environment_and_nothing_of_ours_but_the_contract(node: Node) -> None:
    node.start(
        "env -0 > environment; pwd > where", {"TOKEN": "line one\nline \\two", "SHORT": "x"},
        env={"PATH": os.environ["PATH"], "COLOUR": "blue", "PYTHONPATH": "/mine"},
        checkpoint_every="5s", attempt=2,
    )  # fmt: skip
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    pairs = (node.root / "work" / "environment").read_text().split("\0")
    told = dict(pair.split("=", 1) for pair in pairs if pair)
    for name in ("PWD", "SHLVL", "_", "OLDPWD", "TRADEWIND_INSTANCE"):
        told.pop(name, None)
    assert told == {
        "PATH": os.environ["PATH"], "COLOUR": "blue", "PYTHONPATH": f"{node.root}/lib:/mine",
        "TOKEN": "line one\nline \\two", "SHORT": "x",
        "TRADEWIND_CHECKPOINT_DIR": str(node.root / "work" / "checkpoints"), "TRADEWIND_CHECKPOINT_EVERY": "5s",
        "TRADEWIND_EVENTS": f"{node.root}/events.jsonl", "TRADEWIND_EPOCH": "1", "TRADEWIND_JOB": "job",
        "TRADEWIND_ATTEMPT": "2", "TRADEWIND_CADENCE": f"{node.root}/cadence.json",
    }  # fmt: skip
    assert (node.root / "work" / "where").read_text().strip() == f"{node.root}/work"


def test_secrets_are_on_no_disk_and_stay_out_of_the_journal_in_every_life(node: Node) -> None:
    secret = "hf_0123456789"
    event = 'echo "{\\"v\\":1,\\"type\\":\\"eval\\",\\"step\\":$N,\\"note\\":\\"$TOKEN\\"}" >> "$TRADEWIND_EVENTS"'
    node.start(
        f"N=1; {event}; until [ -e go ]; do sleep 0.05; done; N=2; {event}", {"TOKEN": secret},
        setup='test "${TOKEN#hf_}" = 0123456789',
    )  # fmt: skip
    node.wait(journal.JOB)
    node.kill_agent()
    node.write("go", "")
    assert node.serve() == 0
    node.wait(journal.RUN_ENDED)
    assert [each["event"]["note"] for each in node.records(journal.JOB)] == ["***", "***"]
    files = [path for path in node.root.rglob("*") if path.is_file()]
    assert [path.name for path in files if secret in path.read_text(errors="replace")] == ["events.jsonl"], "its own"
    assert not [each for each in node.processes() if secret in " ".join(each.cmdline())]


def test_only_one_agent_serves_a_folder(node: Node) -> None:
    node.start("until [ -e go ]; do sleep 0.05; done")
    node.wait(journal.RUN_STARTED)
    first = node.agent_pid()
    assert node.serve() == 3
    assert node.agent_pid() == first
    node.write("go", "")
    node.wait(journal.RUN_ENDED)
    assert len(node.records(journal.AGENT_STARTED)) == 1


def test_a_command_is_carried_out_once_and_what_is_none_is_put_aside(node: Node) -> None:
    node.start("sleep 60")
    node.wait(journal.RUN_STARTED)
    (node.root / "commands" / "broken.json").write_text("{")
    node.command("stop", 5.0, file="stop-1")
    assert node.wait(journal.RUN_ENDED) | {"at": 0, "v": 1} == {
        "v": 1, "at": 0, "type": "run_ended", "exit": 143, "why": "stop",
    }  # fmt: skip
    node.collect()
    assert sorted(path.name for path in (node.root / "commands").iterdir()) == [
        "broken.json.refused", "collected.json.done", "stop-1.json.done",
    ]  # fmt: skip
    assert len(node.records(journal.STOP_SENT)) == 1


def test_nobody_collects_outputs_go_to_the_store_and_the_agent_ends(node: Node) -> None:
    node.start("echo result > result.txt", outputs=["result.txt"], after_exit_seconds=0.2)
    assert node.wait(journal.AGENT_ENDED)["why"] == "after-exit"
    saved = node.wait(journal.OUTPUTS_SAVED)
    assert (Path(saved["path"]) / "files" / "result.txt").read_text() == "result\n"
    assert saved["files"] == 1
    (told,) = node.records(journal.AGENT_ENDED)
    assert release(node) == {"why": "after-exit", "at": pytest.approx(told["at"], abs=5.0)}


def test_a_node_that_was_collected_is_to_end_later(node: Node) -> None:
    node.start("true", after_exit_seconds=600.0)
    node.wait(journal.RUN_ENDED)
    assert release(node) is None
    node.collect()
    (told,) = node.records(journal.AGENT_ENDED)
    assert release(node) == {"why": "collected", "at": pytest.approx(told["at"] + 600.0, abs=5.0)}


def release(node: Node) -> dict[str, Any] | None:
    path = node.root / RELEASE
    found: dict[str, Any] | None = json.loads(path.read_text()) if path.exists() else None
    return found


def test_outputs_outside_the_workdir_are_not_taken(node: Node) -> None:
    node.start("true", outputs=["../spec.json", "/etc/hostname"])
    assert node.wait(journal.OUTPUTS)["missing"] == ["../spec.json", "/etc/hostname"]


def test_samples_tell_what_the_job_uses(node: Node) -> None:
    node.start("\"$PY\" -c 'x = bytearray(60_000_000)\nimport time\ntime.sleep(60)'")
    pid = node.wait(journal.RUN_STARTED)["pid"]
    sample = node.wait(journal.SAMPLE)
    assert sample["gpus"] == [] and sample["rss_bytes"] > 0
    node.command("stop", 0.0)
    node.wait(journal.RUN_ENDED)
    assert not alive(pid)


def test_a_notice_of_an_unknown_kind_is_refused_at_the_start(node: Node) -> None:
    (node.root / "spec.json").write_text(node.spec("true", notice={"kind": "pigeon"}).to_json())
    assert node.serve() == 1
    assert not (node.root / "run.json").exists()


def test_an_agent_whose_work_has_ended_does_nothing_again(node: Node) -> None:
    node.start("echo once")
    node.wait(journal.OUTPUTS)
    node.collect()
    before = (node.root / "journal.jsonl").read_bytes()
    assert node.serve() == 0
    wait_for(lambda: not node.processes(), "the agent's end")
    assert (node.root / "journal.jsonl").read_bytes() == before
    assert node.log() == "once\n"

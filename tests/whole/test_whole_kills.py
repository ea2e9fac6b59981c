"""SIGKILL of the supervisor, the agent, the job and the node; torn checkpoints; bit-exact resume."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from product import Cli, cut


def training(at_least: int = 15) -> Callable[[Any], bool]:
    return lambda shown: bool(shown["progress"] and shown["progress"]["step"] >= at_least)


def command_of(cli: Cli, *words: str) -> list[psutil.Process]:
    """Processes of this home whose command line has all these words."""
    found = []
    for process in cli.processes():
        try:
            line = process.cmdline()
        except psutil.Error:
            continue
        if all(any(word in part for part in line) for word in words):
            found.append(process)
    return found


def works(process: psutil.Process, job: str) -> bool:
    """Whether the process works for the job, by the folders that its environment names."""
    return any(job in value for value in process.environ().values())


def finished(cli: Cli, job: str) -> dict[str, Any]:
    """The ended job, after the laws were checked."""
    done = cli("wait", job, "--json")
    shown: dict[str, Any] = done.json
    assert done.code == 0, json.dumps(shown["events"][-12:], indent=1) + "\n".join(map(str, shown["attempts"]))
    assert shown["state"] == "SUCCEEDED"
    assert cli.json("leases") == []
    assert cli.json("sweep")["found"] == []
    lines = cli.json("cost", job)["jobs"][0]["lines"]
    leases = [lease for attempt in shown["attempts"] for lease in attempt["leases"]]
    assert sorted(line["lease"] for line in lines) == sorted(leases)  # each once
    assert cli.quiet() == []
    return shown


def weights(shown: dict[str, Any]) -> str:
    found = next(Path(shown["outputs"]["path"]).rglob("metrics.json"))
    return str(json.loads(found.read_text())["sha256"])


def kill_supervisor(shown: dict[str, Any]) -> None:
    if shown["supervisor"]:
        os.kill(shown["supervisor"]["pid"], signal.SIGKILL)


def kill_agent(cli: Cli) -> None:
    for process in command_of(cli, "agent.pyz", "serve"):
        process.kill()


def kill_node(cli: Cli, job: str) -> None:
    lease = next(each for each in cli.json("leases") if each["job"] == job and each["state"] == "RUNNING")
    os.killpg(lease["node"]["pgid"], signal.SIGKILL)


@pytest.mark.early
def test_the_supervisor_is_killed_and_then_the_agent(cli: Cli, tmp_path: Path) -> None:
    job = cli.detach(cut(tmp_path / "digits", epochs=8), "--local")
    shown = cli.until(job, training())
    assert shown["supervisor"]
    kill_supervisor(shown)
    seen = shown["progress"]["step"]
    cli.until(job, lambda shown: training(seen + 5)(shown) and shown["supervisor"])  # another one took over
    (agent,) = command_of(cli, "agent.pyz", "serve")
    agent.kill()
    after = finished(cli, job)
    assert len(after["attempts"]) == 1
    started = [event["data"]["adopted"] for event in after["events"] if event["kind"] == "agent-started"]
    assert started == [False, True]
    assert after["metrics"]["test_accuracy"] > 0.9


@pytest.mark.early
def test_the_job_and_then_the_node_are_killed_and_the_weights_are_those_of_an_unbroken_run(
    cli: Cli, short_job: Path
) -> None:
    unbroken = cli.detach(short_job, "--local")
    job = cli.detach(short_job, "--local")  # two jobs at once
    shown = cli.until(job, lambda shown: training(15)(shown) and shown["checkpoints"])
    (trainer,) = [each for each in command_of(cli, "train.py") if each.name().startswith("python") and works(each, job)]
    trainer.kill()
    seen = shown["progress"]["step"]
    cli.until(job, lambda shown: len(shown["attempts"]) == 2 and training(seen + 5)(shown))
    kill_node(cli, job)
    after = finished(cli, job)
    assert [each["outcome"] for each in after["attempts"]] == ["interrupted", "interrupted", "succeeded"]
    assert after["attempts"][0]["exit_code"] == 137
    assert after["attempts"][1]["resumed_step"] > 0
    assert all(each["repeated_steps"] >= 0 for each in after["attempts"][1:])
    assert after["metrics"]["test_accuracy"] > 0.9
    assert weights(after) == weights(finished(cli, unbroken))


@pytest.mark.long  # in CI the demo is preempted so, and the test before this one compares weights
def test_injected_preemptions_leave_the_same_weights(cli: Cli, tmp_path: Path) -> None:
    job_file = cut(tmp_path / "digits", epochs=6)  # the second point must come well before the end
    unbroken = finished(cli, cli.detach(job_file, "--local"))
    rehearsed = finished(cli, cli.detach(job_file, "--rehearse"))
    assert [each["repeated_steps"] for each in rehearsed["attempts"]] == [0, 0, 0]
    assert weights(rehearsed) == weights(unbroken)


def _flip(folder: Path) -> None:
    data = next(folder.glob("data-*.bin"))
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(bytes(content))


def _tear(folder: Path) -> None:
    (folder / "MANIFEST.json").unlink()


@pytest.mark.long
def test_damaged_checkpoints_are_named_and_the_one_before_them_is_used(cli: Cli, short_job: Path) -> None:
    job = cli.detach(short_job, "--local")
    cli.until(job, lambda shown: len(shown["checkpoints"]) >= 3)
    for process in cli.processes():
        process.kill()  # supervisor, node, agent and job: nobody recovers or publishes before the harm is done
    *_, sound, flipped, torn = sorted((cli.home / "jobs" / job / "checkpoints" / "epoch-0001").glob("step-*"))
    _flip(flipped)
    _tear(torn)
    after = finished(cli, job)
    harmed = [str(flipped), str(torn)]
    assert sorted(each["path"] for each in after["checkpoints"] if each["state"] == "torn") == harmed
    named = json.dumps([event["data"] for event in after["events"] if event["kind"] == "checkpoint-rejected"])
    assert all(path in named for path in harmed)
    assert after["attempts"][1]["resumed_step"] == int(sound.name.removeprefix("step-"))

"""The examples as new users run them: as the wheel brings them, rehearsed to their end through a preemption."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from product import Cli
from wheel import Installed, installed, wheel_of_the_tree

from tradewind.app.starting.examples import copy, names

MADE = {"plain-script": ["model.pt"], "finetune-lora": ["out"], "image-folder": ["out"]}
RESUMED_AT_A_STEP = {"finetune-lora", "image-folder"}  # the other tells no steps


def _run(cli: Cli, folder: Path, where: str) -> Any:
    done = cli("run", str(folder / "job.yaml"), where, "--yes", "--json")
    assert done.code == 0, done.out[-3000:] + done.err[-3000:]
    assert cli.json("leases") == []
    return done.json


def _outputs(cli: Cli, shown: Any) -> list[str]:
    return [each.name for each in (cli.home / "jobs" / shown["job"] / "outputs").iterdir()]


@pytest.mark.long
def test_a_script_that_knows_nothing_of_tradewind_runs_as_it_is(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "一个 script"
    copy("plain-script", folder, over=False)
    with (folder / "job.yaml").open("a", encoding="utf-8") as file:
        file.write('env: {EPOCHS: "1"}\n')
    shown = _run(cli, folder, "--local")
    assert [each["outcome"] for each in shown["attempts"]] == ["succeeded"]
    assert "of 5000 new points are right" in shown["attempts"][0]["log_tail"][-1]
    assert _outputs(cli, shown) == ["model.pt"]
    assert cli.quiet() == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["plain-script", "finetune-lora", "image-folder"])
def test_an_example_goes_on_after_its_machine_was_taken(cli: Cli, tmp_path: Path, name: str) -> None:
    copy(name, tmp_path / name, over=False)
    shown = _run(cli, tmp_path / name, "--rehearse")
    assert [each["outcome"] for each in shown["attempts"]] == ["interrupted", "succeeded"]
    assert "resumed" in {event["kind"] for event in shown["events"]}
    if name in RESUMED_AT_A_STEP:
        assert shown["attempts"][1]["resumed_step"] > 0
        assert shown["attempts"][0]["repeated_steps"] == 0
    else:
        assert not any(each["verified"] for each in shown["checkpoints"])
        assert "resumed from step-" in "\n".join(shown["attempts"][1]["log_tail"])
    assert _outputs(cli, shown) == MADE[name]
    assert cli.quiet() == []


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("examples")
    return installed(sys.executable, wheel_of_the_tree(folder), folder)


@pytest.mark.long
@pytest.mark.parametrize("name", names())
def test_a_wheel_has_the_example_and_says_what_it_needs(clean: Installed, tmp_path: Path, name: str) -> None:
    told = clean.json("init", "--example", name, str(tmp_path / name))
    assert {"README.md", "job.yaml", "train.py", ".gitignore"} <= set(told["written"])
    assert "torch" in told["packages_missing"]
    ended = clean("run", str(tmp_path / name / "job.yaml"), "--local", "--json")
    assert ended.code == 5
    assert "is not installed here. This example needs: pip install" in "\n".join(ended.json["attempts"][-1]["log_tail"])

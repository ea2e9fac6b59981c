"""Sizes and calibrations by the command itself: flags, batch files, set-ups, the user's own code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import contracts
import pytest
from product import EXAMPLE, PATIENCE, TRADEWIND, Cli

STEPS = """
import json, os, time
with open(os.environ["TRADEWIND_EVENTS"], "a", buffering=1) as events:
    for step in range(1, 2_000):
        time.sleep(0.02)
        events.write(json.dumps({"v": 1, "type": "step", "step": step, "t": time.time()}) + "\\n")
"""


def job_file(folder: Path, run: str) -> Path:
    folder.mkdir()
    (folder / "steps.py").write_text(STEPS)
    (folder / "job.yaml").write_text(
        f"name: steps\nrun: {run}\nmodel: {{parameters: 1e6}}\ntraining: {{batch_size: 8, samples: 800, epochs: 2}}\n"
    )
    return folder / "job.yaml"


def batch(cli: Cli, *words: str, rows: str) -> list[Any]:
    done = subprocess.run([str(TRADEWIND), "size", "--batch-file", *words], env=cli.environment(), input=rows,
                          text=True, capture_output=True, timeout=PATIENCE, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command with a home that the questions share: they start nothing, and the catalog is read once."""
    return Cli(tmp_path_factory.mktemp("asked") / "home")


def test_every_flag_is_obeyed_by_contract(asked: Cli) -> None:
    told = asked.json(
        "size", "--model", "preset:llama-3-8b", "--gpu", "A100-80GB", "--gpus", "8", "--strategy", "fsdp",
        "--micro-batch", "1", "--batch-size", "16", "--sequence", "1024", "--precision", "bf16", "--optimizer", "adamw",
        "--activation-checkpointing", "full", "--attention", "flash", "--explain",
    )  # fmt: skip
    contracts.check(told, contracts.SIZE)
    contracts.check(told, contracts.SIZE_BESIDE)
    (fit,) = told["fits"]
    assert (fit["gpus"], fit["strategy"], fit["micro_batch"], fit["grad_accumulation"]) == (8, "fsdp", 1, 2)
    assert (fit["activation_checkpointing"], fit["precision"]) == ("full", "amp-bf16")
    assert fit["throughput_unit"] == "tokens"
    assert {term["term"] for term in told["explain"]} >= {"activations", "device", "usable", "step"}


def test_a_batch_file_is_answered_row_by_row(asked: Cli, tmp_path: Path) -> None:
    questions: list[Any] = [
        {"model": f"params:{billions}e9", "gpu": gpu, "micro_batch": 1, "precision": "bf16"}
        for billions in (1, 7, 70) for gpu in ("A10", "A100-80GB")
    ]  # fmt: skip
    rows = "\n".join([*map(json.dumps, questions), "{", json.dumps({"model": "resnet5", "gpu": "A10"}), ""])
    (tmp_path / "rows.jsonl").write_text(rows)
    answers = batch(asked, str(tmp_path / "rows.jsonl"), "--workers", "2", rows="")
    assert [answer["row"] for answer in answers] == list(range(1, 9))
    for answer in answers[:6]:
        contracts.check(answer["fits"], contracts.every(contracts.FIT))
    assert [answer["fits"][0]["fits"] for answer in answers[:6]] == [True, True, False, False, False, False]
    assert [answer["error"]["code"] for answer in answers[6:]] == ["row-unreadable", "preset-unknown"]
    assert answers[7]["error"]["where"]["line"] == 8
    assert "resnet50" in answers[7]["error"]["what"]


@pytest.mark.long
def test_a_piped_batch_is_answered_as_it_is_read_from_a_file(asked: Cli) -> None:
    rows = json.dumps({"model": "params:7e9", "gpu": "A10"}) + "\r\n\r\n{"
    first, second = batch(asked, "-", rows=rows)
    contracts.check(first["fits"], contracts.every(contracts.FIT))
    assert second["error"]["where"] == {"file": "-", "line": 3, "column": None}


@pytest.mark.long
def test_work_without_a_model_is_sized_by_its_needs(asked: Cli) -> None:
    told = asked.json("size", "--model", "profile:rendering")
    contracts.check(told, contracts.SIZE)
    assert told["machines"] and told["needs"]["gpu_memory_gib"] == 12


def test_a_guides_set_up_is_judged_beside_todays_plan(asked: Cli) -> None:
    told = asked.json("size", "--model", "profile:nlp-pretrain", "--gpu", "A100-80GB")
    contracts.check(told, contracts.SIZE)
    assert told["setup"]["verdict"] in {"dear", "sensible"} and told["setup"]["ratio"] >= 1
    contracts.check(told["setup"]["plan"], contracts.PLACED)
    assert told["setup"]["guided"]["offer"]["gpu"].startswith("V100")


@pytest.mark.long
def test_presets_are_planned_like_counted_models(asked: Cli, tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(
        "run: python train.py\nmodel: {preset: bert-base}\n"
        "training: {batch_size: 64, sequence: 128, precision: bf16, samples: 64000, epochs: 1}\n"
    )
    plan = asked.json("plan", str(tmp_path / "job.yaml"))
    contracts.check(plan, contracts.PLAN)
    assert plan["chosen"]["fit"]["fits"]


def test_calibration_measures_steps_here_and_says_that_no_gpu_was_there(cli: Cli, tmp_path: Path) -> None:
    job = job_file(tmp_path / "j", "python steps.py")
    told = cli.json("calibrate", str(job))
    contracts.check(told, contracts.CALIBRATED)
    assert told["lessons"] == [told["lesson"]] and told["lesson"]["gpu"] is None and told["lesson"]["micro_batch"] == 8
    assert 0.02 <= told["lesson"]["step_seconds"] < 1.0 and told["lesson"]["steps"] >= 30
    sized = cli.json("size", str(job), "--gpu", "A10")
    assert "anchor-of-processor" in [each["code"] for each in sized["assumptions"]]


@pytest.mark.long
def test_a_finished_job_teaches_the_same_way_and_nothing_is_left(cli: Cli, tmp_path: Path) -> None:
    job = job_file(tmp_path / "j", "python steps.py")
    (job.parent / "steps.py").write_text(STEPS.replace("2_000", "80"))
    assert cli("run", str(job), "--local").code == 0
    sized = cli.json("size", str(job), "--gpu", "A10")
    assert "anchor-of-processor" in [each["code"] for each in sized["assumptions"]]
    assert cli("calibrate", str(job)).code == 0
    assert cli.json("leases") == []
    assert cli.quiet() == []


@pytest.mark.long
def test_code_of_ones_own_is_traced_once(cli: Cli) -> None:
    asked = ("size", "--model", "entrypoint:train:build_model", "--image-size", "1x8x8", "--classes", "10", "--gpu",
             "A10", "--batch-size", "64", "--json")  # fmt: skip
    told = [subprocess.run([str(TRADEWIND), *asked], env=cli.environment(), cwd=EXAMPLE.parent, text=True,
                           capture_output=True, timeout=PATIENCE, check=False) for _ in range(2)]  # fmt: skip
    answers = [json.loads(done.stdout) for done in told]
    assert answers[0]["parameters"] == 590_890 and answers[0]["source"] == "traced"
    assert answers[0] == answers[1]
    assert len(list((cli.home / "traces").iterdir())) == 1

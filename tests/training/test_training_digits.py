"""The demo example: its figures, and that interruptions leave no trace in the weights."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from training_runs import Warm

EXAMPLE = Path(__file__).parents[2] / "examples" / "digits"
TRAIN = EXAMPLE / "train.py"


def test_the_figures_of_the_job_file_are_those_of_the_model_and_the_data(warm: Warm) -> None:
    running = warm("digits_figures.py", str(TRAIN))
    told = running.out.read()
    assert running.wait() == 0, told
    counted = json.loads(told)
    job = yaml.safe_load((EXAMPLE / "job.yaml").read_text(encoding="utf-8"))
    for name in ("parameters", "flops_per_sample"):
        assert job["model"][name] == counted[name]
    assert job["model"]["activation_bytes_per_sample"] == pytest.approx(counted["activation_bytes_per_sample"], rel=0.1)
    for name in ("batch_size", "samples"):
        assert job["training"][name] == counted[name]
    assert counted["test_samples"] == 360
    assert all(35 <= count <= 37 for count in counted["test_digits"])


def run_to_end(warm: Warm, folder: Path, **env: str) -> dict[str, Any]:
    running = warm(TRAIN, **env)
    out = running.out.read()
    assert running.wait() == 0, out
    metrics: dict[str, Any] = json.loads((folder / "out" / "metrics.json").read_text())
    return metrics


def stop_after_a_step(warm: Warm, folder: Path, **env: str) -> list[dict[str, Any]]:
    """Starts the training, stops it at the first step it tells of; what it told."""
    events = folder / "events"
    events.unlink(missing_ok=True)
    os.mkfifo(events)
    running = warm(TRAIN, TRADEWIND_EVENTS=str(events), **env)
    told: list[dict[str, Any]] = []
    with events.open(encoding="utf-8") as pipe:
        for line in pipe:
            told.append(json.loads(line))
            if told[-1]["type"] == "step":
                os.kill(running.pid, signal.SIGTERM)
                break
        told.extend(json.loads(line) for line in pipe)
    out = running.out.read()
    assert running.wait() == 75, out
    return told


def one(told: list[dict[str, Any]], type_: str) -> dict[str, Any]:
    (found,) = (event for event in told if event["type"] == type_)
    return found


def test_two_interruptions_give_the_weights_of_an_unbroken_run_bit_for_bit(warm: Warm, tmp_path: Path) -> None:
    settings = {"DIGITS_EPOCHS": "1", "SEED": "3"}
    first = stop_after_a_step(warm, tmp_path, **settings)
    second = stop_after_a_step(warm, tmp_path, **settings)
    assert one(second, "resumed")["step"] == one(first, "stopped")["step"] >= 1
    assert one(second, "stopped")["step"] > one(first, "stopped")["step"]
    assert not (tmp_path / "out").exists()
    broken = run_to_end(warm, tmp_path, **settings)

    (tmp_path / "checkpoints").rename(tmp_path / "earlier")
    unbroken = run_to_end(warm, tmp_path, **settings)
    assert broken == unbroken
    weights = torch.load(tmp_path / "out" / "weights.pt", weights_only=True)
    assert sum(tensor.numel() for name, tensor in weights.items() if not is_statistic(name)) == 590_890


def is_statistic(name: str) -> bool:
    return "running_" in name or "num_batches" in name


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_every_seed_reaches_its_accuracy_at_full_size(warm: Warm, tmp_path: Path, seed: int) -> None:
    assert run_to_end(warm, tmp_path, SEED=str(seed))["test_accuracy"] >= 0.985

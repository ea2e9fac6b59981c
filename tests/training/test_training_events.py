import json
import os
import threading
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from training_runs import Cold

from tradewind.training import Events
from tradewind.training import events as module


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_nothing_is_done_without_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRADEWIND_EVENTS", raising=False)
    before = threading.active_count()
    with Events() as events:
        events.step(1, loss=torch.ones(()))
        events.emit("eval", step=1)
        assert threading.active_count() == before
    assert list(tmp_path.iterdir()) == []


def test_the_path_comes_from_the_environment_and_is_appended_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND_EVENTS", str(tmp_path / "events"))
    for step in (1, 2):
        with Events() as events:
            events.eval(step, test_accuracy=torch.tensor(0.5), loss=float("nan"))
    told = read(tmp_path / "events")
    assert [(one["v"], one["type"], one["step"], one["test_accuracy"], one["loss"]) for one in told] == [
        (1, "eval", 1, 0.5, None),
        (1, "eval", 2, 0.5, None),
    ]
    assert all(isinstance(one["t"], float) for one in told)


def test_lines_are_whole_and_none_is_lost_under_many_threads(tmp_path: Path) -> None:
    def tell(events: Events, teller: int) -> None:
        for number in range(1500):
            events.emit("note", teller=teller, number=number, text="x" * 300)
            events.step(number, loss=0.5)
            if number % 100 == 0:
                events.flush()

    # Two objects on one file stand for two processes: they share no lock.
    with Events(tmp_path / "events") as one, Events(tmp_path / "events") as other:
        threads = [threading.Thread(target=tell, args=((one, other)[n % 2], n)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    notes = [event for event in read(tmp_path / "events") if event["type"] == "note"]
    assert Counter(note["teller"] for note in notes) == Counter(dict.fromkeys(range(8), 1500))
    for teller in range(8):
        assert [note["number"] for note in notes if note["teller"] == teller] == list(range(1500))


def test_of_many_steps_the_first_and_the_last_are_always_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STEP_SECONDS", 1e9)
    with Events(tmp_path / "events") as events:
        for step in range(1, 1001):
            events.step(step, 1000, loss=torch.tensor(float(step), requires_grad=True), accuracy=0.5)
            if step == 1:
                assert [one["step"] for one in read(tmp_path / "events")] == [1]
        assert events.last_step == 1000
    told = read(tmp_path / "events")
    assert [(one["step"], one["total_steps"], one["loss"]) for one in told] == [(1, 1000, 1.0), (1000, 1000, 1000.0)]
    assert told[0]["train_s"] == 0
    assert told[1]["train_s"] >= 0
    assert told[1]["step_ms"] >= 0


def test_steps_are_spaced_by_the_throttle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0], time=time.time))
    monkeypatch.setattr(module, "FLUSH_SECONDS", 1e6)
    with Events(tmp_path / "events") as events:
        for step in range(1, 20):
            events.step(step)
            clock[0] += 0.0625
    told = read(tmp_path / "events")
    assert [one["step"] for one in told] == [1, 5, 9, 13, 17, 19]
    assert [one.get("step_ms") for one in told] == [None, *[62.5] * 5]
    assert [one["train_s"] for one in told] == [0, 0.25, 0.5, 0.75, 1.0, 1.125]


def test_a_loop_that_hangs_is_seen_by_its_heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(module, "FLUSH_SECONDS", 0.01)
    os.mkfifo(tmp_path / "events")
    lines: list[dict[str, Any]] = []

    def listen() -> None:
        with open(tmp_path / "events", encoding="utf-8") as pipe:
            for line in pipe:
                lines.append(json.loads(line))
                if len([one for one in lines if one["type"] == "heartbeat" and one["step"] == 7]) == 2:
                    return

    listener = threading.Thread(target=listen)
    listener.start()
    with Events(tmp_path / "events") as events:
        events.step(7)
        listener.join(30)
        assert not listener.is_alive()
    beats = [one for one in lines if one["type"] == "heartbeat" and one["step"] == 7]
    assert 0 <= beats[0]["step_age_s"] < beats[1]["step_age_s"]


def test_a_child_writes_nothing_of_its_parent(cold: Cold, tmp_path: Path) -> None:
    process = cold("tells_from_a_fork.py")
    assert process.wait(30) == 0
    assert [one["type"] for one in read(tmp_path / "events")] == ["before", "after"]


def test_a_path_that_cannot_be_opened_never_ends_a_training(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Events(tmp_path / "missing" / "events") as events:
        events.step(1)
    assert "events are not written" in caplog.text


def test_a_run_tells_its_versions(tmp_path: Path) -> None:
    with Events(tmp_path / "events") as events:
        events.run_started(100, world=2)
    (told,) = read(tmp_path / "events")
    assert (told["world"], told["total_steps"], told["versions"]["torch"]) == (2, 100, torch.__version__)


def test_steps_tell_the_fullest_gpu_by_name_and_its_peak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No GPU is here: a stand-in for ``torch.cuda`` answers, as on a machine where the second of two is fuller."""
    cuda = SimpleNamespace(
        is_initialized=lambda: True, device_count=lambda: 2, get_device_name=lambda device: f"NVIDIA H200 {device}",
        max_memory_allocated=lambda device: (1_000_000, 2_500_000)[device],
    )  # fmt: skip
    for used, told in ((cuda, {"gpu": "NVIDIA H200 1", "gpu_mem_mb": 2.5}), (torch.cuda, {})):
        monkeypatch.setattr(torch, "cuda", used)
        with Events(tmp_path / "events") as events:
            events.step(1)
        (line,) = read(tmp_path / "events")[-1:]
        assert {key: line[key] for key in ("gpu", "gpu_mem_mb") if key in line} == told

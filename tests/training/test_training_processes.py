"""Stops and kills on real processes."""

import json
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest
from training_runs import Cold, Warm

from tradewind.training import Checkpointer


def read_until(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    told = []
    for told_line in process.stdout:
        told.append(told_line)
        if told_line.strip() == line:
            return
    raise AssertionError(f"ended without {line!r}: {''.join(told)}")


def stops_told(folder: Path) -> dict[str, Any]:
    """The sources of the stops seen and the exit codes told."""
    told = [json.loads(line) for line in (folder / "events").read_text().splitlines()]
    return {
        "seen": [one["source"] for one in told if one["type"] == "preempt_seen"],
        "exit": [one["exit"] for one in told if one["type"] == "stopped"],
    }


def test_a_stop_during_the_import_of_torch_is_kept(cold: Cold) -> None:
    process = cold("term_during_import.py")
    read_until(process, "guarded")
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert "imported" in out
    assert process.returncode == 75


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_stop_ends_in_a_complete_checkpoint_and_75(cold: Cold, tmp_path: Path, number: signal.Signals) -> None:
    process = cold("slow_final_save.py")
    read_until(process, "ready")
    process.send_signal(number)
    out, _ = process.communicate("\n" * 20, timeout=60)
    assert process.returncode == 75
    assert out.endswith("left in order\n")
    resumed = Checkpointer(tmp_path / "checkpoints").resume()
    assert resumed is not None
    assert resumed.state == {"step": 2}
    assert stops_told(tmp_path) == {"seen": [number.name], "exit": [75]}


def test_a_second_term_during_the_final_save_abandons_it_with_76(cold: Cold, tmp_path: Path) -> None:
    process = cold("slow_final_save.py")
    read_until(process, "ready")
    process.send_signal(signal.SIGTERM)
    read_until(process, "saving")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 76  # with stdin still open: its end would let the disk finish the save
    out, _ = process.communicate()
    assert "left in order" not in out
    assert stops_told(tmp_path) == {"seen": ["SIGTERM"], "exit": [76]}
    resumed = Checkpointer(tmp_path / "checkpoints").resume()
    assert resumed is not None
    assert resumed.state == {"step": 1}
    assert os.listdir(tmp_path / "checkpoints") == ["step-00000001"]


def test_a_term_after_the_warning_is_not_the_second(cold: Cold) -> None:
    process = cold("slow_final_save.py")
    read_until(process, "ready")
    process.send_signal(signal.SIGUSR1)
    read_until(process, "saving")
    process.send_signal(signal.SIGTERM)
    process.communicate("\n" * 20, timeout=60)
    assert process.returncode == 75


@pytest.mark.parametrize(("method", "workers"), [("fork", 2), pytest.param("spawn", 1, marks=pytest.mark.long)])
def test_loader_workers_outlive_a_stop_of_the_whole_group_and_no_longer(warm: Warm, method: str, workers: int) -> None:
    running = warm("loader_workers.py", method, str(workers))
    running.read_until("ready")
    members = psutil.Process(running.pid).children(recursive=True)
    assert len(members) >= workers
    assert all(os.getpgid(member.pid) == running.pid for member in members)
    os.killpg(running.pid, signal.SIGTERM)
    out = running.out.read()
    assert running.wait() == 75, out
    _, alive = psutil.wait_procs(members, timeout=30)
    assert alive == []


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_outlives_a_stop_of_the_group_but_obeys_its_parent(cold: Cold, method: str) -> None:
    process = cold("parent_ends_child.py", method)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "the group's stop outlived\nended by the parent\n")


def test_a_kill_at_any_moment_leaves_the_newest_complete_checkpoint(warm: Warm) -> None:
    seed = random.randrange(2**31)
    running = warm("killed_while_saving.py", str(seed))
    out = running.out.read()
    assert running.wait() == 0, f"seed {seed}: {out}"
    assert out.startswith("reached")

"""What a rehearsal on a trace came to, as it is told at its end and by ``show``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_world import Inside, Shell, job_file


def ran(cost: str | None, hours: float, preemptions: int, *, missed: bool = False) -> dict[str, Any]:
    money = {"amount": cost, "currency": "USD"} if cost else None
    return {"cost": money, "hours": hours, "preemptions": preemptions, "missed": missed}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(Inside(tmp_path / "home"))
    shown = made.plane.shown
    late = ran("3.40", 13.0, 0, missed=True) | {"offer": shown["offer"]}
    shown["trace"] = {
        "name": "v100-2023-02-dev", "seed": 3, "speed": 600.0, "tempo": 600.0, "begins_hours": 211.4, "of_hours": 546.2,
        "zones": [{"zone": "us-west-2a", "offer": shown["offer"]}], "preemptions": 2, "refused": 4, "hours": 7.25,
        "deadline_hours": 12.0, "predicted": ran("1.25", 6.5, 2), "on_demand_only": late,
    }  # fmt: skip
    return made


def section(told: str, head: str) -> list[str]:
    lines = told.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(head))
    return [line.strip() for line in lines[start + 1 :]]


def test_the_run_stands_beside_the_simulated_ones(shell: Shell, tmp_path: Path) -> None:
    for words in (("run", job_file(tmp_path), "--rehearse"), ("show", "digits")):
        told = section(shell(*words).out, "Trace replayed")
        assert told[0] == "v100-2023-02-dev from hour 211 of 546 · seed 3"
        assert told[1:3] == ["1 s here is 600 s of it", "launches refused because a zone was down: 4"]
        assert told[3].startswith("zone us-west-2a stands for ")
        rows = {row.split("  ")[0]: row for row in told[4:8]}
        assert rows["this rehearsal"].split()[-5:] == ["15", "min", "2", "in", "time"]
        assert "$1.25" in rows["simulated on this window"] and rows["simulated on this window"].endswith("in time")
        assert "$3.40" in rows["on-demand only"] and rows["on-demand only"].endswith("late")


def test_it_is_told_in_chinese(shell: Shell) -> None:
    told = section(shell("show", "digits", "--lang", "zh").out, "重放的轨迹")
    assert told[0] == "v100-2023-02-dev，从第 211 小时起（共 546 小时）· 种子 3"
    assert told[1] == "本机 1 秒代表其中 600 秒"
    assert any(row.startswith("同一窗口的模拟") and row.endswith("按时") for row in told)


def test_without_a_prediction_the_window_is_told_all_the_same(shell: Shell) -> None:
    shell.plane.shown["trace"] |= {
        "predicted": None,
        "on_demand_only": None,
        "speed": "auto",
        "tempo": 0.0218,
        "refused": 0,
    }
    told = shell("show", "digits").out
    assert "1 s here is 0.022 (auto) s of it" in told
    assert "simulated on this window" not in told
    assert "launches refused" not in told


def test_a_machine_taken_by_a_trace_is_labelled_with_its_place_there(shell: Shell, tmp_path: Path) -> None:
    for event in shell.plane.shown["events"]:
        if event["kind"] == "lease-notice":
            event["why"] = "trace v100-2023-02-dev us-west-2a at +3.2 h"
    told = shell("run", job_file(tmp_path), "--rehearse").out
    assert "Preempted: attempt 1  by the trace v100-2023-02-dev us-west-2a, at +3.2 h" in told
    assert "injected" not in told


def test_a_change_of_machine_that_was_decided_is_no_preemption(shell: Shell, tmp_path: Path) -> None:
    shown = shell.plane.shown
    first = shown["attempts"][0]
    notices = [each for each in shown["events"] if each["kind"] in ("lease-notice", "notice-seen")]
    for event in notices:
        if event["at"] <= first["to"]:
            event |= {"kind": "job-leaving" if event["kind"] == "notice-seen" else "job-switching", "why": None}
    told = shell("run", job_file(tmp_path), "--rehearse").out
    assert "Changes its machine: attempt 1" in told
    assert "+0.0 s  it was decided to go on elsewhere" in told
    assert "Preempted: attempt 1" not in told
    assert "Preempted: attempt 2" in told
    assert "preemptions: 1 · changes of machine: 1 · " in told

"""Rehearsals on measured spot markets: a real training is refused and preempted as its trace says, and ends in time."""

from __future__ import annotations

import os
import re
import signal
import time
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import contracts
import pytest
from product import PATIENCE, Cli

from tradewind.catalog.traces import SHIPPED, trace
from tradewind.domain.trace import SpotTrace
from tradewind.planning.simulation import start_ticks

TRACE, SEED, SPEED = (
    "h100x16-gcp-2025-10-dev",
    51,
    1200,
)  # every zone goes down within two and a half hours, none for long
DEADLINE_HOURS = 24
CAUSE = re.compile(r"trace (?P<name>\S+) (?P<zone>\S+) at \+(?P<hours>[\d.]+) h")

TRAINING = '''"""Finds a number by gradient descent: saves, stops and resumes as a training does, and needs no GPU."""
import json, time
from pathlib import Path
from tradewind.training import Checkpointer, Events, PreemptionGuard

TOTAL = STEPS
events = Events()
guard = PreemptionGuard(events)
checkpointer = Checkpointer.from_env(events=events)
step, weight = 0, 0.0
if resumed := checkpointer.resume():
    step, weight = resumed.step, resumed.state["weight"]
events.run_started(TOTAL)
while step < TOTAL:
    if guard.requested:
        guard.exit_checkpointed(checkpointer.save(step, {"weight": weight}, wait=True))
    weight -= 0.01 * 2 * (weight - 3.0)
    time.sleep(0.08)
    step += 1
    events.step(step, TOTAL, loss=(weight - 3.0) ** 2)
    if checkpointer.due(step):
        checkpointer.save(step, {"weight": weight})
checkpointer.wait()
Path("out").mkdir(exist_ok=True)
Path("out/weight.json").write_text(json.dumps(weight))
'''

JOB = """name: line
run: python train.py
model: {parameters: 590890, flops_per_sample: 26668032, activation_bytes_per_sample: 175552}
training: {batch_size: 64, precision: fp32, optimizer: adamw, samples: SAMPLES, epochs: 1}
outputs: [./out]
checkpoint: {path: ./checkpoints, every: 1s}
schedule: {deadline: HOURSh}
"""


def job_file(folder: Path, steps: int) -> Path:
    folder.mkdir()
    (folder / "train.py").write_text(TRAINING.replace("STEPS", str(steps)))
    told = JOB.replace("SAMPLES", str(64 * steps)).replace("HOURS", str(DEADLINE_HOURS))
    (folder / "job.yaml").write_text(told)
    return folder / "job.yaml"


def flags(name: str, speed: int) -> list[str]:
    return ["--rehearse", "--trace", name, "--trace-speed", str(speed), "--seed", str(SEED)]


@pytest.mark.long
def test_a_training_under_a_real_trace_ends_in_time(cli: Cli, tmp_path: Path) -> None:
    done = cli("run", str(job_file(tmp_path / "line", steps=150)), *flags(TRACE, SPEED))
    assert done.code == 0, done.out + done.err
    for words in (f"by the trace {TRACE}", "simulated on this window", "on-demand only", f"seed {SEED}", "in time"):
        assert words in done.out
    job = cli.json("ps", "--all")[0]["job"]
    shown = cli.json("show", job)
    contracts.check(shown, contracts.SHOW)
    check_run(shown, steps=150)
    check_market(shown, trace(TRACE))
    check_report(shown)
    check_nothing_is_left(cli)


def check_nothing_is_left(cli: Cli) -> None:
    """Nothing that would cost money; the supervisor stays a while to see that no refused order turns up after all."""
    assert cli.json("leases") == []
    assert list((cli.home / "instances").iterdir()) == []
    left = [" ".join(process.cmdline()) for process in cli.processes()]
    assert [each for each in left if "tradewind.app.supervise" not in each] == []


def check_run(shown: dict[str, Any], steps: int) -> None:
    assert shown["state"] == "SUCCEEDED"
    assert shown["progress"]["step"] == steps
    outcomes = [each["outcome"] for each in shown["attempts"]]
    assert outcomes == ["interrupted"] * (len(outcomes) - 1) + ["succeeded"]
    assert any(each["resumed_step"] for each in shown["attempts"]), "it resumed from a checkpoint"
    assert (Path(shown["outputs"]["path"]) / "out" / "weight.json").exists()


def check_market(shown: dict[str, Any], replayed: SpotTrace) -> None:
    """Every refusal and every preemption happened where and when the trace has no machine."""
    told = shown["trace"]
    start = start_ticks(replayed, DEADLINE_HOURS, SEED)[0]
    assert told["begins_hours"] == pytest.approx(start * replayed.tick_seconds / 3600, abs=0.001)
    by_kind = {kind: [event for event in shown["events"] if event["kind"] == kind]
               for kind in ("lease-notice", "lease-refused")}  # fmt: skip
    assert (told["preemptions"], told["refused"]) == (len(by_kind["lease-notice"]), len(by_kind["lease-refused"]))
    assert told["preemptions"] >= 1
    assert len({event["what"] for event in by_kind["lease-notice"]}) == told["preemptions"]  # no machine twice
    for event in (*by_kind["lease-notice"], *by_kind["lease-refused"]):
        cause = CAUSE.search(event["why"])
        assert cause and cause["name"] == told["name"], event["why"]
        zone, tick = replayed.zones.index(cause["zone"]), start + float(cause["hours"]) * 3600 / replayed.tick_seconds
        near = range(round(tick) - 1, round(tick) + 2)  # hours are told to a tenth
        assert any(not replayed.available[zone][each % replayed.ticks] for each in near), event["why"]


def check_report(shown: dict[str, Any]) -> None:
    told = shown["trace"]
    assert told["deadline_hours"] == DEADLINE_HOURS
    assert told["hours"] <= DEADLINE_HOURS
    assert told["tempo"] == told["speed"] == SPEED
    for name in ("predicted", "on_demand_only"):
        assert not told[name]["missed"]
        assert Decimal(told[name]["cost"]["amount"]) > 0
        assert told[name]["cost"]["currency"] == shown["cost"]["currency"]
    work = 150 * shown["measured_step_seconds"] * SPEED / 3600
    assert work < told["on_demand_only"]["hours"] <= told["hours"] + 2
    assert told["on_demand_only"]["preemptions"] == 0


def lost_or_ended(times: int, shown: dict[str, Any]) -> bool:
    return shown["trace"]["preemptions"] >= times or shown["ended_at"] is not None


def submitted(cli: Cli) -> str:
    """The id of the job, once there is one."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if rows := cli.json("ps"):
            return str(rows[0]["job"])
        time.sleep(0.2)
    raise AssertionError("no job was submitted")


@pytest.mark.long
def test_a_kill_of_the_supervisor_neither_repeats_nor_forgets_what_the_trace_does(cli: Cli, tmp_path: Path) -> None:
    own = tmp_path / f"{TRACE}.csv"  # a window is chosen by the seed and the trace's name
    own.write_text((SHIPPED / f"{TRACE}.csv").read_text())
    file = job_file(tmp_path / "line", steps=500)
    following = cli.start("run", str(file), *flags(str(own), SPEED // 2))
    job = submitted(cli)
    own.unlink()  # what a resume needs is with the job
    for lost in range(1, 4):
        shown = cli.until(job, partial(lost_or_ended, lost))
        if shown["supervisor"]:
            os.kill(shown["supervisor"]["pid"], signal.SIGKILL)
        if lost == 1:
            following.send_signal(signal.SIGINT)
            following.communicate(timeout=60)
            assert following.returncode == 130
    assert cli("wait", job).code == 0
    shown = cli.show(job)
    check_run(shown, steps=500)
    check_market(shown, trace(TRACE))
    check_nothing_is_left(cli)

"""Stops, notices and hard ends: who gets SIGTERM, when SIGKILL comes, and that nothing stays."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_node import Node, alive, wait_for

from tradewind.wire import journal, manifest

# A training loop that writes events, and on SIGTERM a checkpoint with its manifest; then exit 75.
TRAINING = """
import json, os, signal, sys, time
sys.path.insert(0, os.environ["SOURCES"])
from tradewind.wire import events, manifest
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
folder, epoch = os.environ["TRADEWIND_CHECKPOINT_DIR"], int(os.environ["TRADEWIND_EPOCH"])
steps = [manifest.step_of(name) or 0 for name in os.listdir(folder)] if os.path.isdir(folder) else []
step = max(steps, default=0)
print("from", step, flush=True)
def save():
    draft = os.path.join(folder, ".draft")
    os.makedirs(draft)
    with open(os.path.join(draft, "state.bin"), "w") as file:
        file.write("state at %d" % step)
    told = manifest.build(draft, step, epoch, time.time())
    with open(os.path.join(draft, manifest.MANIFEST), "w") as file:
        json.dump(told, file)
    os.rename(draft, os.path.join(folder, manifest.folder_name(step)))
with open(os.environ["TRADEWIND_EVENTS"], "a") as file:
    while step < int(os.environ.get("STEPS", "100000")):
        step += 1
        file.write(events.line(events.STEP, step=step)); file.flush()
        if asked or step % int(os.environ.get("EVERY", "1000000")) == 0:
            save()
        if asked:
            print("terms", len(asked), flush=True)
            sys.exit(75)
        time.sleep(0.02)
"""
SOURCES = str(Path(manifest.__file__).parents[2])


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path)
    yield made
    made.end()


def training(node: Node, **env: str) -> dict[str, Any]:
    node.write("train.py", TRAINING)
    return {"env": node.spec("").env | {"SOURCES": SOURCES} | env}


def test_a_notice_becomes_sigterm_a_checkpoint_in_the_store_and_exit_75(node: Node) -> None:
    node.start("bash -c '\"$PY\" train.py; exit $?' | tee copy", **training(node))
    node.wait_step(5)
    node.give_notice(20.0)
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (75, "notice")
    saved = node.wait(journal.CHECKPOINT)
    assert saved["epoch"] == 1 and Path(saved["path"]) == node.store / "epoch-0001" / manifest.folder_name(
        saved["step"]
    )
    assert manifest.check(saved["path"])["step"] == saved["step"]
    assert saved["bytes"] == len(f"state at {saved['step']}")
    last = max(each["event"]["step"] for each in node.records(journal.JOB))
    assert last == saved["step"]
    assert "terms 1" in node.log()
    assert node.types()[-4:] == ["notice", "stop_sent", "checkpoint", "run_ended"]
    assert node.wait(journal.STOP_SENT)["why"] == "notice"


def test_a_stop_kills_what_does_not_heed_sigterm(node: Node) -> None:
    node.start("trap '' TERM; \"$PY\" -c 'import time; print(1, flush=True); time.sleep(60)' & wait; sleep 60")
    wait_for(lambda: node.log() == "1\n", "the job")
    node.command("stop", 0.3)
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (137, "stop")
    assert node.wait(journal.STOP_SENT)["grace_seconds"] == pytest.approx(0.3, abs=0.01)
    wait_for(lambda: not node.job_processes(), "nothing left of the job")


def test_what_a_job_leaves_behind_is_ended(node: Node) -> None:
    node.start("sleep 61 & setsid sleep 62 & (setsid bash -c 'sleep 63; true' &); sleep 0.2; exit 0")
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    wait_for(lambda: not node.job_processes(), "nothing left of the job")


def test_only_the_program_below_the_shells_is_signalled(node: Node) -> None:
    node.write("wrap.sh", '#!/bin/bash\n"$PY" worker.py\ncode=$?\necho wrapped $code\nexit $code\n')
    node.write(
        "worker.py",
        "import os, signal, sys, time\n"
        "if os.fork() == 0:\n"
        "    signal.signal(signal.SIGTERM, lambda *_: print('child signalled', flush=True))\n"
        "    time.sleep(2)\n"
        "    os._exit(0)\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('saved', flush=True), os._exit(9)))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n",
    )
    node.start("bash wrap.sh && echo never")
    wait_for(lambda: "ready" in node.log(), "the worker")
    node.command("stop", 10.0)
    assert node.wait(journal.RUN_ENDED)["exit"] == 9
    assert node.log() == "ready\nsaved\nwrapped 9\n"


@pytest.mark.parametrize(
    "script",
    [
        "trap 'echo saved; exit 75' TERM\necho ready\nwhile true; do sleep 0.05; done\n",
        "trap 'echo saved; exit 75' TERM\necho ready\nwhile true; do \"$PY\" pause.py || true; done\n",
    ],
    ids=["sleeping", "calling-programs"],
)
def test_a_script_that_handles_sigterm_itself_gets_it(node: Node, script: str) -> None:
    node.write("pause.py", "import time\ntime.sleep(60)\n")
    node.write("job.sh", script)
    node.start("bash job.sh")
    wait_for(lambda: "ready" in node.log(), "the script")
    node.command("stop", 15.0)
    assert node.wait(journal.RUN_ENDED)["exit"] == 75
    assert node.log().startswith("ready\n") and node.log().endswith("saved\n")


def test_a_stop_before_the_run_began_ends_without_it(node: Node) -> None:
    node.start("touch ran", setup="echo in-setup; sleep 60")
    wait_for(lambda: "in-setup" in node.log(), "setup")
    node.command("stop", 5.0)
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (143, "stop")
    assert not node.records(journal.SETUP_ENDED)
    assert not (node.root / "work" / "ran").exists()


def test_the_hard_end_ends_everything(node: Node) -> None:
    node.start("trap '' TERM; \"$PY\" -c 'import time; time.sleep(60)' & wait; sleep 60", hard_end=time.time() + 2.0)
    assert node.wait(journal.AGENT_ENDED)["why"] == "hard-end"
    assert not (node.root / "release.json").exists()  # the hard end ends the node, and says so
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (137, "hard-end")
    wait_for(lambda: not node.processes(), "nothing left")


def test_the_hard_end_holds_although_no_agent_lives(node: Node) -> None:
    node.start("trap '' TERM; sleep 60", hard_end=time.time() + 1.5, stop_grace_seconds=0.0)
    node.wait(journal.RUN_STARTED)
    node.kill_agent()
    wait_for(lambda: not node.processes(), "nothing left")
    assert json.loads((node.root / "run.json").read_text())["exit"] == 137


def test_a_second_life_sends_no_second_sigterm(node: Node) -> None:
    node.write(
        "slow.py",
        "import os, signal, sys, time\n"
        "terms = []\n"
        "signal.signal(signal.SIGTERM, lambda *_: (terms.append(1), print('term', flush=True)))\n"
        "print('ready', flush=True)\n"
        "while not os.path.exists('go'):\n    time.sleep(0.02)\n"
        "sys.exit(10 + len(terms))\n",
    )
    node.start('"$PY" slow.py')
    wait_for(lambda: "ready" in node.log(), "the job")
    node.give_notice(20.0)
    wait_for(lambda: "term" in node.log(), "the signal")
    node.kill_agent()
    assert node.serve() == 0
    node.command("stop", 10.0)
    wait_for(lambda: len(node.records(journal.STOP_SENT)) == 2, "the earlier end")
    node.write("go", "")
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (11, "notice")
    wait_for(lambda: not alive(node.runner_pid()), "the runner's end")


def test_a_job_that_finishes_during_its_notice_hands_in_its_outputs(node: Node) -> None:
    node.start("trap 'echo 42 > out; exit 0' TERM; echo ready; while true; do sleep 0.05; done", outputs=["out"])
    wait_for(lambda: node.log() or None, "the trap")
    node.give_notice(20.0)
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (0, "notice")
    assert node.wait(journal.OUTPUTS)["files"] == 1

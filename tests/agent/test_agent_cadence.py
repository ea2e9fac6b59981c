"""How soon a loss is to be expected reaches the training loop while it runs: a real agent, the real library."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_node import Node, wait_for
from pythons import python38

from tradewind.nodes.parcel import build_library
from tradewind.wire import cadence, journal
from tradewind.wire.spec import Command

# A loop that saves when it is due, and every so often whether it is or not: an interval is 30 s at least.
LOOP = """
import os, time
from tradewind.training import Checkpointer, Events
events = Events()
checkpointer = Checkpointer.from_env(events=events)
step = 0
while not os.path.exists("enough"):
    step += 1
    time.sleep(0.02)
    if checkpointer.due(step) or step % 10 == 0:
        checkpointer.save(step, {"step": step}, wait=True)
events.close()
"""


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    node = Node(tmp_path)
    yield node
    node.end()


def tell(node: Node, name: str, mean: Any) -> None:
    draft = node.root / "commands" / ".draft"
    draft.write_text(Command("cadence", mean_seconds_between_losses=mean).to_json())
    draft.replace(node.root / "commands" / f"{name}.json")


def told(node: Node) -> float | None:
    path = node.root / "cadence.json"
    return cadence.read(path.read_text()) if path.exists() else None


def done(node: Node) -> list[str]:
    return sorted(path.name for path in (node.root / "commands").iterdir() if path.name.endswith(".done"))


def test_a_training_loop_saves_as_often_as_it_is_told_while_it_runs(node: Node) -> None:
    with zipfile.ZipFile(build_library(node.root)) as library:
        library.extractall(node.root / "lib")
    node.write("loop.py", LOOP)
    node.start(f"{sys.executable} -S loop.py")

    def interval_after(saves: int) -> float | None:
        events = [each["event"] for each in node.records(journal.JOB)]
        found = [each["interval_s"] for each in events if each["type"] == "snapshot_done"]
        return float(found[-1]) if len(found) > saves else None

    before = wait_for(lambda: interval_after(0), "a save")
    tell(node, "cadence-1", 1e12)
    wait_for(lambda: told(node) == 1e12, "the hand-over")
    wait_for(lambda: (interval_after(0) or 0.0) > before, "a save that knows of it")
    assert (before, interval_after(0)) == (cadence.SHORTEST_SECONDS, cadence.LONGEST_SECONDS)
    node.write("enough", "")
    assert node.wait(journal.RUN_ENDED)["exit"] == 0


@pytest.mark.parametrize("python", [sys.executable, python38()], ids=["current", "3.8"])
def test_several_are_obeyed_in_order_and_what_is_no_number_changes_nothing(tmp_path: Path, python: str | None) -> None:
    if python is None:
        pytest.skip("no Python 3.8 here")
    node = Node(tmp_path, python=python)
    try:
        tell(node, "cadence-0002", 200.0)
        tell(node, "cadence-0001", 100.0)
        for name, nonsense in (("cadence-0003", "soon"), ("cadence-0004", -1.0), ("cadence-0005", None)):
            tell(node, name, nonsense)
        node.start("sleep 60")
        wait_for(lambda: len(done(node)) == 5, "all of them")
        assert told(node) == 200.0
        assert not list((node.root / "commands").glob("*.json"))
    finally:
        node.end()


def test_a_command_of_a_later_version_is_passed_over(node: Node) -> None:
    node.start("sleep 60")
    node.wait(journal.RUN_STARTED)
    (node.root / "commands" / "later.json").write_text('{"name": "later", "what": 1}')
    wait_for(lambda: done(node) == ["later.json.done"], "it to be passed over")
    node.command("stop", 5.0)
    assert node.wait(journal.RUN_ENDED)["exit"] == 143


def test_a_cadence_that_finds_no_room_ends_no_job(node: Node) -> None:
    (node.root / "cadence.json").mkdir()  # which nothing can be renamed over
    node.start("sleep 60")
    node.wait(journal.RUN_STARTED)
    tell(node, "cadence-1", 100.0)
    wait_for(lambda: done(node) == ["cadence-1.json.done"], "it to be given up")
    node.command("stop", 5.0)
    assert node.wait(journal.RUN_ENDED)["why"] == "stop"

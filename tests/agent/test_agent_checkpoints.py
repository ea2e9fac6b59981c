"""Checkpoints between a real job and the job's store: published and restored whole, fenced, kept while needed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_node import Node, wait_for
from checkpoints import put_checkpoint
from test_agent_stopping import training

from tradewind.wire import journal, manifest


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path)
    yield made
    made.end()


def held(store: Path) -> list[str]:
    return sorted(path.relative_to(store).as_posix() for path in store.glob("epoch-*/*"))


def test_committed_checkpoints_are_copied_while_the_job_runs_and_the_newest_three_kept(node: Node) -> None:
    put_checkpoint(node.store, 1, 2, {"state.bin": "old"})
    node.start('"$PY" train.py', **training(node, STEPS="100000", EVERY="40"), epoch=2, key="job/2", attempt=2)
    node.wait(journal.CHECKPOINT, 4)
    node.command("stop", 0.0)
    node.wait(journal.RUN_ENDED)
    steps = [each["step"] for each in node.records(journal.CHECKPOINT)]
    assert steps == sorted(set(steps))
    assert held(node.store) == [f"epoch-0002/{manifest.folder_name(step)}" for step in steps[-3:]]
    for name in held(node.store):
        assert manifest.check(str(node.store / name))["epoch"] == 2


def test_a_torn_one_is_named_and_the_one_before_it_is_resumed_from(node: Node) -> None:
    put_checkpoint(node.store, 1, 10, {"state.bin": "ten", "deep/more.bin": "more"})
    flipped = put_checkpoint(node.store, 1, 20, {"state.bin": "twenty"})
    (flipped / "state.bin").write_text("twentx")
    unfinished = put_checkpoint(node.store, 2, 5, {"state.bin": "five"})
    (unfinished / manifest.MANIFEST).unlink()
    put_checkpoint(node.store, 3, 99, {"state.bin": "of this epoch, by another life"})
    node.start('"$PY" train.py', **training(node, STEPS="12"), epoch=3, key="job/3", attempt=3)
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    first, second = node.records(journal.REJECTED)
    assert (first["path"], first["epoch"], first["step"]) == (str(unfinished), 2, 5)
    assert "no manifest" in first["why"]
    assert second["path"] == str(flipped) and "state.bin" in second["why"]
    restored = node.wait(journal.RESTORED)
    assert (restored["epoch"], restored["step"]) == (1, 10)
    assert node.log() == "from 10\n"
    back = node.root / "work" / "checkpoints" / manifest.folder_name(10)
    assert (back / "deep" / "more.bin").read_text() == "more"
    assert manifest.check(str(back))["epoch"] == 1
    assert not node.records(journal.CHECKPOINT), "what came from the store is not news"


def test_an_older_epoch_may_not_publish(node: Node) -> None:
    (node.store / manifest.FENCE).write_text("2\n")
    node.start('"$PY" train.py', **training(node, STEPS="3", EVERY="3"))
    failed = node.wait(journal.CHECKPOINT_FAILED)
    assert (failed["step"], failed["why"]) == (3, "fenced")
    assert node.wait(journal.RUN_ENDED)["exit"] == 0
    assert held(node.store) == [] and not node.records(journal.CHECKPOINT)


def test_any_program_that_saves_and_exits_75_is_resumed_from_its_files(node: Node, tmp_path: Path) -> None:
    script = (
        "trap 'mkdir -p $TRADEWIND_CHECKPOINT_DIR/deep; cp count $TRADEWIND_CHECKPOINT_DIR/deep/count; exit 75' TERM\n"
        "cat $TRADEWIND_CHECKPOINT_DIR/deep/count 2>/dev/null || echo fresh\n"
        "for N in $(seq 1000); do echo $N > count\n"
        'echo "{\\"v\\":1,\\"type\\":\\"step\\",\\"step\\":$N}" >> $TRADEWIND_EVENTS; sleep 0.05; done\n'
    )
    node.write("job.sh", script)
    node.start("bash job.sh")
    node.wait_step(3)
    node.give_notice(20.0)
    assert node.wait(journal.RUN_ENDED)["exit"] == 75
    saved = node.wait(journal.CHECKPOINT)
    told = manifest.check(saved["path"])
    assert told[manifest.KIND] == manifest.OPAQUE and saved["step"] == told["step"] >= 3
    second = Node(tmp_path, "second")
    try:
        second.write("job.sh", script)
        second.start("bash job.sh", epoch=2, key="job/2", attempt=2)
        assert second.wait(journal.RESTORED)["step"] == saved["step"]
        wait_for(lambda: second.log() or None, "the resumed job")
        # the count is written before its step is told, and the signal may come in between
        assert int(second.log()) - saved["step"] in (0, 1)
    finally:
        second.end()


def test_exit_75_unasked_restarts_on_this_node_until_no_step_is_new(node: Node) -> None:
    node.write(
        "job.sh",
        "N=$(cat n 2>/dev/null || echo 0); N=$((N + 1)); echo $N > n; STEP=$((N < 3 ? N : 3))\n"
        'echo "{\\"v\\":1,\\"type\\":\\"step\\",\\"step\\":$STEP}" >> $TRADEWIND_EVENTS; exit 75\n',
    )
    node.start("bash job.sh", store="")
    ended = node.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (75, "exit")
    assert [(each["count"], each["step"]) for each in node.records(journal.RESTARTED)] == [
        (1, 1), (1, 2), (1, 3), (2, 3), (3, 3),
    ]  # fmt: skip
    assert (node.root / "work" / "n").read_text() == "6\n"
    assert len(node.records(journal.RUN_STARTED)) == 6


def test_a_restart_is_not_repeated_by_the_next_life(node: Node) -> None:
    node.write(
        "job.sh", "echo run >> runs\n[ $(wc -l < runs) = 1 ] && exit 75\nuntil [ -e go ]; do sleep 0.05; done\nexit 4\n"
    )
    node.start("bash job.sh", store="")
    node.wait(journal.RUN_STARTED, 2)
    node.kill_agent()
    node.write("go", "")
    assert node.serve() == 0
    assert node.wait(journal.RUN_ENDED)["exit"] == 4
    assert (node.root / "work" / "runs").read_text() == "run\nrun\n"
    assert len(node.records(journal.RUN_STARTED)) == 2


def test_a_store_that_cannot_be_written_is_told_and_tried_again_at_the_end(node: Node) -> None:
    (node.store / "epoch-0001").write_text("in the way")
    node.start('"$PY" train.py; until [ -e go ]; do sleep 0.05; done', **training(node, STEPS="2", EVERY="2"))
    failed = node.wait(journal.CHECKPOINT_FAILED)
    assert failed["step"] == 2 and failed["why"]
    os.remove(node.store / "epoch-0001")
    node.write("go", "")
    assert node.wait(journal.CHECKPOINT)["step"] == 2
    assert node.wait(journal.RUN_ENDED)["exit"] == 0

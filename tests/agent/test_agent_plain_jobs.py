"""Scripts that know nothing of Tradewind, run by a real agent: what is kept of them, and what they find again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_node import Node, wait_for

from tradewind.wire import journal

# Four usual ways to save, in one folder. Every save writes one word everywhere, slowly and in pieces, so that a torn
# copy would show two words. It starts from the newest numbered file, saves twice more, and then saves without an end.
WAYS = """
import os, time
from pathlib import Path
folder = Path("ckpt")
folder.mkdir(exist_ok=True)
found = sorted(folder.glob("model-*.pt"), key=os.path.getmtime)
number = int(found[-1].stem.split("-")[1]) if found else 0
print("from", number, found[-1].read_text()[:3] if found else "-", flush=True)

def write(path, text, pause):
    with open(path, "w") as file:
        for _ in range(20):
            file.write(text)
            file.flush()
            time.sleep(pause)

def save(number, pause):
    text = f"{number:03d}"
    write(folder / f"model-{number}.pt", text, 0)
    step = folder / f"checkpoint-{number}"
    step.mkdir()
    write(step / "weights", text, 0)
    write(folder / "renamed.tmp", text, 0)
    os.replace(folder / "renamed.tmp", folder / "renamed.pt")
    write(folder / "last.pt", text, pause)

for _ in range(2):
    number += 1
    save(number, 0.02)
    while not Path(f"seen-{number}").exists():
        time.sleep(0.05)
Path("half").touch()
save(number + 1, 600)
"""
SAVES_WHEN_TOLD = """
import os, signal, sys, time
from pathlib import Path
def stop(number, frame):
    time.sleep(0.2)
    Path("ckpt/state").write_text("saved at the end")
    sys.exit(int(os.environ["CODE"]))
signal.signal(signal.SIGTERM, stop)
Path("ckpt").mkdir(exist_ok=True)
print("from", Path("ckpt/state").read_text() if Path("ckpt/state").exists() else "nothing", flush=True)
while True:
    time.sleep(0.05)
"""
LAUNCHER = """
import os, signal, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time\\nfile = open('ckpt/state', 'w'); file.write('half'); "
    "file.flush(); print('writing', flush=True); time.sleep(600)"])
signal.signal(signal.SIGTERM, lambda *_: child.terminate())
while child.poll() is None:
    time.sleep(0.05)
time.sleep(float(os.environ["LINGER"]))
"""


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[list[Node]]:
    made = [Node(tmp_path, name) for name in ("first", "second")]
    yield made
    for node in made:
        node.end()


def begin(node: Node, script: str, epoch: int = 1, env: dict[str, str] | None = None) -> None:
    node.write("train.py", script)
    given = {**node.spec("").env, **(env or {})}
    node.start('mkdir -p ckpt; "$PY" train.py', checkpoint_dir="./ckpt", env=given, epoch=epoch, key=f"job/{epoch}")


def words(folder: Path) -> set[str]:
    """The words in the files of a save."""
    texts = (folder / name for name in ("renamed.pt", "last.pt"))
    return {text[at : at + 3] for text in (path.read_text() for path in texts) for at in range(0, len(text), 3)}


def test_a_script_of_any_habit_goes_on_from_its_last_whole_save(nodes: list[Node]) -> None:
    first, second = nodes
    begin(first, WAYS)
    for number in (1, 2):
        kept = first.wait(journal.CHECKPOINT, number)
        assert (kept["step"], kept["verified"], kept["counted"]) == (number, False, False)
        assert words(Path(kept["path"]) / "content") == {f"{number:03d}"}
        first.write(f"seen-{number}", "")
    wait_for((first.root / "work" / "half").exists, "a save that takes for ever")
    first.give_notice(20.0)
    ended = first.wait(journal.RUN_ENDED)
    assert (ended["exit"], ended["why"]) == (143, "notice")
    assert len(first.records(journal.CHECKPOINT)) == 2, "what was being written is never taken"
    begin(second, WAYS, epoch=2)
    restored = second.wait(journal.RESTORED)
    assert (restored["step"], restored["verified"], restored["saved_at"] > 0) == (2, False, True)
    wait_for(lambda: second.log() or None, "the resumed script")
    assert second.log() == "from 2 002\n"


@pytest.mark.parametrize("code", ["0", "143"])
def test_what_a_script_saves_when_it_is_told_to_end_is_kept(nodes: list[Node], code: str) -> None:
    first, second = nodes
    begin(first, SAVES_WHEN_TOLD, env={"CODE": code})
    wait_for(lambda: first.log() or None, "the script")
    first.give_notice(20.0)
    assert first.wait(journal.RUN_ENDED)["exit"] == int(code)
    assert first.records(journal.STOP_SENT)[0]["outlived"]
    assert not first.wait(journal.CHECKPOINT)["verified"]
    begin(second, SAVES_WHEN_TOLD, epoch=2, env={"CODE": code})
    wait_for(lambda: second.log() or None, "the resumed script")
    assert second.log() == "from saved at the end\n"


@pytest.mark.parametrize(
    ("script", "env"),
    [(LAUNCHER, {"LINGER": "0"}), (LAUNCHER, {"LINGER": "3"}), (SAVES_WHEN_TOLD, {"CODE": "1"})],
    ids=["ended by a launcher", "by one that lingers", "failed in it"],
)
def test_a_save_that_may_have_been_cut_short_is_not_kept(nodes: list[Node], script: str, env: dict[str, str]) -> None:
    node = nodes[0]
    begin(node, script, env=env)
    wait_for(lambda: node.log() or None, "the script")
    node.give_notice(20.0)
    node.wait(journal.RUN_ENDED)
    assert (node.root / "work" / "ckpt" / "state").exists()
    assert node.records(journal.CHECKPOINT) == []


def test_a_filter_at_the_end_of_a_pipe_hides_no_last_save(nodes: list[Node]) -> None:
    node = nodes[0]
    node.write("train.py", SAVES_WHEN_TOLD)
    env = {**node.spec("").env, "CODE": "0"}
    node.start('mkdir -p ckpt; "$PY" train.py | tee copy', checkpoint_dir="./ckpt", env=env)
    wait_for(lambda: node.log() or None, "the script")
    node.give_notice(20.0)
    node.wait(journal.RUN_ENDED)
    assert not node.wait(journal.CHECKPOINT)["verified"]

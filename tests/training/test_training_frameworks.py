"""The scripts of docs/frameworks.md as they stand: preempted and resumed, they end as if nobody had interfered."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from training_runs import PROGRAMS, clean_environment

from tradewind.agent.plain import is_plain
from tradewind.training.course import Course, link_tree, numbers
from tradewind.wire import manifest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = re.findall(r"^```python\n(.+?)^```", (DOCS / "frameworks.md").read_text(encoding="utf-8"), re.S | re.M)


@pytest.mark.parametrize(
    ("name", "module", "stop_after"),
    [
        ("huggingface", "transformers.trainer", 7),
        pytest.param("lightning", "lightning.pytorch", 23, marks=pytest.mark.long),  # within the second epoch
        pytest.param("lightning", "lightning.pytorch", 32, marks=pytest.mark.long),  # at its end
        pytest.param("keras", "numpy", 23, marks=pytest.mark.long),
        pytest.param("keras", "numpy", 32, marks=pytest.mark.long),
    ],
)
def test_a_preempted_run_ends_with_the_weights_of_an_unbroken_one(
    tmp_path: Path, name: str, module: str, stop_after: int
) -> None:
    (script,) = (each for each in SCRIPTS if f"tradewind.training.{name}" in each)
    (tmp_path / "train.py").write_text(script, encoding="utf-8")
    command = [sys.executable, str(PROGRAMS / "frameworks.py"), str(tmp_path / "train.py"), module, str(stop_after)]
    done = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=False)
    unbroken, preempted, resumed = (line.split() for line in done.stdout.splitlines())
    assert (unbroken[0], preempted[0], resumed[0]) == ("0", "75", "0"), done.stderr
    assert resumed[1] == unbroken[1]
    manifest.check(str(tmp_path / "preempted" / "checkpoints" / manifest.folder_name(stop_after)))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course in a job's environment."""
    told = {"CHECKPOINT_DIR": "checkpoints", "CHECKPOINT_EVERY": "10 steps", "EVENTS": "events", "EPOCH": "3"}
    for name, value in told.items():
        monkeypatch.setenv(
            f"TRADEWIND_{name}", str(tmp_path / value) if value.islower() and " " not in value else value
        )
    made = Course()
    made.guard.close()  # pytest's own handlers stay
    return made


def save(course: Course, step: int, text: str = "weights") -> bool:
    def write(folder: str) -> None:
        (Path(folder) / "model").write_text(text)

    return course.commit(step, 0.0, write)


def events(course: Course, tmp_path: Path) -> list[dict[str, object]]:
    course.events.flush()
    return [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]


def test_a_frameworks_files_become_a_checkpoint_of_the_attempt(course: Course, tmp_path: Path) -> None:
    assert not course.save_now(9) and course.save_now(10)
    assert save(course, 10)
    told = manifest.check(str(tmp_path / "checkpoints" / manifest.folder_name(10)))
    assert (told["step"], told["epoch"]) == (10, 3)
    assert not course.save_now(19) and course.save_now(20), "counted from the last save"
    types = [each["type"] for each in events(course, tmp_path)]
    assert types == ["checkpoint_started", "snapshot_done", "checkpoint_committed"]


def test_the_newest_complete_one_is_resumed_from_and_torn_ones_are_told(course: Course, tmp_path: Path) -> None:
    assert course.latest() is None
    for step in (10, 20):
        save(course, step)
    (tmp_path / "checkpoints" / manifest.folder_name(20) / "model").write_text("weightz")
    assert course.latest() == str(tmp_path / "checkpoints" / manifest.folder_name(10))
    rejected, resumed = events(course, tmp_path)[-2:]
    assert rejected["type"] == "checkpoint_rejected" and "model" in str(rejected["why"])
    assert (resumed["type"], resumed["step"]) == ("resumed", 10)


def test_two_are_kept(course: Course, tmp_path: Path) -> None:
    for step in (1, 2, 3):
        save(course, step)
    assert sorted(os.listdir(tmp_path / "checkpoints"))[1:] == [manifest.folder_name(step) for step in (2, 3)]


def test_the_folder_says_from_the_start_that_manifests_are_to_come(course: Course, tmp_path: Path) -> None:
    assert os.listdir(course.folder) == [manifest.MARK]
    assert not is_plain(course.folder), "so nothing of the framework's is taken before"


@pytest.mark.parametrize("fault", [OSError("disk full"), RuntimeError("PytorchStreamWriter failed")])
def test_a_disk_that_fails_ends_no_training(course: Course, tmp_path: Path, fault: Exception) -> None:
    def write(folder: str) -> None:
        raise fault

    save(course, 1)
    assert not course.commit(2, 0.0, write)
    assert events(course, tmp_path)[-1]["why"] == str(fault)
    assert course.latest() == str(tmp_path / "checkpoints" / manifest.folder_name(1))
    with pytest.raises(SystemExit) as left:
        course.leave(saved=False)
    assert left.value.code == 76


def test_of_several_processes_the_first_saves_and_tells(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    other = Course()
    other.guard.close()
    assert save(other, 10) and other.latest() is None
    other.events.step(10)
    other.events.flush()
    assert events(course, tmp_path) == []


def test_files_are_linked_where_that_can_be_done(tmp_path: Path) -> None:
    (tmp_path / "from" / "deep").mkdir(parents=True)
    (tmp_path / "from" / "deep" / "file").write_text("x")
    (tmp_path / "to").mkdir()
    link_tree(str(tmp_path / "from"), str(tmp_path / "to"))
    assert (tmp_path / "to" / "deep" / "file").samefile(tmp_path / "from" / "deep" / "file")


def test_of_what_is_logged_numbers_are_told() -> None:
    assert numbers({"loss": 0.5, "runtime": "3 s", "epoch": 2}) == {"loss": 0.5, "epoch": 2}
    assert numbers(None) == {}

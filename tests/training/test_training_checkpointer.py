import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tradewind.training import Checkpointer, Events, folders
from tradewind.training.contents import DATA, META, STATE
from tradewind.wire import manifest


def state_of(step: int) -> dict[str, Any]:
    return {"weights": torch.full((1000,), float(step)), "step": step}


def read_events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


class Gate:
    """A disk that stands still until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self._sync = folders._sync
        monkeypatch.setattr(folders, "_sync", self._wait)

    def _wait(self, path: str) -> None:
        self.reached.set()
        assert self.opened.wait(30)
        self._sync(path)


def test_a_checkpoint_is_laid_out_as_written_in_the_contract(tmp_path: Path) -> None:
    Checkpointer(tmp_path, epoch=3).save(220, {"a": torch.ones(3), "b": torch.ones(2, 2, dtype=torch.bool)}, wait=True)
    folder = tmp_path / "step-00000220"
    assert names_in(tmp_path) == [folder.name]
    assert names_in(folder) == [manifest.MANIFEST, DATA, META, STATE]
    told = manifest.check(str(folder))
    assert (told["step"], told["epoch"], told["save"]) == (220, 3, 1)
    entries = json.loads((folder / META).read_text())
    assert [(entry["name"], entry["dtype"], entry["shape"], entry["offset"]) for entry in entries] == [
        ("a", "float32", [3], 0),
        ("b", "bool", [2, 2], 64),
    ]
    assert (folder / DATA).read_bytes()[64:] == b"\1" * 4


def test_the_loop_may_change_its_tensors_as_soon_as_save_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    checkpointer = Checkpointer(tmp_path)
    state = state_of(1)
    assert checkpointer.save(1, state)
    state["weights"].zero_()
    gate.opened.set()
    assert checkpointer.wait()
    resumed = checkpointer.resume()
    assert resumed is not None
    assert torch.equal(resumed.state["weights"], torch.ones(1000))


def test_a_save_that_is_due_while_one_is_under_way_is_skipped_and_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    with Events(tmp_path / "events") as events:
        checkpointer = Checkpointer(tmp_path / "ck", every="1 step", events=events)
        assert checkpointer.due(1)
        assert checkpointer.save(1, state_of(1))
        assert gate.reached.wait(30)
        assert not checkpointer.due(2)
        assert not checkpointer.due(3)
        assert not checkpointer.save(3, state_of(3))
        gate.opened.set()
        assert checkpointer.save(4, state_of(4), wait=True)
        assert not checkpointer.due(4)
    told = [(one["type"], one["step"]) for one in read_events(tmp_path / "events")]
    assert [one for one in told if one[0] == "checkpoint_skipped"] == [("checkpoint_skipped", 2)]
    assert told[-3:] == [("checkpoint_started", 4), ("snapshot_done", 4), ("checkpoint_committed", 4)]


def _flip(folder: Path) -> None:
    data = bytearray((folder / DATA).read_bytes())
    data[1234] ^= 1
    (folder / DATA).write_bytes(data)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a byte flipped": (_flip, f"{DATA} has checksum"),
    "truncated": (lambda folder: os.truncate(folder / DATA, 100), f"{DATA} has 100 bytes"),
    "a file missing": (lambda folder: (folder / META).unlink(), f"{META} is missing"),
    "no manifest": (lambda folder: (folder / manifest.MANIFEST).unlink(), "no manifest"),
    "half a manifest": (lambda folder: os.truncate(folder / manifest.MANIFEST, 50), "manifest unreadable"),
}


@pytest.mark.parametrize(("damage", "why"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_torn_checkpoint_is_named_and_the_one_before_used(
    tmp_path: Path, damage: Callable[[Path], object], why: str
) -> None:
    writer = Checkpointer(tmp_path / "ck")
    for step in (10, 20, 30):
        writer.save(step, state_of(step), wait=True)
    damage(tmp_path / "ck" / "step-00000030")
    with Events(tmp_path / "events") as events:
        checkpointer = Checkpointer(tmp_path / "ck", events=events)
        resumed = checkpointer.resume()
        assert resumed is not None
        assert (resumed.step, resumed.state["step"], resumed.path) == (20, 20, str(tmp_path / "ck" / "step-00000020"))
        assert [(Path(one.path).name, why in one.why) for one in resumed.rejected] == [("step-00000030", True)]
        # The work is done again, and the whole one takes the torn one's place.
        checkpointer.save(30, state_of(30), wait=True)
        again = checkpointer.resume()
        assert again is not None
        assert (again.step, again.rejected) == (30, ())
    rejected, restarted = read_events(tmp_path / "events")[:2]
    assert (rejected["type"], rejected["path"]) == ("checkpoint_rejected", resumed.rejected[0].path)
    assert restarted["rejected"] == [{"path": rejected["path"], "why": rejected["why"]}]


def test_nothing_and_only_torn_ones_give_none(tmp_path: Path) -> None:
    assert Checkpointer(tmp_path / "missing").resume() is None
    Checkpointer(tmp_path).save(1, state_of(1), wait=True)
    (tmp_path / "step-00000001" / STATE).unlink()
    assert Checkpointer(tmp_path).resume() is None


def test_rotation_keeps_the_last_and_the_milestones_across_restarts(tmp_path: Path) -> None:
    for first in (1, 8):
        checkpointer = Checkpointer(tmp_path, keep_last=2, milestone_every=5)
        for step in range(first, first + 7):
            checkpointer.save(step, state_of(step), wait=True)
    assert folders.steps(str(tmp_path)) == [5, 10, 13, 14]


def test_what_a_killed_process_left_is_cleared_and_a_replaced_one_comes_back(tmp_path: Path) -> None:
    checkpointer = Checkpointer(tmp_path)
    checkpointer.save(1, state_of(1), wait=True)
    checkpointer.save(2, state_of(2), wait=True)
    shutil.copytree(tmp_path / "step-00000001", tmp_path / ".tmp-step-00000003")
    shutil.copytree(tmp_path / "step-00000001", tmp_path / ".gone-step-00000000")
    (tmp_path / "step-00000002").rename(tmp_path / ".old-step-00000002")
    (tmp_path / ".tmp-of-the-user").mkdir()
    resumed = Checkpointer(tmp_path).resume()
    assert resumed is not None
    assert resumed.step == 2
    assert names_in(tmp_path) == [".tmp-of-the-user", "step-00000001", "step-00000002"]


def test_the_same_step_saved_again_replaces_the_first(tmp_path: Path) -> None:
    checkpointer = Checkpointer(tmp_path)
    for value in (1, 2):
        assert checkpointer.save(5, {"value": value}, wait=True)
    resumed = checkpointer.resume()
    assert resumed is not None
    assert resumed.state == {"value": 2}
    assert names_in(tmp_path) == ["step-00000005"]


def test_a_disk_that_fails_is_told_and_the_older_checkpoint_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: str) -> None:
        raise OSError(28, "No space left on device")

    with Events(tmp_path / "events") as events:
        checkpointer = Checkpointer(tmp_path / "ck", events=events)
        assert checkpointer.save(1, state_of(1), wait=True)
        with monkeypatch.context() as broken:
            broken.setattr(folders, "_sync", fail)
            assert not checkpointer.save(2, state_of(2), wait=True)
        assert names_in(tmp_path / "ck") == ["step-00000001"]
        assert checkpointer.save(3, state_of(3), wait=True)
    failed = next(one for one in read_events(tmp_path / "events") if one["type"] == "checkpoint_failed")
    assert failed["step"] == 2
    assert "No space left" in failed["why"]


def test_a_whole_checkpoint_that_this_version_cannot_read_stops_instead_of_starting_over(tmp_path: Path) -> None:
    Checkpointer(tmp_path).save(1, state_of(1), wait=True)
    folder = tmp_path / "step-00000001"
    (folder / META).write_text((folder / META).read_text().replace("float32", "float3"))
    (folder / manifest.MANIFEST).write_text(json.dumps(manifest.build(str(folder), 1, 1, 0.0)))
    with pytest.raises(ValueError, match="no element type float3"):
        Checkpointer(tmp_path).resume()


def test_settings_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND_CHECKPOINT_DIR", str(tmp_path / "there"))
    monkeypatch.setenv("TRADEWIND_EPOCH", "4")
    monkeypatch.setenv("TRADEWIND_CHECKPOINT_EVERY", "3 steps")
    checkpointer = Checkpointer.from_env()
    assert [checkpointer.due(step) for step in (2, 3)] == [False, True]
    checkpointer.save(3, {}, wait=True)
    assert manifest.read(str(tmp_path / "there" / "step-00000003"))["epoch"] == 4


def test_settings_have_defaults_and_bad_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRADEWIND_CHECKPOINT_DIR", "TRADEWIND_EPOCH", "TRADEWIND_CHECKPOINT_EVERY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert Checkpointer.from_env().folder == str(tmp_path / "checkpoints")
    with pytest.raises(ValueError, match="not 'sometimes'"):
        Checkpointer(tmp_path, every="sometimes")
    with pytest.raises(ValueError, match="keep_last"):
        Checkpointer(tmp_path, keep_last=0)

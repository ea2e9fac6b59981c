"""Folders of scripts that know nothing of Tradewind: when they are taken, what is taken, how it comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from tradewind.agent import processes, writing
from tradewind.agent.plain import LOOK_SECONDS, STILL_SECONDS, UNSEEN_STILL_SECONDS, Watch, is_plain, scan
from tradewind.agent.restore import restore
from tradewind.agent.taking import Changed, Place, Taken, take
from tradewind.wire import manifest, shelf
from tradewind.wire.manifest import folder_name
from tradewind.wire.shelf import Fenced

OPEN = "file = open(sys.argv[1], 'r+b')"
MAPPED = "file = open(sys.argv[1], 'r+b'); seen = mmap.mmap(file.fileno(), 0); file.close()"
READ = "file = open(sys.argv[1], 'rb'); seen = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)"


@contextmanager
def process(code: str, *arguments: str) -> Iterator[int]:
    """A process that has done what ``code`` says and waits; its pid."""
    waiting = f"import mmap, os, signal, sys\n{code}\nprint(flush=True)\nsys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", waiting, *arguments], stdin=-1, stdout=-1) as child:
        assert child.stdout and child.stdin and child.stdout.readline()
        try:
            yield child.pid
        finally:
            child.stdin.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint folder with one file in it."""
    made = tmp_path / "checkpoints"
    made.mkdir()
    (made / "last.pt").write_bytes(b"one" * 100)
    return made


def place(tmp_path: Path, number: int = 1) -> Place:
    return Place(str(tmp_path / "store"), 1, number, False)


def taken(folder: Path, where: Place, prior: Taken | None = None) -> Taken:
    return take(str(folder), scan(str(folder)), where, prior)


# -- when it may be taken


def quiet_after(folder: Path, seconds: float, *pids: int, seen: bool = True) -> bool:
    """Whether the folder may be taken that long after it was first seen as it is."""
    watch = Watch(str(folder), lambda files: writing.written(files, pids) if seen else None)
    for now in (0.0, LOOK_SECONDS, seconds):
        watch.look(now, 7)
    return watch.quiet is not None


def test_it_is_taken_when_it_has_been_still(folder: Path) -> None:
    assert quiet_after(folder, STILL_SECONDS)
    assert not quiet_after(folder, STILL_SECONDS - 0.1)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux shows who writes")
@pytest.mark.parametrize(
    ("code", "quiet"), [(OPEN, False), (MAPPED, False), (READ, True)], ids=["open", "mapped", "read"]
)
def test_it_is_not_taken_while_a_process_may_write(folder: Path, code: str, quiet: bool) -> None:
    with process(code, str(folder / "last.pt")) as pid:
        assert quiet_after(folder, 100.0, pid) is quiet
    assert quiet_after(folder, 100.0, pid), "a process that has ended writes no more"


def test_where_nobody_shows_who_writes_a_long_quiet_counts(folder: Path) -> None:
    assert not quiet_after(folder, UNSEEN_STILL_SECONDS - 0.1, seen=False)
    assert quiet_after(folder, UNSEEN_STILL_SECONDS, seen=False)


def test_every_change_begins_the_wait_anew(folder: Path) -> None:
    watch = Watch(str(folder), lambda files: False)
    watch.look(0.0, 7)
    watch.look(3.0, 8)
    assert watch.quiet is not None and watch.step == 7, "the step that was told when it was first seen"
    before = os.stat(folder / "last.pt")
    (folder / "last.pt").write_bytes(b"two" * 100)
    os.utime(folder / "last.pt", ns=(before.st_atime_ns, before.st_mtime_ns))
    watch.look(6.0, 9)
    assert watch.quiet is None, "of the same size, its date set back: still another file"
    watch.look(9.0, 10)
    assert watch.quiet is not None and watch.step == 9


def test_what_lay_there_before_and_what_was_taken_is_not_new(folder: Path) -> None:
    watch = Watch(str(folder), lambda files: False)
    watch.know()
    assert watch.new() is None
    (folder / "next.pt").touch()
    assert watch.new() is not None


def test_logs_hold_nothing_up_and_are_no_progress(folder: Path) -> None:
    watch = Watch(str(folder), lambda files: False)
    watch.know()
    for name in ("train.log", "runs/events.out.tfevents.17.host"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("a line\n")
    assert watch.new() is None


def test_a_folder_of_the_training_library_is_not_plain(folder: Path) -> None:
    (folder / folder_name(5)).mkdir()
    assert is_plain(str(folder)), "a name alone says nothing"
    (folder / folder_name(5) / manifest.MANIFEST).touch()
    assert not is_plain(str(folder))
    (folder / folder_name(5) / manifest.MANIFEST).unlink()
    (folder / (shelf.DRAFT + folder_name(6))).mkdir()
    assert not is_plain(str(folder)), "a save is under way"
    (folder / (shelf.DRAFT + folder_name(6))).rmdir()
    (folder / manifest.MARK).touch()
    assert not is_plain(str(folder)), "manifests are to come"


# -- what is taken, and how it comes back


def test_it_comes_back_as_it_was(folder: Path, tmp_path: Path) -> None:
    for number in (9, 10):  # by name 10 comes first, by date last
        made = folder / f"checkpoint-{number}"
        (made / "数据").mkdir(parents=True)
        (made / "数据" / "权重.bin").write_text(f"weights {number}")
        os.utime(made / "数据" / "权重.bin", (1000 + number, 1000 + number))
        os.utime(made, (2000 + number, 2000 + number))
    (folder / "MANIFEST.json").write_text("the script's own")
    (folder / "empty").mkdir()
    (folder / "latest").symlink_to("checkpoint-10")
    (folder / "best.bin").symlink_to("checkpoint-9/数据/权重.bin")
    (tmp_path / "pretrained.bin").write_text("from elsewhere")
    (folder / "base.bin").symlink_to(tmp_path / "pretrained.bin")
    os.mkfifo(folder / "pipe")
    kept = taken(folder, place(tmp_path))
    nature = kept.published.nature
    assert (nature["verified"], nature["counted"]) == (False, False)
    assert nature["saved_at"] == max(path.stat().st_ctime_ns for path in folder.rglob("*.[pb]*")) / 1e9
    assert manifest.check(kept.published.path)["step"] == 1
    back = tmp_path / "back"
    found = restore(str(tmp_path / "store"), str(back), 2)
    assert found.checkpoint is not None and not found.torn
    assert sorted(path.relative_to(back).as_posix() for path in back.rglob("*")) == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.name != "pipe"
    )
    assert os.readlink(back / "latest") == "checkpoint-10" and (back / "best.bin").read_text() == "weights 9"
    assert (back / "base.bin").read_text() == "from elsewhere" and not (back / "base.bin").is_symlink()
    assert (back / "MANIFEST.json").read_text() == "the script's own"
    newest = max(back.glob("checkpoint-*/数据/*"), key=os.path.getctime)
    assert newest.read_text() == "weights 10" and newest.stat().st_mtime == 1010
    assert [(back / f"checkpoint-{number}").stat().st_mtime for number in (9, 10)] == [2009, 2010]


def test_a_folder_sent_with_the_work_stays_where_a_link_would_go(folder: Path, tmp_path: Path) -> None:
    (folder / "step").mkdir()
    (folder / "latest").symlink_to("step")
    taken(folder, place(tmp_path))
    (tmp_path / "back" / "latest").mkdir(parents=True)
    assert restore(str(tmp_path / "store"), str(tmp_path / "back"), 2).checkpoint is not None
    assert (tmp_path / "back" / "latest").is_dir() and not (tmp_path / "back" / "latest").is_symlink()


@pytest.mark.parametrize("how", ["rewritten", "removed", "another", "link"])
def test_what_changes_while_it_is_copied_is_not_taken(folder: Path, tmp_path: Path, how: str) -> None:
    state = scan(str(folder))
    if how == "rewritten":
        (folder / "last.pt").write_bytes(b"two" * 100)
    elif how == "removed":
        (folder / "last.pt").unlink()
    elif how == "another":
        (folder / "optimizer.pt").touch()
    else:
        (folder / "newest").symlink_to("last.pt")
    with pytest.raises(Changed):
        take(str(folder), state, place(tmp_path), None)
    assert shelf.complete(str(tmp_path / "store")) == []


def test_what_is_as_before_is_not_copied_again(folder: Path, tmp_path: Path) -> None:
    for number in range(200):
        (folder / f"{number}.pt").write_text(str(number))
    first = taken(folder, place(tmp_path, 1))
    (folder / "last.pt").write_bytes(b"two")
    second = taken(folder, place(tmp_path, 2), first)
    told = manifest.check(second.published.path)
    assert len(told["files"]) == 201
    one, two = (Path(each.published.path) / "content" for each in (first, second))
    assert (one / "7.pt").samefile(two / "7.pt"), "on the disk once"
    assert not (two / "7.pt").samefile(folder / "7.pt"), "what the script may write to is never ours"
    assert (one / "last.pt").read_bytes() == b"one" * 100 and (two / "last.pt").read_bytes() == b"two"


def test_a_disk_that_the_copy_would_fill_is_left_to_the_script(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(free=599)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(OSError, match="no room"):
        taken(folder, place(tmp_path))
    usage.free = 600
    assert taken(folder, place(tmp_path)).published.bytes == 300


def test_a_stale_epoch_takes_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / manifest.FENCE).write_text("2\n")
    with pytest.raises(Fenced):
        taken(folder, place(tmp_path))


# -- who had a say in how it ended


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux shows who catches signals")
@pytest.mark.parametrize(
    ("code", "outlives"),
    [
        ("", False),
        ("signal.signal(signal.SIGTERM, print)", True),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", True),
    ],
    ids=["default", "caught", "ignored"],
)
def test_a_process_that_catches_sigterm_is_known(code: str, outlives: bool) -> None:
    with process(code) as pid:
        assert processes.outlives_term(pid) is outlives
    assert not processes.outlives_term(pid)


def test_the_layout_is_json_that_every_reader_knows(folder: Path, tmp_path: Path) -> None:
    told = json.loads((Path(taken(folder, place(tmp_path)).published.path) / manifest.MANIFEST).read_text())
    assert told["kind"] == "opaque" and told["counted"] is False
    assert [each["name"] for each in told["files"]] == ["content/last.pt"]
    assert set(told["layout"]) == {"files", "folders", "links"}

"""The workdir's archive: what git would take, the same bytes each time, limits that name the largest, safe links."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transport_bench import small_disk

from tradewind.domain.errors import BadInput
from tradewind.nodes import archive, bundle
from tradewind.nodes.archive import Entry, read_manifest
from tradewind.nodes.bundle import pack, unpack


def fill(top: Path, *names: str) -> Path:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    return top


def files_in(archive: Path) -> list[str]:
    with tarfile.open(archive) as opened:
        return sorted(each.name for each in opened if not each.isdir())


def git(top: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(top), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *words], cwd=top, env=env, check=True, capture_output=True, text=True).stdout


def test_what_is_packed_is_unpacked_and_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    work = fill(tmp_path / "work", "train.py", "deep/er/b.txt", "文.txt")
    (work / "empty").mkdir()
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o750)
    (work / "link").symlink_to("deep/er")
    first = pack(work, tmp_path / "a.tar")
    os.utime(work / "train.py", (1, 1))
    second = pack(work, tmp_path / "b.tar")
    assert first.path.read_bytes() == second.path.read_bytes()
    assert (first.files, first.left_out) == (5, ())
    assert first.bytes == sum(
        path.stat().st_size for path in work.rglob("*") if path.is_file() and path.parent.name != "link"
    )
    unpack(first.path, tmp_path / "back")
    back = tmp_path / "back"
    assert (back / "文.txt").read_text() == "文.txt" and (back / "empty").is_dir()
    assert os.access(back / "run.sh", os.X_OK) and not os.access(back / "train.py", os.X_OK)
    assert (back / "link").is_symlink() and (back / "link" / "b.txt").read_text() == "deep/er/b.txt"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_manifest_says_where_each_file_lies(tmp_path: Path) -> None:
    work = fill(tmp_path / "work", "train.py", "deep/文.txt", "deep/" + "n" * 150)
    (work / "none").touch()
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o700)
    (work / "up").symlink_to("deep/文.txt")
    with open(os.fsencode(work) + b"/\xff", "w") as odd:
        odd.write("no UTF-8")
    made = pack(work, tmp_path / "work.tar")
    entries = {entry["name"]: entry for entry in read_manifest(made.path)}
    assert list(entries) == ["deep", "deep/" + "n" * 150, "deep/文.txt", "none", "run.sh", "train.py", "up", "\udcff"]
    data = made.path.read_bytes()
    for name, entry in entries.items():
        if entry["kind"] == "file":
            content = data[entry["offset"] : entry["offset"] + entry["bytes"]]
            assert content == (work / name).read_bytes()
            assert entry["sha256"] == hashlib.sha256(content).hexdigest()
    assert (entries["run.sh"]["mode"], entries["train.py"]["mode"]) == (0o755, 0o644)
    assert entries["deep"] == {"name": "deep", "kind": "folder", "mode": 0o755}
    assert entries["up"] == {"name": "up", "kind": "link", "link": "deep/文.txt"}
    unpack(made.path, tmp_path / "back")
    assert os.listdir(os.fsencode(tmp_path / "back")).count(b"\xff") == 1


def test_the_same_work_takes_disk_once_and_what_no_job_has_is_taken_off_the_shelf(tmp_path: Path) -> None:
    work, shelf = fill(tmp_path / "work", "train.py"), tmp_path / "bundles"
    first, second = (pack(work, tmp_path / job / "work.tar", shelf=shelf) for job in ("1", "2"))
    assert os.path.samefile(first.path, second.path) and first.path.stat().st_nlink == 3
    (work / "train.py").write_text("changed")
    third = pack(work, tmp_path / "3" / "work.tar", shelf=shelf)
    assert files_in(third.path) == ["train.py"] and len(list(shelf.iterdir())) == 2
    for job in ("1", "2"):
        shutil.rmtree(tmp_path / job)
    pack(work, tmp_path / "3" / "work.tar", shelf=shelf)
    (kept,) = shelf.iterdir()
    assert os.path.samefile(kept, third.path)
    with kept.open("ab") as file:
        file.write(b"of a crash")
    kept_again = pack(work, tmp_path / "4" / "work.tar", shelf=shelf)
    assert kept_again.path.read_bytes() == third.path.read_bytes()[: -len(b"of a crash")]
    assert sorted(path.name for path in (tmp_path / "4").iterdir()) == ["work.json", "work.tar"]


def test_where_no_links_can_be_made_the_archive_is_the_jobs_own(tmp_path: Path) -> None:
    work = fill(tmp_path / "work", "train.py")
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        for job in ("1", "2"):
            made = pack(work, tmp_path / job / "work.tar", shelf=disk / "bundles")
            assert (files_in(made.path), made.path.stat().st_nlink) == (["train.py"], 1)
        assert list((disk / "bundles").iterdir()) == []


PATTERNS = ["*.log", "/a", "b/", "!keep.log", "**/c", "a/*", "!a/keep.log", "d/**", "# note", "", "b/c", "*.l[o]g"]
NAMES = ["x.log", "keep.log", "a/x.log", "a/keep.log", "b/c/d.txt", "c", "d/e/f.txt", "e/b/g.txt", "a/b/c.txt", "e/a"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    top=st.lists(st.sampled_from(PATTERNS), max_size=4),
    nested=st.lists(st.sampled_from(PATTERNS), max_size=3),
    where=st.sampled_from(["a", "b", "e"]),
)
def test_gitignore_means_what_git_means(
    tmp_path_factory: pytest.TempPathFactory, top: list[str], nested: list[str], where: str
) -> None:
    work = fill(tmp_path_factory.mktemp("work"), *NAMES)
    git(work, "init", "-q")
    (work / ".gitignore").write_text("\n".join(top) + "\n")
    (work / where / ".gitignore").write_text("\n".join(nested) + "\n")
    theirs = git(work, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    made = pack(work, work.parent / f"{work.name}.tar")
    assert files_in(made.path) == sorted(name for name in theirs if name)


def test_the_repository_around_the_workdir_has_a_say_unless_it_ignores_it_as_a_whole(tmp_path: Path) -> None:
    repository = fill(tmp_path, ".gitignore", "job/a.bin", "job/train.py", "build/train.py", "build/a.bin")
    git(repository, "init", "-q")
    (repository / ".gitignore").write_text("*.bin\n/build/\n")
    assert files_in(pack(repository / "job", tmp_path / "1.tar").path) == ["train.py"]
    assert files_in(pack(repository / "build", tmp_path / "2.tar").path) == ["a.bin", "train.py"]


def test_our_own_state_and_the_archive_itself_stay_behind(tmp_path: Path) -> None:
    work = fill(tmp_path, "train.py", "home/state.db", ".git/config")
    made = pack(work, work / "work.tar", leave_out=[work / "home"])
    assert files_in(made.path) == ["train.py"]
    assert files_in(pack(work, work / "work.tar", leave_out=[work / "home"]).path) == ["train.py"]


def test_links_out_of_the_workdir_and_sockets_are_left_out_and_named(tmp_path: Path) -> None:
    work = fill(tmp_path / "work", "inside.txt", "deep/x.txt")
    fill(tmp_path, "outside.txt")
    (work / "out").symlink_to("../outside.txt")
    (work / "hop").symlink_to("out")
    (work / "absolute").symlink_to(work / "inside.txt")
    (work / "deep" / "up").symlink_to("../inside.txt")
    (work / "gone").symlink_to("nowhere")
    os.mkfifo(work / "pipe")
    made = pack(work, tmp_path / "a.tar")
    assert files_in(made.path) == ["absolute", "deep/up", "deep/x.txt", "gone", "inside.txt"]
    assert [text.split(" ")[0] for text in made.left_out] == ["hop", "out", "pipe"]
    assert "../outside.txt" in made.left_out[1]
    unpack(made.path, tmp_path / "back")
    assert (tmp_path / "back" / "absolute").readlink() == Path("inside.txt")
    assert (tmp_path / "back" / "deep" / "up").read_text() == "inside.txt"


def test_too_large_names_the_largest(tmp_path: Path) -> None:
    work = fill(tmp_path / "work", "small.txt", "many/1", "many/2", "many/3")
    (work / "big").mkdir()
    with (work / "big" / "data.bin").open("wb") as file:
        file.truncate(501_000_000)
    with pytest.raises(BadInput) as raised:
        pack(work, tmp_path / "a.tar")
    assert raised.value.code == "workdir-too-large"
    assert raised.value.facts["size"] == "501 MB" and raised.value.facts["files"] == "5"
    assert raised.value.facts["largest"].startswith("big (501 MB, 1 files), many (18 B, 3 files)")
    assert raised.value.facts["first"] == "big/"  # as a line of .gitignore has it
    (work / ".gitignore").write_text("big/\n")
    with pytest.raises(BadInput) as raised:
        pack(work, tmp_path / "a.tar", most_files=4)
    assert raised.value.facts["largest"].startswith("many (")
    assert not (tmp_path / "a.tar").exists()


def test_a_workdir_that_is_missing_or_no_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none", fill(tmp_path, "file") / "file"):
        with pytest.raises(BadInput) as raised:
            pack(path, tmp_path / "a.tar")
        assert (raised.value.code, raised.value.facts["path"]) == ("workdir-missing", str(path))


def test_an_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = fill(tmp_path / "work", "open.txt", "deep/closed.txt")
    closed = work / "deep" / "closed.txt"
    closed.chmod(0)
    if os.geteuid() == 0:  # root reads everything: refuse where the system would
        monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != closed)
    with pytest.raises(BadInput) as raised:
        pack(work, tmp_path / "a.tar")
    assert raised.value.code == "workdir-unreadable"
    assert raised.value.facts["path"] == "deep/closed.txt"


def test_a_file_that_vanishes_while_the_work_is_packed_is_left_out(tmp_path: Path) -> None:
    work = fill(tmp_path / "work", "here.txt", "passing.tmp")
    entries = [Entry(path.name, path, path.lstat()) for path in sorted(work.iterdir())]
    (work / "passing.tmp").unlink()
    archive.write(entries, tmp_path / "a.tar", shelf=None)
    assert [each["name"] for each in read_manifest(tmp_path / "a.tar")] == ["here.txt"]
    with tarfile.open(tmp_path / "a.tar") as made:
        assert made.getnames() == ["here.txt"]


def test_an_archive_cannot_reach_outside(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        told = tarfile.TarInfo("../evil.txt")
        told.size = 4
        archive.addfile(told, io.BytesIO(b"evil"))
    with pytest.raises(tarfile.FilterError):
        unpack(tmp_path / "evil.tar", tmp_path / "back")
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (3 * 10**8, "300 MB"), (12 * 10**9, "12 GB")]
)
def test_sizes_in_words(size: int, text: str) -> None:
    assert bundle.words(size) == text

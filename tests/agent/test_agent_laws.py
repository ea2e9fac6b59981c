"""The pure decisions of the agent, and what holds of all its sources."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.agent import disk, glance, locks, outputs, processes, publish, restore, shelf, tail
from tradewind.agent.attempt import reserve, restart
from tradewind.agent.diary import Diary
from tradewind.agent.memory import Memory, recall
from tradewind.agent.processes import Process, Table
from tradewind.agent.sample import Sampler
from tradewind.agent.targets import targets, trapping_shells
from tradewind.wire import journal, manifest
from tradewind.wire.shelf import Fenced, Held, pass_fence, surplus
from tradewind.wire.spec import read_secrets, write_secrets

SOURCES = Path(processes.__file__).parents[1]


@pytest.mark.parametrize(
    "path", sorted([*SOURCES.glob("agent/*.py"), *SOURCES.glob("wire/*.py")]), ids=lambda p: p.name
)
def test_python_38_can_read_it_and_it_imports_wire_and_the_standard_library_only(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    named = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    for name in named:
        ours = name.startswith(
            ("tradewind.wire", "tradewind.agent") if path.parent.name == "agent" else "tradewind.wire"
        )
        assert ours or name.split(".")[0] in sys.stdlib_module_names, name


# -- who gets SIGTERM


def tree(*rows: tuple[int, int, str]) -> Table:
    return {pid: Process(pid, parent, 1, str(pid), 0.0, 0, name) for pid, parent, name in rows}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(5, 1, "python")], [5]),
        ([(5, 1, "bash")], [5]),
        ([(5, 1, "bash"), (6, 5, "python"), (7, 6, "python"), (8, 6, "bash")], [6]),
        ([(5, 1, "bash"), (6, 5, "sh"), (7, 6, "torchrun"), (8, 7, "python")], [7]),
        ([(5, 1, "bash"), (6, 5, "python"), (7, 5, "tee")], [6]),
        ([(5, 1, "bash"), (6, 5, "cat")], [6]),
        ([(5, 1, "bash"), (6, 5, "python"), (7, 5, "java")], [6, 7]),
        ([(5, 1, "bash"), (6, 5, "sleep")], [5]),
        ([(5, 1, "bash"), (6, 5, "time"), (7, 6, "python")], [7]),
        ([(9, 1, "python")], []),
    ],
)
def test_the_outermost_programs_that_are_not_shells(rows: list[tuple[int, int, str]], expected: list[int]) -> None:
    assert targets(tree(*rows), 5, lambda process: process.name) == expected


def test_shells_that_trap_have_their_turn_later() -> None:
    seen = tree((5, 1, "bash"), (6, 5, "bash"), (7, 6, "python"), (9, 1, "bash"))
    assert trapping_shells(seen, 5, lambda process: process.name, lambda pid: pid in (6, 9)) == [6]


def test_both_ways_to_read_the_process_table_agree() -> None:
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        for look in (processes._from_ps, processes.table):
            seen = look()
            mine, its = seen[os.getpid()], seen[child.pid]
            assert mine.session == os.getsid(0) and its.session == child.pid and its.parent == os.getpid()
            assert mine.rss_bytes > 10_000_000 and its.name == "sleep" and its.cpu_seconds < 5.0
            assert its in processes.members(seen, os.getpid(), set()), "a child that left the session"
        same = processes.one(child.pid)
        assert same is not None and same.started == processes.table()[child.pid].started
        assert not processes.traps_term(child.pid)
    finally:
        child.kill()
        child.wait()
    assert processes.one(child.pid) is None


def test_usage_is_that_of_the_descendants() -> None:
    sampler = Sampler(os.curdir)
    assert sampler.look(None) == {"cpu_percent": None, "rss_bytes": None, "gpus": []}
    code = "x = bytearray(50_000_000)\nprint(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1) as child:
        assert child.stdout and child.stdout.readline()
        first = sampler.look(os.getpid())
        assert first["cpu_percent"] is None and first["rss_bytes"] > 40_000_000
        spent = processes.table()[child.pid].cpu_seconds
        while processes.table()[child.pid].cpu_seconds < spent + 0.05:
            pass
        assert sampler.look(os.getpid())["cpu_percent"] > 0
        child.kill()


def test_ps_times_are_read() -> None:
    assert processes._seconds("1-02:03:04") == 93784
    assert processes._seconds("12:34.56") == pytest.approx(754.56)


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    assert not locks.is_held(path)
    code = f"import sys; sys.path.insert(0, {str(SOURCES.parent)!r})\nfrom tradewind.agent import locks\n"
    code += f"print(locks.hold({path!r}), flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout and holder.stdout.readline().strip() != "None"
        assert locks.is_held(path) and locks.hold(path) is None
        holder.kill()
        holder.wait()
        assert not locks.is_held(path)


# -- what the store keeps

places = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 9)), unique=True, max_size=12)


@given(places, st.integers(1, 4))
def test_what_may_go_is_never_needed(have: list[tuple[int, int]], own: int) -> None:
    held = [Held(epoch, step, f"{epoch}/{step}") for epoch, step in have]
    gone = surplus(held, own)
    kept = sorted(set(held) - set(gone))
    ours = sorted(each for each in held if each.epoch <= own)
    assert ours[-3:] == [each for each in kept if each.epoch <= own][-3:]
    assert all(each.epoch <= own for each in gone)
    if sum(each.epoch == own for each in held) < 2:
        assert all(each.epoch == own for each in gone)


def test_a_replacement_that_was_cut_short_is_undone(tmp_path: Path) -> None:
    store, folder = str(tmp_path), tmp_path / "epoch-0001"
    for name in (".prior-step-00000001", ".prior-step-00000002", "step-00000002", ".tmp-step-00000003", ".gone-x"):
        (folder / name).mkdir(parents=True)
    shelf.settle(store, 1)
    assert sorted(path.name for path in folder.iterdir()) == ["step-00000001", "step-00000002"]


@pytest.mark.parametrize(("text", "passes"), [(None, True), ("1", True), ("2\n", True), ("3", False), ("what", False)])
def test_the_fence(tmp_path: Path, text: str | None, passes: bool) -> None:
    if text is not None:
        (tmp_path / manifest.FENCE).write_text(text)
    if passes:
        pass_fence(str(tmp_path), 2)
    else:
        with pytest.raises(Fenced):
            pass_fence(str(tmp_path), 2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 400), st.sampled_from(["flip", "cut", "lose", "no manifest"]))
def test_a_torn_checkpoint_is_never_put_back(where: int, how: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = place / "store" / "epoch-0001" / manifest.folder_name(1)
        folder.mkdir(parents=True)
        data = bytearray(bytes(range(256)) + b"x" * 145)
        (folder / "a").write_bytes(data)
        (folder / manifest.MANIFEST).write_text(json.dumps(manifest.build(str(folder), 1, 1, 0.0)))
        if how == "flip":
            data[where] ^= 1
            (folder / "a").write_bytes(data)
        elif how == "cut":
            (folder / "a").write_bytes(data[:where])
        else:
            (folder / ("a" if how == "lose" else manifest.MANIFEST)).unlink()
        found = restore.restore(str(place / "store"), str(place / "back"), 2)
        assert found.checkpoint is None and [each.step for each, _ in found.torn] == [1]
        assert not any((place / "back").glob("*"))


def test_an_opaque_folder_is_one_whose_progress_lies_outside_committed_checkpoints(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints"
    assert not publish.is_opaque(str(folder), 5)
    (folder / ".tmp-x").mkdir(parents=True)
    (folder / ".tmp-x" / "part").write_text("cut short")
    assert not publish.is_opaque(str(folder), 5)
    (folder / "last.pt").write_text("state")
    assert publish.is_opaque(str(folder), 5)
    whole = folder / manifest.folder_name(4)
    whole.mkdir()
    (whole / manifest.MANIFEST).write_text(json.dumps(manifest.build(str(whole), 4, 1, 0.0)))
    assert publish.is_opaque(str(folder), 5)
    assert not publish.is_opaque(str(folder), 4)


# -- events, journal, memory

lines = st.lists(st.binary(max_size=20).filter(lambda raw: b"\n" not in raw and b"\r" not in raw), max_size=8)


@settings(deadline=None)
@given(lines, st.binary(max_size=9).filter(lambda raw: b"\n" not in raw), st.data())
def test_events_read_in_pieces_are_the_events_read_at_once(
    whole: list[bytes], rest: bytes, data: st.DataObject
) -> None:
    with tempfile.NamedTemporaryFile() as file:
        text = b"".join(line + b"\n" for line in whole) + rest
        found, offset, at = [], 0, 0
        while at < len(text):
            more = data.draw(st.integers(1, len(text) - at))
            file.write(text[at : at + more])
            file.flush()
            at += more
            read = tail.read_on(file.name, offset)
            found += [event for event, _ in read]
            offset = read[-1][1] if read else offset
        assert found == journal.read_lines(text)[0]
        assert offset <= len(text) - len(rest)


def test_an_endless_line_is_told_in_pieces_and_a_shorter_file_is_new(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"x" * 25)
    assert [offset for _, offset in tail.read_on(str(path), 0, limit=10)] == [10]
    path.write_text('{"type":"step"}\n')
    assert tail.read_on(str(path), 20) == [({"type": "step"}, 16)]
    assert tail.read_on(str(tmp_path / "none"), 0) == []


def test_what_the_diary_remembers_is_what_its_journal_says(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.jsonl")
    diary = Diary(path)
    diary.hide(["hunter22"])
    diary.tell(journal.AGENT_STARTED, pid=1, adopted=False)
    diary.tell(journal.JOB, event={"type": "step", "step": 4, "say": "hunter22!"}, events_offset=9)
    diary.tell(journal.NOTICE, deadline=50.0, source="file")
    diary.tell(journal.STOP_SENT, why="notice", grace_seconds=1, until=40.0, pids=[3])
    diary.tell(journal.STOP_SENT, why="stop", grace_seconds=1, until=30.0, pids=[])
    diary.tell(journal.CHECKPOINT, step=4, epoch=1, path="p", bytes=1, seconds=0.0)
    diary.tell(journal.RESTARTED, count=2, step=4)
    assert Path(path).read_bytes() == b"", "nothing may be read before it is synced"
    diary.commit()
    with open(path, "ab") as file:
        file.write(b'{"half')
    again = Diary(path)
    diary.close()
    again.close()
    assert again.memory == diary.memory == recall(journal.read_lines(Path(path).read_bytes())[0])
    assert (again.memory.stop_why, again.memory.kill_at, again.memory.stopped) == ("notice", 30.0, [3])
    assert b"hunter22" not in Path(path).read_bytes() and b"***!" in Path(path).read_bytes()


@given(st.lists(st.booleans(), max_size=20))
def test_restarts_end_after_three_without_a_new_step(new_steps: list[bool]) -> None:
    memory, without = Memory(), 0
    for number, new in enumerate(new_steps):
        if new:
            memory.last_step = number
        again = restart(75, memory)
        without = 1 if new else without + 1
        assert (again is not None) == (without <= 3)
        if again is None:
            return
        memory.take({"type": journal.RESTARTED, "count": again[0], "step": again[1]})


def test_other_ends_are_not_restarted() -> None:
    assert restart(0, Memory()) is None and restart(76, Memory()) is None
    assert restart(75, Memory(stop_why="notice")) is None


@given(st.floats(0, 1e6))
def test_what_is_kept_back_is_a_small_part(seconds: float) -> None:
    assert 0 <= reserve(seconds) <= min(1.0, seconds)


# -- files from outside


def test_outputs_are_chosen_inside_the_workdir(tmp_path: Path) -> None:
    work = tmp_path / "work"
    for name in ("out/a.txt", "out/deep/b.txt", "c.log", "d [1].txt"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(name)
    (tmp_path / "outside").write_text("")
    (work / "link").symlink_to("out")
    assert outputs.choose(str(work), ["./out", "c.*", "none", "../outside", "out/**/*.txt"]) == (
        ["c.log", "out/a.txt", "out/deep/b.txt"],
        ["none", "../outside"],
    )
    assert len(outputs.choose(str(work), ["."])[0]) == 4


def test_a_glance_sees_changes_and_reads_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "file"
    look = glance.Glance(str(path))
    assert not look.changed(1.0)
    path.write_text("a")
    assert look.changed(1.0) and not look.changed(1.5) and look.changed(3.1)
    path.write_text("ab")
    assert look.changed(3.2)
    rare = glance.Glance(str(path), every=0.5)
    assert rare.changed(1.0)
    path.write_text("abc")
    assert not rare.changed(1.4) and rare.changed(1.6)


def test_files_are_written_whole_for_the_owner_only(tmp_path: Path) -> None:
    disk.write_json(str(tmp_path / "a.json"), {"a": time.time()})
    assert (tmp_path / "a.json").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@given(st.dictionaries(st.from_regex(r"[A-Z_]{1,8}", fullmatch=True), st.text().filter(lambda text: "\0" not in text)))
def test_secrets_cross_the_wire_unchanged(secrets: dict[str, str]) -> None:
    assert read_secrets(write_secrets(secrets)) == secrets

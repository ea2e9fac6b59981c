"""The door's stream: what it says first, who is answered when, what ends it, what cannot garble it."""

from __future__ import annotations

import errno
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agent_door import Fault, Host, hosting
from pythons import python38

from tradewind.agent.door import loop
from tradewind.wire import door
from tradewind.wire.door import Header


class Line:
    """A door served in a thread of this process, at the other end of two pipes."""

    def __init__(self, root: Path, idle_s: float) -> None:
        asked, self._out = os.pipe()
        self._in, answers = os.pipe()
        self.asked, self.answers = os.fdopen(self._out, "wb", buffering=0), os.fdopen(self._in, "rb")
        self.thread = threading.Thread(target=self._serve, args=(str(root), asked, answers, idle_s))
        self.thread.start()
        assert self.answers.read(len(door.GREETING)) == door.GREETING

    def _serve(self, root: str, asked: int, answers: int, idle_s: float) -> None:
        loop.serve(root, asked, answers, idle_s)
        os.close(asked)
        os.close(answers)

    def ask(self, id_: int, op: str) -> None:
        self.asked.write(door.frame({"n": id_, "op": op}))

    def answer(self) -> Header:
        text, body = door.read_head(self.answers.read(door.HEAD_BYTES))
        header = door.read_header(self.answers.read(text))
        self.answers.read(body)
        return header

    def close(self) -> None:
        self.asked.close()
        self.thread.join(20)
        assert not self.thread.is_alive()
        self.answers.close()


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Callable[[float], Line]]:
    lines: list[Line] = []

    def make(idle_s: float) -> Line:
        lines.append(Line(tmp_path, idle_s))
        return lines[-1]

    yield make
    for each in lines:
        each.close()


Making = Callable[[float], Line]


def test_a_long_operation_holds_up_no_other(line: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()
    monkeypatch.setitem(loop.OPERATIONS, "long", lambda *_: (({"waited": goes_on.wait(20)}), b""))
    there = line(20)
    there.ask(1, "long")
    there.ask(2, "hello")
    assert there.answer()["n"] == 2
    goes_on.set()
    assert there.answer() == {"n": 1, "ok": {"waited": True}}


def test_an_operation_under_way_is_finished_though_the_stream_has_ended(
    line: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on, done = threading.Event(), threading.Event(), threading.Event()

    def long(*_: object) -> tuple[Header, bytes]:
        begun.set()
        goes_on.wait(20)
        done.set()
        return {}, b""

    monkeypatch.setitem(loop.OPERATIONS, "long", long)
    there = line(20)
    there.ask(1, "long")
    begun.wait(20)
    there.asked.close()
    goes_on.set()
    there.thread.join(20)
    assert done.is_set()


def test_a_door_at_which_nobody_says_a_word_closes(line: Making) -> None:
    there = line(0.05)
    there.thread.join(20)
    assert not there.thread.is_alive()


def test_a_reader_that_is_stuck_does_not_keep_the_door_open(line: Making, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loop.OPERATIONS, "much", lambda *_: ({}, bytes(1 << 20)))
    monkeypatch.setattr(loop, "_LAST_ANSWERS_SECONDS", 0.05)
    there = line(0.2)
    for number in range(3):
        there.ask(number, "much")
    there.thread.join(20)
    assert not there.thread.is_alive()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (OSError(errno.ENOSPC, "full"), "no-space"),
        (OSError(errno.EDQUOT, "quota"), "no-space"),
        (OSError(errno.EIO, "broken"), "unavailable"),
        (ZeroDivisionError("by nought"), "unavailable"),
    ],
)
def test_a_fault_is_an_answer_with_its_words(fault: Exception, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> tuple[Header, bytes]:
        raise fault

    monkeypatch.setitem(loop.OPERATIONS, "fails", fails)
    text = loop.answer("/nowhere", {"n": 7, "op": "fails"}, b"")[door.HEAD_BYTES :]
    told = door.read_header(text)
    assert (told["n"], told["fault"]["kind"]) == (7, kind)
    assert str(fault.args[-1]) in told["fault"]["words"]


def test_what_is_no_frame_closes_the_door(tmp_path: Path) -> None:
    host = Host(tmp_path)
    with hosting(host):
        host.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert host.process.wait(20) == 0


def test_the_door_says_who_is_there_and_closes_with_the_stream(tmp_path: Path) -> None:
    host = Host(tmp_path)
    with hosting(host):
        told = host.ask("hello")
        assert (told["version"], told["pid"], told["root"]) == (door.VERSION, host.process.pid, str(host.root))
        assert abs(told["now"] - time.time()) < 60
        with pytest.raises(Fault, match="invalid: this door knows no 'dance'"):
            host.ask("dance")
        assert host.close() == 0


def test_nothing_that_is_started_there_can_read_the_questions_or_garble_the_answers(tmp_path: Path) -> None:
    host = Host(tmp_path)
    with hosting(host):
        fds = Path(f"/proc/{host.process.pid}/fd")
        assert [os.readlink(fds / name) for name in ("0", "1")] == [os.devnull, os.devnull]


def test_what_the_door_keeps_is_the_users_own(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.root.mkdir(parents=True, mode=0o755)
    with hosting(host):
        folder = Path(host.take()["address"])
        for path in (host.root, folder, *folder.iterdir()):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_agents_that_no_door_was_opened_with_for_a_month_are_dropped(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.root.mkdir(parents=True)
    month = time.time() - 31 * 86400
    for name, at in (("agent-old.pyz", month), ("agent-new.pyz", time.time()), ("other.pyz", month)):
        (host.root / name).touch()
        os.utime(host.root / name, (at, at))
    with hosting(host):
        assert sorted(path.name for path in host.root.glob("*.pyz")) == ["agent-new.pyz", "agent-test.pyz", "other.pyz"]


@pytest.mark.skipif(python38() is None, reason="there is no Python 3.8 here")
def test_the_door_opens_in_python_38(tmp_path: Path) -> None:
    host = Host(tmp_path, python=python38() or "")
    with hosting(host):
        assert host.ask("hello")["python"].startswith("3.8.")
        taken = host.take()
        assert taken["state"] == "running"
        assert host.ask("facts")["cpus"] >= 1
        host.ask("end", ids=[taken["id"]])
        assert host.ask("instances", ids=None) == {"instances": []}

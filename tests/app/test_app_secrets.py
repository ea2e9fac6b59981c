"""Secrets between a command and the supervisor: in memory, for this user alone, given again when they are lost."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from doubles import SimClock

from tradewind.app import secrets_socket
from tradewind.app.handing import EVERY_SECONDS, START_SECONDS, Handing
from tradewind.app.secrets import Secrets, at_hand
from tradewind.app.secrets_socket import ask, receiving
from tradewind.app.settings import Settings
from tradewind.domain.errors import BadInput
from tradewind.domain.records import Job
from tradewind.domain.states import JobState
from tradewind.store import records
from tradewind.store.database import Database

PATIENCE = 30.0


def test_a_jobs_secrets_are_its_own_whole_or_not_at_all_and_forgotten_at_its_end() -> None:
    secrets = Secrets()
    secrets.give("a", {"ONE": "1"})
    assert secrets.of("a", ["ONE", "TWO"]) is None and secrets.missing("a", ["ONE", "TWO"]) == ("TWO",)
    secrets.give("a", {"ONE": "another", "TWO": "2"})
    assert secrets.of("a", ["ONE", "TWO"]) == {"ONE": "1", "TWO": "2"}, "the job may have begun with the first"
    assert secrets.of("a", ["TWO"]) == {"TWO": "2"}
    assert secrets.of("b", ["ONE"]) is None and secrets.of("b", []) == {}
    secrets.forget("a")
    secrets.forget("b")
    assert secrets.missing("a", ["ONE"]) == ("ONE",)


# -- the socket


@pytest.fixture
def link(tmp_path: Path) -> Path:
    home = tmp_path / ("a-home-with-a-long-name-" * 6)
    home.mkdir(mode=0o700)
    return home / "supervisor.socket"


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


@pytest.fixture
def secrets(link: Path) -> Iterator[Secrets]:
    held = Secrets()
    with receiving(link, held):
        until(link.exists)
        yield held


def test_what_is_handed_over_is_kept_and_what_is_missing_is_told(link: Path, secrets: Secrets) -> None:
    assert ask(link, {"missing": {"a": ["ONE", "TWO"], "b": []}}) == {"a": ["ONE", "TWO"]}
    large = "2\n" * 100_000
    assert ask(link, {"give": {"a": {"ONE": "1", "TWO": large}}}) == {}
    assert ask(link, {"missing": {"a": ["ONE", "TWO"]}}) == {}
    assert secrets.of("a", ["TWO"]) == {"TWO": large}


def test_what_is_no_question_is_passed_over(link: Path, secrets: Secrets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets_socket, "MOST_BYTES", 1000)
    for data in (b"", b"{", b"[]", b'{"missing": 5}', b'{"missing": {"a": 5}}', b"x" * 5000):
        with socket.socket(socket.AF_UNIX) as talk:
            talk.connect(str(link.readlink()))
            talk.sendall(data)
    assert ask(link, {"missing": {"a": ["ONE"]}}) == {"a": ["ONE"]}


def test_only_this_user_reaches_it_and_nothing_of_it_stays(link: Path) -> None:
    with receiving(link, Secrets()):
        until(link.exists)
        folder = link.readlink().parent
        assert folder.stat().st_mode & 0o777 == 0o700 and folder.stat().st_uid == os.getuid()
    assert not folder.exists() and not link.is_symlink()
    assert ask(link, {"missing": {}}) is None


@pytest.mark.skipif(os.getuid() != 0, reason="becoming another user needs root")
def test_another_user_who_gets_as_far_as_the_socket_is_not_answered(link: Path, secrets: Secrets) -> None:
    path = link.readlink()
    path.parent.chmod(0o755)
    path.chmod(0o777)
    asked = json.dumps({"give": {"a": {"ONE": "1"}}}).encode()
    code = (
        f"import os, socket\nos.setuid(65534)\ntalk = socket.socket(socket.AF_UNIX)\ntalk.connect({str(path)!r})\n"
        f"print('connected', flush=True)\ntalk.sendall({asked!r})\ntalk.shutdown(1)\nprint(talk.recv(99))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("connected") and "{" not in done.stdout, done.stderr
    assert secrets.missing("a", ["ONE"]) == ("ONE",)


def test_what_a_killed_supervisor_left_is_taken_away_and_a_foreign_folder_is_not(link: Path, tmp_path: Path) -> None:
    left, foreign = tmp_path / "tradewind-left", tmp_path / "precious"
    for folder in (left, foreign):
        folder.mkdir()
        (folder / "s").touch()
        link.symlink_to(folder / "s")
        with receiving(link, Secrets()):
            until(lambda: ask(link, {}) == {})
    assert not left.exists() and (foreign / "s").exists()


def test_a_socket_that_was_swept_away_is_made_again(link: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets_socket, "LOOK_SECONDS", 0.02)
    held = Secrets()
    with receiving(link, held):
        until(link.exists)
        link.readlink().unlink()
        until(lambda: ask(link, {"give": {"a": {"ONE": "1"}}}) == {})
    assert held.of("a", ["ONE"]) == {"ONE": "1"}


def test_a_supervisor_without_a_place_for_it_goes_on(
    link: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/proc/none")  # short: one that is too long for a socket is passed over
    with receiving(link, Secrets()):
        until(lambda: "no secrets can be handed over" in caplog.text)
    assert ask(link, {}) is None


# -- where values are found


def keyring(monkeypatch: pytest.MonkeyPatch, held: dict[tuple[str, str], str] | None) -> list[str]:
    """A package of that name; one that holds nothing cannot be opened. What it is asked for."""
    asked: list[str] = []
    package, errors = types.ModuleType("keyring"), types.ModuleType("keyring.errors")

    class KeyringError(Exception):
        pass

    def get_password(service: str, name: str) -> str | None:
        asked.append(name)
        if held is None:
            raise KeyringError("locked")
        return held.get((service, name))

    package.get_password = get_password  # type: ignore[attr-defined]
    errors.KeyringError = KeyringError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", package)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    return asked


def test_a_keyring_is_asked_for_what_the_environment_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = keyring(monkeypatch, {("tradewind", "TWO"): "2", ("other", "THREE"): "3"})
    assert at_hand(["ONE", "TWO", "THREE"], {"ONE": "1", "ELSE": "x"}) == {"ONE": "1", "TWO": "2"}
    assert asked == ["TWO", "THREE"]
    assert at_hand(["ONE"], {"ONE": "1"}) == {"ONE": "1"} and asked == ["TWO", "THREE"]


def test_a_keyring_that_is_locked_or_not_installed_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring(monkeypatch, None)
    assert at_hand(["ONE", "TWO"], {"ONE": "1"}) == {"ONE": "1"}
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert at_hand(["TWO"], {}) == {}


# -- handing over


@dataclass
class Office:
    """A home with a store, and a command in it; time passes as it is told to."""

    settings: Settings
    db: Database
    clock: SimClock

    def job(self, id_: str, names: list[str], state: JobState = JobState.WAITING) -> Job:
        now = self.clock.now()
        job = Job(id=id_, name=id_, state=state, wanted=True, rehearsal=False, account="local", plan=None,
                  workload={"run": "x", "secrets": names}, settings={}, submitted_at=now, state_since=now,
                  wake_at=None if state is JobState.FAILED else now.replace(year=2100))  # fmt: skip
        with self.db.write() as db:
            records.insert(db, job)
        return job

    def command(self, **env: str) -> Handing:
        return Handing(self.settings, self.db, self.clock, env)

    def woken(self, id_: str) -> bool:
        with self.db.read() as db:
            job = records.job(db, id_)
        assert job is not None and job.wake_at is not None
        return job.wake_at == self.clock.now()


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    settings = Settings(tmp_path)
    made = Office(settings, Database(settings.database), SimClock())
    yield made
    made.db.close()


@pytest.fixture
def supervisor(office: Office) -> Iterator[Secrets]:
    held = Secrets()
    with receiving(office.settings.socket, held):
        until(office.settings.socket.exists)
        yield held


def test_a_submit_hands_over_its_secrets_and_wakes_the_job(office: Office, supervisor: Secrets) -> None:
    office.job("a", ["ONE"])
    command = office.command(ONE="of the shell")
    command.again()
    command.hold("a", {"ONE": "given"})
    command.again()
    office.job("b", ["ONE"])
    command.hold("b", {"ONE": "submitted"})
    command.again()
    assert supervisor.of("a", ["ONE"]) == {"ONE": "of the shell"}, "the first value stands"
    assert supervisor.of("b", ["ONE"]) == {"ONE": "submitted"} and office.woken("b")


def test_any_command_gives_what_it_has_to_jobs_that_miss_it_and_to_no_others(
    office: Office, supervisor: Secrets
) -> None:
    for id_, names in (("a", ["ONE", "TWO"]), ("b", ["THREE"]), ("c", [])):
        office.job(id_, names)
    office.job("ended", ["ONE"], JobState.FAILED)
    supervisor.give("b", {"THREE": "3"})
    office.command(ONE="1", THREE="other", FOUR="4").again()
    assert supervisor.missing("a", ["ONE", "TWO"]) == ("TWO",) and office.woken("a")
    assert supervisor.of("b", ["THREE"]) == {"THREE": "3"} and not office.woken("b")
    assert supervisor.missing("ended", ["ONE"]) == ("ONE",) and supervisor.missing("c", ["FOUR"]) == ("FOUR",)
    office.command(TWO="2").again()
    assert supervisor.of("a", ["ONE", "TWO"]) == {"ONE": "1", "TWO": "2"}


def test_a_follower_gives_them_to_a_supervisor_that_took_the_place_of_another(office: Office) -> None:
    office.job("a", ["ONE"])
    command = office.command()
    command.hold("a", {"ONE": "1"})
    for _ in range(2):
        held = Secrets()
        with receiving(office.settings.socket, held):
            until(office.settings.socket.exists)
            command.again()
            assert held.of("a", ["ONE"]) == {"ONE": "1"}
        office.clock.sleep(EVERY_SECONDS)


def test_a_command_waits_once_for_a_supervisor_that_is_starting_and_only_with_something_to_give(office: Office) -> None:
    office.job("a", ["ONE"])
    office.command(TWO="2").again()
    assert office.clock.monotonic() == 0.0
    command = office.command(ONE="1")
    command.again()
    assert office.clock.monotonic() == pytest.approx(START_SECONDS, abs=0.1)
    for pause in (EVERY_SECONDS, 0.1, EVERY_SECONDS):
        before = office.clock.monotonic()
        office.clock.sleep(pause)
        command.again()
        assert office.clock.monotonic() == pytest.approx(before + pause)
    assert not office.woken("a")


def test_the_command_line_names_what_is_in_no_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tradewind.app import jobfile
    from tradewind.cli import given

    keyring(monkeypatch, {("tradewind", "TWO"): "2"})
    path = tmp_path / "job.yaml"
    path.write_text(json.dumps({"run": "x", "secrets": ["ONE", "TWO", "THREE", "FOUR"]}))
    workload = jobfile.read(path)[0]
    with pytest.raises(BadInput) as fault:
        given.secrets(workload, {"ONE": "1"})
    assert (fault.value.code, fault.value.facts["names"]) == ("secret-missing", "THREE, FOUR")
    assert given.secrets(replace(workload, secrets=("ONE", "TWO")), {"ONE": "1"}) == {"ONE": "1", "TWO": "2"}

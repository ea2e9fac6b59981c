"""Adding, listing and removing a machine over a real sshd, as a user's command does it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles import SimClock
from machine_world import Person
from sshd import Sshd, keygen

from tradewind.app.clock import SystemClock
from tradewind.app.inside import Inside, open_inside
from tradewind.app.interface import AddMachine
from tradewind.app.machines.own import OwnMachines
from tradewind.app.settings import Settings
from tradewind.domain.errors import BadInput, CloudRefused
from tradewind.nodes.ssh.keys import fingerprint


class Passphrase(Person):
    """Somebody who knows the passphrase, and says yes to a key of our own."""

    def __init__(self, own_key: str | None = "yes") -> None:
        super().__init__()
        self.own_key = own_key

    def ask(self, code: str, facts: object) -> str | None:
        return "open sesame" if code == "passphrase" else self.own_key


@pytest.fixture
def sshd() -> Iterator[Sshd]:
    with Sshd() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a user whose SSH configuration has the server's key."""
    folder = tmp_path / "user"
    (folder / ".ssh").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    configured(folder, sshd)
    return folder


def configured(home: Path, sshd: Sshd) -> None:
    """The server's ssh_config as the user's."""
    (home / ".ssh" / "config").write_text(sshd.config.read_text())


@pytest.fixture
def inside(tmp_path: Path, home: Path) -> Iterator[Inside]:
    made = open_inside(Settings(tmp_path / "tradewind"), SystemClock())
    yield made
    made.reach.close()


def asked(sshd: Sshd, **more: object) -> AddMachine:
    return AddMachine(f"{sshd.user}@{sshd.host}:{sshd.port}", **more)  # type: ignore[arg-type]


def left(sshd: Sshd) -> list[str]:
    """What lies in the home of who logs in."""
    return sorted(path.relative_to(sshd.home).as_posix() for path in sshd.home.rglob("*"))


def test_a_machine_is_added_by_one_question_set_anew_and_removed_without_a_trace(inside: Inside, sshd: Sshd) -> None:
    machines, person = OwnMachines(inside), Person()
    with pytest.raises(BadInput, match="host-key-unasked"):
        machines.add(asked(sshd), None)
    assert left(sshd) == []  # nobody logged in
    added = machines.add(asked(sshd, name="box"), person)
    assert [code for code, _ in person.heard] == ["host-key"]
    assert (added["updated"], added["machine"]["state"]) == (False, "reachable")
    assert added["machine"]["host_keys"] == [fingerprint(sshd.host_key)]
    assert added["check"]["facts"]["home"] == str(sshd.home)
    assert added["check"]["error"] is None
    again = machines.add(asked(sshd, country="de"), None)  # the pinned key is shown: nobody is asked
    assert (again["updated"], again["machine"]["name"], again["machine"]["country"]) == (True, "box", "DE")
    for target in (asked(sshd).target, f"{sshd.host}:{sshd.port}"):  # another way to say the same
        with pytest.raises(BadInput, match="machine-known-as"):
            machines.add(AddMachine(target, name="other"), person)
    assert [each["state"] for each in machines.list()] == ["reachable"]
    assert machines.remove("box", force=False)["left"] == []
    assert left(sshd) == []


def test_where_only_a_passphrase_lets_in_a_key_of_ours_is_put_there_and_taken_out_again(
    inside: Inside, sshd: Sshd, home: Path
) -> None:
    locked = sshd.folder / "locked"
    sshd.accept(keygen(locked, passphrase="open sesame"))
    sshd.identity = locked
    sshd.configure()
    configured(home, sshd)
    machines, told = OwnMachines(inside), asked(sshd, name="box", host_key=fingerprint(sshd.host_key))
    for person, own_key in ((None, None), (Passphrase(), False)):
        with pytest.raises(CloudRefused) as fault:
            machines.add(AddMachine(told.target, name="box", host_key=told.host_key, own_key=own_key), person)
        assert fault.value.code == "passphrase-needed"
    with pytest.raises(CloudRefused, match="passphrase-needed"):
        machines.add(told, Passphrase(own_key=None))
    assert left(sshd) == []
    added = machines.add(told, Passphrase())
    assert added["machine"]["own_key"] is True
    keys = sshd.home / ".ssh" / "authorized_keys"
    assert keys.read_text().count("\n") == 1
    other = open_inside(inside.settings, SimClock())  # as the supervisor does, with nobody to ask
    assert [each["state"] for each in OwnMachines(other).list()] == ["reachable"]
    other.reach.close()
    assert machines.remove("box", force=False)["own_key"] == "taken-out"
    assert not keys.exists() or keys.read_text() == ""


def test_a_changed_host_key_stops_everything_until_the_new_one_is_given(inside: Inside, sshd: Sshd) -> None:
    machines, old = OwnMachines(inside), fingerprint(sshd.host_key)
    machines.add(asked(sshd, name="box", host_key=old), None)
    inside.reach.close()
    new = fingerprint(sshd.new_host_key())
    (listed,) = machines.list()
    assert (listed["state"], listed["why"]["code"]) == ("away", "host-key-changed")
    (checked,) = machines.check("box")
    assert checked["error"]["code"] == "host-key-changed"
    for given, code in ((None, "host-key-other"), (old, "host-key-differs")):
        with pytest.raises(BadInput, match=code):
            machines.add(asked(sshd, name="box", host_key=given), None)
    assert machines.add(asked(sshd, name="box", host_key=new), None)["updated"]
    assert [each["state"] for each in machines.list()] == ["reachable"]


def test_of_a_host_that_is_not_added_after_all_nothing_stays(inside: Inside, sshd: Sshd) -> None:
    told = asked(sshd, name="box", gpus=(0,), own_key=True, host_key=fingerprint(sshd.host_key))
    with pytest.raises(BadInput) as fault:
        OwnMachines(inside).add(told, None)
    assert (fault.value.code, fault.value.facts["gpus"]) == ("machine-gpus-unknown", "0")
    assert inside.registry.names() == ()
    assert [name for name in left(sshd) if name not in (".ssh", ".ssh/authorized_keys")] == []
    keys = sshd.home / ".ssh" / "authorized_keys"
    assert not keys.exists() or keys.read_text() == ""

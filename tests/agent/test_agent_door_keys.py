"""Keys: who may log in, and a rented machine's own host key in place of the one-time key."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_door import Fault, Host, hosting
from sshd import keygen

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtleQ"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    made = Host(tmp_path_factory.mktemp("host"))
    with hosting(made):
        yield made


@pytest.fixture
def host(one: Host) -> Iterator[Host]:
    """A host whose user has no keys yet."""
    yield one
    shutil.rmtree(one.home / ".ssh", ignore_errors=True)


def test_a_key_is_let_in_once_and_taken_away_again_and_no_other_line_is_touched(host: Host) -> None:
    path = host.home / ".ssh" / "authorized_keys"
    assert host.ask("authorize", key=f"{KEY} me@laptop", on=True) == {"changed": True, "path": str(path)}
    assert path.read_text() == f"{KEY} tradewind:me\n"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    assert not host.ask("authorize", key=KEY, on=True)["changed"]
    assert host.ask("authorize", key=KEY, on=False)["changed"]
    assert path.read_bytes() == b""
    others = b"# mine\r\n\nrestrict ssh-rsa AAAAB3 \xe9\xff\nssh-ed25519 AAAAother"
    path.write_bytes(others)
    host.ask("authorize", key=KEY, on=True)
    assert path.read_bytes() == others + b"\n" + f"{KEY} tradewind:me\n".encode()
    host.ask("authorize", key=KEY, on=False)
    assert path.read_bytes() == others + b"\n"
    assert not host.ask("authorize", key=KEY, on=False)["changed"]


def test_a_line_of_the_users_own_with_the_same_key_stays(host: Host) -> None:
    path = host.home / ".ssh" / "authorized_keys"
    path.parent.mkdir()
    path.write_text(f'from="10.0.0.0/8" {KEY} me\n')
    for on in (True, False):
        assert not host.ask("authorize", key=KEY, on=on)["changed"]
    assert path.read_text() == f'from="10.0.0.0/8" {KEY} me\n'


def test_a_file_of_keys_that_is_a_link_stays_one(host: Host) -> None:
    kept = host.home / "dotfiles"
    (host.home / ".ssh").mkdir()
    (host.home / ".ssh" / "authorized_keys").symlink_to(kept)
    host.ask("authorize", key=KEY, on=True)
    assert (host.home / ".ssh" / "authorized_keys").is_symlink()
    assert kept.read_text() == f"{KEY} tradewind:me\n"


@pytest.mark.parametrize("key", ["", "ssh-ed25519", f"{KEY}\nssh-rsa AAAA another"])
def test_what_is_no_key_is_refused(host: Host, key: str) -> None:
    with pytest.raises(Fault, match="invalid: that is no public key"):
        host.ask("authorize", key=key, on=True)
    assert not (host.home / ".ssh").exists()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    key = tmp_path / "ssh_host_ed25519_key"
    keygen(key)
    told = {"key": str(key), "reload": ["cp", str(key), str(tmp_path / "in force")]}
    (tmp_path / "host-key.json").write_text(json.dumps(told))
    return tmp_path / "host-key.json"


def public(path: Path) -> str:
    told = subprocess.run(["ssh-keygen", "-y", "-f", str(path)], capture_output=True, text=True, check=True).stdout
    return " ".join(told.split()[:2])


def test_a_machine_makes_its_own_key_and_gives_up_the_one_it_began_with(host: Host, config: Path) -> None:
    key = config.parent / "ssh_host_ed25519_key"
    one_time = key.read_bytes()
    (config.parent / "ssh_host_ed25519_key.next.draft").write_text("half a key")  # of a step that was cut short
    new = host.ask("host-key", step="new", config=str(config))
    assert host.ask("host-key", step="new", config=str(config)) == new
    assert key.read_bytes() == one_time
    assert host.ask("host-key", step="use", config=str(config)) == new
    assert new["key"] == public(key) == public(config.parent / "in force")
    assert key.with_suffix(".pub").read_text().split() == new["key"].split()
    (config.parent / "in force").unlink()
    assert host.ask("host-key", step="use", config=str(config)) == new  # the answer was lost: sshd is told again
    assert public(config.parent / "in force") == new["key"]
    assert not [path for path in config.parent.iterdir() if path.is_file() and path.read_bytes() == one_time]


def test_where_sshd_does_not_take_the_key_it_says_why(host: Host, config: Path) -> None:
    told = json.loads(config.read_text())
    config.write_text(json.dumps({**told, "reload": ["sh", "-c", "echo no such service; exit 5"]}))
    host.ask("host-key", step="new", config=str(config))
    with pytest.raises(Fault, match="unavailable: sh failed with exit code 5: no such service"):
        host.ask("host-key", step="use", config=str(config))


def test_the_key_of_a_host_that_is_not_rented_is_its_own(host: Host, tmp_path: Path) -> None:
    with pytest.raises(Fault, match=r"invalid: .* this host's key is its own"):
        host.ask("host-key", step="new", config=str(tmp_path / "nothing"))

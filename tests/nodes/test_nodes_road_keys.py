"""Host keys: what a host shows before one is pinned, what the system's ssh is held to, the hand-over to a new one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from road_bench import agent, refused, roads, until
from sshd import Sshd, keygen, loopback, program

from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.command import ssh_command
from tradewind.nodes.ssh.handover import Pins, hand_over, one_time_key
from tradewind.nodes.ssh.keys import fingerprint, offered_keys
from tradewind.nodes.ssh.roads import Roads
from tradewind.ports.host import Host
from tradewind.ports.transport import Unreachable


@pytest.fixture
def server() -> Iterator[Sshd]:
    with Sshd() as running:
        yield running


def seen_by_ssh(key: Path) -> str:
    """The fingerprint as ssh-keygen tells it."""
    told = subprocess.run([program("ssh-keygen"), "-l", "-f", str(key)], capture_output=True, text=True, check=True)
    return told.stdout.split()[1]


def test_a_host_shows_its_keys_without_a_login(server: Sshd) -> None:
    [key] = offered_keys(server.address(pins=()))
    assert (key.text, key.known, key.clash) == (server.host_key, False, False)
    assert key.fingerprint == fingerprint(server.host_key) == seen_by_ssh(server.host_key_path)
    assert "Accepted" not in server.log()


@pytest.mark.long
def test_a_host_with_keys_of_several_kinds_shows_each_once(tmp_path: Path) -> None:
    others = {kind: keygen(tmp_path / kind, kind=kind) for kind in ("ecdsa", "rsa")}
    with Sshd(*(f"HostKey {tmp_path / kind}" for kind in others)) as server:
        shown = [each.text for each in offered_keys(server.address(pins=()))]
        assert shown == [server.host_key, others["ecdsa"], others["rsa"]]


@pytest.mark.long
def test_a_host_that_has_no_modern_key_shows_what_it_has(tmp_path: Path) -> None:
    with Sshd() as server:
        server.stop()
        key = keygen(server.host_key_path, kind="rsa")
        server.start()
        assert [each.text for each in offered_keys(server.address(pins=()))] == [key]


def test_what_the_user_knows_of_a_host_is_told(server: Sshd, tmp_path: Path) -> None:
    def known(*lines: str) -> tuple[bool, bool]:
        server.known_hosts.write_text("".join(f"{line}\n" for line in lines))
        [key] = offered_keys(server.address(pins=()))
        return key.known, key.clash

    here, other = f"[{server.host}]:{server.port}", keygen(tmp_path / "other")
    assert known(f"{here} {server.host_key}") == (True, False)
    assert known(f"{here} {other}") == (False, True)
    assert known(f"{here} {other}", f"{here} {server.host_key}") == (True, False)
    assert known(f"@revoked {here} {server.host_key}", f"{here} {server.host_key}") == (False, True)
    assert known(f"{server.host} {other}") == (False, False), "port 22 is another host"
    assert known("# a comment", "") == (False, False)
    server.known_hosts.write_text(f"{here} {server.host_key}\n")
    subprocess.run([program("ssh-keygen"), "-q", "-H", "-f", str(server.known_hosts)], check=True, capture_output=True)
    assert "[127." not in server.known_hosts.read_text()
    assert offered_keys(server.address(pins=()))[0].known, "hashed names are understood"


def test_a_host_that_is_away_shows_nothing(server: Sshd) -> None:
    host, port = loopback()
    assert refused(lambda: offered_keys(server.address(host=host, port=port, pins=()))).code == "connection-refused"


def test_keys_are_shown_over_jump_hosts_too(server: Sshd) -> None:
    with Sshd() as bastion:
        server.configure(
            "Host box", f"  HostName {server.host}", f"  Port {server.port}", "  ProxyJump bastion",
            f"Host bastion\n  HostName {bastion.host}\n  Port {bastion.port}\n  IdentityFile {bastion.identity}",
        )  # fmt: skip
        server.known_hosts.write_text(f"[{bastion.host}]:{bastion.port} {bastion.host_key}\n")
        assert [each.text for each in offered_keys(Address("box", config=server.config))] == [server.host_key]
        assert bastion.log().count("Accepted publickey") == 1


@pytest.mark.parametrize("text", ["", "ssh-ed25519", "ssh-ed25519 AAAA", "SHA256:x"])
def test_what_is_no_key_has_no_fingerprint(text: str) -> None:
    with pytest.raises(ValueError, match=r"[Kk]ey"):
        fingerprint(text)


def ssh(address: Address, folder: Path, *extra: str) -> subprocess.CompletedProcess[str]:
    program("ssh")
    return subprocess.run(ssh_command(address, folder, extra), capture_output=True, text=True, check=False, timeout=20)


def test_the_systems_ssh_takes_the_pinned_key_and_no_other(server: Sshd, tmp_path: Path) -> None:
    folder = tmp_path / "ssh"
    done = ssh(server.address(), folder, "-T", "--", "echo $HOME")
    assert (done.returncode, done.stdout) == (0, f"{server.home}\n"), done.stderr
    assert folder.stat().st_mode & 0o777 == 0o700
    server.know()  # the user's own known hosts do not count
    other = keygen(tmp_path / "other")
    server.configure("StrictHostKeyChecking no")
    done = ssh(server.address(pins=(other,)), folder, "true")
    assert done.returncode == 255 and "verification failed" in done.stderr
    assert ssh(server.address(pins=(other, server.host_key)), folder, "true").returncode == 0


@pytest.mark.long
def test_the_systems_ssh_reads_the_configuration_of_the_same_home(
    server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.configure("Host box", f"  HostName {server.host}", f"  Port {server.port}")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text(server.config.read_text())
    monkeypatch.setenv("HOME", str(tmp_path))
    address = Address("box", pins=(server.host_key,))
    assert ssh(address, tmp_path, "true").returncode == 0
    with roads() as here:
        assert here.to(address).ask("hello", {})["version"] == 1


def test_the_systems_ssh_uses_our_own_key_where_there_is_one(server: Sshd, tmp_path: Path) -> None:
    own = tmp_path / "own"
    server.accept(keygen(own))
    assert ssh(server.address(), tmp_path, "-o", "BatchMode=yes", "true").returncode == 255
    assert ssh(server.address(identity=own), tmp_path, "true").returncode == 0


class Machine:
    """A rented machine: its server has the one-time key that was given to it, and can make its own."""

    def __init__(self, server: Sshd, roads: Roads) -> None:
        self.server = server
        self.roads = roads
        self.config = str(server.host_key_config())
        self.kept: list[Pins] = []
        self.breaks_at: Sequence[str] = ()

    def road(self, pins: Pins) -> Host:
        return Broken(self.roads.to(self.server.address(pins=pins)), self)

    def keep(self, pins: Pins) -> None:
        self.breaks("before keep")
        self.kept.append(pins)
        self.breaks("after keep")

    def breaks(self, where: str) -> None:
        if self.breaks_at and self.breaks_at[0] == where:
            self.breaks_at = self.breaks_at[1:]
            raise Unreachable("cut", "cut", "maybe")


class Broken:
    """A road that breaks before or after a question, where the test says so."""

    def __init__(self, road: Host, machine: Machine) -> None:
        self._road = road
        self._machine = machine
        self.skew_s = 0.0

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        step = str(request.get("step", op))
        self._machine.breaks(f"before {step}")
        answer = self._road.ask(op, request, timeout_s)
        self._machine.breaks(f"after {step}")
        return answer


@pytest.fixture
def machine() -> Iterator[Machine]:
    private, public = one_time_key()
    with Sshd() as server, roads(agent(), barred_s=0.0) as here:
        server.stop()
        server.host_key_path.write_text(private)
        server.host_key = public
        server.start()
        server.known_hosts.unlink(missing_ok=True)
        yield Machine(server, here)


STEPS = ("before new", "after new", "before keep", "after keep", "before use", "after use", "before hello",
         "after hello", "before keep", "after keep")  # fmt: skip


@pytest.mark.parametrize("breaks_at", [(), STEPS])
def test_a_machine_hands_over_to_a_key_of_its_own_whatever_breaks_in_between(
    machine: Machine, breaks_at: Sequence[str]
) -> None:
    one_time = machine.server.host_key
    machine.kept, machine.breaks_at = [(one_time,)], breaks_at

    def done() -> bool:
        """Do it again with what was kept last, as whoever rents the machine does; its server restarts meanwhile."""
        with suppress(Unreachable):
            hand_over(machine.road, machine.kept[-1], machine.keep, machine.config)
        return one_time not in machine.kept[-1]

    until(done, "the hand-over")
    assert machine.breaks_at == ()
    [following] = machine.kept[-1]
    assert {frozenset(each) for each in machine.kept[1:-1]} == {frozenset({one_time, following})}
    assert fingerprint(following) == seen_by_ssh(machine.server.host_key_path)
    with roads(agent()) as fresh:
        road = fresh.to(machine.server.address(pins=(one_time,)))
        # Its server may still be restarting; it never takes the one-time key again.
        until(lambda: refused(lambda: road.ask("hello", {})).code == "host-key-changed", "a changed host key")


def test_one_time_keys_are_never_the_same() -> None:
    first, second = one_time_key(), one_time_key()
    assert len({*first, *second}) == 4
    assert first[0].startswith("-----BEGIN OPENSSH PRIVATE KEY-----") and first[1].startswith("ssh-ed25519 ")

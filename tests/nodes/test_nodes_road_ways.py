"""The ways in that a user has set up: aliases, jump hosts, proxy commands, agents, passphrases, keys of our own."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from road_bench import agent, answers, refused, roads, until
from sshd import Relay, Sshd, keygen, program, ssh_agent

from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.login import install_own_key, make_own_key, public_key, remove_own_key
from tradewind.nodes.ssh.road import Road
from tradewind.ports.transport import Unreachable


@pytest.fixture(scope="module")
def server() -> Iterator[Sshd]:
    with Sshd() as running:
        yield running


@pytest.fixture
def bastion() -> Iterator[Sshd]:
    with Sshd() as running:
        yield running


def behind(bastion: Sshd, server: Sshd, hops: str = "bastion", at: Relay | None = None) -> Path:
    """A configuration with an alias for the server, or the relay to it, that is reached over the bastion."""
    server.configure(
        "Host box", f"  HostName {(at or server).host}", f"  Port {(at or server).port}", f"  ProxyJump {hops}",
        "Host bastion", f"  HostName {bastion.host}", f"  Port {bastion.port}", f"  IdentityFile {bastion.identity}",
    )  # fmt: skip
    return server.config


def boxed(server: Sshd, **changes: Any) -> Address:
    return Address(**{"host": "box", "pins": (server.host_key,), "config": server.config, **changes})


def _lost(road: Road) -> bool:
    try:
        road.ask("hello", {})
    except Unreachable as told:
        return "bastion" in str(told)
    return False


def learn(server: Sshd, other: Sshd) -> None:
    """Put the host key of ``other`` into the known hosts of the user of ``server``."""
    server.known_hosts.write_text(f"[{other.host}]:{other.port} {other.host_key}\n")


@pytest.fixture(autouse=True)
def forgotten(server: Sshd) -> None:
    server.known_hosts.unlink(missing_ok=True)
    server.configure()


def test_an_alias_says_where_a_host_is_and_who_logs_in(server: Sshd) -> None:
    server.configure("Host gpu-*", f"  HostName {server.host}", f"  Port {server.port}", f"  User {server.user}")
    with roads() as here:
        address = Address("gpu-1", pins=(server.host_key,), config=server.config)
        assert here.to(address).ask("echo", {"text": "ok"}) == {"text": "ok"}


def test_what_the_users_known_hosts_say_does_not_count_for_a_pinned_host(server: Sshd, tmp_path: Path) -> None:
    server.know(keygen(tmp_path / "other"))
    server.configure("StrictHostKeyChecking yes", f"HostKeyAlias {server.host}", "HostKeyAlgorithms rsa-sha2-512")
    with roads() as here:
        assert here.to(server.address()).ask("echo", {"text": "ok"}) == {"text": "ok"}


def test_a_host_behind_a_jump_host_shares_its_connection_with_the_others_there(bastion: Sshd, server: Sshd) -> None:
    behind(bastion, server)
    learn(server, bastion)
    with roads() as here:
        one, two = (here.to(boxed(server, folder=f"~/{n}")) for n in "12")
        with ThreadPoolExecutor(2) as pool:
            assert len({each["pid"] for each in pool.map(lambda road: road.ask("hello", {}), (one, two))}) == 2
        assert bastion.log().count("Accepted publickey") == 1
        one.close()
        assert two.ask("hello", {})
        two.close()
        until(lambda: "Disconnected from" in bastion.log(), "the jump host to be left with the last host behind it")


def test_a_jump_host_that_the_user_does_not_know_is_not_trusted(bastion: Sshd, server: Sshd, tmp_path: Path) -> None:
    behind(bastion, server)
    with roads() as here:
        told = refused(lambda: here.to(boxed(server)).ask("hello", {}))
        assert told.code == "jump-key-unknown" and "bastion" in str(told)
    server.known_hosts.write_text(f"[{bastion.host}]:{bastion.port} {keygen(tmp_path / 'other')}\n")
    with roads() as here:
        assert refused(lambda: here.to(boxed(server)).ask("hello", {})).code == "jump-key-unknown"
    lax = ("StrictHostKeyChecking no", "UserKnownHostsFile none")
    server.configure(*lax, *behind(bastion, server).read_text().splitlines())
    with roads() as here:
        assert refused(lambda: here.to(boxed(server)).ask("hello", {})).code == "jump-key-unknown"
    assert "Accepted" not in bastion.log()


def test_the_host_behind_a_jump_host_is_held_to_its_own_pins(bastion: Sshd, server: Sshd) -> None:
    behind(bastion, server)
    learn(server, bastion)
    with roads() as here:
        told = refused(lambda: here.to(boxed(server, pins=(bastion.host_key,))).ask("hello", {}))
        assert told.code == "host-key-changed" and "box" in str(told)


def test_several_jump_hosts_one_after_the_other_and_a_jump_host_for_all(bastion: Sshd, server: Sshd) -> None:
    behind(bastion, server, hops=f"bastion,{server.user}@{server.host}:{server.port}")
    server.known_hosts.write_text(
        f"[{bastion.host}]:{bastion.port} {bastion.host_key}\n[{server.host}]:{server.port} {server.host_key}\n"
    )
    with roads() as here:
        assert here.to(boxed(server)).ask("hello", {})["version"] == 1
    server.configure(
        "Host bastion", f"  HostName {bastion.host}", f"  Port {bastion.port}", f"  IdentityFile {bastion.identity}",
        "Host *", "  ProxyJump bastion",
    )  # fmt: skip
    accepted = bastion.log().count("Accepted publickey")
    with roads() as here:
        assert here.to(server.address()).ask("hello", {})["version"] == 1
    assert bastion.log().count("Accepted publickey") == accepted + 1


def test_a_jump_host_is_refused_or_away_with_its_own_name(bastion: Sshd, server: Sshd) -> None:
    behind(bastion, server)
    learn(server, bastion)
    bastion.accept()
    with roads() as here:
        told = refused(lambda: here.to(boxed(server)).ask("hello", {}))
        assert told.code == "login-refused" and "bastion" in str(told)
    bastion.stop()
    with roads() as here:
        told = refused(lambda: here.to(boxed(server)).ask("hello", {}))
        assert told.code == "connection-refused" and "bastion" in str(told)


@pytest.mark.long
def test_a_jump_host_that_comes_back_carries_the_hosts_behind_it_again(bastion: Sshd, server: Sshd) -> None:
    behind(bastion, server)
    learn(server, bastion)
    with roads() as here:
        road = here.to(boxed(server))
        first = road.ask("hello", {})["pid"]
        bastion.stop()
        until(lambda: _lost(road), "the loss")
        bastion.start()
        assert answers(road)["pid"] != first


def test_a_proxy_command_is_run_by_a_shell_as_ssh_does(server: Sshd, tmp_path: Path) -> None:
    script, told = tmp_path / "connect.py", tmp_path / "told"
    script.write_text(
        "import socket, sys, threading, os\n"
        "print('connecting', file=sys.stderr, flush=True)\n"
        "s = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
        "def up():\n"
        "    while True:\n"
        "        data = os.read(0, 65536)\n"
        "        if not data: os._exit(0)\n"
        "        s.sendall(data)\n"
        "threading.Thread(target=up, daemon=True).start()\n"
        "while True:\n"
        "    data = s.recv(65536)\n"
        "    if not data: break\n"
        "    os.write(1, data)\n"
    )
    place = ("Host box", f"  HostName {server.host}", f"  Port {server.port}")
    for words in ("", f"2>>{told}"):
        server.configure(*place, f"  ProxyCommand {sys.executable} {script} %h %p {words}")
        with roads() as here:
            assert here.to(boxed(server)).ask("hello", {})["version"] == 1
    assert told.read_text() == "connecting\n", "the redirection was the shell's"


def test_an_address_of_ip_version_6() -> None:
    try:
        with socket.socket(socket.AF_INET6) as asked:
            asked.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 here")
    with Sshd("ListenAddress ::1") as server, roads() as here:
        road = here.to(server.address(host="::1"))
        assert road.ask("hello", {})["version"] == 1
        assert road.address.target == f"{server.user}@[::1]:{server.port}"


def test_a_key_that_only_the_agent_holds(server: Sshd, tmp_path: Path) -> None:
    with ssh_agent(tmp_path, server.identity) as path, roads() as here:
        server.configure(f"IdentityAgent {path}", f"IdentityFile {tmp_path / 'none'}")
        config = tmp_path / "config"
        config.write_text(f"IdentityAgent {path}\nIdentityFile {tmp_path / 'none'}\n")
        assert here.to(server.address(config=config)).ask("hello", {})["version"] == 1


def test_of_an_agent_with_many_keys_the_named_one_alone_is_offered(server: Sshd, tmp_path: Path) -> None:
    others = [tmp_path / f"other-{n}" for n in range(8)]
    for each in others:
        keygen(each)
    public = tmp_path / "wanted.pub"
    public.write_text((server.folder / "id.pub").read_text())
    config = tmp_path / "config"
    with ssh_agent(tmp_path, *others, server.identity) as path:
        config.write_text(f"IdentityAgent {path}\nIdentityFile {tmp_path / 'none'}\n")
        with roads() as here:
            assert refused(lambda: here.to(server.address(config=config)).ask("hello", {})).code == "login-refused"
        config.write_text(f"IdentityAgent {path}\nIdentityFile {tmp_path / 'wanted'}\nIdentitiesOnly yes\n")
        with roads() as here:
            assert here.to(server.address(config=config)).ask("hello", {})["version"] == 1


def test_a_certificate_of_an_authority_that_the_host_trusts(tmp_path: Path) -> None:
    authority, key = tmp_path / "authority", tmp_path / "key"
    keygen(authority)
    keygen(key)
    with Sshd(f"TrustedUserCAKeys {authority}.pub") as server:
        server.accept()
        words = ["-q", "-s", str(authority), "-I", "test", "-n", server.user, "-V", "+1h", f"{key}.pub"]
        subprocess.run([program("ssh-keygen"), *words], check=True)
        certificate = Path(f"{key}-cert.pub").rename(tmp_path / "elsewhere-cert.pub")
        for line, code in (("", "login-refused"), (f"CertificateFile {certificate}\n", None)):
            config = tmp_path / "config"
            config.write_text(f"IdentityAgent none\nIdentityFile {key}\n{line}")
            with roads() as here:
                road = here.to(server.address(config=config))
                assert refused(lambda r=road: r.ask("hello", {})).code == code if code else road.ask("hello", {})  # type: ignore[misc]


class Somebody:
    """At a terminal; says ``words`` one after the other."""

    def __init__(self, *words: str | None) -> None:
        self.words = list(words)
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def ask(self, code: str, facts: Mapping[str, str]) -> str | None:
        self.asked.append((code, facts))
        return self.words.pop(0)


def test_a_passphrase_is_asked_for_once_it_is_needed(tmp_path: Path) -> None:
    with Sshd() as server:
        locked = tmp_path / "locked"
        server.accept(keygen(locked, passphrase="sesame"))
        server.configure(f"IdentityFile {locked}")
        for words, code in ((None, "passphrase-needed"), ("wrong", "passphrase-needed")):
            somebody = Somebody(words)
            with roads(prompt=somebody) as here:
                assert refused(lambda: here.to(server.address()).ask("hello", {})).code == code
            assert somebody.asked == [("passphrase", {"key": str(locked), "target": server.address().target})]
        with roads(prompt=Somebody("sesame")) as here:
            assert here.to(server.address()).ask("hello", {})["version"] == 1
        server.accept(keygen(tmp_path / "open"), (tmp_path / "locked.pub").read_text().strip())
        server.configure(f"IdentityFile {tmp_path / 'open'}", f"IdentityFile {locked}")
        nobody = Somebody()
        with roads(prompt=nobody) as here:
            assert here.to(server.address()).ask("hello", {})["version"] == 1
        assert nobody.asked == [], "another key did"


def test_a_key_of_our_own_lets_us_in_where_the_users_does_not_and_is_taken_out_again(tmp_path: Path) -> None:
    with Sshd() as server:
        key = make_own_key(tmp_path)
        assert make_own_key(tmp_path) == key
        assert (key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        public = public_key(key)
        own = server.address(identity=key)
        with roads(agent()) as here:
            road = here.to(server.address())
            assert refused(lambda: here.to(own).ask("hello", {})).code == "login-refused"
            for _ in range(2):
                install_own_key(road, public)
            lines = (server.home / ".ssh" / "authorized_keys").read_text().splitlines()
            assert [line.split()[:2] for line in lines] == [public.split()]
        server.accept()
        with roads(agent()) as here:
            road = here.to(own)
            assert road.ask("hello", {})["user"] == server.user
            for _ in range(2):
                remove_own_key(road, public)
        with roads(agent()) as here:
            assert refused(lambda: here.to(own).ask("hello", {})).code == "login-refused"


def test_keys_of_our_own_that_are_made_at_once_are_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = [public_key(each) for each in pool.map(make_own_key, [tmp_path] * 4)]
    assert len(set(made)) == 1


@pytest.mark.parametrize("name", ["-oProxyCommand=touch /tmp/x", "-"])
def test_a_host_that_ssh_would_take_for_an_option_is_none(name: str) -> None:
    for host, user in ((name, None), ("box", name)):
        with pytest.raises(ValueError, match="not a name"):
            Address(host, user)


@pytest.mark.long
def test_hosts_behind_one_jump_host_are_connected_to_four_at_once_at_most(bastion: Sshd, server: Sshd) -> None:
    with Relay(server) as relay:
        relay.stall()
        behind(bastion, server, at=relay)
        learn(server, bastion)
        with roads() as here, ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(here.to(boxed(server, folder=f"~/{n}")).ask, "hello", {}) for n in range(8)]
            until(lambda: relay.connections == 4, "four connections")
            relay.resume()
            assert len({each.result()["pid"] for each in asked}) == 8
        assert relay.connections == 8


def test_an_unreachable_host_behind_a_jump_host_is_told_from_the_jump_host(bastion: Sshd, server: Sshd) -> None:
    behind(bastion, server)
    learn(server, bastion)
    server.stop()
    try:
        with roads() as here, pytest.raises(Unreachable) as told:
            here.to(boxed(server)).ask("hello", {})
        assert told.value.code == "connection-refused" and "box" in str(told.value)
    finally:
        server.start()

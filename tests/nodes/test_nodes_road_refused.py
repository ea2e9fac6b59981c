"""Why a host cannot be reached, told by a code and in words that say what to do: each cause with a real sshd."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest
from road_bench import ECHO, answers, refused, roads
from sshd import Relay, Sshd, blackhole, keygen, loopback


@pytest.fixture(scope="module")
def server() -> Iterator[Sshd]:
    with Sshd() as running:
        yield running


def test_a_changed_host_key_stops_everything_and_nothing_is_sent(server: Sshd, tmp_path: Path) -> None:
    other = keygen(tmp_path / "other")
    with roads() as here, Relay(server) as relay:
        told = refused(lambda: here.to(server.address(relay, pins=(other,))).ask("hello", {}))
    assert (told.code, told.sent) == ("host-key-changed", "no")
    assert server.address(relay).target in str(told)
    assert not (server.home / ".tradewind-node").exists(), "nobody logged in"


def test_a_key_of_another_kind_than_the_pinned_one_is_a_changed_key(server: Sshd, tmp_path: Path) -> None:
    with roads() as here:
        address = server.address(pins=(keygen(tmp_path / "rsa", kind="ecdsa"),))
        assert refused(lambda: here.to(address).ask("hello", {})).code == "host-key-changed"


def test_without_a_pinned_key_nothing_connects(server: Sshd) -> None:
    server.know()  # what the user's ssh would take is not enough
    with roads() as here, Relay(server) as relay:
        assert refused(lambda: here.to(server.address(relay, pins=())).ask("hello", {})).code == "host-key-unknown"
        assert relay.connections == 0


def test_of_several_pinned_keys_one_is_enough(server: Sshd, tmp_path: Path) -> None:
    with roads() as here:
        other = keygen(tmp_path / "other")
        assert here.to(server.address(pins=(other, server.host_key))).ask("hello", {})["version"] == 1


def test_a_key_that_the_host_does_not_take(server: Sshd, tmp_path: Path) -> None:
    keygen(tmp_path / "stranger")
    with roads() as here:
        told = refused(lambda: here.to(server.address(identity=tmp_path / "stranger")).ask("hello", {}))
    assert told.code == "login-refused" and "none of your keys" in str(told)


@pytest.mark.parametrize("way", ["PasswordAuthentication yes", "KbdInteractiveAuthentication yes\nUsePAM yes"])
def test_a_host_that_takes_passwords_only(way: str) -> None:
    with Sshd("PubkeyAuthentication no", way) as server, roads() as here:
        told = refused(lambda: here.to(server.address()).ask("hello", {}))
    assert told.code == "password-only" and "passwords only" in str(told)


def test_a_key_with_a_passphrase_and_nobody_to_ask(server: Sshd, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    keygen(locked, passphrase="sesame")
    config = tmp_path / "config"
    config.write_text(f"IdentityFile {locked}\nIdentityAgent none\n")
    with roads() as here:
        told = refused(lambda: here.to(server.address(config=config)).ask("hello", {}))
    assert told.code == "passphrase-needed" and str(locked) in str(told)


def test_a_port_that_nobody_listens_on(server: Sshd) -> None:
    host, port = loopback()
    with roads() as here:
        told = refused(lambda: here.to(server.address(host=host, port=port)).ask("hello", {}))
    assert (told.code, told.sent) == ("connection-refused", "no")


def test_an_address_that_never_answers(server: Sshd) -> None:
    with blackhole() as (host, port), roads(connect_s=0.2) as here:
        assert refused(lambda: here.to(server.address(host=host, port=port)).ask("hello", {})).code == "timed-out"


def test_a_host_that_takes_the_connection_and_says_nothing(server: Sshd) -> None:
    with Relay(server) as relay, roads(login_s=0.2) as here:
        relay.stall()
        assert refused(lambda: here.to(server.address(relay)).ask("hello", {})).code == "timed-out"


def test_a_name_for_which_there_is_no_address(server: Sshd, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(f"AddressFamily inet6\nIdentityFile {server.identity}\n")  # of its kind: nobody has to be asked
    with roads() as here:
        told = refused(lambda: here.to(server.address(config=config)).ask("hello", {}))
    assert told.code == "host-unknown" and server.host in str(told)


def test_a_host_that_hangs_up_before_it_says_who_it_is(server: Sshd) -> None:
    with Relay(server) as relay, roads() as here:
        relay.cut_after(received=0)
        assert refused(lambda: here.to(server.address(relay)).ask("hello", {})).code == "too-many-connections"


def test_a_host_that_grants_no_session() -> None:
    with Sshd("MaxSessions 0") as server, roads() as here:
        assert refused(lambda: here.to(server.address()).ask("hello", {})).code == "too-many-connections"


def test_a_configuration_that_cannot_be_read(server: Sshd, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text("Port twenty-two\n")
    with roads() as here:
        told = refused(lambda: here.to(server.address(config=config)).ask("hello", {}))
    assert told.code == "ssh-config" and "line 1" in str(told)


def test_a_host_without_python(tmp_path: Path) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    old = empty / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")  # as one that is older than 3.8 answers
    old.chmod(0o755)
    with Sshd(path=str(empty)) as server, roads() as here:
        told = refused(lambda: here.to(server.address()).ask("hello", {}))
    assert told.code == "no-python" and "3.8" in str(told)


def test_a_folder_that_cannot_be_made(server: Sshd) -> None:
    (server.home / "file").write_text("")
    with roads() as here:
        told = refused(lambda: here.to(server.address(folder="~/file/folder")).ask("hello", {}))
    assert told.code == "folder-refused" and "Not a directory" in str(told)


def test_an_agent_that_is_not_here_is_told_and_the_road_tries_again(server: Sshd, tmp_path: Path) -> None:
    missing = tmp_path / "agent.pyz"
    with roads(missing) as here:
        road = here.to(server.address())
        told = refused(lambda: road.ask("hello", {}))
        assert told.code == "unreachable" and str(missing) in str(told)
        missing.write_bytes(ECHO.read_bytes())
        assert answers(road)["version"] == 1


def test_a_door_of_another_version_is_not_talked_to(server: Sshd, tmp_path: Path) -> None:
    other = tmp_path / "agent.pyz"
    other.write_text(ECHO.read_text().replace('"version": 1', '"version": 2'))
    with roads(other) as here:
        told = refused(lambda: here.to(server.address()).ask("hello", {}))
    assert "version 2" in str(told)


def test_a_shell_that_does_something_else_is_told_with_its_words() -> None:
    with Sshd("ForceCommand echo This account is for printing only; exit 1") as server, roads() as here:
        told = refused(lambda: here.to(server.address()).ask("hello", {}))
    assert told.code == "unreachable" and "for printing only" in str(told)


def test_a_session_that_ended_before_anything_was_sent_is_told_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object) -> None:
        raise BrokenPipeError("Channel not open for sending")

    monkeypatch.setattr(asyncssh.SSHClientChannel, "write", ended)
    with Sshd("ForceCommand echo This account is for printing only; exit 1") as server, roads() as here:
        told = refused(lambda: here.to(server.address()).ask("hello", {}, timeout_s=20))
    assert told.code == "unreachable" and "for printing only" in str(told)

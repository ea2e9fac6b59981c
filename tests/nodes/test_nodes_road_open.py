"""The way from a login to the door: whatever the host prints first, whatever shell and Python it has."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from road_bench import ECHO, OWNER, agent, answers, refused, roads, until
from sshd import Relay, Sshd, ordinary_user, program, through

NODE = f".tradewind-node/{OWNER}"


@contextlib.contextmanager
def tmpfs(place: Path, options: str) -> Iterator[Path]:
    """A small file system of its own; skipped where none can be mounted."""
    place.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_the_agent_travels_once_and_its_door_answers() -> None:
    with Sshd() as server, Relay(server) as relay:
        size = agent().stat().st_size
        with roads(agent()) as here:
            hello = here.to(server.address(relay)).ask("hello", {})
        assert (hello["home"], hello["root"]) == (str(server.home), str(server.home / NODE))
        assert relay.sent > size
        first = relay.sent
        with roads(agent()) as here:
            road = here.to(server.address(relay))
            assert road.ask("hello", {})["root"] == hello["root"]
            assert road.hello["user"] == server.user
        assert relay.sent - first < size / 4
        place = server.home / NODE
        assert place.stat().st_mode & 0o777 == 0o700
        [put] = place.glob("agent-*")
        assert put.read_bytes() == agent().read_bytes() and put.stat().st_mode & 0o777 == 0o600
        until(lambda: not server.sessions(), "the doors to close with their roads")


@pytest.mark.long
def test_an_agent_that_lies_there_cut_short_is_sent_again() -> None:
    with Sshd() as server:
        with roads() as here:
            here.to(server.address()).ask("hello", {})
        [put] = (server.home / NODE).iterdir()
        put.write_bytes(put.read_bytes()[:100])
        with roads() as here:
            here.to(server.address()).ask("hello", {})
        assert put.read_bytes() == ECHO.read_bytes()


def test_a_folder_of_ones_own_may_have_any_name() -> None:
    with Sshd() as server, roads() as here:
        folder = f"{server.home}/my disk's 中文 $HOME"
        argv = here.to(server.address(folder=folder)).ask("hello", {})["argv"]
        assert argv[1:] == ["door", f"{folder}/{OWNER}"]


def test_banner_and_noise_of_the_login_are_passed_over() -> None:
    with Sshd("Banner /etc/passwd") as server, roads() as here:
        (server.home / ".bashrc").write_text(
            "echo 'Welcome! TWD1'; echo 中文; printf 'no newline \\000\\377'; echo oops >&2\nseq 20000\n"
        )
        assert here.to(server.address()).ask("echo", {"text": "ok"}) == {"text": "ok"}


@pytest.mark.parametrize("shell", [*filter(shutil.which, ("sh", "bash", "zsh", "csh", "tcsh", "fish"))])
def test_any_login_shell_will_do(shell: str) -> None:
    with Sshd(through(shell, "echo a shell that prints")) as server, roads() as here:
        assert here.to(server.address()).ask("echo", {"text": shell}) == {"text": shell}


def test_a_shell_that_shows_the_commands_it_runs_does_not_mislead() -> None:
    with Sshd(through("/bin/bash -vx", "exec 2>&1")) as server, roads() as here:
        assert here.to(server.address()).ask("echo", {"text": "ok"}) == {"text": "ok"}


def test_python_3_8_is_enough() -> None:
    root = Path(os.environ.get("PYENV_ROOT", Path("~/.pyenv").expanduser()))
    found = [*map(str, root.glob("versions/3.8*/bin/python3")), shutil.which("python3.8")]
    python = next((each for each in found if each), None)
    if python is None:
        pytest.skip("Python 3.8 is not here")
    with Sshd(path=f"{Path(python).parent}:/usr/bin:/bin") as server, roads(agent()) as here:
        assert here.to(server.address()).ask("hello", {})["python"].startswith("3.8")


@pytest.mark.long
def test_a_newer_python_under_another_name_is_found(tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "python3").write_text("#!/bin/sh\nexit 1\n")
    (bin_ / "python3").chmod(0o755)
    (bin_ / f"python3.{sys.version_info.minor}").symlink_to(Path(sys.executable).resolve())
    with Sshd(path=str(bin_)) as server, roads() as here:
        assert here.to(server.address()).ask("hello", {})["version"] == 1


@pytest.mark.long
def test_a_python_that_only_a_full_login_finds_is_found(tmp_path: Path) -> None:
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name in ("sh", "bash", "tail"):
        (bin_ / name).symlink_to(program(name))
    with Sshd(path=str(bin_)) as server, roads() as here:
        (server.home / ".profile").write_text(f"echo welcome; PATH={Path(sys.executable).resolve().parent}:$PATH\n")
        assert here.to(server.address()).ask("hello", {})["version"] == 1


def test_somebody_who_is_not_root() -> None:
    with Sshd(user=ordinary_user()) as server, roads(agent()) as here:
        hello = here.to(server.address()).ask("hello", {})
        assert (hello["user"], hello["home"]) == (server.user, str(server.home))
        assert hello["uid"] != 0


def test_one_session_a_connection_is_enough_and_one_connection_a_host() -> None:
    with Sshd("MaxSessions 1") as server, Relay(server) as relay, roads() as here:
        road = here.to(server.address(relay))
        with ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda text: road.ask("echo", {"text": text})["text"], "abcdefgh"))
        assert told == list("abcdefgh")
        assert relay.connections == 1


def test_hosts_that_drop_connections_at_once_are_reached_in_the_end() -> None:
    with Sshd("MaxStartups 1:100:1") as server, roads() as here:
        road = here.to(server.address())
        with until(lambda: _half_open(server), "the only place, taken by somebody who does not log in"):
            assert refused(lambda: road.ask("hello", {})).code == "too-many-connections"
        assert answers(road)["version"] == 1


def test_no_file_is_run_from_a_tmp_without_the_right_to(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "tmp", "noexec,size=4m,mode=1777") as place, Sshd() as server, roads(agent()) as here:
        (server.home / ".bashrc").write_text(f"export TMPDIR={place} TEMP={place} TMP={place}\n")
        assert here.to(server.address()).ask("hello", {})["version"] == 1
        assert list(place.iterdir()) == []


def test_a_home_on_which_nothing_may_be_run(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "home", "noexec,size=16m,mode=0755") as place, Sshd() as server, roads(agent()) as here:
        hello = here.to(server.address(folder=str(place))).ask("hello", {})
        assert hello["root"] == f"{place}/{OWNER}"


def test_a_disk_that_is_full_says_so_and_keeps_nothing_half(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "full", "size=64k,mode=0755") as place, Sshd() as server, roads(agent()) as here:
        told = refused(lambda: here.to(server.address(folder=str(place))).ask("hello", {}))
        assert told.code == "no-space" and "No space" in str(told)
        assert list((place / OWNER).iterdir()) == []


def _half_open(server: Sshd) -> socket.socket | None:
    connection = socket.create_connection((server.host, server.port), timeout=10)
    with contextlib.suppress(OSError):
        if connection.recv(100).startswith(b"SSH-"):
            return connection
    connection.close()
    return None

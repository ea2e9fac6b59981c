"""What a host says of itself: facts that are there, and why those are not that are not."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from agent_door import Host, hosting

from tradewind.agent.door import disks, facts, login, programs
from tradewind.store import filesystems

SECRET = "canary-in-a-profile"


def profile(home: Path, text: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / ".profile").write_text(text)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Who logs in here: a user whose shell is /bin/sh and whose profile the test writes."""
    here = pwd.getpwuid(os.getuid())
    monkeypatch.setattr(pwd, "getpwuid", lambda _: pwd.struct_passwd([*here[:6], "/bin/sh"]))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_every_fact_has_its_key_and_what_is_unknown_says_why(tmp_path: Path) -> None:
    host = Host(tmp_path)
    with hosting(host):
        told = host.ask("facts")
    unknown = told["unknown"]
    assert all(unknown[name] for name in unknown)
    assert [name for name in unknown if told[name] is not None] == []
    assert told["uid"] == os.getuid()
    assert told["cpus"] == len(os.sched_getaffinity(0))
    assert 0 < told["memory_free_gib"] <= told["memory_gib"]
    assert set(told["root"]) == {"path", "total_gb", "free_gb", "kind", "network", "noexec"}
    assert told["root"]["path"] == str(host.root)
    assert 0 < told["root"]["free_gb"] <= told["root"]["total_gb"]
    assert told["open_files"]["soft"] is None or told["open_files"]["soft"] > 0
    assert told["bash"] and told["programs"]["git"]
    assert told["login_environment"]["PATH"]


def test_what_cannot_be_found_does_not_hide_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disks, "look", disks_that_fail)
    monkeypatch.setattr(programs, "ends_at_logout", lambda: None)
    told = facts.facts(str(tmp_path))
    assert told["root"] is None
    assert "stale" in told["unknown"]["root"]
    assert told["unknown"]["processes_end_at_logout"] == "systemd-logind does not answer"
    assert told["python"]


def disks_that_fail(path: str) -> None:
    raise OSError(116, "stale file handle", path)


def test_a_profile_that_prints_is_passed_over_and_what_it_exports_is_found(home: Path) -> None:
    profile(
        home, f'echo "Welcome!"; echo "$-" >&2\nexport CONDA_PREFIX=/usr/conda TOKEN={SECRET} LC_TIME=中文\numask 027\n'
    )
    told = login.look()
    assert told.why is None
    assert (told.environment["CONDA_PREFIX"], told.environment["LC_TIME"], told.umask) == ("/usr/conda", "中文", 0o027)
    assert SECRET not in str(told)


def test_a_profile_that_leaves_something_running_is_not_waited_for(home: Path) -> None:
    profile(home, "sleep 60 &\nexport CUDA_HOME=/usr/local/cuda\n")
    assert login.look().environment["CUDA_HOME"] == "/usr/local/cuda"


@pytest.mark.parametrize(
    ("text", "why"),
    [("sleep 60\n", "no answer within 0 s"), ("exit 3\n", "it ends with exit code 3")],
)
def test_a_shell_that_does_not_tell_leaves_the_doors_own_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    monkeypatch.setattr(login, "_SECONDS", 0.2)
    monkeypatch.setenv("LANG", "C.UTF-8")
    profile(home, text)
    told = login.look()
    assert why in str(told.why)
    assert told.environment["LANG"] == "C.UTF-8"
    assert told.umask == 0o022


def test_an_instance_starts_with_its_name_and_its_gpus_only_where_it_has_a_say_in_them(home: Path) -> None:
    folder = home / "machine-a"
    folder.mkdir()
    (folder / "instance.json").write_text('{"gpus": [{"index": 1, "uuid": "GPU-b"}, {"index": 2, "uuid": "GPU-c"}]}')
    told = login.of_instance(str(folder)).environment
    assert (told["TRADEWIND_INSTANCE"], told["TRADEWIND_GPUS"]) == ("machine-a", "GPU-b,GPU-c")
    (folder / "instance.json").write_text('{"gpus": []}')
    assert login.of_instance(str(folder)).environment["TRADEWIND_GPUS"] == ""
    (folder / "instance.json").write_text("{}")
    assert "TRADEWIND_GPUS" not in login.of_instance(str(folder)).environment


@pytest.mark.parametrize(
    ("said", "code", "state", "with_gpus"),
    [
        ('28.2.2 {"io.containerd.runc.v2":{},"nvidia":{}}', 0, "usable", True),
        ('28.2.2 {"io.containerd.runc.v2":{}}', 0, "usable", False),
        ("permission denied while trying to connect to the Docker daemon socket", 1, "not-allowed", None),
        ("Cannot connect to the Docker daemon. Is the docker daemon running?", 1, "not-running", None),
        ("segmentation fault", 139, "failed", None),
    ],
)
def test_docker_is_usable_or_it_is_said_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int, state: str, with_gpus: bool | None
) -> None:
    stub = tmp_path / "docker"
    stub.write_text(f"#!/bin/sh\necho '{said}'\nexit {code}\n")
    stub.chmod(0o755)
    monkeypatch.setattr(programs, "_CDI", ())
    told = programs.engines({"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert (told["docker"], told["docker_gpus"]) == (state, with_gpus)


def test_without_an_engine_nothing_is_said_of_it(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path)}
    assert programs.engines(nothing) == {"docker": None, "docker_gpus": None, "podman": None, "podman_gpus": None}
    assert set(programs.paths(nothing).values()) == {None}


def test_network_file_systems_are_those_that_the_control_plane_knows() -> None:
    assert disks.NETWORK == filesystems._NETWORK
    assert disks.NETWORK_FUSE == filesystems._NETWORK_FUSE
    assert [disks.network(kind) for kind in ("ext4", "nfs4", "fuse.sshfs", "fuse.portal")] == [False, True, True, False]


def test_a_path_lies_on_its_deepest_mount_and_there_on_the_last() -> None:
    mounts = [disks.Mount("/", "ext4"), disks.Mount("/home", "nfs"), disks.Mount("/home", "nfs4")]
    found = {path: disks.holding(path, mounts) for path in ("/home/me", "/homes", "/home")}
    assert {path: mount.kind for path, mount in found.items() if mount} == {
        "/home/me": "nfs4",
        "/homes": "ext4",
        "/home": "nfs4",
    }

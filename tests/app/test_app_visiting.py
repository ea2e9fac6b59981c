"""Going to where a job works, and bringing home what it made."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from cloud_double import OddProvider
from clouds_world import sky
from doubles import OddNodes, SimClock
from machine_world import Host, Lab, job_on, machine, open_lab

from tradewind.app.clouds.reaching import RentedReach
from tradewind.app.inside import Inside
from tradewind.app.visiting import fetch, visit
from tradewind.domain.errors import BadInput, CloudRefused, NotFound
from tradewind.ports.transport import Unreachable


@pytest.fixture
def lab(tmp_path: Path) -> tuple[Inside, Lab]:
    inside, made = open_lab(tmp_path / "home", SimClock())
    inside.registry.write(machine("box", user="me", port=2222))
    made.hosts["box.lab.org"] = Host({"shell": {"argv": ["cd", "work it"]}})
    return inside, made


def test_a_visit_is_the_users_ssh_held_to_the_pinned_key(lab: tuple[Inside, Lab]) -> None:
    inside, _ = lab
    job_on(inside, "machines:box", ports=[6006])
    told = visit(inside, "job-1", ports=False)
    assert (told["target"], told["ports"]) == ("me@box.lab.org:2222", [])
    argv = told["argv"]
    assert argv[0] == "ssh"
    assert "StrictHostKeyChecking=yes" in argv
    assert argv[-1] == "cd 'work it'"
    (known,) = [word.partition("=")[2] for word in argv if word.startswith("UserKnownHostsFile=")]
    assert Path(known).read_text().split(maxsplit=1)[1].strip() == machine().host_keys[0]


def test_ports_are_held_by_tunnels_at_the_same_number_where_that_is_free(lab: tuple[Inside, Lab]) -> None:
    inside, _ = lab
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        other = taken.getsockname()[1]
        job_on(inside, "machines:box", ports=[port, other])
        told = visit(inside, "train", ports=True)
    assert told["ports"][0] == {"port": port, "local": port}
    assert told["ports"][1]["port"] == other
    assert told["ports"][1]["local"] not in (other, port)
    assert f"127.0.0.1:{port}:127.0.0.1:{port}" in told["argv"]


def test_a_rented_machine_is_visited_at_its_address(lab: tuple[Inside, Lab], monkeypatch: pytest.MonkeyPatch) -> None:
    inside, _ = lab
    sky(monkeypatch, OddProvider())
    monkeypatch.setattr(RentedReach, "transport", lambda *_: OddNodes())
    job_on(inside, "aws:us-east-1")
    told = visit(inside, "job-1", ports=False)
    assert (told["argv"], told["target"]) == (["bash"], "root@/home/ada/instances/t")


@pytest.mark.parametrize(("lease", "ports", "code"), [(False, False, "job-not-on-a-node"), (True, True, "no-ports")])
def test_what_cannot_be_visited_says_why(lab: tuple[Inside, Lab], lease: bool, ports: bool, code: str) -> None:
    inside, _ = lab
    job_on(inside, "machines:box", lease=lease)
    with pytest.raises(BadInput, match=code):
        visit(inside, "job-1", ports=ports)


def test_a_machine_that_does_not_answer_is_not_visited(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    made.hosts["box.lab.org"].away = Unreachable("it shows another key", "host-key-changed")
    job_on(inside, "machines:box")
    with pytest.raises(CloudRefused) as fault:
        visit(inside, "job-1", ports=False)
    assert (fault.value.code, fault.value.facts["target"]) == ("host-key-changed", "me@box.lab.org:2222")
    with pytest.raises(NotFound):
        visit(inside, "nothing", ports=False)


def outputs_of(inside: Inside) -> Path:
    folder = inside.jobs.job_folder("job-1") / "outputs"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / "结果.txt").write_text("42")
    (folder / ".fetching").mkdir()
    (folder / ".fetching" / "half").write_text("4")
    return folder


def test_outputs_are_copied_where_they_are_wanted_and_nowhere_unasked(lab: tuple[Inside, Lab], tmp_path: Path) -> None:
    inside, _ = lab
    job_on(inside, "machines:box")
    with pytest.raises(BadInput, match="no-outputs"):
        fetch(inside, "job-1", None)
    folder = outputs_of(inside)
    told = fetch(inside, "job-1", None)
    assert told == {"job": "job-1", "path": str(folder), "to": None, "bytes": 2, "running": True,
                    "files": [{"name": "out/结果.txt", "bytes": 2}]}  # fmt: skip
    to = tmp_path / "here" / "deep"
    for _ in range(2):  # and again over what is there
        assert fetch(inside, "job-1", to)["to"] == str(to)
    assert [path.relative_to(to).as_posix() for path in to.rglob("*")] == ["out", "out/结果.txt"]
    assert (to / "out" / "结果.txt").read_text() == "42"


@pytest.mark.parametrize("taken", ["here", "here/out", "here/out/结果.txt/"])
def test_what_stands_in_the_way_is_named(lab: tuple[Inside, Lab], tmp_path: Path, taken: str) -> None:
    inside, _ = lab
    job_on(inside, "machines:box")
    outputs_of(inside)
    path = tmp_path / taken
    path.parent.mkdir(parents=True, exist_ok=True)
    if taken.endswith("/"):
        path.mkdir()
    else:
        path.write_text("mine")
    with pytest.raises(BadInput, match="fetch-target-taken"):
        fetch(inside, "job-1", tmp_path / "here")
    assert path.is_dir() or path.read_text() == "mine"

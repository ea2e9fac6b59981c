"""Instances of a host, with real processes: taken once, listed, ended whole, and nobody else's process touched."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from agent_door import Fault, Host, hosting
from agent_node import alive, wait_for

ROOT_ONLY = pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    made = Host(tmp_path_factory.mktemp("host"))
    with hosting(made):
        yield made


@pytest.fixture
def host(one: Host) -> Iterator[Host]:
    """One door for all that leave it open, every test with no instance there."""
    yield one
    one.ask("end", ids=one.instance_ids())


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Host]:
    """A host of the test's own."""
    made = Host(tmp_path)
    with hosting(made):
        yield made


def write(folder: Path, name: str, value: object) -> None:
    draft = folder / f".{name}"
    draft.write_text(json.dumps(value))
    draft.replace(folder / name)


def test_an_instance_is_taken_listed_and_ended_with_all_that_runs_on_it(host: Host) -> None:
    order = host.order()
    taken = host.ask("take", order=order, gpus=0, allowed=None)["instance"]
    assert {name: taken[name] for name in order if name != "hard_end"} == {
        name: value for name, value in order.items() if name != "hard_end"
    }
    assert (taken["id"], taken["state"], taken["gpus"]) == (f"machine-{order['token']}", "running", [])
    assert os.getpgid(taken["pgid"]) == taken["pgid"]
    assert host.ask("instances", ids=None)["instances"] == [taken]
    text = "sleep 300 & env -u TRADEWIND_INSTANCE sleep 301 & env -u TRADEWIND_INSTANCE setsid sleep 302 & wait"
    worker = host.start_on(taken["id"], "sh", "-c", text)
    wait_for(lambda: len(children(worker.pid)) == 3, "the job")
    inside = children(worker.pid)
    host.ask("end", ids=[taken["id"]])
    worker.wait(timeout=10)
    assert not [pid for pid in inside if alive(pid)]
    assert host.ask("instances", ids=None)["instances"] == []
    assert host.ask("leftovers", ids=[taken["id"]]) == {"leftovers": []}
    assert not Path(taken["address"]).exists()
    assert host.ask("end", ids=[taken["id"]]) == {}  # what is not there is ended


def children(pid: int) -> list[int]:
    told = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in told.read_text().split()]


def test_of_doors_that_take_with_one_token_at_once_all_get_the_same_instance(own: Host, tmp_path: Path) -> None:
    others = [Host(tmp_path) for _ in range(3)]
    order = own.order()

    def take(each: Host) -> int:
        return int(each.ask("take", order=order, gpus=0, allowed=None)["instance"]["pgid"])

    with hosting(*others), ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(take, (own, *others)))) == 1
        assert len(own.instance_ids()) == 1


def test_a_token_that_was_used_for_another_order_is_a_conflict(host: Host) -> None:
    order = host.order()
    taken = host.ask("take", order=order, gpus=0, allowed=None)["instance"]
    with pytest.raises(Fault) as fault:
        host.ask("take", order={**order, "lease": "another"}, gpus=0, allowed=None)
    assert fault.value.kind == "conflict"
    skewed = {**order, "hard_end": order["hard_end"] + 3.5}  # the clocks were compared anew
    assert host.ask("take", order=skewed, gpus=0, allowed=[0])["instance"] == taken


def test_a_take_that_was_cut_short_is_carried_out_when_it_is_asked_again(host: Host) -> None:
    order = host.order()
    taken = host.ask("take", order=order, gpus=0, allowed=None)["instance"]
    folder = Path(taken["address"])
    os.killpg(taken["pgid"], signal.SIGKILL)
    (folder / "machine.json").unlink()
    assert host.instance(taken["id"])["state"] == "pending"
    again = host.ask("take", order=order, gpus=0, allowed=None)["instance"]
    assert again["state"] == "running"
    assert again["pgid"] != taken["pgid"]


def test_an_instance_outlives_the_door_it_was_taken_through(own: Host, tmp_path: Path) -> None:
    taken = own.take()
    os.kill(own.process.pid, signal.SIGHUP)
    own.close()
    again = Host(tmp_path)
    with hosting(again):
        assert again.instance(taken["id"]) == taken


def test_when_the_holder_is_killed_the_instance_is_gone_and_what_is_left_of_it_is_found(host: Host) -> None:
    taken = host.take()
    worker = host.start_on(taken["id"], "sleep", "300")
    os.killpg(taken["pgid"], signal.SIGKILL)
    gone = host.until(taken["id"], "gone")
    assert gone["why"] == "unknown"
    assert abs(gone["ended_at"] - time.time()) < 60
    assert host.ask("leftovers", ids=None)["leftovers"] == [
        {"kind": "process", "id": taken["id"], "lease": taken["lease"]}
    ]
    left = host.ask("leftovers", ids=[taken["id"]])["leftovers"]
    assert [each["kind"] for each in left] == ["folder", "process"]
    host.ask("end", ids=[taken["id"]])
    worker.wait(timeout=10)
    assert host.instance_ids() == []


def test_instances_of_another_boot_ended_with_it(host: Host) -> None:
    taken = host.take()
    folder = Path(taken["address"])
    held = json.loads((folder / "machine.json").read_text())
    write(folder, "machine.json", {**held, "boot": "before"})
    gone = host.instance(taken["id"])
    assert (gone["state"], gone["why"]) == ("gone", "host")
    assert gone["ended_at"] >= taken["launched_at"]


def test_a_reclaim_is_announced_once_then_kept_although_nobody_looks(host: Host) -> None:
    taken = host.take()
    worker = host.start_on(taken["id"], "sleep", "300")
    deadline = time.time() + 0.3
    host.ask("reclaim", id=taken["id"], deadline=deadline, cause="trace")
    host.ask("reclaim", id=taken["id"], deadline=deadline + 600, cause="second word")
    told = host.instance(taken["id"])
    assert (told["reclaim_at"], told["tags"]) == (deadline, {"a": "b", "reclaim": "trace"})
    assert host.ask("reclaim", id="machine-nothing", deadline=deadline, cause="trace") == {}
    gone = host.until(taken["id"], "gone")
    worker.wait(timeout=10)
    assert gone["why"] == "reclaimed"
    assert gone["ended_at"] >= deadline


def test_the_hard_end_holds_although_nobody_looks_and_takes_nothing_away(own: Host) -> None:
    taken = own.take(seconds=0.3)
    worker = own.start_on(taken["id"], "sleep", "300")
    own.close()
    worker.wait(timeout=20)
    ended = wait_for(lambda: ended_of(taken["address"]), "the last word")
    assert ended["why"] == "expired"


def ended_of(address: str) -> dict[str, object] | None:
    path = Path(address) / "ended.json"
    found: dict[str, object] | None = json.loads(path.read_text()) if path.exists() else None
    return found


def test_an_agent_that_said_that_it_is_done_ends_the_instance(host: Host) -> None:
    taken = host.take()
    node = Path(taken["address"]) / "node"
    node.mkdir()
    write(node, "release.json", {"at": "soon"})  # which nobody understands
    write(node, "release.json", {"at": time.time(), "why": "collected"})
    assert host.until(taken["id"], "gone")["why"] == "ours"


def test_a_folder_that_is_gone_ends_its_instance(host: Host) -> None:
    taken = host.take()
    worker = host.start_on(taken["id"], "sleep", "300")
    Path(taken["address"]).rename(host.root / "elsewhere")
    worker.wait(timeout=20)
    wait_for(lambda: not alive(taken["pgid"]), "the holder's end")


def test_what_a_job_left_unwritable_goes_with_its_folder(host: Host) -> None:
    taken = host.take()
    deep = Path(taken["address"]) / "node" / "work" / "cache"
    deep.mkdir(parents=True)
    (deep / "file").touch()
    deep.chmod(0o500)
    host.ask("end", ids=[taken["id"]])
    assert list((host.root / "instances").iterdir()) == []


@pytest.mark.parametrize("id_", ["../../home", "machine-..", "machine-a/b", "machine-", "instances"])
def test_what_is_no_id_is_refused(host: Host, id_: str) -> None:
    for op, request in (("end", {"ids": [id_]}), ("leftovers", {"ids": [id_]}), ("shell", {"id": id_})):
        with pytest.raises(Fault) as fault:
            host.ask(op, **request)
        assert fault.value.kind == "invalid"


def test_instances_of_another_host_with_the_same_home_are_left_alone(own: Host) -> None:
    ours, theirs = own.take(), Path(own.take()["address"])
    for name, changes in (("instance.json", {"host": "other"}), ("machine.json", {"boot": "other"})):
        write(theirs, name, {**json.loads((theirs / name).read_text()), **changes})
    assert own.instance_ids() == [ours["id"]]
    assert own.ask("remove") == {"removed": []}
    assert not Path(ours["address"]).exists()
    assert (theirs / "instance.json").exists()


def test_remove_leaves_nothing_behind_however_often_it_is_asked(own: Host, tmp_path: Path) -> None:
    taken = own.take()
    worker = own.start_on(taken["id"], "sleep", "300")
    assert own.ask("remove") == {"removed": [str(own.root), str(own.root.parent)]}
    assert own.process.wait(20) == 0
    worker.wait(timeout=10)
    assert list(own.home.iterdir()) == []
    again = Host(tmp_path)
    with hosting(again):
        assert again.ask("remove") == {"removed": [str(own.root), str(own.root.parent)]}
    assert list(own.home.iterdir()) == []


def test_a_folder_of_the_users_own_choice_stays_when_ours_in_it_goes(tmp_path: Path) -> None:
    other = Host(tmp_path)
    other.root = tmp_path / "data" / "me"
    with hosting(other):
        (tmp_path / "data").chmod(0o755)
        assert other.ask("remove") == {"removed": [str(tmp_path / "data" / "me")]}
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o755


@ROOT_ONLY
def test_a_process_of_another_user_is_never_touched_whatever_mark_it_carries(host: Host) -> None:
    taken = host.take()
    own, other = host.start_on(taken["id"], "sleep", "300"), host.start_on(taken["id"], "sleep", "300", user="nobody")
    try:
        wait_for(lambda: Path(f"/proc/{other.pid}").stat().st_uid != 0, "the other user's process")
        assert [each["kind"] for each in host.ask("leftovers", ids=[taken["id"]])["leftovers"]] == ["folder", "process"]
        host.ask("end", ids=[taken["id"]])
        own.wait(timeout=10)
        assert host.ask("leftovers", ids=[taken["id"]]) == {"leftovers": []}
        assert alive(other.pid)
    finally:
        other.kill()
        other.wait()


@ROOT_ONLY
def test_an_ordinary_users_door_takes_and_ends_and_sees_nothing_of_others(host: Host) -> None:
    mine = host.take()
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        theirs = Host(Path(place), owner="you", python="/usr/bin/python3", user="nobody")
        with hosting(theirs):
            assert theirs.ask("hello")["user"] == "nobody"
            taken = theirs.take()
            assert (theirs.instance_ids(), host.instance_ids()) == ([taken["id"]], [mine["id"]])
            worker = theirs.start_on(taken["id"], "sleep", "300")
            wait_for(lambda: Path(f"/proc/{worker.pid}").stat().st_uid != 0, "the worker")
            theirs.ask("end", ids=[taken["id"], mine["id"]])
            worker.wait(timeout=10)
            assert host.instance(mine["id"])["state"] == "running"


@ROOT_ONLY
def test_a_full_disk_is_told_and_leaves_no_half_instance(tmp_path: Path) -> None:
    host = Host(tmp_path)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", host.home], check=False)
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        with hosting(host):
            with (host.home / "full").open("wb", buffering=0) as full, pytest.raises(OSError, match="No space left"):
                while True:
                    full.write(bytes(4096))
            with pytest.raises(Fault) as fault:
                host.take(token=str(uuid.uuid4()))
            assert fault.value.kind == "no-space"
            (host.home / "full").unlink()
            assert host.instance_ids() == []
            assert host.take()["state"] == "running"
            host.ask("end", ids=host.instance_ids())
            host.close()
    finally:
        subprocess.run(["umount", "-l", host.home], check=True)

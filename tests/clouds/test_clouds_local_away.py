"""This computer as a cloud while nobody looks: a reboot, a pid used again, an agent that nobody came for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tradewind.app.clock import SystemClock
from tradewind.clouds.local import processes
from tradewind.clouds.local.compute import LocalCompute
from tradewind.clouds.local.folder import MACHINE, Folder
from tradewind.nodes.bundle import pack
from tradewind.nodes.local import LocalTransport
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.ports.compute import Instance, InstanceState, Order, Query
from tradewind.ports.transport import Parcel, Unreachable
from tradewind.wire import journal
from tradewind.wire.spec import RELEASE, Command, Spec


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[LocalCompute]:
    made = LocalCompute(tmp_path / "instances", SystemClock())
    yield made
    made.end([each.id for each in made.find(Query()).instances])


def launched(cloud: LocalCompute) -> Instance:
    token = str(uuid.uuid4())
    hard_end = SystemClock().now() + timedelta(minutes=10)
    cloud.launch(Order(token=token, lease=f"lease-{token}", owner="me", cloud="aws", region="eu-south-2",
                       zone="eus2-az1", instance_type="g6f.large", purchase="spot",
                       hard_end=hard_end.isoformat()))  # fmt: skip
    return until(cloud, lambda each: each.state is InstanceState.RUNNING)


def until(cloud: LocalCompute, what: Callable[[Instance], bool]) -> Instance:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = cloud.find(Query()).instances
        if found and what(found[0]):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"never: {cloud.find(Query())}")


def gone(instance: Instance) -> bool:
    return instance.state is InstanceState.GONE


def rewrite(instance: Instance, **changes: Any) -> None:
    folder = Folder(Path(instance.address))
    folder.write(MACHINE, {**(folder.read(MACHINE) or {}), **changes})


def kill_holder(instance: Instance) -> None:
    assert instance.pgid is not None
    os.killpg(instance.pgid, signal.SIGKILL)


def test_an_instance_says_what_it_was_ordered_as(cloud: LocalCompute) -> None:
    seen = launched(cloud)
    assert (seen.instance_type, seen.region, seen.zone, seen.purchase) == (
        "g6f.large", "eu-south-2", "eus2-az1", "spot",
    )  # fmt: skip


def test_after_a_reboot_an_instance_is_gone_and_its_folder_can_still_be_read(cloud: LocalCompute) -> None:
    instance = launched(cloud)
    kill_holder(instance)
    rewrite(instance, boot="another-boot")
    seen = until(cloud, gone)
    assert seen.why == "host"
    assert seen.ended_at is not None and seen.ended_at >= seen.launched_at
    LocalTransport().reach(seen)
    cloud.end([instance.id])
    assert cloud.find(Query()).instances == ()


def test_after_a_reboot_whoever_has_the_number_of_a_machine_is_another(cloud: LocalCompute) -> None:
    instance = launched(cloud)
    kill_holder(instance)
    other = subprocess.Popen(["sleep", "300"])
    # The worst that can happen: the number and even the start are the same, only the boot is another.
    rewrite(instance, boot="another-boot", pid=other.pid, started=processes.started_at(other.pid))
    assert until(cloud, gone).why == "host"
    cloud.end([instance.id])
    assert other.poll() is None
    other.kill()
    other.wait()


def test_a_number_used_again_in_the_same_boot_is_another_process(cloud: LocalCompute) -> None:
    instance = launched(cloud)
    kill_holder(instance)
    time.sleep(0.02)  # a start is known to a tick, a hundredth of a second
    other = subprocess.Popen(["sleep", "300"])
    rewrite(instance, pid=other.pid)
    assert until(cloud, gone).why == "unknown"
    other.kill()
    other.wait()


def test_a_process_is_known_by_its_start_until_it_ends() -> None:
    child = subprocess.Popen(["sleep", "300"])
    started = processes.started_at(child.pid)
    assert processes.alive(child.pid, started)
    assert not processes.alive(child.pid, started + "0")
    child.kill()
    assert not until_dead(child.pid, started)  # a zombie, as its parent has not asked yet
    child.wait()
    assert not processes.alive(child.pid, started)


def until_dead(pid: int, started: str) -> bool:
    deadline = time.monotonic() + 10
    while processes.alive(pid, started) and time.monotonic() < deadline:
        time.sleep(0.01)
    return processes.alive(pid, started)


def empty(instance: Instance) -> bool:
    """Whether nothing of the instance is left running; its holder is the last, once it has said how it ended."""
    deadline = time.monotonic() + 10
    while processes.of_instance(instance.id) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not processes.of_instance(instance.id)


def served(tmp_path: Path, instance: Instance, **more: Any) -> LocalTransport:
    """An agent on the instance that carries out a short job."""
    (tmp_path / "work").mkdir()
    work = pack(tmp_path / "work", tmp_path / "work.tar").path
    run = more.pop("run", "echo trained; echo done > result.txt")
    spec = Spec(key="job-1/1", job="job-1", epoch=1, attempt=1, run=run, env={"PATH": os.environ["PATH"]},
                outputs=["result.txt"], **more)  # fmt: skip
    transport = LocalTransport()
    agent, library = build_agent(tmp_path), build_library(tmp_path)
    transport.start(instance, Parcel(spec.to_json(), work, agent, library, tmp_path / "store", {}))
    return transport


def words(transport: LocalTransport, instance: Instance) -> list[dict[str, Any]]:
    return journal.read_lines(transport.hear(instance, 0, 0, 1 << 20).journal)[0]


def test_a_machine_whose_agent_nobody_came_for_ends_itself_and_can_be_heard_later(
    cloud: LocalCompute, tmp_path: Path
) -> None:
    instance = launched(cloud)
    transport = served(tmp_path, instance, after_exit_seconds=0.5)
    seen = until(cloud, gone)
    assert seen.why == "ours"
    assert empty(instance)  # nothing runs on that could cost anything
    told = words(transport, seen)  # hours later, for all it knows
    assert [each["exit"] for each in told if each["type"] == journal.RUN_ENDED] == [0]
    assert released(instance)["why"] == "after-exit"
    assert transport.hear(seen, 0, 0, 1 << 20).log == b"trained\n"
    assert transport.fetch_outputs(seen, tmp_path / "fetched") == ("result.txt",)
    assert (tmp_path / "fetched" / "result.txt").read_text() == "done\n"
    cloud.end([instance.id])
    assert not Path(instance.address).exists()


def test_on_a_machine_that_has_ended_no_agent_begins_again(cloud: LocalCompute, tmp_path: Path) -> None:
    instance = launched(cloud)
    transport = served(tmp_path, instance, run="sleep 300")
    while not any(each["type"] == journal.RUN_STARTED for each in words(transport, instance)):
        time.sleep(0.05)
    assert processes.end_all(instance.id)  # as a reboot does
    rewrite(instance, boot="another-boot")
    told = words(transport, instance)
    with pytest.raises(Unreachable, match="has ended"):
        transport.revive(instance, {})
    assert words(transport, instance) == told  # what it said last stands: the run did not end by itself


def test_a_machine_that_was_collected_but_never_released_ends_itself_too(cloud: LocalCompute, tmp_path: Path) -> None:
    instance = launched(cloud)
    transport = served(tmp_path, instance, after_exit_seconds=1.0)
    transport.command(instance, Command("collected").to_json(), "collected")
    assert until(cloud, gone).why == "ours"
    assert [each["why"] for each in words(transport, instance) if each["type"] == journal.AGENT_ENDED] == ["collected"]
    assert released(instance)["why"] == "collected"


def released(instance: Instance) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((Path(instance.address) / "node" / RELEASE).read_text())
    return told

"""This computer as a cloud, with real processes: made once, listed, reclaimed, ended whole."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from tradewind.app.clock import SystemClock
from tradewind.clouds.local import processes
from tradewind.clouds.local.compute import LocalCompute
from tradewind.clouds.local.folder import NOTICE, Folder
from tradewind.ports.compute import Instance, InstanceState, Order, Query


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[LocalCompute]:
    made = LocalCompute(tmp_path / "instances", SystemClock())
    yield made
    made.end([each.id for each in made.find(Query()).instances])


# Instances are found by the mark in their processes' environment: two test runs at once must not share a token.
RUN = uuid.uuid4().hex[:12]


def order(name: str = "t1", owner: str = "me", seconds: float = 600.0) -> Order:
    token = f"{RUN}-{name}"
    hard_end = SystemClock().now() + timedelta(seconds=seconds)
    return Order(token=token, lease=f"lease-{token}", owner=owner, cloud="local", region="here", zone=None,
                 instance_type="t", purchase="on_demand", hard_end=hard_end.isoformat(), tags={"a": "b"})  # fmt: skip


def until(cloud: LocalCompute, what: Callable[[Instance], bool], seconds: float = 30.0) -> Instance:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = cloud.find(Query()).instances
        if found and what(found[0]):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"never: {cloud.find(Query())}")


def running(instance: Instance) -> bool:
    return instance.state is InstanceState.RUNNING


def start_on(instance: Instance, *command: str, session: bool = True) -> subprocess.Popen[bytes]:
    env = {**os.environ, processes.MARK: instance.id}
    return subprocess.Popen(command, env=env, start_new_session=session)


def test_an_instance_is_made_listed_and_ended_with_all_that_runs_on_it(cloud: LocalCompute) -> None:
    accepted = cloud.launch(order())
    instance = until(cloud, running)
    assert (instance.id,) == accepted.ids
    assert (instance.token, instance.lease, instance.owner, instance.tags) == (
        f"{RUN}-t1",
        f"lease-{RUN}-t1",
        "me",
        {"a": "b"},
    )
    assert instance.pgid is not None
    assert os.getpgid(instance.pgid) == instance.pgid
    worker = start_on(instance, "sh", "-c", "sleep 300 & env -u TRADEWIND_INSTANCE sleep 301 & wait")
    cloud.end([instance.id])
    worker.wait(timeout=10)
    assert cloud.find(Query()).instances == ()
    assert cloud.leftovers(Query(ids=(instance.id,))) == ()
    assert not Path(instance.address).exists()
    cloud.end([instance.id])  # what is not there is ended


def test_queries_restrict(cloud: LocalCompute) -> None:
    for token, owner in (("t1", "me"), ("t2", "me"), ("t3", "other")):
        cloud.launch(order(token, owner))
    assert {each.token for each in cloud.find(Query(owner="me")).instances} == {f"{RUN}-t1", f"{RUN}-t2"}
    assert [each.token for each in cloud.find(Query(token=f"{RUN}-t3")).instances] == [f"{RUN}-t3"]
    assert cloud.find(Query(ids=("local-nothing",))).instances == ()


def test_a_killed_machine_is_gone_and_what_is_left_of_it_is_found(cloud: LocalCompute) -> None:
    cloud.launch(order())
    instance = until(cloud, running)
    worker = start_on(instance, "sleep", "300")
    assert instance.pgid is not None
    os.killpg(instance.pgid, signal.SIGKILL)
    gone = until(cloud, lambda each: each.state is InstanceState.GONE)
    assert gone.why == "unknown"
    assert gone.ended_at is not None
    assert {each.kind for each in cloud.leftovers(Query(ids=(instance.id,)))} == {"folder", "process"}
    cloud.end([instance.id])
    worker.wait(timeout=10)


def test_a_reclaim_is_announced_then_kept_although_nobody_looks(cloud: LocalCompute) -> None:
    cloud.launch(order())
    instance = until(cloud, running)
    worker = start_on(instance, "sleep", "300")
    deadline = SystemClock().now() + timedelta(seconds=0.8)
    cloud.reclaim(instance.id, deadline, "injected at 25%")
    cloud.reclaim(instance.id, deadline + timedelta(seconds=60), "again")
    told = until(cloud, lambda each: each.reclaim_at is not None)
    assert abs(((told.reclaim_at or deadline) - deadline).total_seconds()) < 0.001
    assert told.tags["reclaim"] == "injected at 25%"
    assert Path(cloud.notice_probe(instance)["path"]).exists()
    worker.wait(timeout=30)
    assert until(cloud, lambda each: each.state is InstanceState.GONE).why == "reclaimed"


def test_others_processes_are_never_touched(cloud: LocalCompute) -> None:
    other = subprocess.Popen(["sleep", "300"])
    cloud.launch(order())
    instance = until(cloud, running)
    cloud.end([instance.id])
    assert other.poll() is None
    other.kill()
    other.wait()


def test_several_threads_may_tell_of_a_reclaim_at_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path)

    def tell(at: int) -> None:
        for deadline in range(at, at + 20):
            folder.write(NOTICE, {"deadline": deadline, "cause": "c"})

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(tell, (0, 100, 200, 300)))  # raises what a thread raised
    assert [path.name for path in tmp_path.iterdir()] == [NOTICE]
    told = folder.read(NOTICE)
    assert told is not None and told["cause"] == "c"


def test_a_machine_that_is_gone_hears_of_no_reclaim(cloud: LocalCompute) -> None:
    cloud.reclaim("local-gone", SystemClock().now(), "c")
    assert cloud.find(Query()).instances == ()

"""Grounds: one of each cloud, and how it is hurt, for the conformance cases to be played on."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

from door_pipe import DoorPipe
from doubles import SimClock
from odd.cloud import CAPABILITIES, STRANGER, OddCloud, idempotent
from odd.faults import Planned
from stub_gpus import Gpu, Smi

from tradewind.app.clock import SystemClock
from tradewind.clouds.local.compute import LocalCompute
from tradewind.clouds.machines.compute import MachinesCompute
from tradewind.domain.machine import Machine
from tradewind.leasing.tags import Tags, write
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Compute, Instance, InstanceState, Order, Query
from tradewind.ports.host import Host
from tradewind.ports.transport import Unreachable

RUN = uuid.uuid4().hex[:12]  # instances are found by their processes' marks: two test runs share no token
KIND = "H100-80GB"
PATIENCE_S = 30.0


class Ground:
    """One cloud to play on, in a folder; ``prefix`` begins the ids of its machines."""

    cloud: Compute
    clock: Clock
    place: Path
    prefix = ""
    furnish: Callable[[Order], Order] | None = None

    @property
    def nobodys(self) -> str:
        """The id of a machine that there never was."""
        return f"{self.prefix}{RUN}-never"

    @property
    def offer(self) -> dict[str, Any]:
        """What a leasing room rents here."""
        return {"cloud": self.cloud.name, "region": "r", "zone": None, "instance_type": "cpu",
                "purchase": "on_demand"}  # fmt: skip

    @cached_property
    def begun(self) -> datetime:
        """When this ground was first ordered on."""
        return self.clock.now()

    def order(self, name: str = "a", **changes: Any) -> Order:
        """An order of ours, as leasing writes it; asked for again it is the same."""
        token, owner = f"{RUN}-{name}", changes.get("owner", "me")
        hard_end = self.begun + timedelta(hours=1)
        told = Tags(owner, f"lease-{name}", token, hard_end, "job-1", 1, self.cloud.name, None)
        plain = Order(token=token, lease=f"lease-{name}", owner=owner, cloud=self.cloud.name, region="机房", zone=None,
                      instance_type="cpu", purchase="on_demand", hard_end=hard_end.isoformat(),
                      tags={**write(told), "名": "值 \n'\""})  # fmt: skip
        return replace(plain, **changes)

    def running(self, order: Order) -> Instance:
        """A machine that was made for an order and runs."""
        (id_,) = self.cloud.launch(order).ids
        return self.until(id_, lambda each: each.state is InstanceState.RUNNING)

    def until(self, id_: str, what: Callable[[Instance], bool]) -> Instance:
        """A machine once it is so."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            found = self.cloud.find(Query(ids=(id_,))).instances
            if found and what(found[0]):
                return found[0]
            self.pass_time()
        raise AssertionError(f"never: {self.cloud.find(Query())}")

    def pass_time(self) -> None:
        """A little time passes."""
        time.sleep(0.02)

    def virtual(self) -> SimClock:
        """Time that begins now and passes when it is told to."""
        clock = SimClock()
        clock.time = self.clock.now()
        return clock

    def ids(self) -> list[str]:
        """What is listed and not gone."""
        return sorted(each.id for each in self.cloud.find(Query()).instances if each.state is not InstanceState.GONE)

    def lose(self, *, done: bool) -> None:
        """The next launch's answer is lost; ``done``: what was asked was done all the same."""
        raise NotImplementedError

    def refuse(self) -> None:
        """The cloud cannot be reached any more."""
        raise NotImplementedError

    def reclaim(self, instance: Instance) -> None:
        """The cloud takes a machine back, with a short notice."""
        raise NotImplementedError

    def work_on(self, instance: Instance) -> subprocess.Popen[bytes] | None:
        """Something that runs on a machine, where there is anything to run on."""
        return None

    def close(self) -> None:
        """End what is there."""
        self.cloud.end([each.id for each in self.cloud.find(Query()).instances if each.owner != STRANGER])


class FolderGround(Ground):
    """A cloud whose machines are folders below ``machines``."""

    machines: Path

    def work_on(self, instance: Instance) -> subprocess.Popen[bytes]:
        env = {**os.environ, "TRADEWIND_INSTANCE": instance.id}
        return subprocess.Popen(["sleep", "300"], env=env, start_new_session=True)

    def reclaim(self, instance: Instance) -> None:
        reclaiming: Any = self.cloud
        reclaiming.reclaim(instance.id, self.clock.now() + timedelta(seconds=0.3), "the market")


class LocalGround(FolderGround):
    """This computer."""

    prefix = "local-"

    def __init__(self, place: Path) -> None:
        self.place, self.clock, self.machines = place, SystemClock(), place / "instances"
        self.cloud = LocalCompute(self.machines, self.clock)

    def refuse(self) -> None:
        self.cloud = LocalCompute(self.machines / "a-file", self.clock)
        self.machines.mkdir()
        (self.machines / "a-file").touch()

    def close(self) -> None:
        if self.machines.is_dir():
            self.cloud = LocalCompute(self.machines, self.clock)
            super().close()


class Hurt:
    """A host on whose way something happens to the next ``take``; ``asked`` are the operations in order."""

    def __init__(self, inner: Host) -> None:
        self.inner = inner
        self.asked: list[str] = []
        self.lost: bool | None = None
        self.away: Unreachable | None = None

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        if self.away is not None:
            raise self.away
        self.asked.append(op)
        if op != "take" or self.lost is None:
            return self.inner.ask(op, request, timeout_s)
        done, self.lost = self.lost, None
        if done:
            self.inner.ask(op, request, timeout_s)
        raise Unreachable("the link was cut", "cut", "maybe")

    @property
    def skew_s(self) -> float:
        return self.inner.skew_s


class MachinesGround(FolderGround):
    """A machine of one's own with two GPUs, whose door is the real one, the same for all cases."""

    prefix = "machine-"

    def __init__(self, place: Path) -> None:
        self.place, self.clock = place, SystemClock()
        self.box, self.pipe = _door()
        self.host = Hurt(self.pipe)
        self.machines = self.pipe.root / "instances"
        gpus = [{"index": index, "name": each.name} for index, each in enumerate(self.box.gpus)]
        machine = Machine("box", "box", datetime(2026, 11, 21, tzinfo=UTC), (), facts={"gpus": {"gpus": gpus}})
        self.cloud = MachinesCompute(machine, self.host, self.clock)

    def gpus_order(self, name: str, gpus: float, cloud: str = "machines") -> Order:
        """An order of so many GPUs."""
        return self.order(name, gpus=gpus, instance_type=f"{gpus:g}x-{KIND}", cloud=cloud)

    def many(self, count: int) -> None:
        """So many machines that have ended, as they lie there."""
        for number in range(count):
            order = self.order(str(number))
            folder = self.machines / f"{self.prefix}{order.token}"
            folder.mkdir(parents=True)
            told = {**json.loads(order.to_json()), "hard_end": 0.0, "launched_at": 1.0, "gpus": [],
                    "host": os.uname().nodename}  # fmt: skip
            (folder / "instance.json").write_text(json.dumps(told))
            (folder / "ended.json").write_text('{"at": 2.0, "why": "ours"}')

    def lose(self, *, done: bool) -> None:
        self.host.lost = done

    def refuse(self) -> None:
        self.host.away = Unreachable("connection refused", "connection-refused")

    def close(self) -> None:
        self.host.away, self.pipe.skew_s = None, 0.0
        super().close()


@cache
def _door() -> tuple[Smi, DoorPipe]:
    folder = Path(tempfile.mkdtemp(prefix="tradewind-conformance-"))
    box = Smi(folder / "gpus", Gpu(), Gpu())
    pipe = DoorPipe(folder / "root", env=box.env)
    atexit.register(shutil.rmtree, folder)
    atexit.register(pipe.close)  # first
    return box, pipe


class OddGround(Ground):
    """The misbehaving cloud, in virtual time; its tokens make one machine."""

    prefix = "m-"

    def __init__(self, place: Path) -> None:
        self.place, self.time, self.schedule = place, SimClock(), Planned()
        self.clock = self.time
        self.odd = OddCloud(self.time, self.schedule, idempotent(CAPABILITIES))
        self.cloud = self.odd

    def pass_time(self) -> None:
        self.time.sleep(1.0)

    def ids(self) -> list[str]:
        return [each for each in super().ids() if self.odd.machines[each].order.owner != STRANGER]

    def virtual(self) -> SimClock:
        return self.time

    def lose(self, *, done: bool) -> None:
        self.schedule.next("launch", "lost" if done else "unmade")

    def refuse(self) -> None:
        for op in ("launch", "find"):
            self.schedule.next(op, {"launch": "unsent", "find": "incomplete"}[op])

    def reclaim(self, instance: Instance) -> None:
        self.odd.reclaim(self.odd.machines[instance.id])


class Made(Protocol):
    """How a ground is made."""

    def __call__(self, place: Path) -> Ground: ...


GROUNDS: dict[str, Made] = {"local": LocalGround, "machines": MachinesGround, "odd": OddGround}

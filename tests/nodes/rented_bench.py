"""A rented machine for tests: an order, what is kept of it here, and a machine of the lab that boots with it."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

from lab.hypervisor import Hypervisor, require
from lab.machines import Guest
from road_bench import OWNER, PACE, Clock, agent, until
from transport_bench import agent_and_library

from tradewind.nodes.bundle import pack
from tradewind.nodes.first_boot import user_data
from tradewind.nodes.ssh.login import make_own_key, public_key
from tradewind.nodes.ssh.pace import Pace
from tradewind.nodes.ssh.pins import Pins
from tradewind.nodes.ssh.rented import RentedTransport
from tradewind.nodes.ssh.roads import Roads
from tradewind.ports.compute import HardEnd, Instance, InstanceState, Order
from tradewind.ports.transport import Parcel, Unreachable
from tradewind.wire import journal
from tradewind.wire.spec import Spec

_PACE = replace(PACE, barred_s=0.1)


def order(lives_s: float = 3600.0, **changes: Any) -> Order:
    """An order for a machine without GPUs."""
    hard_end = datetime.now(UTC) + timedelta(seconds=lives_s)
    made = Order(
        token=str(uuid.uuid4()), lease="lease-1", owner=OWNER, cloud="aws", region="us-east-1", zone="use1-az1",
        instance_type="g4dn.xlarge", purchase="spot", hard_end=hard_end.isoformat(),
        tags={"tradewind:lease": "lease-1"},
    )  # fmt: skip
    return replace(made, **changes)


class Rented:
    """One machine of a hypervisor, and the transport of the account that rents it.

    Attributes:
        order: what was ordered; ``text``: its user-data; ``instance``: as its cloud lists it once it is booted.
        off: set when the machine has powered itself off; ``silent``: machines that were told of as silent.
    """

    def __init__(self, home: Path, machines: Hypervisor, ordered: Order, ends_by: HardEnd, pace: Pace) -> None:
        self.pins, self._pace = Pins(home / "nodes"), pace
        self.order, self._home, self._machines = ordered, home, machines
        self.key = make_own_key(home)
        self.text = user_data(
            ordered, host_key=self.pins.begin(ordered), authorized_key=public_key(self.key), ends_by=ends_by
        )
        self.id = f"i-{ordered.token[:8]}"
        self.off = Event()
        self.instance = Instance(
            self.id, ordered.token, ordered.lease, ordered.owner, InstanceState.RUNNING, None, "", datetime.now(UTC)
        )
        self.silent: list[Instance] = []
        self.transport, self._roads = self._made()

    def boot(self, gpus: int = 0) -> None:
        """Boot the machine; it is reached some time later."""
        guest = Guest(
            self.id, "aws", self.text.encode(), shutdown="terminate", region="us-east-1", zone="use1-az1",
            instance_type="g4dn.xlarge", gpu="Tesla T4" if gpus else None, gpus=gpus, gpu_memory_mib=15360,
            token_required=True,
        )  # fmt: skip
        self.instance = replace(self.instance, address=self._machines.boot(guest, lambda _: self.off.set()))

    def reached(self) -> None:
        """Wait until it is."""
        until(lambda: self.fault() is None, f"{self.id}, {self.fault()}: {self._machines.console(self.id).decode()}")

    def fault(self) -> str | None:
        """The code with which it is not reached."""
        try:
            self.transport.reach(self.instance)
        except Unreachable as fault:
            return fault.code
        return None

    def run(self, command: str) -> str:
        """What a command there says."""
        words = self.transport.visit(self.instance)
        argv = [*words[: words.index("-t")], "--", command]
        return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=20).stdout

    def start(self, run: str, **spec: Any) -> None:
        """Start a job of one command."""
        work = self._home / "workdir"
        work.mkdir(exist_ok=True)
        packed = pack(work, self._home / "work.tar", most_bytes=1 << 20, most_files=10)
        told = Spec("job/1", "job", 1, 1, run, **{"host_environment": True, "notice": {"kind": "aws"}, **spec})
        self.transport.start(self.instance, Parcel(told.to_json(), packed.path, *agent_and_library(), self._home, {}))

    def told(self, type_: str) -> dict[str, dict[str, Any]]:
        """The records of the job's journal by type, once there is one of this type."""

        def look() -> dict[str, dict[str, Any]] | None:
            records, _ = journal.read_lines(self.transport.hear(self.instance, 0, 0, 1 << 20).journal)
            found = {each["type"]: each for each in records}
            return found if type_ in found else None

        found: dict[str, dict[str, Any]] = until(look, type_)
        return found

    def another_process(self) -> None:
        """From now on everything is asked by a transport that knows only what lies on the disk."""
        self._roads.close()
        self.transport, self._roads = self._made()

    def close(self) -> None:
        self._roads.close()
        self._machines.end(self.id)

    def _made(self) -> tuple[RentedTransport, Roads]:
        roads = Roads(OWNER, agent(), Clock(), pace=self._pace)
        ssh = self._home / "ssh"
        return RentedTransport(roads, self.pins, self.key, ssh, Clock(), self.silent.append), roads


@contextmanager
def hypervisor() -> Iterator[Hypervisor]:
    """Where machines boot; skips where none can, and fails where ``CI=true``."""
    require()
    made = Hypervisor()
    try:
        yield made
    finally:
        made.close()


Rent = Callable[..., Rented]


@contextmanager
def renting(home: Path, machines: Hypervisor) -> Iterator[Rent]:
    """Rents machines, booted or not, that are given back at the end."""
    made: list[Rented] = []

    def rent(
        ends_by: HardEnd = HardEnd.GUEST_TERMINATES, boots: bool = True, has_gpus: int = 0, pace: Pace = _PACE,
        **ordered: Any,
    ) -> Rented:  # fmt: skip
        rented = Rented(home, machines, order(**ordered), ends_by, pace)
        made.append(rented)
        if boots:
            rented.boot(has_gpus)
        return rented

    try:
        yield rent
    finally:
        for each in made:
            each.close()

"""Doubles of our own ports: a clock that is moved by hand, a cloud that misbehaves by order, nodes that answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tradewind.ports.clock import Clock
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    HardEnd,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)
from tradewind.ports.transport import Heard, Parcel, Unreachable

START = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


class SimClock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.time = START
        self._set_by = timedelta(0)

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return (self.time - self._set_by - START).total_seconds()

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)

    def jump(self, by: timedelta) -> None:
        """The wall clock is set; the monotonic one is not."""
        self.time += by
        self._set_by += by


ODD_CAPABILITIES = Capabilities(
    hard_end=HardEnd.SERVER_SIDE, native_idempotency=False, list_lag_s=5.0, absence_s=20.0, beat_s=1.0, hear_s=0.5,
    boot_s=120.0, notice_s=120.0,
)  # fmt: skip


@dataclass
class OddCloud:
    """A cloud in memory. ``faults`` are met one a launch: lose, error-yet-creates, refuse, throttle, unsent.

    For ``late_s`` after its launch a machine is not known: it is not listed, and not ended. What is made in ``parts``
    is PENDING until it was launched so often.
    """

    clock: Clock
    faults: list[str] = field(default_factory=list)
    machines: dict[str, Instance] = field(default_factory=dict)
    orders: list[str] = field(default_factory=list)
    complete: bool = True
    slow_ends: int = 0
    left: int = 0
    name: str = "odd"
    caps: Capabilities = ODD_CAPABILITIES
    prefix: str = "m"
    late_s: float = 0.0
    parts: int = 1

    def launch(self, order: Order) -> Accepted:
        self.orders.append(order.to_json())
        fault = self.faults.pop(0) if self.faults else "none"
        if fault.startswith("refuse"):
            kind = fault.partition(":")[2] or "capacity"
            raise CloudFault(kind, "none left", sent="yes")  # type: ignore[arg-type]
        if fault == "throttle":
            raise CloudFault("throttle", "slower", sent="yes", retry_after_s=3)
        if fault == "unsent":
            raise CloudFault("unavailable", "connection refused", sent="no")
        if fault == "nothing-made":
            raise CloudFault("unavailable", "timed out", sent="maybe")
        made = self._begun(order) or self.make(order)
        if fault == "twins":
            self.clock.sleep(1)
            self.make(order)
        if fault in ("lose", "twins"):
            raise CloudFault("unavailable", "timed out", sent="maybe")
        return Accepted((made.id,), self.clock.now())

    def _begun(self, order: Order) -> Instance | None:
        """What is made in parts and has one already, with one more."""
        found = next((each for each in self.machines.values() if each.token == order.token), None)
        if found is None or self.parts == 1:
            return None
        if self.orders.count(order.to_json()) >= self.parts:
            self.set(found.id, state=InstanceState.RUNNING)
        return found

    def make(self, order: Order) -> Instance:
        made = Instance(
            id=f"{self.prefix}-{len(self.machines)}", token=order.token, lease=order.lease, owner=order.owner,
            state=InstanceState.RUNNING if self.parts == 1 else InstanceState.PENDING, why=None, address="nowhere",
            launched_at=self.clock.now(), tags=order.tags,
        )  # fmt: skip
        self.machines[made.id] = made
        return made

    def find(self, query: Query) -> Listing:
        found = tuple(each for each in self.machines.values() if query.matches(each) and self._known(each))
        why = None if self.complete else "the cloud is away"
        return Listing(found if self.complete else (), self.complete, self.clock.now(), why)

    def end(self, ids: Sequence[str]) -> None:
        if self.slow_ends:
            self.slow_ends -= 1
            raise CloudFault("unavailable", "try again", sent="maybe")
        for id_ in ids:
            if id_ in self.machines and self._known(self.machines[id_]):
                self.machines.pop(id_)

    def _known(self, machine: Instance) -> bool:
        return not self.late_s or (self.clock.now() - machine.launched_at).total_seconds() >= self.late_s

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        if self.left:
            self.left -= 1
            return (Leftover("disk", "d-1", query.lease or ""),)
        return ()

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        return {"kind": "file", "path": "/nowhere"}

    def set(self, id_: str, **changes: object) -> None:
        self.machines[id_] = replace(self.machines[id_], **changes)  # type: ignore[arg-type]


@dataclass
class OddSecrets:
    """Secrets as one process has them, by job."""

    known: dict[str, dict[str, str]] = field(default_factory=dict)

    def of(self, job: str, names: Sequence[str]) -> Mapping[str, str] | None:
        return None if self.missing(job, names) else {name: self.known[job][name] for name in names}

    def missing(self, job: str, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in self.known.get(job, {}))

    def forget(self, job: str) -> None:
        self.known.pop(job, None)


@dataclass
class OddNodes:
    """Nodes that answer, unless told to be silent.

    ``skew_s`` is the error of their clock. A checkpoint is brought home when it was asked for ``slow`` times; ``asked``
    are the paths in order, ``torn`` those that come to nothing. ``given`` are the secrets of the last start or revival.
    """

    silent: bool = False
    journal: bytes = b""
    log: bytes = b""
    alive: bool = True
    started: list[str] = field(default_factory=list)
    revived: int = 0
    commands: list[str] = field(default_factory=list)
    outputs: dict[str, bytes] = field(default_factory=dict)
    skew_s: float = 0.0
    slow: int = 0
    asked: list[str] = field(default_factory=list)
    torn: set[str] = field(default_factory=set)
    given: Mapping[str, str] = field(default_factory=dict)

    def reach(self, instance: Instance) -> None:
        if self.silent:
            raise Unreachable(f"{instance.id} does not answer", "timed-out")

    def store(self, instance: Instance, here: Path) -> str:
        return str(here)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        self.reach(instance)
        self.given = parcel.secrets
        if parcel.spec not in self.started:
            self.started.append(parcel.spec)

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        self.revived += 1
        self.given = secrets
        self.alive = True

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        self.reach(instance)
        return Heard(self.journal[journal_offset:][:limit], self.log[log_offset:][:limit], self.alive, self.skew_s)

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        self.reach(instance)
        self.asked.append(path)
        if path in self.torn:
            raise ValueError(f"{path} is torn")
        return self.asked.count(path) > self.slow

    def command(self, instance: Instance, text: str, name: str) -> None:
        if name not in self.commands:
            self.commands.append(name)

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        into.mkdir(parents=True)
        for name, data in self.outputs.items():
            (into / name).write_bytes(data)
        return tuple(sorted(self.outputs))

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        return ("bash",)

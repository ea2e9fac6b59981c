"""Hosts that answer without SSH: doubles of the roads to them, and an inside whose machines are reached over these."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tradewind.app.inside import Inside, open_inside
from tradewind.app.machines.reaching import Reach
from tradewind.app.settings import Settings
from tradewind.domain.machine import Machine
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JobState, LeaseState
from tradewind.ports.clock import Clock
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.store import records

ADDED = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC"
DISK = {"path": "/home/ada", "total_gb": 500.0, "free_gb": 200.0, "kind": "ext4", "network": False, "noexec": False}


def gpu(index: int, name: str = "NVIDIA GeForce RTX 4090", **more: Any) -> dict[str, Any]:
    """A GPU as the door tells of it."""
    usual = {"uuid": f"GPU-{index}", "memory_gib": 24.0, "used_by": [], "held_by": None}
    return {"index": index, "name": name, **usual, **more}


def facts(*gpus: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What a healthy host says of itself."""
    told = {
        "now": 1e9, "hostname": "box", "os": "Debian", "kernel": "Linux 6.1", "machine": "x86_64", "python": "3.11.2",
        "cpus": 16, "memory_gib": 128.0, "memory_free_gib": 100.0, "root": DISK, "home_disk": DISK,
        "shm": {**DISK, "path": "/dev/shm", "total_gb": 64.0}, "tmp": {**DISK, "path": "/tmp"},
        "open_files": {"soft": 65536, "hard": None}, "bash": "/bin/bash", "processes_end_at_logout": False,
        "programs": {"rsync": "/usr/bin/rsync"}, "docker": "usable", "docker_gpus": True, "podman": None,
        "podman_gpus": None, "unknown": {},
        "gpus": {"gpus": list(gpus), "driver": "550.90.07", "how": "nvml", "unknown": None},
    }  # fmt: skip
    return told | more


def machine(name: str = "box", *gpus: dict[str, Any], **more: Any) -> Machine:
    """A machine as it was added, with these GPUs."""
    usual: dict[str, Any] = {"host": f"{name}.lab.org", "added_at": ADDED, "host_keys": (KEY,)}
    return Machine(name, **(usual | {"facts": facts(*gpus, checked_at="2026-11-20T09:00:00.000Z")} | more))


@dataclass
class Host:
    """A host; ``answers`` by operation, ``away`` what keeps it, ``asked`` what it was asked."""

    answers: dict[str, Any] = field(default_factory=dict)
    away: Unreachable | None = None
    refuses: dict[str, HostRefused] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    skew_s: float = 0.0

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 0.0) -> dict[str, Any]:
        return self.exchange(op, request)[0]

    def exchange(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = 0.0
    ) -> tuple[dict[str, Any], bytes]:
        self.asked.append(op)
        if self.away is not None:
            raise self.away
        if op in self.refuses:
            raise self.refuses[op]
        usual: dict[str, Any] = {
            "hello": {}, "facts": facts(), "gpus": facts()["gpus"], "instances": {"instances": []},
            "leftovers": {"leftovers": []}, "remove": {"removed": ["/home/ada/.tradewind-node"]}, "authorize": {},
        }  # fmt: skip
        return {**usual, **self.answers}[op], b""

    def begin(self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = 0.0) -> Future[Any]:
        raise NotImplementedError


@dataclass
class Person:
    """Somebody at a terminal, who says the same to everything."""

    says: str | None = "yes"
    heard: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def ask(self, code: str, facts: Mapping[str, str]) -> str | None:
        self.heard.append((code, dict(facts)))
        return self.says


def job_on(
    inside: Inside, account: str, *, wanted: bool = True, lease: bool = True, pools: int = 1, **more: Any
) -> Job:
    """A running job, `job-1`, with its lease `lease-1`, of that account; ``pools`` where it may rent."""
    now = inside.clock.now()
    places = [{"account": account if place == 0 else "machines:other"} for place in range(pools)]
    job = Job(id="job-1", name="train", state=JobState.RUNNING, wanted=wanted, rehearsal=False, account=account,
              workload=more, plan=None, settings={"pools": places}, submitted_at=now, state_since=now,
              wake_at=now)  # fmt: skip
    rented = Lease(
        id="lease-1", token="t", kind="instance", state=LeaseState.RUNNING, job="job-1", epoch=1, account=account,
        offer={"gpus": 1}, order="{}", wanted=wanted, created_at=now, state_since=now, hard_end=now,
        hard_end_by="processes_only", wake_at=now, cloud_id="machine-t", node={"address": "/home/ada/instances/t"},
    )  # fmt: skip
    with inside.db.write() as db:
        records.insert(db, job)
        if lease:
            records.insert(db, rented)
    return job


class Lab(Reach):
    """A reach to hosts by the name of the host; of others there is none."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        super().__init__(settings, clock)
        self.hosts: dict[str, Host] = {}
        self.forgotten: list[str] = []

    def to(self, address: Any) -> Any:
        away = Host(away=Unreachable(f"{address.host}: no such host", "host-unknown"))
        return self.hosts.get(address.host, away)

    def forget(self, machine: Machine) -> None:
        self.forgotten.append(machine.host)


def open_lab(folder: Path, clock: Clock) -> tuple[Inside, Lab]:
    """The inside of a home in ``folder`` whose machines are reached in a lab."""
    settings = Settings(folder)
    lab = Lab(settings, clock)
    return open_inside(settings, clock, lab), lab

"""Going to where a job works, and bringing home what it made."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.app.accounts import HERE, MACHINES, REHEARSAL, kind_of
from tradewind.app.finding import find_job
from tradewind.app.interface import Answer
from tradewind.app.machines.answering import refused
from tradewind.domain.errors import BadInput
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JOB_ENDED, LeaseState
from tradewind.jobs.room import instance_of
from tradewind.ports.transport import Unreachable
from tradewind.store import records

if TYPE_CHECKING:
    from tradewind.app.inside import Inside

_ON_A_NODE = (LeaseState.RUNNING, LeaseState.SUSPECT)
_GATHERING = ".fetching"  # in the outputs' folder, while they are being fetched


def visit(inside: Inside, name: str, ports: bool) -> Answer:
    """The answer of ``visit``; raises as the control plane's."""
    with inside.db.read() as db:
        job = find_job(db, name)
        leases = records.leases(db, job=job.id, open_only=True)
    lease = next((each for each in reversed(leases) if each.wanted and each.node and each.state in _ON_A_NODE), None)
    if lease is None:
        raise BadInput("job-not-on-a-node", job=job.id, state=job.state.value)
    wanted: list[int] = job.workload.get("ports") or []
    if ports and not wanted:
        raise BadInput("no-ports", job=job.id)
    pairs = tuple((_free_port(each), each) for each in wanted) if ports else ()
    try:
        argv = inside.jobs.transport(lease).visit(instance_of(lease), pairs)
    except Unreachable as fault:
        raise refused(fault, _target(inside, lease)) from fault
    tunnels = pairs if argv else tuple((each, each) for _, each in pairs)  # none are needed on this computer
    return {"argv": list(argv), "target": _target(inside, lease),
            "ports": [{"port": there, "local": here} for here, there in tunnels]}  # fmt: skip


def _target(inside: Inside, lease: Lease) -> str:
    if lease.account in HERE:
        return socket.gethostname()
    if kind_of(lease.account) in (MACHINES, REHEARSAL):
        return inside.registry.require(lease.account.partition(":")[2]).target
    return f"root@{(lease.node or {}).get('address', '')}"


def _free_port(wanted: int) -> int:
    """A port of this computer's loopback address that nobody listens at: the one wanted, where that is free."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no port is free")


def fetch(inside: Inside, name: str, to: Path | None) -> Answer:
    """The answer of ``fetch``; raises as the control plane's."""
    with inside.db.read() as db:
        job = find_job(db, name)
    outputs = inside.jobs.job_folder(job.id) / "outputs"
    files = sorted(_files(outputs))
    if not files:
        raise BadInput("no-outputs", job=job.id, state=job.state.value)
    if to is not None:
        _copy(outputs, files, to)
    told = [{"name": each.as_posix(), "bytes": (outputs / each).stat().st_size} for each in files]
    return {
        "job": job.id, "path": str(outputs), "to": str(to.absolute()) if to else None, "files": told,
        "bytes": sum((outputs / each).stat().st_size for each in files), "running": _running(job),
    }  # fmt: skip


def _running(job: Job) -> bool:
    return job.state not in JOB_ENDED


def _files(folder: Path) -> Iterator[Path]:
    for path, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if each != _GATHERING]
        yield from ((Path(path) / each).relative_to(folder) for each in names)


def _copy(outputs: Path, files: list[Path], to: Path) -> None:
    try:
        for each in files:
            (to / each).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(outputs / each, to / each)
            shutil.copystat(outputs / each, to / each)
    except (NotADirectoryError, FileExistsError, IsADirectoryError) as fault:
        raise BadInput("fetch-target-taken", path=fault.filename) from fault

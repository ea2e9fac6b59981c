"""LocalCompute: renting on this computer. Instances live under one folder, named after their tokens."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil

from tradewind.clouds.local import processes
from tradewind.clouds.local.folder import ENDED, INSTANCE, MACHINE, NOTICE, Folder, instant
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

# beat, absence and list lag: the list is the process table, so it lags by nothing. boot: a Python process must start.
CAPABILITIES = Capabilities(
    hard_end=HardEnd.PROCESSES_ONLY, native_idempotency=True, list_lag_s=0.0, absence_s=2.0, beat_s=1.0, hear_s=0.5,
    boot_s=60.0, notice_s=30.0, host_environment=False,
)  # fmt: skip
_STARTING = timedelta(seconds=15)


class LocalCompute:
    """The Compute port on this computer; also reclaims, as spot markets do."""

    name = "local"
    caps = CAPABILITIES

    def __init__(self, root: Path, clock: Clock) -> None:
        self._root = root
        self._clock = clock

    def launch(self, order: Order) -> Accepted:
        """Make the folder, in one rename, and start the process that holds it. The same token gives the same one.

        Raises:
            CloudFault: ``conflict``, the token was used for another order; the folder cannot be made.
        """
        folder = Folder(self._root / f"local-{order.token}")
        try:
            if not folder.path.exists():
                self._make(folder, order)
        except OSError as fault:
            raise CloudFault("unavailable", f"{self._root}: {fault.strerror}", sent="no") from fault
        identity = folder.read(INSTANCE) or {}
        if identity.get("order", order.to_json()) != order.to_json():
            raise CloudFault("conflict", f"{folder.id} was made by another order", sent="yes")
        if folder.read(MACHINE) is None and folder.read(ENDED) is None:
            self._start(folder)
        return Accepted((folder.id,), instant(identity["launched_at"]))

    def _make(self, folder: Folder, order: Order) -> None:
        self._root.mkdir(parents=True, exist_ok=True)
        draft = Folder(self._root / f".draft-{uuid.uuid4()}")
        draft.path.mkdir(mode=0o700)
        draft.write(INSTANCE, {
            "token": order.token, "lease": order.lease, "owner": order.owner, "tags": order.tags,
            "instance_type": order.instance_type, "region": order.region, "zone": order.zone,
            "purchase": order.purchase, "order": order.to_json(),
            "hard_end": datetime.fromisoformat(order.hard_end).timestamp(),
            "launched_at": self._clock.now().timestamp(),
        })  # fmt: skip
        try:
            draft.path.rename(folder.path)
        except OSError:
            shutil.rmtree(draft.path, ignore_errors=True)  # another launch of this token was first
            if not folder.path.exists():
                raise

    def _start(self, folder: Folder) -> None:
        """Start the holding process; it leaves us at once, so nobody waits for its end."""
        with (folder.path / "machine.log").open("ab") as log:
            subprocess.run(
                [sys.executable, "-m", "tradewind.clouds.local.machine", str(folder.path)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", check=False,
                env={**_python_environment(), processes.MARK: folder.id},
            )  # fmt: skip

    def find(self, query: Query) -> Listing:
        """All instances that match; an ended one as long as its folder is there."""
        now = self._clock.now()
        try:
            found = tuple(self._instance(folder, now) for folder in self._folders())
        except OSError:
            return Listing((), complete=False, seen_at=now)
        return Listing(tuple(each for each in found if each and query.matches(each)), complete=True, seen_at=now)

    def _folders(self) -> Iterator[Folder]:
        if self._root.exists():
            for path in sorted(self._root.iterdir()):
                if path.name.startswith("local-"):
                    yield Folder(path)

    def _instance(self, folder: Folder, now: datetime) -> Instance | None:
        identity = folder.read(INSTANCE)
        if identity is None:
            return None  # taken away while we looked
        machine, notice = folder.read(MACHINE), folder.read(NOTICE)
        state, ended = self._state(folder, identity, machine, now)
        seen = Instance(
            id=folder.id, token=identity["token"], lease=identity["lease"], owner=identity["owner"], state=state,
            why=ended["why"] if ended else None, address=str(folder.path),
            launched_at=instant(identity["launched_at"]), ended_at=instant(ended["at"]) if ended else None,
            pgid=machine["pgid"] if machine else None, tags=identity["tags"],
            instance_type=identity.get("instance_type"), region=identity.get("region"), zone=identity.get("zone"),
            purchase=identity.get("purchase"),
        )  # fmt: skip
        if notice:
            tags = {**seen.tags, "reclaim": str(notice.get("cause", ""))}
            seen = replace(seen, reclaim_at=instant(notice["deadline"]), tags=tags)
        return seen

    def _state(
        self, folder: Folder, identity: dict[str, Any], machine: dict[str, Any] | None, now: datetime
    ) -> tuple[InstanceState, dict[str, Any] | None]:
        ended = folder.read(ENDED)
        if ended:
            return InstanceState.GONE, ended
        if machine is None:
            if now - instant(identity["launched_at"]) < _STARTING:
                return InstanceState.PENDING, None
            return InstanceState.FAILED, {"at": now.timestamp(), "why": "host"}
        if machine.get("boot") != processes.boot():  # whoever has its number now is another
            latest = min(now.timestamp(), psutil.boot_time())
            return InstanceState.GONE, _ended(folder, max(latest, identity["launched_at"]), "host")
        if processes.alive(machine["pid"], machine["started"]):
            return InstanceState.RUNNING, None
        return InstanceState.GONE, _ended(folder, now.timestamp(), "unknown")  # killed: the first look says when

    def end(self, ids: Sequence[str]) -> None:
        """Kill everything of the instances and take their folders away; what is not there is ended."""
        for id_ in ids:
            folder = Folder(self._root / id_)
            if not folder.path.exists() and not processes.of_instance(id_):
                continue
            if not processes.end_all(id_):
                raise CloudFault("unavailable", f"processes of {id_} do not end", sent="yes")
            shutil.rmtree(folder.path, ignore_errors=True)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """What is left of instances: processes, and of those named by id their folders, which cost nothing."""
        if query.ids is None:
            gone = [each for each in self.find(query).instances if each.state is InstanceState.GONE]
            return tuple(Leftover("process", each.id, each.lease) for each in gone if processes.of_instance(each.id))
        left = [Leftover("folder", id_, query.lease or "") for id_ in query.ids if (self._root / id_).exists()]
        left += [Leftover("process", id_, query.lease or "") for id_ in query.ids if processes.of_instance(id_)]
        return tuple(left)

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """A file in the instance's folder."""
        return {"kind": "file", "path": str(Path(instance.address) / NOTICE)}

    def reclaim(self, id_: str, deadline: datetime, cause: str) -> None:
        """Announce that the instance is taken at ``deadline``; said once, a second word changes nothing."""
        with contextlib.suppress(FileNotFoundError):  # taken away meanwhile: there is nobody to tell
            Folder(self._root / id_).write_once(NOTICE, {"deadline": deadline.timestamp(), "cause": cause})


def _ended(folder: Folder, at: float, why: str) -> dict[str, Any]:
    """How the instance ended: as was written first."""
    ended = {"at": at, "why": why}
    folder.write_once(ENDED, ended)
    return folder.read(ENDED) or ended


def _python_environment() -> dict[str, str]:
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ}

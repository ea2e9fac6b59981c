"""Bringing checkpoints home: each into the job's store here, whole, while the caller goes on."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tradewind.nodes.outputs import Entry, gather
from tradewind.nodes.ssh.channel import Channel
from tradewind.nodes.ssh.fetching import from_instance
from tradewind.nodes.ssh.sending import STORE
from tradewind.ports.compute import Instance
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.wire import manifest, shelf


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A checkpoint of an instance, and the store it is for."""

    id: str
    epoch: int
    step: int
    store: Path

    @property
    def name(self) -> str:
        return f"{manifest.epoch_folder(self.epoch)}/{manifest.folder_name(self.step)}"


class _Pull(threading.Thread):
    """One checkpoint on its way home. A process that ends does not wait for it: what came lies in its draft."""

    def __init__(self, channel: Channel, wanted: _Wanted) -> None:
        super().__init__(name=f"keep-{wanted.name}", daemon=True)
        self.wanted = wanted
        self.fault: Exception | None = None
        self._channel = channel

    def run(self) -> None:
        try:
            bring_home(self._channel, self.wanted)
        except OSError as fault:  # no room here: what came stays, and it goes on when there is
            self.fault = Unreachable(f"{self.wanted.store}: {fault}")
        except Exception as fault:  # noqa: BLE001 - it is the answer to the next who asks
            self.fault = fault


class Keeping:
    """The pulls of one machine's instances: one at a time each, and one that began is not dropped for a newer one.

    With checkpoints that come faster than they can be brought home, none ever would be.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._pulls: dict[str, _Pull] = {}

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        """Whether the checkpoint at ``path`` lies in the store; see ``ports.Transport.keep``."""
        wanted = _wanted(instance, path, store)
        with self._lock:
            if shelf.is_complete(str(store / wanted.name)):
                return True
            pull = self._pulls.get(instance.id)
            if pull is not None and pull.is_alive():
                return False
            if pull is not None and pull.wanted == wanted and pull.fault is not None:
                del self._pulls[instance.id]
                raise pull.fault
            self._pulls[instance.id] = _Pull(self._channel, wanted)
            self._pulls[instance.id].start()
            return False


def _wanted(instance: Instance, path: str, store: Path) -> _Wanted:
    try:
        names = PurePosixPath(path).relative_to(f"{instance.address}/{STORE}").parts
        epoch, step = (read(name) for read, name in zip((manifest.epoch_of, manifest.step_of), names, strict=True))
    except ValueError:
        epoch = step = None
    if epoch is None or step is None:
        raise ValueError(f"{path} is no checkpoint of {instance.id}")
    return _Wanted(instance.id, epoch, step, store)


def bring_home(channel: Channel, wanted: _Wanted) -> None:
    """Fetch a checkpoint into the store and take out what need not be kept.

    Raises:
        ValueError: it is torn or gone, or a newer epoch has begun here.
        Unreachable, OSError: no line, no room here; what came is not fetched again.
    """
    store, folder = wanted.store, wanted.store / manifest.epoch_folder(wanted.epoch)
    draft = folder / f"{shelf.DRAFT}{manifest.folder_name(wanted.step)}"
    for other in folder.glob(f"{shelf.DRAFT}*"):
        if other != draft:
            shutil.rmtree(other)
    try:
        shelf.pass_fence(str(store), wanted.epoch)
        pinned = channel.ask("pin", {"id": wanted.id, "path": f"{STORE}/{wanted.name}"})
        told = pinned["manifest"]
        _link_known(store, told["files"], draft)
        gather(told["files"], from_instance(channel, wanted.id, pinned["path"]), draft)
        (draft / manifest.MANIFEST).write_text(json.dumps(told, sort_keys=True))
        _sync(draft)
        shelf.pass_fence(str(store), wanted.epoch)
    except shelf.Fenced as no:
        raise ValueError(str(no)) from no
    except HostRefused as no:
        if no.kind in ("gone", "invalid"):
            raise ValueError(no.words) from no
        raise Unreachable(no.words) from no
    _put(draft, store / wanted.name)
    for each in shelf.surplus(shelf.complete(str(store)), wanted.epoch):
        _remove(Path(each.path))
    channel.ask("pin", {"id": wanted.id, "path": None})


def _link_known(store: Path, files: list[Entry], draft: Path) -> None:
    """Files that lie here already in the newest checkpoint need not come again; that they are whole is still checked.

    A script that numbers its files leaves most of them as they were.
    """
    newest = next((Path(each.path) for each in reversed(shelf.complete(str(store)))), None)
    if newest is None:
        return
    known = {_identity(entry) for entry in manifest.read(str(newest))["files"]}
    for entry in files:
        here, place = newest / entry["name"], draft / entry["name"]
        if _identity(entry) not in known or ".." in here.parts or place.exists():
            continue
        with contextlib.suppress(OSError):  # no links on this file system, or no such file
            if here.stat().st_size == entry["bytes"]:  # a shorter one would be gone on with, in both places
                place.parent.mkdir(parents=True, exist_ok=True)
                place.hardlink_to(here)


def _identity(entry: Entry) -> tuple[str, int, str]:
    return str(entry["name"]), int(entry["bytes"]), str(entry["crc32"])


def _put(draft: Path, place: Path) -> None:
    """Give a whole draft its name, in place of a torn one of the same step."""
    if place.exists():
        _remove(place)
    draft.rename(place)
    _sync_folder(place.parent)


def _remove(folder: Path) -> None:
    """Take a folder away: renamed first, so that no reader sees half of it under its name."""
    aside = folder.with_name(f"{shelf.DRAFT}gone-{folder.name}")
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def _sync(folder: Path) -> None:
    """What lies in a folder is on disk."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            _sync_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

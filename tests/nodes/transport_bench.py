"""A home with a workdir and a store, and one instance on a host that is reached through its door."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from door_pipe import take

from tradewind.nodes.bundle import pack
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.channel import Channel
from tradewind.nodes.ssh.transport import SshTransport
from tradewind.ports.transport import Parcel, Transport
from tradewind.wire import journal, manifest
from tradewind.wire.spec import Spec

WAIT_SECONDS = 20.0
SECRETS = {"TOKEN": "sesame\nopen"}
CHUNK = 1 << 20


@cache
def agent_and_library() -> tuple[Path, Path]:
    into = Path(mkdtemp(prefix="tradewind-parcel-"))
    return build_agent(into), build_library(into)


def wait_for(look: Callable[[], bool], what: str, seconds: float = WAIT_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A file system of its own; skips where none may be mounted."""
    place.mkdir()
    options = f"size={megabytes}m,mode=700"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=False)
    if mounted.returncode != 0:
        pytest.skip("no file system may be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


class Bench:
    """``instance`` is taken on ``host``; ``end`` gives it back."""

    def __init__(self, place: Path, host: Channel, address: Address) -> None:
        self.place = place
        self.host = host
        self.transport: Transport = SshTransport(host, address, place / "ssh")
        self.instance = take(host)
        self.folder = Path(self.instance.address)
        self.work = place / "workdir"
        self.work.mkdir()
        self.store = place / "store"
        self.store.mkdir()

    def parcel(self, run: str, **changes: Any) -> Parcel:
        env = {"PATH": os.environ["PATH"], "PY": sys.executable}
        given: dict[str, Any] = {
            "key": "job/1", "job": "job", "epoch": 1, "attempt": 1, "env": env, "secrets": ["TOKEN"],
            "store": self.transport.store(self.instance, self.store),
        }  # fmt: skip
        packed = pack(self.work, self.place / "work.tar", most_bytes=1 << 34, most_files=1 << 20)
        spec = Spec(run=run, **{**given, **changes}).to_json()
        return Parcel(spec, packed.path, *agent_and_library(), self.store, SECRETS)

    def checkpoint(self, step: int, data: bytes, epoch: int = 1) -> str:
        """A checkpoint as the instance's agent publishes it."""
        folder = self.folder / "store" / manifest.epoch_folder(epoch) / manifest.folder_name(step)
        (folder / "deep").mkdir(parents=True)
        (folder / "model.pt").write_bytes(data)
        (folder / "deep" / "empty").touch()
        (folder / manifest.MANIFEST).write_text(json.dumps(manifest.build(str(folder), step, epoch, 1.0)))
        return str(folder)

    def told(self, type_: str) -> list[dict[str, Any]]:
        heard = self.transport.hear(self.instance, 0, 0, 1 << 20)
        return [each for each in journal.read_lines(heard.journal)[0] if each["type"] == type_]

    def wait(self, type_: str, number: int = 1) -> dict[str, Any]:
        wait_for(lambda: len(self.told(type_)) >= number, type_)
        return self.told(type_)[number - 1]

    def kept(self, path: str) -> bool:
        wait_for(lambda: self.transport.keep(self.instance, path, self.store), path)
        return True

    def end(self) -> None:
        self.host.ask("end", {"ids": [self.instance.id]})

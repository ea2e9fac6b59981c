"""Fetching files of an instance: what a draft has already is not asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from tradewind.nodes.ssh.channel import FRAME_SECONDS, Answer, Channel, in_flight
from tradewind.wire.door import CHUNK

Entry = Mapping[str, Any]
_RANGES_AT_ONCE = 500
_Range = tuple[str, int, int]  # name, offset, at most so many bytes


def from_instance(channel: Channel, id_: str, base: str) -> Callable[[Sequence[Entry], Path], None]:
    """Brings files that lie below ``base`` in the instance's folder into a folder here; see ``outputs.gather``."""

    def bring(files: Sequence[Entry], into: Path) -> None:
        batches = list(_batches(_ranges(files, into)))
        for batch, (told, body) in zip(batches, in_flight(_asked(channel, id_, base, batches)), strict=True):
            _append(batch, told["files"], body, into)

    return bring


def _ranges(files: Sequence[Entry], into: Path) -> Iterator[_Range]:
    """What is still to come of each file; at least one range of each, so that an empty one is made, too."""
    for entry in files:
        name, size = str(entry["name"]), int(entry["bytes"])
        place = into / name
        present = place.stat().st_size if place.exists() else 0
        for offset in range(present, max(size, present + 1), CHUNK):
            yield name, offset, min(CHUNK, max(0, size - offset))


def _batches(ranges: Iterator[_Range]) -> Iterator[list[_Range]]:
    """Ranges that are asked for together: small files by hundreds, large ones part by part."""
    batch: list[_Range] = []
    size = 0
    for each in ranges:
        if batch and (size + each[2] > CHUNK or len(batch) == _RANGES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += each[2]
    if batch:
        yield batch


def _asked(channel: Channel, id_: str, base: str, batches: Sequence[Sequence[_Range]]) -> Iterator[Future[Answer]]:
    for batch in batches:
        ranges = [[f"{base}/{name}", offset, limit] for name, offset, limit in batch]
        yield channel.begin("read", {"id": id_, "ranges": ranges}, b"", FRAME_SECONDS)


def _append(batch: Sequence[_Range], told: Sequence[Mapping[str, Any]], body: bytes, into: Path) -> None:
    at = 0
    for (name, _, _), entry in zip(batch, told, strict=True):
        place = into / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("ab") as file:
            file.write(body[at : at + entry["read"]])
        if entry["runs"]:
            place.chmod(0o755)
        at += entry["read"]

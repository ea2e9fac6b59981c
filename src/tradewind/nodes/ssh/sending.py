"""Sending: what a host lacks of a workdir, by content; fence and newest checkpoint of the job's store."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tradewind.nodes.ssh.channel import FRAME_SECONDS, Answer, Channel, in_flight, patience
from tradewind.ports.host import HostRefused
from tradewind.wire import manifest, shelf
from tradewind.wire.door import CHUNK

STORE = "store"  # an instance's own copy of what it needs of the job's store
_ASKED_AT_ONCE = 20_000
_SMALL_AT_ONCE = 4_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A blob: ``bytes`` of the file ``path`` from ``offset`` on."""

    path: Path
    offset: int
    bytes: int


def pieces_of(archive: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, Piece]:
    """What lies in an archive, by sha256; what is empty need not travel."""
    files = (entry for entry in entries if entry["kind"] == "file" and entry["bytes"])
    return {entry["sha256"]: Piece(archive, entry["offset"], entry["bytes"]) for entry in files}


def whole(path: Path) -> tuple[str, Piece]:
    """A file as one blob, with its sha256."""
    data = path.read_bytes()
    return hashlib.sha256(data).hexdigest(), Piece(path, 0, len(data))


def send(channel: Channel, pieces: Mapping[str, Piece]) -> None:
    """Send what the host lacks of these, large ones from where they were cut off."""
    for _ in in_flight(_frames(channel, pieces, _missing(channel, pieces))):
        pass


def _missing(channel: Channel, pieces: Mapping[str, Piece]) -> dict[str, int]:
    """What the host lacks, by sha256, and how many bytes of it are there."""
    names, missing = list(pieces), {}
    for start in range(0, len(names), _ASKED_AT_ONCE):
        asked = [[name, pieces[name].bytes] for name in names[start : start + _ASKED_AT_ONCE]]
        missing.update(channel.ask("have", {"blobs": asked}, FRAME_SECONDS)["missing"])
    return missing


def _frames(channel: Channel, pieces: Mapping[str, Piece], missing: Mapping[str, int]) -> Iterator[Future[Answer]]:
    for names in _batches(pieces, [name for name in missing if pieces[name].bytes < CHUNK]):
        body = b"".join(_read(pieces[name], 0) for name in names)
        yield channel.begin("blobs", {"items": [[name, pieces[name].bytes] for name in names]}, body, FRAME_SECONDS)
    for name, present in missing.items():
        piece = pieces[name]
        for offset in range(present, piece.bytes, CHUNK) if piece.bytes >= CHUNK else ():
            asked = {"sha256": name, "offset": offset, "bytes": piece.bytes}
            yield channel.begin("part", asked, _read(piece, offset), patience(piece.bytes))


def _batches(pieces: Mapping[str, Piece], names: Sequence[str]) -> Iterator[list[str]]:
    """Small blobs that go together: at most a frame's bytes, in the order in which they lie in their file."""
    batch: list[str] = []
    size = 0
    for name in sorted(names, key=lambda each: (pieces[each].path, pieces[each].offset)):
        if batch and (size + pieces[name].bytes > CHUNK or len(batch) == _SMALL_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(name)
        size += pieces[name].bytes
    if batch:
        yield batch


def _read(piece: Piece, start: int) -> bytes:
    """What fits into a frame of a piece, from its byte ``start`` on."""
    handle = os.open(piece.path, os.O_RDONLY)
    try:
        return os.pread(handle, min(CHUNK, piece.bytes - start), piece.offset + start)
    finally:
        os.close(handle)


def hand_on(channel: Channel, id_: str, store: Path, epoch: int) -> None:
    """Put fence and newest whole checkpoint of the epochs before ``epoch`` into the instance's own store.

    A torn checkpoint is passed over; one that the instance has is not sent again.
    """
    fence = store / manifest.FENCE
    if fence.exists():
        text = fence.read_bytes()
        _put(channel, id_, f"{STORE}/{manifest.FENCE}", fence, len(text), f"{zlib.crc32(text):08x}")
    for each in reversed(shelf.complete(str(store))):
        if each.epoch < epoch and _handed_on(channel, id_, each):
            return


def _handed_on(channel: Channel, id_: str, held: shelf.Held) -> bool:
    """Whether the checkpoint is whole, and lies in the instance's store now."""
    there = f"{STORE}/{manifest.epoch_folder(held.epoch)}/{manifest.folder_name(held.step)}"
    last = Path(held.path) / manifest.MANIFEST
    if channel.ask("stat", {"id": id_, "path": f"{there}/{manifest.MANIFEST}"})["bytes"] == last.stat().st_size:
        return True
    try:
        told = manifest.check(held.path)
    except ValueError:
        return False
    for entry in told["files"]:
        name = str(entry["name"])
        _put(channel, id_, f"{there}/{name}", Path(held.path, name), entry["bytes"], entry["crc32"])
    size, crc = manifest.crc32_of(str(last))
    _put(channel, id_, f"{there}/{manifest.MANIFEST}", last, size, crc)
    return True


def _put(channel: Channel, id_: str, there: str, path: Path, size: int, crc32: str) -> None:
    """Put one file there, from where it was cut off; once more from its beginning if what was there is another's."""
    piece = Piece(path, 0, size)
    asked = {"id": id_, "path": there}
    present = min(size, int(channel.ask("stat", asked)["part"]))
    for start in (present, 0):
        frames = (
            channel.begin("put", {**asked, "offset": offset, "bytes": size}, _read(piece, offset), FRAME_SECONDS)
            for offset in range(start, max(size, 1), CHUNK)
        )
        for _ in in_flight(frames):
            pass
        try:
            channel.ask("put-done", {**asked, "crc32": crc32}, patience(size))
            return
        except HostRefused as fault:
            if fault.kind != "invalid" or start == 0:
                raise

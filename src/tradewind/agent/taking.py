"""Taking a plain script's folder as it lies: copied aside, and taken only when nothing changed while it was copied."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from typing import Any, Dict, NamedTuple, Optional, Tuple

from tradewind.agent import disk
from tradewind.agent.laid import CONTENT, layout
from tradewind.agent.plain import Stamp, State, scan
from tradewind.agent.publish import Published, draft_of, finish
from tradewind.wire import manifest
from tradewind.wire.shelf import pass_fence


class Changed(Exception):
    """The script wrote on while its folder was copied; what was copied is not kept."""


class Taken(NamedTuple):
    """A folder that lies in the store as it was."""

    published: Published
    state: State


class Place(NamedTuple):
    """Where a folder is taken to: the job's store, the epoch, the number among its checkpoints.

    ``counted``: the number is a step that the script told; else it only says which came after which.
    """

    store: str
    epoch: int
    number: int
    counted: bool


def take(folder: str, state: State, place: Place, prior: Optional[Taken]) -> Taken:
    """Copy ``folder``, seen as ``state``, as one checkpoint; what is as in ``prior`` is linked to its copy there.

    Raises:
        Changed: it is not as it was seen, or was not throughout.
        Fenced: a newer epoch has begun.
        OSError: no room; it could not be read or written.
    """
    began = time.time()
    pass_fence(place.store, place.epoch)
    files, known = {**state.files, **state.logs}, _known(prior)
    _room(place.store, sum(stamp.bytes for name, stamp in files.items() if known.get(name, (None,))[0] != stamp))
    draft = draft_of(place.store, place.epoch, place.number)
    shutil.rmtree(draft, ignore_errors=True)
    os.makedirs(os.path.join(draft, CONTENT))
    try:
        copied = [_bring(folder, draft, name, files[name], known.get(name)) for name in sorted(files)]
        if not state.like(scan(folder)):
            raise Changed
    except FileNotFoundError:
        raise Changed from None
    for base, _, _ in os.walk(draft):
        disk.sync(base)
    told: Dict[str, Any] = {
        "v": manifest.VERSION, "step": place.number, "epoch": place.epoch, "at": state.written_at(), "files": copied,
        manifest.KIND: manifest.OPAQUE, manifest.COUNTED: place.counted, manifest.LAYOUT: layout(state),
    }  # fmt: skip
    disk.write_json(os.path.join(draft, manifest.MANIFEST), told)
    return Taken(finish(draft, place.store, place.epoch, told, began), state)


def _known(prior: Optional[Taken]) -> Dict[str, Tuple[Stamp, Dict[str, Any], str]]:
    """Of what was taken last, by name: how the file looked, its entry, its copy."""
    if prior is None:
        return {}
    with contextlib.suppress(ValueError):
        entries = {each["name"]: each for each in manifest.read(prior.published.path)["files"]}
        return {
            name: (stamp, entries[_kept(name)], os.path.join(prior.published.path, _kept(name)))
            for name, stamp in prior.state.files.items()
        }
    return {}  # it was rotated away


def _kept(name: str) -> str:
    return CONTENT + "/" + name


def _bring(
    folder: str, draft: str, name: str, stamp: Stamp, known: Optional[Tuple[Stamp, Dict[str, Any], str]]
) -> Dict[str, Any]:
    """One file into the draft; its entry. A link is to our own copy, which nobody writes to, never to the script's."""
    target = os.path.join(draft, _kept(name))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if known is not None and known[0] == stamp:
        with contextlib.suppress(OSError):  # no links on this file system, or the copy is gone
            os.link(known[2], target)
            return known[1]
    size, crc = disk.copy_file(os.path.join(folder, name), target)
    return {"name": _kept(name), "bytes": size, "crc32": crc}


def _room(store: str, needed: int) -> None:
    """Nothing, when the copy fits and leaves as much again: the disk is the script's, too.

    Raises:
        OSError: there is less.
    """
    os.makedirs(store, exist_ok=True)
    if shutil.disk_usage(store).free < 2 * needed:
        raise OSError(errno.ENOSPC, "no room to keep a copy of the checkpoint folder")

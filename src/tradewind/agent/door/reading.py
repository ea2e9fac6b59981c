"""Reading what lies on the node: journal and log from offsets, outputs and checkpoints in parts."""

from __future__ import annotations

import os
import shutil
from typing import Any, Dict, List, Optional, Tuple

from tradewind.agent import disk, locks
from tradewind.agent.door import layout, parts
from tradewind.agent.door.faults import Refused
from tradewind.wire import manifest
from tradewind.wire import spec as wire
from tradewind.wire.door import MOST_BODY

Answer = Tuple[Dict[str, Any], bytes]
PINNED = "pinned"


def hear(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """Journal and log from the offsets on, and whether an agent lives."""
    node = layout.node_of(layout.folder_of(root, request["id"]))
    alive = locks.is_held(os.path.join(node, wire.AGENT_LOCK))  # first: an agent's last word is then in the journal
    limit = min(int(request["limit"]), MOST_BODY // 2)
    journal, log = (
        _read(os.path.join(node, name), int(request[key]), limit)
        for name, key in ((wire.JOURNAL, "journal"), (wire.LOG, "log"))
    )
    return {"alive": alive, "journal": len(journal)}, journal + log


def outputs(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """The manifest of the outputs, null before they are gathered."""
    place = os.path.join(layout.node_of(layout.folder_of(root, request["id"])), wire.OUTPUTS, wire.OUTPUTS_MANIFEST)
    return {"manifest": disk.read_json(place)}, b""


def stat(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """Bytes of a file, null when there is none, and how many came of one that is being put there."""
    path = parts.inside(layout.folder_of(root, request["id"]), request["path"])
    size = os.stat(path).st_size if os.path.isfile(path) else None
    return {"bytes": size, "part": parts.size_of(parts.part_of(path))}, b""


def read(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """Ranges of files, one after the other; of each the bytes that came, and whether the file may be run.

    A file that is not there gives nothing.
    """
    folder, told, bodies, room = layout.folder_of(root, request["id"]), [], [], MOST_BODY
    for path, offset, limit in request["ranges"]:
        place = parts.inside(folder, path)
        body = _read(place, int(offset), min(int(limit), room))
        room -= len(body)
        bodies.append(body)
        told.append({"read": len(body), "runs": os.access(place, os.X_OK)})
    return {"files": told}, b"".join(bodies)


def pin(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """Keep a checkpoint for reading though the agent may drop it: its files get second names, in ``pinned/``.

    One at a time; null drops it. Where there are no hard links it is read where it lies.
    """
    folder, path = layout.folder_of(root, request["id"]), request["path"]
    place = os.path.join(folder, PINNED)
    if path is None:
        shutil.rmtree(place, ignore_errors=True)
        return {}, b""
    source, name = parts.inside(folder, path), "{}/{}".format(PINNED, path)
    try:
        told = manifest.read(source)
    except ValueError as fault:
        raise Refused("gone", "{}: {}".format(path, fault)) from None
    aside = os.path.join(folder, name)
    if _manifest_of(aside) != told:
        shutil.rmtree(place, ignore_errors=True)
        try:
            _link(source, aside, [entry["name"] for entry in told["files"]])
        except FileNotFoundError:
            raise Refused("gone", "{} is not there any more".format(path)) from None
        except OSError:
            return {"path": path, "manifest": told}, b""
    return {"path": name, "manifest": told}, b""


def _link(source: str, target: str, names: List[str]) -> None:
    """Second names for files, the manifest's last."""
    for name in [*names, manifest.MANIFEST]:
        place = parts.inside(target, name)
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        os.link(parts.inside(source, name), place)


def _manifest_of(folder: str) -> Optional[Dict[str, Any]]:
    try:
        return manifest.read(folder)
    except ValueError:
        return None


def _read(path: str, offset: int, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(limit)
    except FileNotFoundError:
        return b""


OPERATIONS = {"hear": hear, "outputs": outputs, "stat": stat, "read": read, "pin": pin}

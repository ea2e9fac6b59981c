"""Operations ``instances`` and ``leftovers``: what is rented here, in which state, and what is left of what was."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Optional, Tuple

from tradewind.agent import disk
from tradewind.agent.door import belonging, layout, machine
from tradewind.wire.door import Header

_STARTING_SECONDS = 15.0
_TOLD = ("token", "lease", "owner", "instance_type", "region", "zone", "purchase", "launched_at", "gpus")

Ended = Optional[Dict[str, Any]]


def instances(root: str, request: Header) -> Header:
    """All instances, or those of ``ids``; an ended one as long as its folder is there."""
    wanted = request.get("ids")
    seen = (view(root, id_) for id_ in layout.ids(root) if wanted is None or id_ in wanted)
    return {"instances": [each for each in seen if each is not None]}


def view(root: str, id_: str) -> Optional[Dict[str, Any]]:
    """One instance as ``wire.door`` states it; None when it was taken away meanwhile."""
    folder = layout.place_of(root, id_)
    identity = layout.identity(folder)
    if identity is None:
        return None
    held = disk.read_json(os.path.join(folder, layout.MACHINE))
    notice = disk.read_json(os.path.join(folder, layout.NOTICE))
    state, ended = _state(folder, identity, held, time.time())
    tags = dict(identity["tags"], **({"reclaim": str(notice["cause"])} if notice else {}))
    return {
        "id": id_, "tags": tags, "state": state, "address": folder, "pgid": held["pgid"] if held else None,
        "why": ended["why"] if ended else None, "ended_at": ended["at"] if ended else None,
        "reclaim_at": notice["deadline"] if notice else None, **{name: identity[name] for name in _TOLD},
    }  # fmt: skip


def _state(folder: str, identity: Dict[str, Any], held: Optional[Dict[str, Any]], now: float) -> Tuple[str, Ended]:
    ended = disk.read_json(os.path.join(folder, layout.ENDED))
    if ended:
        return "gone", ended
    if held is None:
        if now - identity["launched_at"] < _STARTING_SECONDS:
            return "pending", None
        return "failed", {"at": now, "why": "host"}
    if held["boot"] != machine.boot():
        at = max(min(now, machine.booted_at()), identity["launched_at"])
        return "gone", layout.write_once(folder, layout.ENDED, {"at": at, "why": "host"})
    if machine.lives(held):
        return "running", None
    return "gone", layout.write_once(folder, layout.ENDED, {"at": now, "why": "unknown"})  # the first look says when


def leftovers(root: str, request: Header) -> Header:
    """What is left of instances: processes, and of those named by id their folders, which cost nothing."""
    wanted: Optional[List[str]] = request.get("ids")
    found = []
    if wanted is None:
        gone = [each for each in instances(root, {})["instances"] if each["state"] == "gone"]
        found = [_left("process", each["id"], each["lease"]) for each in gone if _runs(root, each["id"])]
    for id_ in wanted or ():
        folder = layout.place_of(root, id_)
        lease = str((layout.identity(folder) or {}).get("lease", ""))
        if os.path.lexists(folder) or os.path.lexists(layout.aside(folder)):
            found.append(_left("folder", id_, lease))
        if _runs(root, id_):
            found.append(_left("process", id_, lease))
    return {"leftovers": found}


def _runs(root: str, id_: str) -> bool:
    return bool(belonging.of_instance(layout.place_of(root, id_)))


def _left(kind: str, id_: str, lease: str) -> Dict[str, str]:
    return {"kind": kind, "id": id_, "lease": lease}

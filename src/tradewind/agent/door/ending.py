"""Operations ``reclaim``, ``end`` and ``remove``."""

from __future__ import annotations

import contextlib
import os
from typing import List

from tradewind.agent import disk
from tradewind.agent.door import belonging, layout
from tradewind.agent.door.faults import Refused
from tradewind.wire.door import Header

_PARENT = ".tradewind-node"


def reclaim(root: str, request: Header) -> Header:
    """Announce that the instance is taken at ``deadline``; said once, a second word changes nothing."""
    folder = layout.place_of(root, request["id"])
    notice = {"deadline": float(request["deadline"]), "cause": str(request["cause"])}
    with contextlib.suppress(FileNotFoundError):  # it is gone: there is nobody to tell
        layout.write_once(folder, layout.NOTICE, notice)
    return {}


def end(root: str, request: Header) -> Header:
    """Kill everything of the instances and take their folders away; what is not there is ended.

    Raises:
        Refused: ``unavailable``, processes that do not end; the others were ended.
    """
    stay = [id_ for id_ in request["ids"] if not _end(layout.place_of(root, id_))]
    if stay:
        raise Refused("unavailable", "processes of {} do not end".format(", ".join(stay)))
    return {}


def _end(folder: str) -> bool:
    if not belonging.end_all(folder):
        return False
    layout.take_away(folder)
    return belonging.kill_all(folder)  # what was begun while the folder still was there


def remove(root: str, request: Header) -> Header:
    """End every instance and take ROOT away, and the folder above when it is ours and empty.

    Where another host has the same home and instances under it, only what is this host's goes.
    """
    end(root, {"ids": layout.ids(root)})
    if _others(root):
        return {"removed": []}
    layout.take_away(root)
    removed: List[str] = [root]
    parent = os.path.dirname(root)
    if os.path.basename(parent) == _PARENT and not os.listdir(parent):
        os.rmdir(parent)
        removed.append(parent)
    return {"removed": removed}


def _others(root: str) -> bool:
    """Whether live instances of another host are here."""
    folder = os.path.join(root, layout.INSTANCES)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    places = (os.path.join(folder, name) for name in names if name.startswith(layout.PREFIX))
    others = [place for place in places if layout.elsewhere(place)]
    return any(disk.read_json(os.path.join(place, layout.ENDED)) is None for place in others)

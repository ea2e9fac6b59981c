"""How a plain script's folder lay, told in a manifest, and laid out again: names, times, links."""

from __future__ import annotations

import os
from typing import Any, Dict, Set

from tradewind.agent import disk
from tradewind.agent.plain import State

CONTENT = "content"  # the folder that the files are in: a script may have a MANIFEST.json of its own


def layout(state: State) -> Dict[str, Any]:
    """What a manifest keeps beside the files' contents: when each was written, empty folders, links."""
    times = {name: stamp.modified for name, stamp in {**state.files, **state.logs}.items()}
    return {"files": times, "folders": state.folders, "links": state.links}


def lay_out(told: Dict[str, Any], draft: str, folder: str) -> None:
    """Move the files in ``draft`` to where they were, the oldest first: scripts look for the newest.

    Raises:
        OSError: it cannot be written there.
    """
    source = os.path.join(draft, CONTENT)
    for name in told["folders"]:
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    os.makedirs(folder, exist_ok=True)
    for name, modified in sorted(told["files"].items(), key=lambda each: (each[1], each[0])):
        place = os.path.join(folder, name)
        os.replace(os.path.join(source, name), place)
        os.utime(place, ns=(modified, modified))
    for name, target in told["links"].items():
        _link(target, os.path.join(source, name), os.path.join(folder, name))
    for name, modified in sorted(told["folders"].items(), reverse=True):
        os.utime(os.path.join(folder, name), ns=(modified, modified))
    touched: Set[str] = {os.path.dirname(os.path.join(folder, name)) for name in [*told["files"], *told["links"]]}
    for each in sorted(touched):
        disk.sync(each)


def _link(target: str, draft: str, place: str) -> None:
    """A link, in place of one that was sent with the work; a folder of that name stays."""
    if os.path.isdir(place) and not os.path.islink(place):
        return
    os.makedirs(os.path.dirname(draft), exist_ok=True)
    os.symlink(target, draft)
    os.replace(draft, place)

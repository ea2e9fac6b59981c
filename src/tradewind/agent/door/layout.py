"""Where things lie on a host: ROOT, the instances in it, and the files of each, as ``wire.door`` states.

``instance.json`` identity, tags, GPUs · ``machine.json`` the process that holds it · ``machine.lock`` held by that
process · ``notice.json`` the announced end, where the agent looks for it · ``ended.json`` when and why it ended ·
``node/`` the agent's root · ``store/`` checkpoints until they are pulled.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from typing import Any, Dict, List, Optional

from tradewind.agent import disk
from tradewind.agent.door import machine
from tradewind.agent.door.faults import Refused

INSTANCES, PREFIX = "instances", "machine-"
INSTANCE, MACHINE, LOCK, NOTICE, ENDED, LOG = (
    "instance.json", "machine.json", "machine.lock", "notice.json", "ended.json", "machine.log",
)  # fmt: skip
NODE, STORE = "node", "store"
DRAFT, GONE = ".draft-", ".gone-"
_ID = re.compile(re.escape(PREFIX) + r"[A-Za-z0-9-]{1,100}")


def place_of(root: str, id_: str) -> str:
    """Where the instance's folder is or would be.

    Raises:
        Refused: ``invalid``, this is no instance's id.
    """
    if not _ID.fullmatch(id_):
        raise Refused("invalid", "{!r} is no instance's id".format(id_))
    return os.path.join(root, INSTANCES, id_)


def folder_of(root: str, id_: str) -> str:
    """The instance's folder.

    Raises:
        Refused: ``invalid``; ``gone``, it is not there.
    """
    folder = place_of(root, id_)
    if identity(folder) is None:
        raise Refused("gone", "{} is not on this host".format(id_))
    return folder


def node_of(folder: str) -> str:
    """The agent's root in an instance's folder."""
    return os.path.join(folder, NODE)


def store_of(folder: str) -> str:
    """Where the agent of an instance keeps checkpoints."""
    return os.path.join(folder, STORE)


def identity(folder: str) -> Optional[Dict[str, Any]]:
    """Who the instance is; None when it is not there."""
    return disk.read_json(os.path.join(folder, INSTANCE))


def write_once(folder: str, name: str, value: Dict[str, Any]) -> Dict[str, Any]:
    """What ``name`` holds, written now unless it was there: the first word stands."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        disk.write_json(path, value)
    return disk.read_json(path) or value


def ids(root: str) -> List[str]:
    """The instances of this host, sorted."""
    try:
        names = os.listdir(os.path.join(root, INSTANCES))
    except FileNotFoundError:
        return []
    return sorted(name for name in names if _ID.fullmatch(name) and not elsewhere(place_of(root, name)))


def elsewhere(folder: str) -> bool:
    """Whether the instance is another host's that has the same home by network; a host is known by its name or boot."""
    told = identity(folder)
    if told is None or told.get("host") == os.uname().nodename:
        return False
    held = disk.read_json(os.path.join(folder, MACHINE))
    return held is None or held["boot"] != machine.boot()


def aside(folder: str) -> str:
    """The name under which a folder is taken away."""
    return os.path.join(os.path.dirname(folder), GONE + os.path.basename(folder))


def take_away(folder: str) -> None:
    """Remove a folder, also where a job left parts of it unwritable; renamed first, so that nobody sees half of it."""
    if os.path.lexists(aside(folder)):
        _remove(aside(folder))
    if os.path.lexists(folder):
        os.rename(folder, aside(folder))
        _remove(aside(folder))


def _remove(top: str) -> None:
    """Remove everything that can be; what still resists is found as left over."""

    def once_more(_function: Any, path: str, _fault: Any) -> None:
        with contextlib.suppress(OSError):
            if path != top:
                os.chmod(os.path.dirname(path), 0o700)
            if os.path.isdir(path) and not os.path.islink(path):
                os.chmod(path, 0o700)
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)

    shutil.rmtree(top, onerror=once_more)


def zipapp() -> str:
    """The agent that runs now."""
    return os.path.realpath(sys.argv[0])

"""Starting an agent on what was sent, reviving it, leaving it commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Tuple

from tradewind.agent import disk, locks
from tradewind.agent.door import blobs, layout, login, work
from tradewind.agent.door.faults import Refused
from tradewind.wire import spec as wire

Answer = Tuple[Dict[str, Any], bytes]
_START_SECONDS = 60.0
_LOCK = "start.lock"  # a start whose answer was lost may still be at work when it is asked again
_LIBRARY = ".library.zip"
_COMMAND = re.compile(r"[A-Za-z0-9_-]{1,100}")
_STATES = {wire.SERVING: "serving", wire.SERVED: "served"}


def start(root: str, request: Dict[str, Any], body: bytes) -> Answer:
    """Write the work and start its agent; the same spec again only sees to it that an agent lives.

    Raises:
        Refused: ``busy``: another spec is served; ``gone``: a blob is missing, or the instance ended; ``invalid``:
            the agent needs secrets that were not given; ``unavailable``: it does not start.
        OSError: no room; what was written is taken away again.
    """
    folder = _held(root, request["id"])
    spec = _by_this_clock(folder, request["spec"])
    with locks.alone(os.path.join(folder, _LOCK)):
        there = _spec(folder)
        if there is None:
            _lay_out(root, folder, spec, request["names"], json.loads(body)["entries"])
        elif there != spec:
            words = "it serves {}, not {}".format(wire.read_spec(there).key, wire.read_spec(spec).key)
            raise Refused("busy", words)
        return _serve(folder, request["secrets"]), b""


def revive(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """Start the agent again; one that lives, or that has ended its work, is left as it is."""
    folder = _held(root, request["id"])
    with locks.alone(os.path.join(folder, _LOCK)):
        if _spec(folder) is None:
            raise Refused("gone", "nothing was started there")
        return _serve(folder, request["secrets"]), b""


def command(root: str, request: Dict[str, Any], _: bytes) -> Answer:
    """Leave ``commands/NAME.json``, unless it is there or was carried out."""
    if not _COMMAND.fullmatch(request["name"]):
        raise Refused("invalid", "{!r} is no name of a command".format(request["name"]))
    folder = os.path.join(layout.node_of(layout.folder_of(root, request["id"])), wire.COMMANDS)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    file = request["name"] + ".json"
    if not any(name.startswith(file) for name in os.listdir(folder)):
        disk.write(os.path.join(folder, file), request["text"].encode())
    return {}, b""


def _held(root: str, id_: str) -> str:
    """The folder of an instance that a process holds."""
    folder = layout.folder_of(root, id_)
    if not locks.is_held(os.path.join(folder, layout.LOCK)):
        raise Refused("gone", "{} has ended; only its folder is left".format(id_))
    return folder


def _spec(folder: str) -> Optional[str]:
    try:
        with open(os.path.join(layout.node_of(folder), wire.SPEC), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _by_this_clock(folder: str, spec: str) -> str:
    """The spec with the hard end that the instance was taken with, which is by this host's clock."""
    hard_end = (layout.identity(folder) or {})["hard_end"]
    return json.dumps({**json.loads(spec), "hard_end": hard_end}, sort_keys=True)


def _lay_out(root: str, folder: str, spec: str, names: Dict[str, List[Any]], entries: List[Dict[str, Any]]) -> None:
    """Everything but the spec, then the spec: where it lies, the rest is whole."""
    blobs.prune(root)
    node = layout.node_of(folder)
    source = work.Blobs(root)
    os.makedirs(layout.store_of(folder), mode=0o700, exist_ok=True)
    try:
        _clear(node)
        work.lay_out(entries, os.path.join(node, wire.WORK), source)
        for name, path in (("agent", wire.ZIPAPP), ("library", _LIBRARY)):
            digest, size = names[name]
            source.write(digest, size, os.fsencode(os.path.join(node, path)), 0o600)
        work.unzip(os.path.join(node, _LIBRARY), os.path.join(node, wire.LIB))
        os.unlink(os.path.join(node, _LIBRARY))
        os.makedirs(os.path.join(node, wire.COMMANDS), mode=0o700, exist_ok=True)
        disk.write(os.path.join(node, wire.SPEC), spec.encode())
    except Exception:
        _clear(node)
        raise


def _clear(node: str) -> None:
    """The agent's root without what a start that was cut short left there; what was ordered before stands."""
    os.makedirs(node, mode=0o700, exist_ok=True)
    for name in os.listdir(node):
        path = os.path.join(node, name)
        if os.path.isdir(path) and name != wire.COMMANDS:
            shutil.rmtree(path)
        elif name != wire.COMMANDS:
            os.unlink(path)


def _serve(folder: str, secrets: Dict[str, str]) -> Dict[str, Any]:
    node, found = layout.node_of(folder), login.of_instance(folder)
    try:
        done = subprocess.run(
            found.starts([sys.executable, "-I", "-S", os.path.join(node, wire.ZIPAPP), "serve", node]),
            input=wire.write_secrets(secrets).encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True, env=found.environment, cwd="/", timeout=_START_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Refused("unavailable", "the agent does not start within {:.0f} s".format(_START_SECONDS)) from None
    if done.returncode in _STATES:
        return {"state": _STATES[done.returncode]}
    words = done.stderr.decode("utf-8", "replace")[-2000:].strip()
    if done.returncode == wire.NEEDS:
        raise Refused("invalid", words or "the job's secrets were not given", {"code": "secrets-missing"})
    raise Refused("unavailable", "the agent does not start: {}".format(words))


OPERATIONS = {"start": start, "revive": revive, "command": command}

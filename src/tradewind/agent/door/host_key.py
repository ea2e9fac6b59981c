"""Operation ``host-key``: a rented machine makes its own host key and gives up the one-time key it began with.

The machine's image names the key in ``/etc/tradewind/host-key.json``: ``{"key": path of sshd's ed25519 host key,
"reload": argv that makes sshd read it again}``. On other hosts there is no such file, and their keys are their own.
"""

from __future__ import annotations

import os
import subprocess
from typing import List

from tradewind.agent import disk
from tradewind.agent.door.faults import Refused
from tradewind.wire.door import Header

_CONFIG = "/etc/tradewind/host-key.json"
_SECONDS = 30.0
_LAST_WORDS = 400


def host_key(_root: str, request: Header) -> Header:
    """The public text of the new key: made beside the old (``new``), put in its place (``use``); each may be repeated.

    Raises:
        Refused: ``invalid``, this host's key is its own; ``unavailable``, a program failed.
    """
    config = disk.read_json(str(request.get("config") or _CONFIG))
    if config is None:
        raise Refused("invalid", "there is no {}: this host's key is its own".format(_CONFIG))
    key, following = str(config["key"]), str(config["key"]) + ".next"
    if request["step"] == "new":
        if not os.path.exists(following):
            _make(following)
        return {"key": _public(following)}
    if request["step"] == "use":
        if os.path.exists(following):  # else it was put there before, and only the answer was lost
            disk.write(key + ".pub", (_public(following) + "\n").encode())
            os.replace(following, key)  # which takes the one-time key away
            disk.sync(os.path.dirname(key))
        _run([str(word) for word in config["reload"]])
        return {"key": _public(key)}
    raise Refused("invalid", "{!r} is no step".format(request["step"]))


def _make(path: str) -> None:
    """A new key, whole or not there."""
    draft = path + ".draft"
    for left in (draft, draft + ".pub"):
        if os.path.exists(left):
            os.unlink(left)
    _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", draft])
    os.unlink(draft + ".pub")
    os.replace(draft, path)


def _public(path: str) -> str:
    """Type and key in base 64, without a comment."""
    return " ".join(_run(["ssh-keygen", "-y", "-f", path]).split()[:2])


def _run(command: List[str]) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise Refused("unavailable", str(fault)) from None
    said = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        words = "{} failed with exit code {}: {}".format(command[0], done.returncode, said[-_LAST_WORDS:])
        raise Refused("unavailable", words)
    return said

"""Operation ``authorize``: lets a key of the installation log in here, or no longer. No other line is ever touched."""

from __future__ import annotations

import os
from typing import List

from tradewind.agent import disk
from tradewind.agent.door.faults import Refused
from tradewind.wire.door import Header

_COMMENT = b"tradewind:"


def authorize(root: str, request: Header) -> Header:
    """Add (``on``) or take away the one line ``TYPE KEY tradewind:OWNER`` of ``~/.ssh/authorized_keys``.

    A key that the user lets in by a line of their own is let in already: nothing is added, and nothing taken away.

    Raises:
        Refused: ``invalid``, that is no public key.
    """
    words = str(request["key"]).split()
    if len(words) < 2 or "\n" in str(request["key"]).strip():
        raise Refused("invalid", "that is no public key")
    key = [word.encode() for word in words[:2]]
    ours = b" ".join([*key, _COMMENT + os.path.basename(root).encode()])
    path = os.path.realpath(os.path.expanduser("~/.ssh/authorized_keys"))
    before = _lines(path)
    if not request["on"]:
        after = [line for line in before if line.strip() != ours]
    elif any(key[1] in line.split() for line in before):
        after = before
    else:
        after = [*before, ours + b"\n"]
        if before and not before[-1].endswith(b"\n"):
            after[-2:] = [before[-1] + b"\n", after[-1]]
    if after != before:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        disk.write(path, b"".join(after))
    return {"changed": after != before, "path": path}


def _lines(path: str) -> List[bytes]:
    try:
        with open(path, "rb") as file:
            return file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return []

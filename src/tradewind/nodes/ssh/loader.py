"""What a host runs first: it takes the agent from the standard input unless that is there, and becomes its door.

This text travels to the host and is run there by any Python from 3.8; it imports nothing of ours.
"""

import errno
import os
import sys
from typing import NoReturn


def tell(word: str, text: str = "") -> None:
    """One line for the control plane. Its word stands here in two parts: a host that echoes this text says it not."""
    line = "TRADEWIND-" + "LOADER-1 {} {}\n".format(word, " ".join(text.split()))
    os.write(1, line.encode("utf-8", "backslashreplace"))


def refuse(fault: OSError) -> NoReturn:
    """Tell why it cannot be done, and end."""
    full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
    tell("no-space" if full else "folder-refused", str(fault))
    sys.exit(1)


def fetch(path: str, size: int) -> None:
    """Put the agent at ``path``, whole or not at all: it is asked for, and comes on the standard input."""
    tell("need")
    content = sys.stdin.buffer.read(size)
    if len(content) < size:
        sys.exit(1)
    draft = "{}.{}".format(path, os.getpid())
    try:
        with open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError:
        if os.path.exists(draft):
            os.unlink(draft)
        raise


def main(root: str, name: str, size: int) -> NoReturn:
    """Become the door of ``root``; the agent is its file ``name`` of ``size`` bytes."""
    os.umask(0o077)
    root = os.path.abspath(os.path.expanduser(root))
    path = os.path.join(root, name)
    try:
        os.makedirs(root, 0o700, exist_ok=True)
        os.chmod(root, 0o700)
        if not os.path.exists(path) or os.path.getsize(path) != size:
            fetch(path, size)
    except OSError as fault:
        refuse(fault)
    os.execv(sys.executable, [sys.executable, "-I", "-S", path, "door", root])

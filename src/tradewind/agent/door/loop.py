"""The door itself: frames in, operations in threads, frames out, in any order.

It ends when nobody is there any more (the stream ended, or nothing came for three minutes), operations under way being
finished first. What it starts can neither read its questions nor garble its answers.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Dict, Tuple

from tradewind.agent.door import blobs, gpus, layout, machine, parts, reading, serving
from tradewind.agent.door.authorized import authorize
from tradewind.agent.door.ending import end, reclaim, remove
from tradewind.agent.door.facts import facts
from tradewind.agent.door.faults import Refused
from tradewind.agent.door.gpu_locks import user
from tradewind.agent.door.host_key import host_key
from tradewind.agent.door.instances import instances, leftovers
from tradewind.agent.door.shell import shell
from tradewind.agent.door.streams import Writer, read_frame
from tradewind.agent.door.take import take
from tradewind.wire import door
from tradewind.wire.door import Header

Operation = Callable[[str, Header, bytes], Tuple[Header, bytes]]

IDLE_SECONDS = 180.0  # the control plane says hello more often than that
_THREADS, _UNDER_WAY = 8, 64
_LAST_ANSWERS_SECONDS = 5.0
_UNUSED_SECONDS = 30 * 86400.0
_REMOVE = "remove"


def hello(root: str, _request: Header) -> Header:
    """Who is here."""
    return {
        "version": door.VERSION, "python": sys.version.split()[0], "pid": os.getpid(), "user": user(os.getuid()),
        "uid": os.getuid(), "home": os.path.expanduser("~"), "root": root, "boot": machine.boot(), "now": time.time(),
    }  # fmt: skip


def _without_body(answer: Callable[[str, Header], Header]) -> Operation:
    return lambda root, request, _body: (answer(root, request), b"")


OPERATIONS: Dict[str, Operation] = {
    **{name: _without_body(answer) for name, answer in {
        "hello": hello, "facts": lambda root, _: facts(root), "gpus": lambda _, __: gpus.read(), "take": take,
        "instances": instances, "reclaim": reclaim, "end": end, "leftovers": leftovers, _REMOVE: remove,
        "host-key": host_key, "authorize": authorize, "shell": shell,
    }.items()},
    **blobs.OPERATIONS, **parts.OPERATIONS, **serving.OPERATIONS, **reading.OPERATIONS,
}  # fmt: skip


def main(root: str) -> int:
    """Open the door of ``root`` on the standard streams, and serve until nobody is there."""
    os.umask(0o077)
    os.makedirs(root, exist_ok=True)
    os.chmod(root, 0o700)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asked, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(null, standard)
    os.close(null)
    _drop_old_agents(root)
    serve(root, asked, answers, IDLE_SECONDS)
    return 0


def serve(root: str, asked: int, answers: int, idle_s: float) -> None:
    """Greet, then answer what comes on the descriptor ``asked`` until it ends, or nothing came for ``idle_s``."""
    writer = Writer(answers)
    writer.write(door.GREETING)
    under_way = threading.Semaphore(_UNDER_WAY)  # and so much memory for bodies, at most
    pool = ThreadPoolExecutor(_THREADS)

    def carry_out(header: Header, body: bytes) -> None:
        writer.write(answer(root, header, body), under_way.release)

    try:
        while under_way.acquire(timeout=idle_s):
            came = read_frame(asked, idle_s)
            if came is None:
                break
            if came[0].get("op") == _REMOVE:  # the last word: nothing may be under way, nothing comes after it
                pool.shutdown()
                carry_out(*came)
                break
            pool.submit(carry_out, *came)
    finally:
        pool.shutdown()
        writer.close(_LAST_ANSWERS_SECONDS)


def answer(root: str, header: Header, body: bytes) -> bytes:
    """The frame that answers one question."""
    try:
        operation = OPERATIONS.get(str(header.get("op")))
        if operation is None:
            raise Refused("invalid", "this door knows no {!r}".format(header.get("op")))
        found, out = operation(root, header, body)
        return door.frame({"n": header.get("n"), "ok": found}, out)
    except Refused as no:
        fault = {"kind": no.kind, "words": no.words, "data": no.data}
    except OSError as no:
        kind = "no-space" if no.errno in (errno.ENOSPC, errno.EDQUOT) else "unavailable"
        fault = {"kind": kind, "words": str(no), "data": {}}
    except Exception as no:  # noqa: BLE001 - the one who asked is told; the door stays open
        fault = {"kind": "unavailable", "words": "{}: {}".format(type(no).__name__, no), "data": {}}
    return door.frame({"n": header.get("n"), "fault": fault})


def _drop_old_agents(root: str) -> None:
    """Forget agents of former versions that no door was opened with for a month; who runs has read all of its own."""
    own = layout.zipapp()
    for name in os.listdir(root):
        path = os.path.join(root, name)
        with contextlib.suppress(FileNotFoundError):  # another door was first
            if path == own:
                os.utime(path)
            elif name.startswith("agent-") and os.stat(path).st_mtime < time.time() - _UNUSED_SECONDS:
                os.unlink(path)

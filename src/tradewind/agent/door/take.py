"""Operation ``take``: rent this host, or some of its GPUs. The same token gives the same instance."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from typing import Any, Dict, Iterator, List

from tradewind.agent import disk, locks
from tradewind.agent.door import gpus, layout
from tradewind.agent.door.faults import Refused
from tradewind.agent.door.instances import view
from tradewind.wire.door import Header
from tradewind.wire.spec import ENV_INSTANCE

_LOCK = "take.lock"
_START_SECONDS, _LOOK_SECONDS = 10.0, 0.05
_LAST_WORDS = 400
_ORDER = ("token", "lease", "owner", "tags", "instance_type", "region", "zone", "purchase")


def take(root: str, request: Header) -> Header:
    """Make the folder, in one rename, and start the process that holds it and the GPUs.

    Raises:
        Refused: ``capacity``, ``invalid`` as :func:`gpus.choose` says; ``conflict``, the token was used for another
            order; ``unavailable``, the process does not start.
    """
    order = {name: request["order"][name] for name in _ORDER}
    id_ = layout.PREFIX + str(order["token"])
    folder = layout.place_of(root, id_)
    wanted = int(request["gpus"])
    asked = {"order": order, "gpus": wanted}
    with _one_at_a_time(root):
        known = layout.identity(folder)
        if known is not None and known["asked"] != asked:
            raise Refused("conflict", "{} was rented with other words".format(id_))
        if not _begun(folder):
            with _chosen(wanted, request.get("allowed")) as chosen:
                _make(folder, {
                    **order, "asked": asked, "hard_end": float(request["order"]["hard_end"]),
                    "launched_at": time.time(), "host": os.uname().nodename,
                    "gpus": [{"index": each.gpu["index"], "uuid": each.gpu["uuid"]} for each in chosen],
                })  # fmt: skip
                _start(folder, chosen)
    seen = view(root, id_)
    if seen is None:
        raise Refused("unavailable", "{} was ended meanwhile".format(id_))
    return {"instance": seen}


@contextlib.contextmanager
def _one_at_a_time(root: str) -> Iterator[None]:
    """One take in ROOT after the other: what is a draft then, nobody works on."""
    os.makedirs(os.path.join(root, layout.INSTANCES), exist_ok=True)
    with locks.alone(os.path.join(root, _LOCK)):
        disk.sweep(os.path.join(root, layout.INSTANCES), layout.DRAFT)
        yield


def _begun(folder: str) -> bool:
    """Whether a process was started for the instance; one that holds the lock writes its name soon."""
    deadline = time.monotonic() + _START_SECONDS
    while not any(os.path.exists(os.path.join(folder, name)) for name in (layout.MACHINE, layout.ENDED)):
        if not locks.is_held(os.path.join(folder, layout.LOCK)):
            return False
        if time.monotonic() > deadline:
            raise Refused("unavailable", "the process that holds {} does not come up".format(folder))
        time.sleep(_LOOK_SECONDS)
    return True


@contextlib.contextmanager
def _chosen(wanted: int, allowed: Any) -> Iterator[List[gpus.Held]]:
    """Free GPUs, locked; who was started meanwhile holds on to them."""
    chosen = gpus.choose(wanted, allowed)
    try:
        yield chosen
    finally:
        for each in chosen:
            each.lock.close()


def _make(folder: str, identity: Dict[str, Any]) -> None:
    draft = os.path.join(os.path.dirname(folder), layout.DRAFT + os.path.basename(folder))
    try:
        os.mkdir(draft)
        disk.write_json(os.path.join(draft, layout.INSTANCE), identity)
        layout.take_away(folder)  # of a start that was cut short
        os.rename(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _start(folder: str, chosen: List[gpus.Held]) -> None:
    """Start the holding process, and hand it all locks; without it the folder goes again."""
    held = locks.hold(os.path.join(folder, layout.LOCK))
    assert held is not None  # nobody else knows the folder yet
    handles = [held, *(each.lock.fileno() for each in chosen)]
    try:
        code = _run(folder, handles)
    finally:
        os.close(held)
    if code != 0:
        words = _last_words(folder)
        layout.take_away(folder)
        if code > 1:
            raise OSError(code, os.strerror(code), folder)
        raise Refused("unavailable", "the process that holds an instance does not start: {}".format(words))


def _run(folder: str, handles: List[int]) -> int:
    """Exit code of starting it; it leaves us at once, so nobody waits for its end."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SSH_")}
    with open(os.path.join(folder, layout.LOG), "ab") as log:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", layout.zipapp(), "hold", folder, *map(str, handles)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", pass_fds=handles, timeout=_START_SECONDS,
                env={**env, ENV_INSTANCE: os.path.basename(folder)}, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 1
    return done.returncode


def _last_words(folder: str) -> str:
    with open(os.path.join(folder, layout.LOG), "rb") as log:
        return log.read()[-_LAST_WORDS:].decode("utf-8", "replace").strip()

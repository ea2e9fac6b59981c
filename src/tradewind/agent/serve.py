"""The daemon: one per node folder, in a session of its own, able to take up where one that was killed left off."""

from __future__ import annotations

import os
import sys
import time
import traceback
from typing import Callable

from tradewind.agent import disk, environment, locks, orders, processes
from tradewind.agent.attempt import Attempt
from tradewind.agent.diary import Diary
from tradewind.agent.phases import Phases
from tradewind.agent.work import Work
from tradewind.wire import journal
from tradewind.wire import spec as wire

SERVING, FAILED, SERVED = 0, 1, 3
# Two looks a second while the job simply runs; more while one thing follows another.
_TURN_SECONDS, _BRISK_SECONDS, _LIVELY_SECONDS = 0.5, 0.05, 1.0
_LOG = "agent.log"


def serve(root: str) -> int:
    """Start the daemon and return once it serves: 0; 3 when another one serves this folder; 1 when it could not."""
    told, tell = os.pipe()
    if os.fork():
        os.close(tell)
        with open(told, "rb") as answer:
            return int(answer.read(1) or b"%d" % FAILED)
    os.close(told)
    code = FAILED
    try:
        code = _daemon(root, lambda answer: _answer(tell, answer))
    except Exception:  # noqa: BLE001 - the last words of a process, before it ends
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _answer(tell: int, code: int) -> None:
    os.write(tell, b"%d" % code)
    os.close(tell)


def _daemon(root: str, answer: Callable[[int], None]) -> int:
    os.setsid()
    if locks.hold(os.path.join(root, wire.AGENT_LOCK)) is None:
        answer(SERVED)
        return SERVED
    with open(os.path.join(root, wire.SPEC), encoding="utf-8") as file:
        spec = wire.read_spec(file.read())
    orders.know(spec.notice)
    here = processes.one(os.getpid())
    told = {"pid": os.getpid(), "started": here.started if here else "", "version": wire.VERSION}
    disk.write_json(os.path.join(root, wire.AGENT), told)
    _detach(root)
    diary = Diary(os.path.join(root, wire.JOURNAL))
    answer(SERVING)
    if not diary.memory.agent_ended:
        _carry(Attempt(root, spec, diary, Work(root)))
    diary.close()
    return SERVING


def _detach(root: str) -> None:
    os.chdir("/")
    log = os.open(os.path.join(root, _LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDWR)
    for source, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(log)
    os.close(null)


def _carry(attempt: Attempt) -> None:
    """Carry the attempt to its end, or as far as its folder exists."""
    secrets = _secrets(attempt)
    attempt.work.secrets = secrets
    attempt.diary.hide(secrets.values())
    attempt.diary.tell(
        journal.AGENT_STARTED, pid=os.getpid(), version=wire.VERSION, python=sys.version.split()[0],
        epoch=attempt.spec.epoch, adopted=attempt.memory.lives > 0,
    )  # fmt: skip
    attempt.diary.commit()
    phases = Phases(attempt)
    more = True
    while more and os.path.isdir(attempt.root):
        more = phases.turn(time.time())
        attempt.diary.commit()
        if more:
            time.sleep(_BRISK_SECONDS if time.time() < attempt.diary.moved_at + _LIVELY_SECONDS else _TURN_SECONDS)


def _secrets(attempt: Attempt) -> "dict[str, str]":
    """The secrets, to keep them out of the journal: from their file, or from the runner if one was started."""
    pid = attempt.work.runner_pid()
    if pid is None:
        return environment.read_secrets(attempt.root, attempt.spec)
    return environment.received(environment.of_process(pid))

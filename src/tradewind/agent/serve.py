"""The daemon: one per node folder, in a session of its own, able to take up where one that was killed left off."""

from __future__ import annotations

import os
import sys
import time
import traceback
from typing import Callable, Dict

from tradewind.agent import disk, environment, locks, notices, processes
from tradewind.agent.attempt import Attempt
from tradewind.agent.diary import Diary
from tradewind.agent.phases import Phases
from tradewind.agent.work import Work
from tradewind.wire import journal
from tradewind.wire import spec as wire

# Two looks a second while the job simply runs; more while one thing follows another.
_TURN_SECONDS, _BRISK_SECONDS, _LIVELY_SECONDS = 0.5, 0.05, 1.0
_LOG = "agent.log"


def serve(root: str) -> int:
    """Start the daemon and return once it serves: 0.

    Standard input holds the job's secrets, as ``wire.spec.write_secrets`` gives them. 3 when another one serves this
    folder; 4 when secrets are missing that nobody here has: nothing was begun; 1 when it could not.
    """
    told, tell = os.pipe()
    if os.fork():
        os.close(tell)
        with open(told, "rb") as answer:
            return int(answer.read(1) or b"%d" % wire.FAILED)
    os.close(told)
    code = wire.FAILED
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
        answer(wire.SERVED)
        return wire.SERVED
    with open(os.path.join(root, wire.SPEC), encoding="utf-8") as file:
        spec = wire.read_spec(file.read())
    notices.know(spec.notice)
    diary, work = Diary(os.path.join(root, wire.JOURNAL)), Work(root)
    secrets = _secrets(spec, work)
    if not (secrets.keys() >= set(spec.secrets) or work.begun() or diary.memory.ended_at()):
        answer(wire.NEEDS)
        return wire.NEEDS
    work.secrets = secrets
    diary.hide(secrets.values())
    here = processes.one(os.getpid())
    told = {"pid": os.getpid(), "started": here.started if here else "", "version": wire.VERSION}
    disk.write_json(os.path.join(root, wire.AGENT), told)
    _detach(root)
    answer(wire.SERVING)
    if not diary.memory.agent_ended:
        _carry(Attempt(root, spec, diary, work))
    diary.close()
    return wire.SERVING


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


def _secrets(spec: wire.Spec, work: Work) -> Dict[str, str]:
    """The secrets that are at hand: what the runner has, if one was started, and what was given now."""
    if not spec.secrets:
        return {}
    with open(0, "rb", closefd=False) as given:
        told = wire.read_secrets(given.read().decode())
    pid = work.runner_pid()
    held = environment.received(environment.of_process(pid)) if pid else {}
    return {name: value for name, value in {**told, **held}.items() if name in spec.secrets}

"""Keeping checkpoints: each committed one is copied to the job's store while the job goes on, the last one after it."""

from __future__ import annotations

from typing import Dict, Optional, Set

from tradewind.agent import shelf
from tradewind.agent.attempt import Attempt
from tradewind.agent.background import Background
from tradewind.agent.environment import checkpoint_folder
from tradewind.agent.publish import Published, committed, is_opaque, publish, publish_opaque
from tradewind.wire import journal
from tradewind.wire import spec as wire
from tradewind.wire.shelf import Fenced

_LOOK_SECONDS, _RETRY_SECONDS = 0.5, 10.0


class Keeping:
    """One copy at a time, in the background; a failure is told once and, unless it is for good, tried again."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._folder = checkpoint_folder(attempt.root, attempt.spec)
        self._copy: Optional[Background[Published]] = None
        self._step = 0
        self._look_at = 0.0
        self._lost: Set[int] = set()
        self._retry_at: Dict[int, float] = {}
        self._final = self._packed = False
        if attempt.spec.store:
            shelf.settle(attempt.spec.store, attempt.spec.epoch)

    def turn(self, now: float) -> bool:
        """Go on with the copy under way or begin the next; whether there is nothing to copy."""
        if not self._attempt.spec.store:
            return True
        if self._copy is not None:
            if not self._copy.done():
                return False
            self._tell(now)
        if now < self._look_at and not self._final:
            return True
        self._look_at = now + _LOOK_SECONDS
        return not self._begin(now)

    def _begin(self, now: float) -> bool:
        spec, memory = self._attempt.spec, self._attempt.memory
        skip = self._lost | {step for step, at in self._retry_at.items() if at > now}
        found = committed(self._folder, spec.epoch, max(memory.published, default=-1), skip)
        if found is None:
            return False
        self._step, path = found
        self._copy = Background(lambda: publish(path, spec.store, spec.epoch))
        return True

    def finish(self, now: float, code: int) -> bool:
        """After the job's end: copy what is left; whether that is done, or no time is left for it."""
        last = self._attempt.last_instant()
        if last is not None and now >= last:
            if self._copy is not None:
                self._fail(self._step, "no time left")
            return True
        if not self._final:
            self._final, self._retry_at = True, {}
        if not self.turn(now):
            return False
        if not self._packed:
            self._packed = True
            self._pack(code)
        return self._copy is None

    def again(self) -> None:
        """The job starts anew on this node."""
        self._final = self._packed = False

    def _pack(self, code: int) -> None:
        """Begin an opaque checkpoint when a job that wrote no manifests says that it saved its state."""
        spec, step = self._attempt.spec, self._attempt.memory.last_step
        if spec.store and code == wire.CHECKPOINTED and is_opaque(self._folder, step):
            self._step = max(step, 0)
            self._copy = Background(lambda: publish_opaque(self._folder, spec.store, spec.epoch, max(step, 0)))

    def _tell(self, now: float) -> None:
        copy, self._copy = self._copy, None
        assert copy is not None
        try:
            done = copy.result()
        except (ValueError, FileNotFoundError, Fenced) as fault:
            self._lost.add(self._step)
            self._fail(self._step, str(fault))
        except OSError as fault:
            self._retry_at[self._step] = now + (3600.0 if self._final else _RETRY_SECONDS)
            self._fail(self._step, str(fault))
        else:
            fields = {"step": done.step, "path": done.path, "bytes": done.bytes, "seconds": done.seconds}
            self._attempt.diary.tell(journal.CHECKPOINT, epoch=self._attempt.spec.epoch, **fields)

    def _fail(self, step: int, why: str) -> None:
        if self._attempt.memory.failures.get(step) != why:
            self._attempt.diary.tell(journal.CHECKPOINT_FAILED, step=step, why=why)

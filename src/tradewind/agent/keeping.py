"""Keeping checkpoints: each committed one is copied to the job's store while the job goes on, the last one after it.

Those of the training library say themselves that they are whole. Where there are none, the folder is taken as it lies
whenever it is quiet (``plain``), and once more when the job has ended in a way that let it finish what it wrote.
"""

from __future__ import annotations

from typing import Dict, Optional, Set, Union

from tradewind.agent import shelf
from tradewind.agent.attempt import Attempt
from tradewind.agent.background import Background
from tradewind.agent.environment import checkpoint_folder
from tradewind.agent.plain import State, Watch
from tradewind.agent.publish import Published, committed, is_opaque, publish
from tradewind.agent.taking import Changed, Place, Taken, take
from tradewind.wire import journal
from tradewind.wire import spec as wire
from tradewind.wire.shelf import Fenced

_LOOK_SECONDS, _RETRY_SECONDS = 0.5, 10.0
_PAUSE = 4  # between two copies of a plain folder, in times what the last one took: the disk is the job's
# Exit codes of a script that took SIGTERM as a wish and ended when it had saved; any other may be a fault in a save.
_IN_ORDER = (0, wire.CHECKPOINTED, 143)


class Keeping:
    """One copy at a time, in the background; a failure is told once and, unless it is for good, tried again."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._folder = checkpoint_folder(attempt.root, attempt.spec)
        self._watch = Watch(self._folder, attempt.work.written)
        self._copy: Optional[Background[Union[Published, Taken]]] = None
        self._taken: Optional[Taken] = None
        self._step = 0
        self._look_at = self._take_at = 0.0
        self._lost: Set[int] = set()
        self._retry_at: Dict[int, float] = {}
        self._final = self._packed = False
        if attempt.spec.store:
            shelf.settle(attempt.spec.store, attempt.spec.epoch)

    def before_start(self) -> None:
        """What lies in the folder before the job begins is not its work."""
        if self._attempt.spec.store:
            self._watch.know()

    def turn(self, now: float) -> bool:
        """Go on with the copy under way or begin the next; whether there is nothing to copy."""
        if not self._attempt.spec.store:
            return True
        if self._attempt.memory.stop_why is None and not self._final:
            # A writer that SIGTERM has ended leaves its file closed and still, and half written.
            self._watch.look(now, self._attempt.memory.last_step)
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
            return not self._final and self._take_quiet(now)
        self._step, path = found
        self._copy = Background(lambda: publish(path, spec.store, spec.epoch))
        return True

    def _take_quiet(self, now: float) -> bool:
        if self._watch.quiet is None or now < self._take_at:
            return False
        self._take(self._watch.quiet, self._watch.step)
        return True

    def _take(self, state: State, told: int) -> None:
        """Begin to take a plain folder; ``told``: the last step that the script had told of by then."""
        spec, newest = self._attempt.spec, max(self._attempt.memory.published, default=0)
        counted = told > newest
        self._step = told if counted else newest + 1
        place, prior = Place(spec.store, spec.epoch, self._step, counted), self._taken
        self._copy = Background(lambda: take(self._folder, state, place, prior))

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
        """Begin to take what a job that wrote no manifests left, when it may go on from there and wrote it whole."""
        memory = self._attempt.memory
        if not self._attempt.spec.store:
            return
        if code == wire.CHECKPOINTED and is_opaque(self._folder, memory.last_step):
            self._take_unless_known(self._watch.present())
        elif memory.stop_why is not None and memory.outlived and code in _IN_ORDER:
            self._take_unless_known(self._watch.new())
        elif code != 0 and self._watch.quiet is not None:
            self._take(self._watch.quiet, self._watch.step)

    def _take_unless_known(self, state: Optional[State]) -> None:
        if state is not None and not state.like(self._taken.state if self._taken else None):
            self._take(state, self._attempt.memory.last_step)

    def _tell(self, now: float) -> None:
        copy, self._copy = self._copy, None
        assert copy is not None
        try:
            result = copy.result()
        except Changed:
            self._take_at = now + _LOOK_SECONDS
        except (ValueError, FileNotFoundError, Fenced) as fault:
            self._lost.add(self._step)
            self._fail(self._step, str(fault))
        except OSError as fault:
            self._retry_at[self._step] = self._take_at = now + (3600.0 if self._final else _RETRY_SECONDS)
            self._fail(self._step, str(fault))
        else:
            self._tell_kept(result, now)

    def _tell_kept(self, result: Union[Published, Taken], now: float) -> None:
        done = result.published if isinstance(result, Taken) else result
        if isinstance(result, Taken):
            self._taken, self._take_at = result, now + _PAUSE * done.seconds
            self._watch.know(result.state)
        fields = {"step": done.step, "path": done.path, "bytes": done.bytes, "seconds": done.seconds, **done.nature}
        self._attempt.diary.tell(journal.CHECKPOINT, epoch=self._attempt.spec.epoch, **fields)

    def _fail(self, step: int, why: str) -> None:
        if self._attempt.memory.failures.get(step) != why:
            self._attempt.diary.tell(journal.CHECKPOINT_FAILED, step=step, why=why)

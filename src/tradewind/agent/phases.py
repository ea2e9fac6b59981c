"""The stages of an attempt, each told by the journal: setup, restore, run, closing. One turn does what is due now."""

from __future__ import annotations

import os
from typing import Optional

from tradewind.agent import runner
from tradewind.agent.attempt import Attempt, restart
from tradewind.agent.background import Background
from tradewind.agent.closing import Closing
from tradewind.agent.environment import checkpoint_folder
from tradewind.agent.glance import Glance
from tradewind.agent.keeping import Keeping
from tradewind.agent.restore import Restored, restore
from tradewind.agent.sample import Sampler
from tradewind.agent.stopping import Stopping
from tradewind.agent.tail import read_on
from tradewind.agent.work import NOT_STARTABLE
from tradewind.wire import journal, manifest
from tradewind.wire import spec as wire

_SAMPLE_SECONDS, _FIRST_SAMPLE_SECONDS = 5.0, 1.0
_TERMINATED = 143
_STRAGGLER_SECONDS, _EVENTS_SECONDS = 3.0, 0.4


class Phases:
    """Carries one attempt through, a turn at a time."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._stopping = Stopping(attempt)
        self._keeping = Keeping(attempt)
        self._closing = Closing(attempt)
        self._sampler = Sampler(attempt.root)
        self._events = Glance(os.path.join(attempt.root, wire.EVENTS), _EVENTS_SECONDS)
        self._more_events = True
        self._sample_at = 0.0
        self._restoring: Optional[Background[Restored]] = None
        self._restored = not attempt.spec.store or attempt.memory.restored is not None or attempt.memory.told_start >= 0
        self._exit_at: Optional[float] = None
        self._asked = attempt.work.told(runner.RUN, 0) is not None
        self._unasked = False

    def turn(self, now: float) -> bool:
        """Do what is due; whether there is more to come."""
        memory = self._attempt.memory
        if memory.ended_at() is not None:
            return self._closing.turn(now)
        self._stopping.turn(now)
        phase, start = self._attempt.running()
        if memory.stop_why is not None and self._attempt.work.told(phase, start) is None:
            self._end_unbegun()
        elif phase == runner.SETUP:
            self._setup()
        elif not self._restored:
            self._restore()
        else:
            self._run(now, start)
        return True

    def _end_unbegun(self) -> None:
        """A stop before the job began: nothing may begin any more, then the end is told."""
        self._attempt.work.dismiss()
        phase, start = self._attempt.running()
        if self._attempt.work.told(phase, start) is None:
            self._end(wire.CHECKPOINTED if start else _TERMINATED)  # a restart that did not come to be is as good as 75

    def _end(self, code: int) -> None:
        """Tell the run's end. A stop that came after the job had ended by itself was not why, unless it may go on."""
        own = self._unasked and code not in (wire.CHECKPOINTED, wire.OLDER_IS_VALID)
        why = "exit" if own else self._attempt.memory.stop_why or "exit"
        self._attempt.diary.tell(journal.RUN_ENDED, exit=code, why=why)
        self._attempt.diary.commit()

    def _setup(self) -> None:
        attempt, memory = self._attempt, self._attempt.memory
        if not memory.setup_started:
            attempt.diary.tell(journal.SETUP_STARTED)
            attempt.diary.commit()
        attempt.work.ask(runner.SETUP, 0)
        code = attempt.work.outcome(runner.SETUP, 0)
        if code is None:
            return
        if memory.stop_why is not None:
            self._end(code or _TERMINATED)
        else:
            attempt.diary.tell(journal.SETUP_ENDED, exit=code)

    def _restore(self) -> None:
        spec = self._attempt.spec
        if self._restoring is None:
            folder = checkpoint_folder(self._attempt.root, spec)
            self._restoring = Background(lambda: restore(spec.store, folder, spec.epoch))
        if not self._restoring.done():
            return
        try:
            self._tell_restored(self._restoring.result())
        except OSError as fault:
            with open(os.path.join(self._attempt.root, wire.LOG), "ab") as log:
                log.write("cannot put the checkpoint back: {}\n".format(fault).encode())
            self._end(NOT_STARTABLE)
        self._restored = True

    def _tell_restored(self, found: Restored) -> None:
        diary = self._attempt.diary
        for each, why in found.torn:
            if each.path not in self._attempt.memory.rejected:
                diary.tell(journal.REJECTED, step=each.step, epoch=each.epoch, path=each.path, why=why)
        if found.checkpoint:
            each, nature = found.checkpoint, manifest.nature_of(found.told)
            told = {"step": each.step, "epoch": each.epoch, "path": each.path, "seconds": found.seconds}
            diary.tell(journal.RESTORED, **told, **nature)

    def _run(self, now: float, start: int) -> None:
        attempt, memory = self._attempt, self._attempt.memory
        attempt.diary.commit()
        if memory.told_start < 0 and not self._asked:
            self._keeping.before_start()
        self._asked = True
        attempt.work.ask(runner.RUN, start)
        if memory.told_start < start:
            self._tell_started(now, start)
        code = attempt.work.outcome(runner.RUN, start)
        more = self._read_events(now, ended=code is not None)
        if code is not None:
            self._finish(now, code, more)
            return
        self._keeping.turn(now)
        if memory.told_start == start and now >= self._sample_at:
            self._sample_at = now + _SAMPLE_SECONDS
            attempt.diary.tell(journal.SAMPLE, **self._sampler.look(attempt.work.runner_pid()))

    def _tell_started(self, now: float, start: int) -> None:
        told = self._attempt.work.told(runner.RUN, start)
        if told and told["pid"]:
            self._attempt.diary.tell(journal.RUN_STARTED, pid=told["pid"], pgid=told["pgid"])
            self._sample_at = now + _FIRST_SAMPLE_SECONDS

    def _read_events(self, now: float, *, ended: bool) -> bool:
        """Tell the job's new events; whether there may be more."""
        if not (ended or self._more_events or self._events.changed(now)):
            return False
        found = read_on(self._events.path, self._attempt.memory.events_offset)
        for event, offset in found:
            self._attempt.diary.tell(journal.JOB, event=event, events_offset=offset)
        self._more_events = bool(found)
        return self._more_events

    def _finish(self, now: float, code: int, more_events: bool) -> None:
        """The job's process has ended: nothing of it stays; its last words are kept, then it is told."""
        if self._exit_at is None:
            self._exit_at, self._unasked = now, self._attempt.memory.stop_why is None
        if self._attempt.work.kill() and now < self._exit_at + _STRAGGLER_SECONDS:
            return
        if more_events or not self._keeping.finish(now, code):
            return
        again = restart(code, self._attempt.memory)
        self._exit_at = None
        if again is None:
            self._end(code)
            return
        self._attempt.diary.tell(journal.RESTARTED, count=again[0], step=again[1])
        self._attempt.diary.commit()
        self._keeping.again()

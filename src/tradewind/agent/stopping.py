"""Ending the job before its time: a stop, a notice, the hard end. SIGTERM once, SIGKILL when the time is over."""

from __future__ import annotations

import os
from typing import List

from tradewind.agent import notices, orders
from tradewind.agent.attempt import Attempt, reserve
from tradewind.agent.glance import Glance
from tradewind.agent.work import terminate
from tradewind.wire import journal
from tradewind.wire import spec as wire

STOP, NOTICE, HARD_END = "stop", "notice", "hard-end"
_KILL_SECONDS, _AGAIN_SECONDS, _COMMANDS_SECONDS = 0.2, 0.5, 0.4


class Stopping:
    """Looks for reasons to stop, and sees the stop through.

    The journal knows of a SIGTERM before it is sent: a second one would tell the training library to give up its last
    save, so none is sent twice to the same process, in whatever life of the agent.
    """

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._kill_at = self._again_at = 0.0
        self._commands_folder = Glance(os.path.join(attempt.root, wire.COMMANDS), _COMMANDS_SECONDS)
        self._listening = notices.listen(attempt)

    def turn(self, now: float) -> None:
        """Look once: stop what is to be stopped."""
        self._commands(now)
        self._notice(now)
        self._hard_end(now)
        memory = self._attempt.memory
        if memory.stop_why is None:
            return
        if now >= self._again_at:
            self._again_at = now + _AGAIN_SECONDS
            self._pass_on(now)
        if now >= memory.kill_at and now >= self._kill_at:
            self._kill_at = now + _KILL_SECONDS
            self._attempt.diary.commit()
            self._attempt.work.kill()

    def _commands(self, now: float) -> None:
        if not self._commands_folder.changed(now):
            return
        for order in orders.waiting(self._attempt.root):
            if order.command.name == orders.STOP:
                grace = order.command.grace_seconds
                self._stop(STOP, now, now + (self._attempt.spec.stop_grace_seconds if grace is None else grace))
            if order.command.name == orders.CADENCE:
                orders.hand_over_cadence(self._attempt.root, order.command)
            if order.command.name != orders.COLLECTED:
                orders.carried_out(order)

    def _notice(self, now: float) -> None:
        if self._attempt.memory.notice is not None:
            return
        deadline = self._listening.turn(now)
        if deadline is not None:
            self._attempt.diary.tell(journal.NOTICE, deadline=deadline, source=self._attempt.spec.notice["kind"])
            self._stop(NOTICE, now, deadline - 2 * reserve(deadline - now))

    def _hard_end(self, now: float) -> None:
        spec, memory = self._attempt.spec, self._attempt.memory
        if not spec.hard_end:
            return
        whole = spec.hard_end - memory.began
        lead = min(spec.stop_grace_seconds, whole / 2) + 2 * reserve(whole)
        if now >= spec.hard_end - lead and memory.stop_why is None:
            self._stop(HARD_END, now, spec.hard_end - 2 * reserve(whole))

    def _stop(self, why: str, now: float, until: float) -> None:
        memory = self._attempt.memory
        if memory.stop_why is not None and until >= memory.kill_at:
            return
        first = memory.stop_why is None
        self._send(why, now, until, self._attempt.work.targets(*self._attempt.running()) if first else [])
        self._again_at = now + _AGAIN_SECONDS

    def _send(self, why: str, now: float, until: float, pids: List[int]) -> None:
        grace = round(max(until - now, 0.0), 3)
        told = {"why": why, "grace_seconds": grace, "until": round(until, 3), "pids": pids}
        outlived = bool(pids) and self._attempt.work.outlives_term()
        self._attempt.diary.tell(journal.STOP_SENT, outlived=outlived, **told)
        self._attempt.diary.commit()
        terminate(pids)

    def _pass_on(self, now: float) -> None:
        """The turn of who was not there at the first signal: a job that began late, a shell with a trap of its own."""
        memory, work, running = self._attempt.memory, self._attempt.work, self._attempt.running()
        late = work.second_targets(*running, memory.stopped) if memory.stopped else work.targets(*running)
        if late and now < memory.kill_at:
            self._send(str(memory.stop_why), now, memory.kill_at, late)

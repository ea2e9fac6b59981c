"""After the job's end: outputs gathered, then waiting for the control plane, as long as was agreed."""

from __future__ import annotations

import os
from typing import Optional, Tuple

from tradewind.agent import disk, orders, outputs
from tradewind.agent.attempt import Attempt
from tradewind.agent.background import Background
from tradewind.agent.stopping import HARD_END, NOTICE
from tradewind.wire import journal
from tradewind.wire import spec as wire
from tradewind.wire.shelf import Fenced

AFTER_EXIT = "after-exit"
_LAST_WORD_SECONDS = 1.0  # between the order to end the node and its end


class Closing:
    """Ends the agent: collected, waited long enough, or the hard end."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._dismissed = False
        self._gathering: Optional[Background[outputs.Gathered]] = None
        self._saving: Optional[Background[Tuple[str, int]]] = None

    def turn(self, now: float) -> bool:
        """Do what is due; whether the agent goes on."""
        if not self._dismissed:
            self._attempt.work.dismiss()
            self._dismissed = True
        spec, memory = self._attempt.spec, self._attempt.memory
        if (spec.hard_end and now >= spec.hard_end) or (memory.run_ended and memory.run_ended[2] == HARD_END):
            return self._end(HARD_END)  # which ends the node, too
        if self._outputs_due():
            self._gather()
            return True
        if self._collected():  # and should who collected die before the lease is released, it ends all the same
            return self._end(orders.COLLECTED, now + spec.after_exit_seconds)
        if now >= float(memory.ended_at() or now) + spec.after_exit_seconds and self._saved():
            return self._end(AFTER_EXIT, now + _LAST_WORD_SECONDS)
        return True

    def _end(self, why: str, release_at: Optional[float] = None) -> bool:
        """The last words; before them, when the node is to end: it has no purpose any more."""
        if release_at is not None:
            disk.write_json(os.path.join(self._attempt.root, wire.RELEASE), {"at": release_at, "why": why})
        self._attempt.diary.tell(journal.AGENT_ENDED, why=why)
        return False

    def _outputs_due(self) -> bool:
        """A run cut short by a notice goes on elsewhere: its outputs are not yet the job's."""
        ended = self._attempt.memory.run_ended
        goes_on = ended is not None and ended[2] == NOTICE and ended[1] != 0
        return ended is not None and not goes_on and not self._attempt.memory.outputs

    def _gather(self) -> None:
        attempt = self._attempt
        if self._gathering is None:
            self._gathering = Background(lambda: outputs.gather(attempt.root, attempt.spec.outputs))
        if not self._gathering.done():
            return
        try:
            done = self._gathering.result()
        except OSError as fault:
            done = outputs.Gathered(0, 0, 0.0, ["{}: {}".format(each, fault) for each in attempt.spec.outputs])
        fields = {"files": done.files, "bytes": done.bytes, "seconds": done.seconds}
        attempt.diary.tell(journal.OUTPUTS, missing=done.missing, **fields)

    def _collected(self) -> bool:
        found = False
        for order in orders.waiting(self._attempt.root):
            found = found or order.command.name == orders.COLLECTED
            orders.carried_out(order)
        return found

    def _saved(self) -> bool:
        """Whether outputs that nobody came for lie in the job's store, as far as they can."""
        attempt = self._attempt
        if not (attempt.spec.store and attempt.memory.outputs and attempt.spec.outputs):
            return True
        if self._saving is None:
            self._saving = Background(lambda: outputs.save(attempt.root, attempt.spec.store, attempt.spec.epoch))
        if not self._saving.done():
            return False
        try:
            path, files = self._saving.result()
            attempt.diary.tell(journal.OUTPUTS_SAVED, path=path, files=files)
        except (OSError, Fenced):
            pass  # they stay on the node as long as it lives
        return True

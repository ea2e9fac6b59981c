"""A stop asked for from outside, which the loop sees at its next step boundary.

SIGTERM, SIGUSR1 ──▶ flag ──▶ loop reads ``requested`` ──▶ final save ──▶ exit 75
                                     SIGTERM again during the final save ──▶ exit 76
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType, TracebackType
from typing import Any, Dict, NoReturn, Optional, Type

from tradewind.training import children
from tradewind.training.events import Events
from tradewind.wire import events as wire_events
from tradewind.wire.spec import CHECKPOINTED, OLDER_IS_VALID

STOP_SIGNALS = frozenset((signal.SIGTERM, signal.SIGUSR1))


class PreemptionGuard:
    """Turns SIGTERM and SIGUSR1 into a flag; made in the main thread, before torch is imported.

    A process without a handler dies of a SIGTERM that comes during the seconds of ``import torch``. The final save
    begins when the loop has read ``requested`` as True; earlier repeats of a signal change nothing, because a launcher
    and the agent may both pass on one notice. As a context manager, it puts the earlier handlers back.

    Forked DataLoader workers are kept alive through a notice to the process group; spawned ones too when the guard is
    made at the top of the script, outside ``if __name__ == "__main__"``, because they run that part again.

    Args:
        events: where ``preempt_seen`` and ``stopped`` are told; None tells nothing.
    """

    def __init__(self, events: Optional[Events] = None) -> None:
        self._events = events
        self._source: Optional[str] = None
        self._terms = 0
        self._saving = False
        self._previous: Dict[signal.Signals, Any] = {}
        if children.importing_main_again():
            children.obey_parent_only(STOP_SIGNALS)
            return
        self._previous = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        os.register_at_fork(after_in_child=self._in_child)

    @property
    def requested(self) -> bool:
        """True from the first stop signal on; reading it as True begins the final save."""
        if self._source is None:
            return False
        if not self._saving:
            self._saving = True
            self._tell(wire_events.PREEMPT_SEEN, source=self._source)
        return True

    def exit_checkpointed(self, saved: bool = True) -> NoReturn:
        """Ends the process with 75, "checkpointed, restart me".

        Args:
            saved: what ``Checkpointer.save(..., wait=True)`` gave; False exits with 76, "an older one is valid".

        Raises:
            SystemExit: always.
        """
        code = CHECKPOINTED if saved else OLDER_IS_VALID
        self._tell_stopped(code)
        raise SystemExit(code)

    def take_over(self) -> None:
        """Puts its handlers in again, over those that a framework put there since: who stops is decided once."""
        for number in self._previous:
            signal.signal(number, self._on_signal)

    def close(self) -> None:
        """Puts back the handlers that were there before."""
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._previous = {}

    def __enter__(self) -> PreemptionGuard:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], fault: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _on_signal(self, number: int, frame: Optional[FrameType]) -> None:
        if number == signal.SIGTERM:
            self._terms += 1
            if self._saving and self._terms > 1:
                self._abandon()
        self._source = self._source or signal.Signals(number).name

    def _abandon(self) -> NoReturn:
        # At once: an exception could be caught by the loop, and a normal exit would wait for the save in progress.
        with contextlib.suppress(Exception):
            self._tell_stopped(OLDER_IS_VALID)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(OLDER_IS_VALID)

    def _in_child(self) -> None:
        if self._previous:
            self._previous = {}
            children.obey_parent_only(STOP_SIGNALS)

    def _tell_stopped(self, code: int) -> None:
        if self._events is not None:
            self._tell(wire_events.STOPPED, exit=code, step=self._events.last_step)

    def _tell(self, type_: str, **fields: object) -> None:
        if self._events is not None:
            self._events.emit(type_, **fields)
            self._events.flush()

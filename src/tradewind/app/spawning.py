"""A supervisor started whenever none is alive, and what is said when every one of them dies at once."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from tradewind.app.lock import holder
from tradewind.app.settings import Settings
from tradewind.app.supervise import ensure_supervisor
from tradewind.domain.errors import Unavailable
from tradewind.ports.clock import Clock

RESPAWN_SECONDS = 3.0  # a supervisor takes about half a second to start; give it time before starting another
MOST_DEATHS = 3  # of supervisors one after the other, before whoever waits is told
_TAIL_BYTES = 4096  # of the log, in which a death's last words are looked for


class Starter:
    """Starts supervisors for one process, which hears of their deaths."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._started: float | None = None
        self._child: int | None = None
        self._deaths = 0
        self._refused = ""

    def missing(self) -> bool:
        """Whether none is alive, nor started so lately that it may still be on its way."""
        now = self._clock.monotonic()
        if self._started is not None and now - self._started < RESPAWN_SECONDS:
            return False
        self._bury()
        if holder(self._settings.lock) is None:
            return True
        self._deaths = 0
        return False

    def start(self) -> None:
        """Start one; ``require_one`` tells when that is in vain."""
        self._started = self._clock.monotonic()
        try:
            self._child, self._refused = ensure_supervisor(self._settings), ""
        except OSError as fault:
            self._refused = fault.strerror or str(fault)

    def require_one(self) -> None:
        """Nothing, while a supervisor may still come.

        Raises:
            Unavailable: ``supervisor-not-starting`` (log, why): none can be started, or several died one after the
                other.
        """
        if self._refused or self._deaths >= MOST_DEATHS:
            raise Unavailable("supervisor-not-starting", log=self._log, why=(self._refused or self._last_words())[:300])

    def _bury(self) -> None:
        """Count the death of the supervisor started last, if it ended otherwise than by having nothing to do."""
        if self._child is None:
            return
        child, status = os.waitpid(self._child, os.WNOHANG)
        if child:
            self._child = None
            self._deaths += status != 0

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = self._log.read_bytes()[-_TAIL_BYTES:].decode(errors="replace").split("\n")
            return next((line.strip() for line in reversed(lines) if line.strip()), "")
        return ""

    @property
    def _log(self) -> Path:
        return self._settings.home / "supervisor.log"

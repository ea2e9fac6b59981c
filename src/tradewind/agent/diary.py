"""The journal as its one writer sees it: what is told in a turn becomes readable together, synced first."""

from __future__ import annotations

import os
import time
from typing import Any, Iterable, List

from tradewind.agent.memory import Memory, recall
from tradewind.wire import journal

# Records of a job that simply goes on.
_STEADY = (journal.JOB, journal.SAMPLE)
_HIDDEN = "***"
# A shorter value is part of too many ordinary words and numbers to be hidden by value.
_SECRET_CHARACTERS = 6


class Diary:
    """Appends to the journal at ``path`` and remembers what it says.

    A last line without its newline was never read by anyone and is cut off on opening. ``moved_at`` is when something
    other than the job's own events and samples was told last.
    """

    def __init__(self, path: str) -> None:
        self._secrets: List[str] = []
        self._waiting: List[bytes] = []
        self._file = open(path, "ab")  # noqa: SIM115 - open as long as the agent lives
        with open(path, "rb") as file:
            records, whole = journal.read_lines(file.read())
        self._file.truncate(whole)
        self.memory: Memory = recall(records)
        self.moved_at = 0.0

    def close(self) -> None:
        """Write what was told and close the journal."""
        self.commit()
        self._file.close()

    def hide(self, secrets: Iterable[str]) -> None:
        """From now on these values are written as ``***``."""
        self._secrets += [secret for secret in secrets if len(secret) >= _SECRET_CHARACTERS]

    def tell(self, type_: str, **fields: Any) -> None:
        """Remember a record now, and write it with the next :meth:`commit`."""
        at, clean = round(time.time(), 3), _without(fields, self._secrets)
        self.memory.take({**clean, "at": at, "type": type_})
        self.moved_at = self.moved_at if type_ in _STEADY else at
        self._waiting.append(journal.line(type_, at, **clean))

    def commit(self) -> None:
        """Write and sync what was told; on return it survives a power cut. Called before every effect told of."""
        if not self._waiting:
            return
        self._file.write(b"".join(self._waiting))
        self._waiting = []
        self._file.flush()
        os.fsync(self._file.fileno())


def _without(value: Any, secrets: List[str]) -> Any:
    """``value`` with every secret in its texts hidden."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _HIDDEN)
        return value
    if isinstance(value, dict):
        return {_without(key, secrets): _without(part, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_without(part, secrets) for part in value]
    return value

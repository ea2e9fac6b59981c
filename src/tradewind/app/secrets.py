"""The values of jobs' secrets: in this process's memory alone, from what the user has them in to the job's node."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

SERVICE = "tradewind"  # under which a keyring holds them, by their names


class Secrets:
    """What was given for jobs that have not ended. Threads may share it; nothing of it is ever written."""

    def __init__(self) -> None:
        self._held: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()

    def give(self, job: str, values: Mapping[str, str]) -> None:
        """Keep values; what is there already stands, for the job may have begun with it."""
        with self._lock:
            self._held[job] = {**values, **self._held.get(job, {})}

    def of(self, job: str, names: Sequence[str]) -> Mapping[str, str] | None:
        """The values of a job's secrets by name; None when some are missing."""
        with self._lock:
            held = self._held.get(job, {})
            return None if any(name not in held for name in names) else {name: held[name] for name in names}

    def missing(self, job: str, names: Sequence[str]) -> tuple[str, ...]:
        """Those of a job's secrets that were not given."""
        with self._lock:
            held = self._held.get(job, {})
            return tuple(name for name in names if name not in held)

    def forget(self, job: str) -> None:
        """Drop the values of a job that has ended."""
        with self._lock:
            self._held.pop(job, None)


def at_hand(names: Sequence[str], env: Mapping[str, str]) -> dict[str, str]:
    """The values of secrets that the user's environment has, or else a keyring, where one can be asked."""
    told = {name: env[name] for name in names if name in env}
    return told | _in_keyring([name for name in names if name not in told])


def _in_keyring(names: Sequence[str]) -> dict[str, str]:
    if not names:
        return {}
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return {}
    try:
        asked = {name: keyring.get_password(SERVICE, name) for name in names}
    except KeyringError:  # none on this computer, or it stays locked
        return {}
    return {name: value for name, value in asked.items() if value is not None}

"""An instance's folder: who it is, which process holds it, whether it is to be reclaimed, how it ended.

``instance.json`` identity and tags · ``machine.json`` the holding process · ``notice.json`` the announced end, served
where the agent looks for it · ``ended.json`` when and why it ended. Each is written whole, by rename.
"""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

INSTANCE, MACHINE, NOTICE, ENDED = "instance.json", "machine.json", "notice.json", "ended.json"


@dataclass(frozen=True, slots=True)
class Folder:
    """One instance's folder."""

    path: Path

    @property
    def id(self) -> str:
        """The instance's id: the folder's name."""
        return self.path.name

    def read(self, name: str) -> dict[str, Any] | None:
        """The object in a file; None when there is none or it is not whole."""
        try:
            value = json.loads((self.path / name).read_text())
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None

    def write(self, name: str, value: dict[str, Any]) -> None:
        """Write a file whole and synced, over what was there; several threads may at once."""
        temporary = self.path / f".{name}.{os.getpid()}.{threading.get_ident()}"
        with temporary.open("w") as file:
            json.dump(value, file, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path / name)

    def write_once(self, name: str, value: dict[str, Any]) -> None:
        """Write a file unless it is there: the first word on how an instance ended stands."""
        if not (self.path / name).exists():
            self.write(name, value)


def instant(seconds: float) -> datetime:
    """Seconds since the epoch as an aware UTC instant."""
    return datetime.fromtimestamp(seconds, UTC)

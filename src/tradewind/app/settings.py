"""Settings: where the state lies and which installation this is."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tradewind.domain.errors import BadInput


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is configured. ``home`` holds all state, unless ``url`` names a PostgreSQL database for it."""

    home: Path
    url: str | None = field(default=None, repr=False)

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Settings from the environment: ``TRADEWIND_HOME``, else ``~/.tradewind``; ``TRADEWIND_DATABASE``.

        Raises:
            BadInput: the home exists and is no folder.
        """
        values = os.environ if env is None else env
        given = values.get("TRADEWIND_HOME")
        home = Path(given).expanduser().absolute() if given else Path.home() / ".tradewind"
        if home.exists() and not home.is_dir():
            raise BadInput("home-not-a-folder", home=home)
        return cls(home, values.get("TRADEWIND_DATABASE") or None)

    @property
    def database(self) -> Path | str:
        """The SQLite file of the home; or the ``postgresql://`` URL that the environment names instead."""
        return self.url or self.home / "tradewind.db"

    @property
    def jobs(self) -> Path:
        """One folder a job."""
        return self.home / "jobs"

    @property
    def instances(self) -> Path:
        """The machines of the cloud ``local``."""
        return self.home / "instances"

    @property
    def cache(self) -> Path:
        """What can be made again: the catalog snapshot, the agent."""
        return self.home / "cache"

    @property
    def catalog(self) -> Path:
        """What is laid over the shipped catalog, and the series of spot prices: kept, since it cannot be made again."""
        return self.home / "catalog"

    @property
    def lock(self) -> Path:
        """Held by the one supervisor of this home."""
        return self.home / "supervisor.lock"

    def installation(self) -> str:
        """The id of this installation on this machine; made at first use. A home copied elsewhere gets its own."""
        path = self.home / "installation.json"
        machine = _machine_id()
        try:
            value = json.loads(path.read_text())
            if value["machine"] == machine:
                return str(value["id"])
        except (FileNotFoundError, ValueError, KeyError):
            pass  # none yet, or not readable: a new one
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self.home / f".installation.{os.getpid()}"
        draft.write_text(json.dumps({"id": str(uuid.uuid4()), "machine": machine}))
        if path.exists():
            draft.replace(path)  # bound to another machine
        else:
            with contextlib.suppress(FileExistsError):  # of two that start at once, the first one's id stands
                os.link(draft, path)
            draft.unlink()
        return str(json.loads(path.read_text())["id"])


def _machine_id() -> str:
    for path in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        try:
            return path.read_text().strip()
        except OSError:
            continue
    return f"{uuid.getnode():012x}"

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

SITED = ("huawei", "tencent")  # clouds whose sites have other hosts or currencies


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is configured. ``home`` holds all state, unless ``url`` names a PostgreSQL database for it.

    ``sites``: cloud → the name given for the site at which its account was opened; of the others the Chinese one is.
    """

    home: Path
    url: str | None = field(default=None, repr=False)
    sites: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Settings from the environment: ``TRADEWIND_HOME``, else ``~/.tradewind``; ``TRADEWIND_DATABASE``; sites.

        Raises:
            BadInput: ``home-not-a-folder``: it exists and is none; ``home-nowhere``: nobody says where the user's is.
        """
        values = os.environ if env is None else env
        given = values.get("TRADEWIND_HOME")
        try:
            home = Path(given).expanduser().absolute() if given else Path.home().absolute() / ".tradewind"
        except RuntimeError:
            raise BadInput("home-nowhere", path=given or "~") from None
        if home.exists() and not home.is_dir():
            raise BadInput("home-not-a-folder", home=home)
        sites = {cloud: name for cloud in SITED if (name := values.get(site_setting(cloud)))}
        return cls(home, values.get("TRADEWIND_DATABASE") or None, sites)

    def make_home(self) -> None:
        """Make the home where there is none, for its owner alone: it holds the environment of jobs.

        Raises:
            OSError: it cannot be made.
        """
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)

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
    def machines(self) -> Path:
        """The user's own machines, one file each."""
        return self.home / "machines"

    @property
    def clouds(self) -> Path:
        """What the user set for clouds."""
        return self.home / "clouds.yaml"

    @property
    def nodes(self) -> Path:
        """What is kept of rented machines to know them by: a file each."""
        return self.home / "nodes"

    @property
    def own_key(self) -> Path:
        """The private SSH key of this installation, where a machine was given one."""
        return self.home / "keys" / "id_ed25519"

    @property
    def ssh(self) -> Path:
        """What the system's ``ssh`` is given when a user visits a node: the pinned host keys."""
        return self.home / "ssh"

    @property
    def cache(self) -> Path:
        """What can be made again: the catalog snapshot, the agent."""
        return self.home / "cache"

    @property
    def traces(self) -> Path:
        """Profiles of models that were traced: they can be made again."""
        return self.home / "traces"

    @property
    def calibrations(self) -> Path:
        """What steps really took, by workload: kept, since it was measured."""
        return self.home / "calibrations.jsonl"

    @property
    def catalog(self) -> Path:
        """What is laid over the shipped catalog, and the series of spot prices: kept, since it cannot be made again."""
        return self.home / "catalog"

    @property
    def lock(self) -> Path:
        """Held by the one supervisor of this home."""
        return self.home / "supervisor.lock"

    @property
    def socket(self) -> Path:
        """A link to where that supervisor takes secrets."""
        return self.home / "supervisor.socket"

    def installation(self) -> str:
        """The id of this installation on this machine; made at first use. A home copied elsewhere gets its own."""
        path = self.home / "installation.json"
        machine = _machine_id()
        in_the_way = True
        try:
            value = json.loads(path.read_text())
            if value["machine"] == machine:
                return str(value["id"])
        except FileNotFoundError:
            in_the_way = False  # whatever is there in a moment, another first use has made
        except (ValueError, KeyError):
            pass  # not readable: a new one
        self.make_home()
        draft = self.home / f".installation.{os.getpid()}"
        draft.write_text(json.dumps({"id": str(uuid.uuid4()), "machine": machine}))
        if in_the_way:
            draft.replace(path)  # bound to another machine, or torn
        else:
            with contextlib.suppress(FileExistsError):  # of two that start at once, the first one's id stands
                os.link(draft, path)
            draft.unlink()
        return str(json.loads(path.read_text())["id"])


def site_setting(cloud: str) -> str:
    """The variable of the environment that names the site of a cloud's account."""
    return f"TRADEWIND_{cloud.upper()}_SITE"


def _machine_id() -> str:
    for path in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        try:
            return path.read_text().strip()
        except OSError:
            continue
    return f"{uuid.getnode():012x}"

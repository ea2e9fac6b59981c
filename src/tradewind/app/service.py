"""Installing the supervisor as a service of this user: writing its file, switching it on and off, asking for it.

A command of the service manager is called only where that manager can be reached; elsewhere it is left to be typed.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any

from tradewind.app.interface import Answer
from tradewind.app.lock import holder
from tradewind.app.settings import Settings
from tradewind.app.units import MARK, Command, Kind, Supervision, Unit, unit_of
from tradewind.domain.errors import BadInput, NotConfigured

LINGER: Command = ("loginctl", "enable-linger")  # or the user's services end when they log out
_LINGERING = Path("/var/lib/systemd/linger")
Run = Callable[[Sequence[str]], tuple[int, str]]


def run(command: Sequence[str]) -> tuple[int, str]:
    """The exit code of a command, and what it wrote; 127 when there is no such program."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as fault:
        return 127, str(fault)
    return done.returncode, (done.stderr or done.stdout).strip()


class UserService:
    """``interface.Service`` for the supervisor of one home and the user whose environment ``env`` is."""

    def __init__(self, settings: Settings, env: Mapping[str, str], run: Run = run) -> None:
        self._settings = settings
        self._env = env
        self._run = run

    def text(self, kind: str | None) -> str:
        """The service file, written nowhere."""
        return self._secretless(kind).text

    def install(self, kind: str | None) -> Answer:
        """Write the file and switch the service on, as far as its manager can be reached."""
        unit = self._secretless(kind)
        if _text(unit) is not None:
            _refuse_others(unit)
            self._switch_off(unit)  # the old file's way
        _write(unit)
        if not self._reachable(unit):
            return _changed(unit, True, (*unit.start, *self._lingering(unit)))
        for command in unit.start:
            code, why = self._run(command)
            if code != 0:
                raise _failed(unit, command, why)
        return _changed(unit, True, self._lingering(unit))

    def uninstall(self, kind: str | None) -> Answer:
        """Switch the service off and take its file away; the jobs go on."""
        unit = self._unit(kind)
        if _text(unit) is not None:
            _refuse_others(unit)
            self._switch_off(unit)
        for path in (unit.path, unit.link):
            if path is not None:
                path.unlink(missing_ok=True)
        return _changed(unit, False, ())

    def _switch_off(self, unit: Unit) -> None:
        """See that the service does not run; one that does not run is off already."""
        if not self._reachable(unit):
            return
        for command in unit.stop:
            code, why = self._run(command)
            if code != 0 and self._run(unit.ask)[0] == 0:
                raise _failed(unit, command, why)

    def status(self, kind: str | None) -> Answer:
        """Who supervises, since when, and what is installed to keep it alive."""
        unit = self._unit(kind)
        installed = _text(unit)
        state = None
        if installed is not None and self._reachable(unit):
            state = "active" if self._run(unit.ask)[0] == 0 else "inactive"
        return {
            "home": str(self._settings.home), "supervisor": holder(self._settings.lock),
            "service": {**_named(unit), "installed": installed is not None, "current": installed == unit.text,
                        "state": state},
        }  # fmt: skip

    def _unit(self, kind: str | None) -> Unit:
        chosen = Kind(kind) if kind else Kind.LAUNCHD if sys.platform == "darwin" else Kind.SYSTEMD
        what = Supervision(Path(sys.executable), self._settings.home, self._env.get("PATH", os.defpath))
        return unit_of(chosen, what, {"HOME": str(Path.home()), **self._env}, os.getuid())

    def _secretless(self, kind: str | None) -> Unit:
        """The unit, when all that it needs may be written down."""
        if self._settings.url is not None:
            raise BadInput("service-database-url")
        return self._unit(kind)

    def _reachable(self, unit: Unit) -> bool:
        """Whether the unit's manager runs for this user here."""
        if unit.kind is Kind.LAUNCHD:
            return sys.platform == "darwin"
        runtime = self._env.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        return (Path(runtime) / "systemd" / "private").exists()

    def _lingering(self, unit: Unit) -> tuple[Command, ...]:
        """What is left to be typed so that the service outlives the user's session: their decision, not ours."""
        on = unit.kind is Kind.LAUNCHD or (_LINGERING / getuser()).exists()
        return () if on else (LINGER,)


def _changed(unit: Unit, installed: bool, left: Sequence[Command]) -> Answer:
    return {**_named(unit), "installed": installed, "to_type": [shlex.join(command) for command in left]}


def _failed(unit: Unit, command: Command, why: str) -> NotConfigured:
    return NotConfigured("service-command-failed", command=shlex.join(command), why=why, path=unit.path)


def _named(unit: Unit) -> dict[str, Any]:
    return {"kind": unit.kind.value, "name": unit.name, "path": str(unit.path)}


def _text(unit: Unit) -> str | None:
    try:
        return unit.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _write(unit: Unit) -> None:
    unit.path.parent.mkdir(parents=True, exist_ok=True)
    draft = unit.path.with_name(f".{unit.path.name}.{os.getpid()}")
    draft.write_text(unit.text, encoding="utf-8")
    draft.replace(unit.path)


def _refuse_others(unit: Unit) -> None:
    """Nothing, unless a file that we did not write is in the place of ours.

    Raises:
        BadInput: ``service-not-ours`` (path).
    """
    there = _text(unit)
    if there is not None and MARK not in there:
        raise BadInput("service-not-ours", path=unit.path)

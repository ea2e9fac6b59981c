"""Service files that keep the supervisor of one home alive: a unit of systemd's user manager, or a launchd agent.

Rendered from values alone. Jobs on this computer are children of the supervisor: both files spare them when it is
restarted, and neither puts it into a sandbox that a job would feel. New rights are refused (a job has no sudo), and
files are kept private.
"""

from __future__ import annotations

import hashlib
import plistlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

MARK = "Written by `tradewind supervisor install`; `tradewind supervisor uninstall` takes it away."
RESTART_SECONDS = 5
Command = tuple[str, ...]


class Kind(StrEnum):
    """Who keeps the supervisor alive."""

    SYSTEMD = "systemd"
    LAUNCHD = "launchd"


@dataclass(frozen=True, slots=True)
class Supervision:
    """What is to be kept alive: the supervisor of ``home``, run by ``python``, which finds programs on ``path``."""

    python: Path
    home: Path
    path: str

    @property
    def name(self) -> str:
        """The service's name; another for each home, so that two homes do not share one."""
        return "tradewind-" + hashlib.sha256(str(self.home).encode()).hexdigest()[:8]

    @property
    def command(self) -> Command:
        """How the supervisor is started."""
        return str(self.python), "-m", "tradewind.app.supervise", "--stay"

    @property
    def environment(self) -> dict[str, str]:
        """All of its environment that is written down."""
        return {"TRADEWIND_HOME": str(self.home), "PATH": self.path}


@dataclass(frozen=True, slots=True)
class Unit:
    """A service file: where it belongs, what it says, and the commands that switch it on, off, and ask for it.

    ``link`` is what switching it on leaves beside the file.
    """

    kind: Kind
    name: str
    path: Path
    link: Path | None
    text: str
    start: tuple[Command, ...]
    stop: tuple[Command, ...]
    ask: Command


def unit_of(kind: Kind, what: Supervision, env: Mapping[str, str], uid: int) -> Unit:
    """The service file of one home for the user ``uid``, whose ``env`` says where such files lie."""
    if kind is Kind.SYSTEMD:
        return _systemd(what, env)
    return _launchd(what, env, uid)


def _systemd(what: Supervision, env: Mapping[str, str]) -> Unit:
    folder = Path(env.get("XDG_CONFIG_HOME") or Path(env["HOME"]) / ".config") / "systemd" / "user"
    name = f"{what.name}.service"
    systemctl = ("systemctl", "--user")
    return Unit(
        Kind.SYSTEMD, name, folder / name, folder / "default.target.wants" / name, systemd_text(what),
        start=((*systemctl, "daemon-reload"), (*systemctl, "enable", "--now", name)),
        stop=((*systemctl, "disable", "--now", name),),
        ask=(*systemctl, "is-active", name),
    )  # fmt: skip


def systemd_text(what: Supervision) -> str:
    """The unit. A shell hands over to the program at once: systemd takes no path with quotes or backslashes for one."""
    command = " ".join(quoted(word.replace("$", "$$")) for word in what.command)
    environment = "\n".join(f"Environment={quoted(f'{name}={value}')}" for name, value in what.environment.items())
    return f"""\
# {MARK}
[Unit]
Description=Tradewind supervisor
StartLimitIntervalSec=0

[Service]
ExecStart=/bin/sh -c 'exec "$$0" "$$@"' {command}
{environment}
Restart=always
RestartSec={RESTART_SECONDS}
# Jobs on this computer outlive a restart of the supervisor, and one that runs out of memory is not its end.
KillMode=process
OOMPolicy=continue
TasksMax=infinity
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
"""


def quoted(word: str) -> str:
    """One word of a systemd setting, whatever is in it: quotes, backslashes, line ends, ``%``."""
    for letter, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("%", "%%")):
        word = word.replace(letter, escaped)
    return f'"{word}"'


def _launchd(what: Supervision, env: Mapping[str, str], uid: int) -> Unit:
    path = Path(env["HOME"]) / "Library" / "LaunchAgents" / f"{what.name}.plist"
    domain = f"gui/{uid}"
    return Unit(
        Kind.LAUNCHD, what.name, path, None, launchd_text(what),
        start=(("launchctl", "bootstrap", domain, str(path)),),
        stop=(("launchctl", "bootout", f"{domain}/{what.name}"),),
        ask=("launchctl", "print", f"{domain}/{what.name}"),
    )  # fmt: skip


def launchd_text(what: Supervision) -> str:
    """The property list of the agent."""
    log = str(what.home / "supervisor.log")
    told = plistlib.dumps({
        "Label": what.name, "ProgramArguments": list(what.command), "EnvironmentVariables": what.environment,
        "RunAtLoad": True, "KeepAlive": True, "ThrottleInterval": RESTART_SECONDS, "AbandonProcessGroup": True,
        "Umask": 0o077, "StandardOutPath": log, "StandardErrorPath": log,
    }, sort_keys=False).decode()  # fmt: skip
    return told.replace("<plist ", f"<!-- {MARK} -->\n<plist ", 1)

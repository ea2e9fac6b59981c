"""The supervisor as a service: files for systemd and launchd, as golden files and as systemd itself reads them."""

from __future__ import annotations

import json
import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from doubles import SimClock

from tradewind.app.lock import SupervisorLock
from tradewind.app.service import UserService
from tradewind.app.settings import Settings
from tradewind.app.units import Kind, Supervision, unit_of
from tradewind.domain.errors import BadInput, NotConfigured

GOLDEN = Path(__file__).parent / "golden"
AWKWARD = "my runs 100% 'of' \"all\" $HOME = a\\b & <中文>"
PLAIN = Supervision(Path("/home/ada/.venv/bin/python"), Path("/home/ada/.tradewind"), "/home/ada/.venv/bin:/usr/bin")
ODD = Supervision(Path(f"/home/ada/{AWKWARD}/python"), Path(f"/home/ada/{AWKWARD}"), f"/home/ada/{AWKWARD}:/usr/bin")


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize(("name", "what"), [("plain", PLAIN), ("odd", ODD)])
def test_the_service_files_are_as_they_were(kind: Kind, name: str, what: Supervision) -> None:
    unit = unit_of(kind, what, {"HOME": "/home/ada"}, 501)
    path = GOLDEN / f"{name}.{'service' if kind is Kind.SYSTEMD else 'plist'}"
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(unit.text, encoding="utf-8")
    assert unit.text == path.read_text(encoding="utf-8")


def test_a_service_lies_where_its_manager_looks() -> None:
    home = {"HOME": "/home/ada"}
    name = PLAIN.name
    assert unit_of(Kind.SYSTEMD, PLAIN, home, 501).path == Path(f"/home/ada/.config/systemd/user/{name}.service")
    assert unit_of(Kind.SYSTEMD, PLAIN, {**home, "XDG_CONFIG_HOME": "/c"}, 501).path.parent == Path("/c/systemd/user")
    launchd = unit_of(Kind.LAUNCHD, PLAIN, home, 501)
    assert launchd.path == Path(f"/home/ada/Library/LaunchAgents/{name}.plist")
    assert launchd.start == (("launchctl", "bootstrap", "gui/501", str(launchd.path)),)


def test_two_homes_have_two_services() -> None:
    assert PLAIN.name != ODD.name


def test_launchd_reads_what_was_meant() -> None:
    told = plistlib.loads(unit_of(Kind.LAUNCHD, ODD, {"HOME": "/home/ada"}, 501).text.encode())
    assert told["ProgramArguments"] == list(ODD.command)
    assert told["EnvironmentVariables"] == {"TRADEWIND_HOME": str(ODD.home), "PATH": ODD.path}
    assert (told["Label"], told["KeepAlive"], told["AbandonProcessGroup"]) == (ODD.name, True, True)


def systemd_reads(folder: Path, what: Supervision) -> str:
    """What ``systemd-analyze`` understands of the unit, as it tells when it verifies it."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not here")
    unit = unit_of(Kind.SYSTEMD, what, {"HOME": str(folder)}, os.getuid())
    path = folder / unit.name
    path.write_text(unit.text, encoding="utf-8")
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "SYSTEMD_LOG_LEVEL": "debug", "LANG": "C.UTF-8"}
    command = [program, "verify", "--user", str(path)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith(str(path))], done.stderr  # a remark
    return done.stdout


@pytest.mark.parametrize("what", [PLAIN, ODD], ids=["plain", "odd"])
def test_systemd_reads_what_was_meant(tmp_path: Path, what: Supervision) -> None:
    told = systemd_reads(tmp_path, what)
    assert f"Environment: TRADEWIND_HOME={what.home}\n" in told
    assert re.search(rf"^\s+(?:Environment: )?PATH={re.escape(what.path)}$", told, flags=re.MULTILINE)
    (line,) = re.findall(r"Command Line: (.*)", told)
    words = [word.replace("\\$", "$").replace("$$", "$") for word in shlex.split(line)]  # as it is when it starts
    assert words == ["/bin/sh", "-c", 'exec "$0" "$@"', *what.command]
    for setting in ("KillMode: process", "UMask: 0077", "OOMPolicy: continue", "Restart: always"):
        assert setting in told, setting


def test_the_shell_hands_over_to_the_program_whatever_its_path(tmp_path: Path) -> None:
    python = tmp_path / AWKWARD / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    command = ["/bin/sh", "-c", 'exec "$0" "$@"', str(python), "-c", "import sys; print(sys.executable)"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == str(python)


@dataclass
class Manager:
    """A service manager that notes what it is told; ``refuses`` what contains this word."""

    refuses: str = "\0"
    active: bool = False
    told: list[str] = field(default_factory=list)

    def __call__(self, command: Sequence[str]) -> tuple[int, str]:
        line = shlex.join(command)
        if "is-active" in line:
            return (0 if self.active else 3), ""
        self.told.append(line)
        if self.refuses in line:
            return 1, "no"
        self.active = "disable" not in line
        return 0, ""


def service(folder: Path, manager: Manager, reachable: bool = True) -> UserService:
    runtime = folder / "runtime"
    (runtime / "systemd").mkdir(parents=True, exist_ok=True)
    if reachable:
        (runtime / "systemd" / "private").touch()
    env = {"HOME": str(folder), "PATH": "/usr/bin", "XDG_RUNTIME_DIR": str(runtime), "SECRET": "hidden"}
    return UserService(Settings(folder / "home"), env, manager)


def test_a_service_is_installed_told_and_taken_away(tmp_path: Path) -> None:
    manager = Manager()
    made = service(tmp_path, manager)
    told = made.install("systemd")
    name = told["name"]
    assert manager.told == ["systemctl --user daemon-reload", f"systemctl --user enable --now {name}"]
    assert told["to_type"] in ([], ["loginctl enable-linger"])  # unless this user's services stay already
    text = Path(told["path"]).read_text()
    assert "hidden" not in text and text == made.text("systemd")
    status = made.status("systemd")["service"]
    assert (status["installed"], status["current"], status["state"]) == (True, True, "active")
    made.install("systemd")  # again: with the new file's ways
    assert manager.told[2:] == [f"systemctl --user disable --now {name}", *manager.told[:2]]
    gone = made.uninstall("systemd")
    assert manager.told[-1] == f"systemctl --user disable --now {name}"
    assert not gone["installed"] and not Path(told["path"]).exists()
    assert made.uninstall("systemd")["to_type"] == []  # what is not there is taken away


def test_without_a_manager_what_is_to_be_typed_is_said_and_nothing_is_called(tmp_path: Path) -> None:
    manager = Manager()
    made = service(tmp_path, manager, reachable=False)
    told = made.install("systemd")
    assert Path(told["path"]).exists() and manager.told == []
    assert told["to_type"][:2] == ["systemctl --user daemon-reload", f"systemctl --user enable --now {told['name']}"]
    assert made.status("systemd")["service"]["state"] is None


def test_a_file_that_is_not_ours_is_never_touched(tmp_path: Path) -> None:
    made = service(tmp_path, Manager())
    path = Path(made.status("systemd")["service"]["path"])
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=/bin/true\n")
    for change in (made.install, made.uninstall):
        with pytest.raises(BadInput, match="service-not-ours"):
            change("systemd")
    assert path.read_text() == "[Service]\nExecStart=/bin/true\n"


def test_a_manager_that_refuses_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match="service-command-failed"):
        service(tmp_path, Manager(refuses="enable")).install("systemd")


def test_an_address_that_may_hold_a_password_goes_into_no_file(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "home", "postgresql://ada:secret@db/tradewind")
    with pytest.raises(BadInput, match="service-database-url"):
        UserService(settings, {"HOME": str(tmp_path)}, Manager()).install("systemd")


def test_who_supervises_and_since_when_is_told(tmp_path: Path) -> None:
    made = service(tmp_path, Manager())
    assert made.status("systemd")["supervisor"] is None
    with SupervisorLock(Settings(tmp_path / "home").lock, SimClock()) as lock:
        assert lock.take()
        told = made.status("systemd")["supervisor"]
    assert (told["pid"], told["since"]) == (os.getpid(), "2026-11-21T08:00:00.000Z")
    assert json.dumps(told)

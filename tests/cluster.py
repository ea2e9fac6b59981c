"""A PostgreSQL cluster of the tests' own: made at first use, once a process, gone with the process however it ends."""

from __future__ import annotations

import atexit
import functools
import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
import sqlalchemy as sa

from tradewind.store.database import Database

_TEMPLATE = "newest"
# The odd time zone shows an instant that comes back in the server's zone instead of UTC.
_SETTINGS = {"listen_addresses": "", "timezone": "Asia/Shanghai", "log_min_messages": "fatal"}
# Kills in tests are of processes, never of the machine: what the server wrote survives them without fsync.
_FLEETING = {"fsync": "off", "full_page_writes": "off", "wal_level": "minimal", "max_wal_senders": "0",
             "shared_buffers": "32MB"}  # fmt: skip
# The watcher's only input is a pipe that this process holds and never writes to: it ends when the process does.
_WATCHER = """read -r _
"$1" stop --silent --mode immediate --pgdata "$2/data" >/dev/null 2>&1
rm -rf "$2"
"""


class Cluster:
    """A running server on a Unix socket in a folder of its own; connections need no password."""

    def __init__(self, binaries: Path, settings: dict[str, str], folder: Path | None) -> None:
        self._binaries = binaries
        self._owner = _owner()
        self.folder = Path(tempfile.mkdtemp(prefix="tradewind-pg-", dir=folder))
        if self._owner:
            shutil.chown(self.folder, self._owner["user"], self._owner["group"])
        self._watch()
        self._run("initdb", "--pgdata", self.data, "--username", "tradewind", "--auth", "trust", "--encoding", "UTF8",
                  "--locale", "C", "--no-sync", "--no-instructions")  # fmt: skip
        lines = [f"{name} = '{value}'" for name, value in settings.items()]
        with (self.data / "postgresql.conf").open("a") as conf:
            conf.write("\n".join([*lines, f"unix_socket_directories = '{self.folder}'", ""]))
        self._control("start")
        self._numbers = itertools.count(1)
        self._execute(f"CREATE DATABASE {_TEMPLATE}")
        Database(self.url(_TEMPLATE)).close()

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.folder / "data"

    def url(self, name: str) -> str:
        """What ``Database`` takes to open a database of this cluster."""
        return f"postgresql://tradewind@/{name}?host={self.folder}"

    def empty(self) -> str:
        """The URL of a new database without tables."""
        return self._create("template0")

    def fresh(self) -> str:
        """The URL of a new database at the newest revision, without rows."""
        return self._create(_TEMPLATE)

    def drop(self, url: str) -> None:
        """Remove a database, whoever is connected to it."""
        self._execute(f"DROP DATABASE {sa.make_url(url).database} WITH (FORCE)")

    def restart(self, mode: Literal["smart", "fast", "immediate"] = "immediate") -> None:
        """Stop the server and start it again; ``immediate`` is a crash with recovery."""
        self._control("restart", "--mode", mode)

    def _create(self, template: str) -> str:
        name = f"t{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def _execute(self, statement: str) -> None:
        url = sa.make_url(self.url("postgres")).set(drivername="postgresql+psycopg")
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    def _control(self, *what: str) -> None:
        self._run("pg_ctl", *what, "--wait", "--silent", "--pgdata", self.data, "--log", self.folder / "log")

    def _run(self, program: str, *arguments: str | Path) -> None:
        command = [str(self._binaries / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **self._owner)
        assert done.returncode == 0, f"{program}: {done.stderr}"

    def _watch(self) -> None:
        # In a session of its own: Ctrl-C in the terminal is for the tests.
        watcher = subprocess.Popen(
            ["sh", "-c", _WATCHER, "sh", str(self._binaries / "pg_ctl"), str(self.folder)], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, cwd="/", **self._owner,
        )  # fmt: skip
        assert watcher.stdin
        atexit.register(watcher.wait)
        atexit.register(watcher.stdin.close)


@functools.cache
def cluster() -> Cluster:
    """The cluster of this process. Without PostgreSQL the test is skipped, or fails where ``CI=true``."""
    binaries = _binaries()
    if binaries is None:
        say: Callable[[str], None] = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        say("PostgreSQL is not installed: neither in PATH nor in /usr/lib/postgresql")
    assert binaries
    return Cluster(binaries, _SETTINGS | _FLEETING, _memory())


@functools.cache
def durable() -> Cluster | None:
    """A cluster on disk with the settings that a machine's crash asks for, to measure with; None: not installed."""
    binaries = _binaries()
    return Cluster(binaries, _SETTINGS, None) if binaries else None


def _binaries() -> Path | None:
    found = shutil.which("pg_ctl")
    if found:
        return Path(found).resolve().parent
    versions = Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")
    return max((path.parent for path in versions), key=lambda path: int(path.parent.name), default=None)


def _memory() -> Path | None:
    """A folder in memory with room for many small databases; None: there is none."""
    shm = Path("/dev/shm")
    roomy = os.access(shm, os.W_OK) and shutil.disk_usage(shm).free > 2 << 30
    return shm if roomy else None


def _owner() -> dict[str, Any]:
    """Whom the server runs as, for ``subprocess``: it refuses to be root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    entry = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

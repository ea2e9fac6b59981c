"""A machine of one's own for a benchmark: a real sshd on loopback, added to an installation."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # its sshd is the tests' own

from installation import Installation
from sshd import Sshd

from tradewind.nodes.ssh.keys import fingerprint


@contextmanager
def server(*options: str) -> Iterator[Sshd]:
    """An sshd on whose PATH this interpreter is; ``options`` are further lines of its configuration."""
    with Sshd(*options, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") as host:
        yield host


def add(home: Installation, host: Sshd, name: str, *words: str) -> None:
    """Have the server as a machine, under an alias of the user's own ``~/.ssh/config``."""
    user = home.home.parent / "user"
    config = user / ".ssh" / "config"
    config.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    before = config.read_text() if config.exists() else host.config.read_text()
    alias = f"Host {name}\n  HostName {host.host}\n  Port {host.port}\n  User {host.user}\n"
    config.write_text(alias + before)
    os.environ["HOME"] = str(user)
    home.ask("machines", "add", name, "--name", name, "--host-key", fingerprint(host.host_key), *words)

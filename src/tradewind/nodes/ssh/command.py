"""The system's ``ssh`` for a user's own terminal, held to the same pinned host keys as our own connections."""

from __future__ import annotations

import hashlib
import os
import pwd
from collections.abc import Sequence
from pathlib import Path

from tradewind.nodes.ssh.address import Address

# The command line wins over the configuration, so nothing there can let another key in.
_STRICT = (
    "StrictHostKeyChecking=yes", "GlobalKnownHostsFile=/dev/null", "UpdateHostKeys=no", "VerifyHostKeyDNS=no",
    "CheckHostIP=no",
)  # fmt: skip


def ssh_command(address: Address, folder: Path, extra: Sequence[str] = ()) -> tuple[str, ...]:
    """``ssh … HOST EXTRA``; the pinned host keys are written into a file in ``folder``, which is made if need be.

    Jump hosts are for ``ssh`` itself to check, against the known hosts of the user.
    """
    alias = f"tradewind-{hashlib.sha256(address.target.encode()).hexdigest()[:12]}"
    known = folder / alias
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(known, "".join(f"{alias} {key}\n" for key in address.pins))
    options = [f"HostKeyAlias={alias}", f"UserKnownHostsFile={known}", *_STRICT]
    words = ["ssh", *(word for each in options for word in ("-o", each))]
    config = address.config or _users_config()
    if config is not None:
        words += ["-F", str(config)]
    if address.identity is not None:
        words += ["-i", str(address.identity), "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none"]
    if address.user is not None:
        words += ["-l", address.user]
    if address.port is not None:
        words += ["-p", str(address.port)]
    return (*words, address.host, *extra)


def _users_config() -> Path | None:
    """The configuration under ``$HOME``, where ``ssh`` would look elsewhere: it asks the list of users."""
    config = Path("~/.ssh/config").expanduser()
    elsewhere = Path(pwd.getpwuid(os.getuid()).pw_dir) != Path.home()
    return config if elsewhere and config.exists() else None


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)

"""A key of this installation's own, for hosts where only a person could log in unattended."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import asyncssh

from tradewind.ports.host import Host

_NAME = "id_ed25519"


def make_own_key(home: Path) -> Path:
    """The private key ``home/keys/id_ed25519``, made when there is none; its public text lies in ``….pub``.

    Raises:
        OSError: it cannot be written.
    """
    path = home / "keys" / _NAME
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = asyncssh.generate_private_key("ssh-ed25519", comment="tradewind")
        with NamedTemporaryFile(dir=path.parent, prefix=f".{_NAME}.") as draft:  # for its owner only
            draft.write(key.export_private_key())
            draft.flush()
            with suppress(FileExistsError):  # of two that make one at once the first stands
                os.link(draft.name, path)
    public_key(path)
    return path


def public_key(path: Path) -> str:
    """The public text of a private key, also written beside it: ``ssh-ed25519 AAAA…``.

    Raises:
        OSError, ValueError: there is no such key.
    """
    text = " ".join(asyncssh.read_private_key(path).export_public_key().decode().split()[:2])
    path.with_name(f"{path.name}.pub").write_text(f"{text} tradewind\n", encoding="utf-8")
    return text


def install_own_key(host: Host, public: str) -> None:
    """Let the key log in: one line in the ``authorized_keys`` of who is logged in there. Repeated, it stays one.

    Raises:
        HostRefused, Unreachable: it is not known to be done.
    """
    host.ask("authorize", {"key": public, "on": True})


def remove_own_key(host: Host, public: str) -> None:
    """Take that line out again; no other is touched.

    Raises:
        HostRefused, Unreachable: it is not known to be done.
    """
    host.ask("authorize", {"key": public, "on": False})

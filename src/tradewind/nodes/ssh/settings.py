"""What the SSH configuration says of a host: the user's ``~/.ssh/config``, then the system's, as ``ssh`` reads them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncssh

from tradewind.nodes.ssh.address import Address

_SYSTEM = Path("/etc/ssh/ssh_config")
_KNOWN, _SYSTEM_KNOWN = ("~/.ssh/known_hosts", "~/.ssh/known_hosts2"), ("/etc/ssh/ssh_known_hosts",)


def place(address: Address) -> dict[str, Any]:
    """Host, port, user and configuration of an address, as arguments of asyncssh."""
    files = [address.config] if address.config else [Path("~/.ssh/config").expanduser(), _SYSTEM]
    return {
        "host": address.host, "port": () if address.port is None else address.port,
        "username": () if address.user is None else address.user,
        "config": [str(each) for each in files if os.access(each, os.R_OK)],
    }  # fmt: skip


def read(address: Address) -> asyncssh.SSHClientConnectionOptions:
    """The settings for an address; no key is read.

    Raises:
        ValueError: the configuration cannot be understood.
    """
    return asyncssh.SSHClientConnectionOptions(
        **place(address), client_keys=None, known_hosts=None, x509_trusted_certs=None
    )


def hops(options: asyncssh.SSHClientConnectionOptions) -> tuple[str, ...]:
    """The jump hosts on the way, the first one first."""
    named = options.config.get("ProxyJump")
    return tuple(each.strip() for each in named.split(",")) if isinstance(named, str) else ()


def hop(text: str, config: Path | None) -> Address:
    """The address of a jump host, as ``ProxyJump`` writes it: ``[user@]host[:port]``, also as an ``ssh://`` URL.

    Raises:
        ValueError: no such thing.
    """
    user, _, rest = text.removeprefix("ssh://").rstrip("/").rpartition("@")
    host, colon, port = rest.rpartition(":")
    if not colon or rest.endswith("]") or (":" in host and not host.endswith("]")):
        host, port = rest, ""
    return Address(host.strip("[]"), user or None, int(port) if port else None, config=config)


def proxy(options: asyncssh.SSHClientConnectionOptions) -> Sequence[str] | None:
    """The command that connects, run by a shell as ``ssh`` does; None: there is none."""
    named = options.config.get("ProxyCommand")
    # asyncssh takes what comes on the command's standard error for part of the connection, and its end for the end:
    # so it stays open, by another number, and nothing is written to it.
    return ("/bin/sh", "-c", f"exec 9>&2 2>/dev/null; exec {named}") if isinstance(named, str) else None


def known_hosts(options: asyncssh.SSHClientConnectionOptions) -> asyncssh.SSHKnownHosts:
    """The host keys that the user knows; a file that is not there holds none.

    Raises:
        ValueError: a file cannot be understood.
    """
    files: list[str] = []
    for name, usual in (("UserKnownHostsFile", _KNOWN), ("GlobalKnownHostsFile", _SYSTEM_KNOWN)):
        named = options.config.get(name, usual)
        files += [str(Path(each).expanduser()) for each in named] if isinstance(named, list | tuple) else []
    return asyncssh.read_known_hosts([each for each in files if Path(each).is_file() and os.access(each, os.R_OK)])

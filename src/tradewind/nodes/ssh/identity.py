"""Which keys a log-in tries: this installation's own, or those that the user's SSH configuration and agent hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh
from asyncssh.config import SSHConfig
from asyncssh.public_key import SSHKeyPair

_DEFAULT = ("id_ed25519_sk", "id_ecdsa_sk", "id_ed25519", "id_ecdsa", "id_rsa")


@dataclass(frozen=True, slots=True)
class Keys:
    """What is offered to a host.

    Attributes:
        pairs: keys read from files; ``locked``: files of keys that ask for a passphrase.
        agent: socket of the ssh-agent that is asked first; empty: none.
        agent_only: the only keys of the agent that are offered; None: all it has.
    """

    pairs: tuple[SSHKeyPair, ...]
    locked: tuple[Path, ...] = ()
    agent: str = ""
    agent_only: tuple[asyncssh.SSHKey, ...] | None = field(default=None)


def keys_of(config: SSHConfig, own: Path | None) -> Keys:
    """The keys for a host with this configuration; with a key of our ``own`` that one alone.

    Raises:
        OSError, ValueError: our own key, or a certificate that the configuration names, cannot be read.
    """
    if own is not None:
        return Keys(tuple(asyncssh.load_keypairs(own)))
    certificates = config.get("CertificateFile", ())
    pairs: list[SSHKeyPair] = []
    locked: list[Path] = []
    files = list(_files(config))
    for path in files:
        try:
            found = asyncssh.load_keypairs([path], certlist=certificates, ignore_encrypted=True)  # type: ignore[arg-type]
        except (OSError, asyncssh.KeyImportError):
            continue  # only its public part is there, or it is of a kind that needs the agent (a hardware key)
        pairs += found
        locked += [] if found else [path]
    only = tuple(_public(files)) if config.get("IdentitiesOnly") else None
    return Keys(tuple(pairs), tuple(locked), "" if only == () else _agent(config), only)


def unlocked(path: Path, passphrase: str) -> tuple[SSHKeyPair, ...]:
    """The key in a file that asks for a passphrase; none when it is a wrong one."""
    try:
        return tuple(asyncssh.load_keypairs([path], passphrase))
    except (OSError, asyncssh.KeyImportError, asyncssh.KeyEncryptionError):
        return ()


def _files(config: SSHConfig) -> Iterator[Path]:
    named = config.get("IdentityFile", ())
    default = [Path("~/.ssh", name) for name in _DEFAULT]
    for path in map(Path, named if isinstance(named, list) and named else default):
        full = path.expanduser()
        if full.exists() or full.with_name(f"{full.name}.pub").exists():
            yield full


def _public(files: list[Path]) -> Iterator[asyncssh.SSHKey]:
    for path in files:
        for each in (path.with_name(f"{path.name}.pub"), path):
            try:
                yield asyncssh.read_public_key(each)
                break
            except (OSError, asyncssh.KeyImportError):
                continue


def _agent(config: SSHConfig) -> str:
    named = config.get("IdentityAgent", "SSH_AUTH_SOCK")
    if named == "SSH_AUTH_SOCK" or (isinstance(named, str) and named.startswith("$")):
        return os.environ.get(str(named).removeprefix("$").strip("{}"), "")
    return str(Path(str(named)).expanduser()) if named else ""

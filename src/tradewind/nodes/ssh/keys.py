"""The host keys that a host shows, before any is pinned, beside those that the user knows already."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import asyncssh

from tradewind.nodes.ssh import settings
from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.connect import KEY_KINDS, Dialer
from tradewind.nodes.ssh.loop import loop_thread
from tradewind.nodes.ssh.pace import Pace

# Whatever it likes best; then each family for itself: ed25519, ecdsa, rsa.
_FAMILIES = (KEY_KINDS, KEY_KINDS[:1], KEY_KINDS[1:4], KEY_KINDS[4:])


@dataclass(frozen=True, slots=True)
class HostKey:
    """One public key of a host.

    Attributes:
        text: ``ssh-ed25519 AAAA…``; ``fingerprint``: ``SHA256:…``, as ``ssh`` shows it.
        known: the user's known hosts have this key for this host.
        clash: they have another key of this kind for it, or have revoked this one.
    """

    text: str
    fingerprint: str
    known: bool
    clash: bool


def fingerprint(text: str) -> str:
    """``SHA256:…`` of a public key.

    Raises:
        ValueError: it is none.
    """
    return asyncssh.import_public_key(text).get_fingerprint()


def offered_keys(address: Address, timeout_s: float = 15.0) -> tuple[HostKey, ...]:
    """The keys that the host shows, one a kind, the kind that is pinned best first; nobody logs in.

    Raises:
        Unreachable: it cannot be reached, or shows none within the time.
    """
    return loop_thread().run(_offered(address, timeout_s))


async def _offered(address: Address, timeout_s: float) -> tuple[HostKey, ...]:
    shown = await Dialer(Pace()).shown_keys(address, _FAMILIES, timeout_s)
    known, revoked = await asyncio.to_thread(_known, address)
    return tuple(_host_key(key, known, revoked) for key in shown)


def _known(address: Address) -> tuple[set[asyncssh.SSHKey], set[asyncssh.SSHKey]]:
    """What the user knows of the host: its keys, and those that are revoked."""
    options = settings.read(address)
    name = options.host_key_alias or options.host
    # As ssh writes it: a port other than 22 is part of the name, and what is known of port 22 says nothing of it.
    name = name if options.port == asyncssh.DEFAULT_PORT else f"[{name}]:{options.port}"
    keys, _, revoked, *_ = settings.known_hosts(options).match(name, "", None)
    return set(keys), set(revoked)


def _host_key(key: asyncssh.SSHKey, known: set[asyncssh.SSHKey], revoked: set[asyncssh.SSHKey]) -> HostKey:
    others = any(each.algorithm == key.algorithm for each in known) and key not in known
    text = " ".join(key.export_public_key().decode().split()[:2])
    return HostKey(text, key.get_fingerprint(), key in known - revoked, others or key in revoked)

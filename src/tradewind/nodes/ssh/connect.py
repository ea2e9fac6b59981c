"""From an address to a connection on which somebody is logged in, over jump hosts if the configuration names some."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any, Protocol

import asyncssh
from asyncssh.public_key import SSHKeyPair

from tradewind.nodes.ssh import settings
from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.faults import Attempt, explained, telling
from tradewind.nodes.ssh.identity import Keys, keys_of, unlocked
from tradewind.nodes.ssh.jumps import Chain, Jumps
from tradewind.nodes.ssh.loop import waiting
from tradewind.nodes.ssh.pace import Pace
from tradewind.ports.transport import Unreachable

_CIPHERS = "^aes256-gcm@openssh.com,aes128-gcm@openssh.com"  # twice as fast here as chacha20, which would come first
KEY_KINDS = (
    "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "rsa-sha2-512", "rsa-sha2-256",
)  # fmt: skip
_Hosts = tuple[list[asyncssh.SSHKey], list[asyncssh.SSHKey], list[asyncssh.SSHKey]]


class Prompt(Protocol):
    """Somebody at a terminal."""

    def ask(self, code: str, facts: Mapping[str, str]) -> str | None:
        """The answer to a question, None for none. ``passphrase``: of the key in the file ``key``, for ``target``."""
        ...


class Dialer:
    """Makes connections. ``prompt`` is asked for passphrases; None: nobody can be."""

    def __init__(self, pace: Pace, prompt: Prompt | None = None) -> None:
        self._pace = pace
        self._prompt = prompt
        self._jumps = Jumps(self._hop)

    async def connect(self, address: Address) -> asyncssh.SSHClientConnection:
        """A connection to a host that shows one of the pinned keys and took one of ours.

        Raises:
            Unreachable: there is none to be had; nothing was asked of the host.
        """
        attempt = Attempt(address.target)
        if not address.pins:
            raise explained("host-key-unknown", attempt)
        return await self._open(address, attempt, ())

    async def shown_keys(
        self, address: Address, kinds: Sequence[Sequence[str]], timeout_s: float
    ) -> list[asyncssh.SSHKey]:
        """The host keys that a host shows when asked for one of these kinds after the other; nobody logs in.

        Raises:
            Unreachable: it cannot be reached, or shows none of the first.
        """
        attempt = Attempt(address.target)
        with telling(attempt):
            async with asyncio.timeout(timeout_s), AsyncExitStack() as stack:
                options = await asyncio.to_thread(settings.read, address)
                hops = _hops(options, ())
                tunnel = await stack.enter_async_context(self._jumps.lent((address.config, hops))) if hops else None
                shown = [await self._shown(address, options, tunnel, kinds[0])]
                for each in kinds[1:]:
                    # A host that has no key of a kind hangs up, one way or the other.
                    with suppress(OSError, asyncssh.Error):
                        shown.append(await self._shown(address, options, tunnel, each))
        return list(dict.fromkeys(shown))

    async def _shown(
        self, address: Address, options: asyncssh.SSHClientConnectionOptions,
        tunnel: asyncssh.SSHClientConnection | None, kinds: Sequence[str],
    ) -> asyncssh.SSHKey:  # fmt: skip
        place = {name: value for name, value in settings.place(address).items() if name != "username"}
        shown = await asyncssh.get_server_host_key(
            **place, tunnel=tunnel, server_host_key_algs=kinds, proxy_command=() if tunnel else settings.proxy(options)
        )
        if shown is None:
            raise asyncssh.KeyExchangeFailed("it shows no host key")
        return shown

    async def _hop(self, chain: Chain) -> asyncssh.SSHClientConnection:
        config, texts = chain
        attempt = Attempt(texts[-1], jump=True)
        with telling(attempt):
            address = settings.hop(texts[-1], config)
        return await self._open(address, attempt, texts)

    async def _open(self, address: Address, attempt: Attempt, past: tuple[str, ...]) -> asyncssh.SSHClientConnection:
        """One connection; ``past``: the hops up to this one, when it is one."""
        with telling(attempt):
            options = await asyncio.to_thread(settings.read, address)
            keys = await asyncio.to_thread(keys_of, options.config, address.identity)
        try:
            return await self._over(address, options, keys, attempt, past)
        except Unreachable as fault:
            if fault.code != "passphrase-needed" or self._prompt is None:
                raise
        # Only now, as an agent might have held the key that is wanted.
        keys = await waiting(partial(_unlocked, keys, address, self._prompt))
        return await self._over(address, options, keys, attempt, past)

    async def _over(
        self, address: Address, options: asyncssh.SSHClientConnectionOptions, keys: Keys, attempt: Attempt,
        past: tuple[str, ...],
    ) -> asyncssh.SSHClientConnection:  # fmt: skip
        async def onward(tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
            with telling(attempt):
                return await self._dial(address, options, keys, attempt, tunnel)

        # A hop in the middle is reached over the one before it; the first one may have hops of its own.
        chain = (address.config, past[:-1] or _hops(options, past))
        if not chain[1]:
            return await onward(None)
        if attempt.jump:
            return await self._jumps.reach(chain, onward)
        async with self._jumps.gate(chain):
            return await self._jumps.reach(chain, onward)

    async def _dial(
        self, address: Address, options: asyncssh.SSHClientConnectionOptions, keys: Keys, attempt: Attempt,
        tunnel: asyncssh.SSHClientConnection | None,
    ) -> asyncssh.SSHClientConnection:  # fmt: skip
        attempt.methods, attempt.locked, attempt.answered = set(), keys.locked, False
        client = _Client(attempt)
        dialing = asyncio.ensure_future(
            asyncssh.connect(
                **settings.place(address), **self._usual(options), **_trusted(address, options), tunnel=tunnel,
                proxy_command=() if tunnel else settings.proxy(options), client_factory=lambda: client,
                client_keys=list(keys.pairs), agent_path=keys.agent, agent_identities=keys.agent_only,
            )
        )  # fmt: skip
        made = asyncio.ensure_future(client.made.wait())
        try:
            await asyncio.wait({dialing, made}, timeout=self._pace.connect_s, return_when=asyncio.FIRST_COMPLETED)
            if not client.made.is_set() and not dialing.done():
                raise TimeoutError
            return await dialing
        finally:
            made.cancel()
            dialing.cancel()
            attempt.answered = client.answered

    def _usual(self, options: asyncssh.SSHClientConnectionOptions) -> dict[str, Any]:
        ciphers = {} if options.config.get("Ciphers") else {"encryption_algs": _CIPHERS}
        return ciphers | {
            "compression_algs": None, "keepalive_interval": self._pace.keepalive_s,
            "keepalive_count_max": self._pace.keepalives, "login_timeout": self._pace.login_s, "connect_timeout": None,
            "agent_forwarding": False, "x11_forwarding": False, "x509_trusted_certs": None, "gss_host": None,
            "utf8_decode_errors": "replace",
        }  # fmt: skip


class _Client(asyncssh.SSHClient):
    """Notes what a host offers. It is never given a password: those that ask for one are told no."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._connection: asyncssh.SSHClientConnection | None = None
        self.made = asyncio.Event()

    @property
    def answered(self) -> bool:
        """The host said which version of SSH it speaks."""
        return self._connection is not None and self._connection.get_extra_info("server_version") is not None

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._connection = conn
        self.made.set()

    def public_key_auth_requested(self) -> None:
        self._attempt.methods.add("publickey")

    def password_auth_requested(self) -> None:
        self._attempt.methods.add("password")

    def kbdint_auth_requested(self) -> None:
        self._attempt.methods.add("keyboard-interactive")


def _unlocked(keys: Keys, address: Address, prompt: Prompt) -> Keys:
    """The same, with those keys in addition whose passphrase somebody gives."""
    pairs: list[SSHKeyPair] = []
    locked = []
    for path in keys.locked:
        given = prompt.ask("passphrase", {"key": str(path), "target": address.target})
        found = unlocked(path, given) if given else ()
        pairs += found
        locked += [] if found else [path]
    return Keys((*pairs, *keys.pairs), tuple(locked), keys.agent, keys.agent_only)


def _hops(options: asyncssh.SSHClientConnectionOptions, past: tuple[str, ...]) -> tuple[str, ...]:
    """The hops before a host but itself: `Host *` with a ProxyJump means all other hosts."""
    return tuple(each for each in settings.hops(options) if each not in past)


def _trusted(address: Address, options: asyncssh.SSHClientConnectionOptions) -> dict[str, Any]:
    """The host keys that are taken: of a host the pinned ones alone, of a jump host those that the user knows."""
    if not address.pins:
        return {"known_hosts": settings.known_hosts(options)}
    pinned = [asyncssh.import_public_key(each) for each in address.pins]
    # The pinned kinds first. A host that has none of them shows another, which is refused: without one to show it
    # would hang up, and nobody could tell why.
    kinds = list(dict.fromkeys([*(kind.decode() for key in pinned for kind in key.sig_algorithms), *KEY_KINDS]))
    hosts: _Hosts = (pinned, [], [])
    return {"known_hosts": hosts, "server_host_key_algs": kinds}

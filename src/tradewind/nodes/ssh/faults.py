"""What went wrong on the way to a host, as the code and the words of an ``Unreachable``."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh

from tradewind.ports.transport import Unreachable

# What was seen; what to do about it is said where the code is told to people.
_WORDS = {
    "host-key-changed": "the host key of {target} is not the one that is pinned",
    "host-key-unknown": "no host key of {target} is pinned",
    "jump-key-unknown": "the host key of the jump host {target} is not in your known_hosts file, or another one is",
    "login-refused": "{target} takes none of your keys ({why})",
    "password-only": "{target} takes passwords only",
    "passphrase-needed": "{target} takes none of the keys that are at hand, and {keys} asks for a passphrase",
    "ssh-config": "the SSH configuration for {target} cannot be used: {why}",
    "host-unknown": "no address is known for the name in {target}: {why}",
    "connection-refused": "{target} refuses the connection",
    "timed-out": "{target} does not answer",
    "too-many-connections": "{target} takes no more connections, or bars this address: {why}",
    "no-python": "{target} has no Python from 3.8 on the PATH of a login",
    "no-space": "the agent does not fit on the disk of {target}: {why}",
    "folder-refused": "the folder on {target} cannot be used: {why}",
    "cut": "the connection to {target} was cut: {why}",
    "unreachable": "{target} cannot be reached: {why}",
}


@dataclass(slots=True)
class Attempt:
    """What was learnt while a connection was tried.

    Attributes:
        target: who was to be reached, for people; ``jump``: it is a jump host on the way.
        methods: ways to log in that the host offered; ``locked``: keys that ask for a passphrase.
        answered: it said which version of SSH it speaks.
    """

    target: str
    jump: bool = False
    methods: set[str] = field(default_factory=set)
    locked: tuple[Path, ...] = ()
    answered: bool = False


@contextmanager
def telling(attempt: Attempt) -> Iterator[None]:
    """Turns what goes wrong inside into our terms.

    Raises:
        Unreachable: instead of the errors of asyncssh, the network and the files that it reads.
    """
    try:
        yield
    except (OSError, ValueError, asyncssh.Error) as fault:
        raise unreachable(fault, attempt) from fault


def unreachable(fault: Exception, attempt: Attempt) -> Unreachable:
    """The fault in our terms."""
    code = next((code(fault, attempt) for kind, code in _CODES if isinstance(fault, kind)), "unreachable")
    return explained(code, attempt, str(fault) or type(fault).__name__)


def explained(code: str, attempt: Attempt, why: str = "") -> Unreachable:
    """An ``Unreachable`` with the words of its code."""
    keys = ", ".join(map(str, attempt.locked))
    return Unreachable(_WORDS[code].format(target=attempt.target, why=why, keys=keys), code)


def _key(_: Exception, attempt: Attempt) -> str:
    return "jump-key-unknown" if attempt.jump else "host-key-changed"


def _exchange(fault: Exception, attempt: Attempt) -> str:
    # A host that has no key of the pinned kind any more has other keys than it had.
    return _key(fault, attempt) if "host key" in str(fault) else "unreachable"


def _login(_: Exception, attempt: Attempt) -> str:
    if attempt.methods and "publickey" not in attempt.methods:
        return "password-only"
    return "passphrase-needed" if attempt.locked else "login-refused"


def _lost(fault: Exception, attempt: Attempt) -> str:
    if "Login timeout" in str(fault):
        return "timed-out"
    return "cut" if attempt.answered else "too-many-connections"


def _told(fault: Exception, _: Attempt) -> str:
    return "login-refused" if "authentication failures" in str(fault) else "unreachable"


def _channel(fault: Exception, _: Attempt) -> str:
    # A jump host tells so what it met on the way on; of a session it says only that there is to be none.
    words = str(fault).lower()
    if isinstance(fault, asyncssh.ChannelOpenError) and fault.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
        return "unreachable"
    if "refused" in words:
        return "connection-refused"
    if "not known" in words or "resolution" in words:
        return "host-unknown"
    return "timed-out" if "timed out" in words or "no route" in words else "too-many-connections"


# The first kind that the fault is of decides.
_CODES: tuple[tuple[type[Exception], Callable[[Exception, Attempt], str]], ...] = (
    (asyncssh.HostKeyNotVerifiable, _key),
    (asyncssh.KeyExchangeFailed, _exchange),
    (asyncssh.PermissionDenied, _login),
    (asyncssh.ConnectionLost, _lost),
    (asyncssh.DisconnectError, _told),
    (asyncssh.ChannelOpenError, _channel),
    (socket.gaierror, lambda *_: "host-unknown"),
    (ConnectionRefusedError, lambda *_: "connection-refused"),
    (TimeoutError, lambda *_: "timed-out"),
    (ConnectionError, _lost),
    (ValueError, lambda *_: "ssh-config"),  # of configuration and key files; also UnicodeDecodeError
)

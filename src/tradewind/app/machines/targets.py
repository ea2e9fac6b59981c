"""What a user types for a host: ``user@host:port``, with or without either, an IPv6 address, or an ``ssh://`` URL."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tradewind.domain.errors import BadInput

_TARGET = re.compile(
    r"(?:(?P<user>[^@\s/:]+)@)?(?:\[(?P<v6>[0-9A-Fa-f:.]+(?:%\w+)?)\]|(?P<host>[^@\s/:\[\]]+))(?::(?P<port>\d{1,5}))?"
)
_BARE_V6 = re.compile(r"(?:(?P<user>[^@\s/:]+)@)?(?P<v6>[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%\w+)?)")


@dataclass(frozen=True, slots=True)
class Target:
    """A host as it was typed; what was not, is None."""

    host: str
    user: str | None
    port: int | None


def parse_target(text: str) -> Target:
    """The target that ``text`` means.

    Raises:
        BadInput: ``target-unreadable`` (target).
    """
    plain = text.strip().removeprefix("ssh://").removesuffix("/")
    match = _BARE_V6.fullmatch(plain) or _TARGET.fullmatch(plain)
    if match:
        told = match.groupdict()
        host, user, port = told.get("host") or told["v6"], told["user"], int(told.get("port") or 0)
        if port <= 65535 and not host.startswith("-") and not (user or "").startswith("-"):
            return Target(host, user, port or None)
    raise BadInput("target-unreadable", target=text)

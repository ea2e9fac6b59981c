"""Where a host is and how one gets in, as far as ``~/.ssh/config`` does not say it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Address:
    """One host.

    Attributes:
        host: a name, an alias of the SSH configuration, or an IP address.
        user, port: None: what the SSH configuration says, else the local user and 22.
        pins: the only host keys that are taken, ``ssh-ed25519 AAAA…`` each; empty: none is, so nothing connects.
        folder: where state lies on the host; None: ``~/.tradewind-node``.
        identity: a private key of this installation, used instead of the user's; None: the user's own way in.
        config: the SSH configuration; None: ``~/.ssh/config``.

    Raises:
        ValueError: a host or user that ``ssh`` would take for an option.
    """

    host: str
    user: str | None = None
    port: int | None = None
    pins: tuple[str, ...] = ()
    folder: str | None = None
    identity: Path | None = None
    config: Path | None = None

    def __post_init__(self) -> None:
        for name in (self.host, self.user or ""):
            if name.startswith("-"):
                raise ValueError(f"not a name: {name}")

    @property
    def target(self) -> str:
        """``user@host:port`` as far as given, for people."""
        user = f"{self.user}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{user}{host}" + (f":{self.port}" if self.port else "")

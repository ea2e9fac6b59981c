"""A machine of one's own that is reached over SSH, as it was added; what of it a job may take, by name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tradewind.domain.gpus import resolve
from tradewind.domain.money import Money

CPU = "cpu"  # the type of a machine without GPUs


@dataclass(frozen=True, slots=True)
class Machine:
    """One host that jobs may run on.

    Attributes:
        name: how the user calls it; letters, digits, ``-``, ``_`` and ``.``.
        host, user, port: as given; what is None there, ``~/.ssh/config`` and SSH's own defaults say.
        host_keys: the pinned public keys, ``ssh-ed25519 AAAA…`` each; no other is ever taken for this host.
        price: of an hour of the whole machine; a job that takes some of its GPUs pays that share. None: it is free.
        gpus: indices of the GPUs that may be used; None: all.
        folder: where state lies on the host; None: ``~/.tradewind-node``.
        own_key: whether a key of this installation was put into the host's ``authorized_keys``.
        country: ISO code of where it stands, as the user says; None: unknown.
        facts: what the last check found (``agent.door.facts``), with ``checked_at``; empty before the first.
    """

    name: str
    host: str
    added_at: datetime
    host_keys: tuple[str, ...]
    user: str | None = None
    port: int | None = None
    price: Money | None = None
    gpus: tuple[int, ...] | None = None
    folder: str | None = None
    own_key: bool = False
    country: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def account(self) -> str:
        """The account that rents on it: one a machine, so that one that is away hides no other."""
        return f"machines:{self.name}"

    @property
    def target(self) -> str:
        """``user@host:port``, as far as given."""
        user = f"{self.user}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{user}{host}" + (f":{self.port}" if self.port else "")

    @property
    def usable(self) -> tuple[dict[str, Any], ...]:
        """The GPUs that may be used, as the last check found them; none before the first."""
        found = (self.facts.get("gpus") or {}).get("gpus") or ()
        return tuple(each for each in found if self.gpus is None or each["index"] in self.gpus)

    @property
    def kinds(self) -> dict[str, tuple[int, ...]]:
        """Indices of the usable GPUs by the name of their kind (:func:`kind_of`)."""
        found: dict[str, tuple[int, ...]] = {}
        for each in self.usable:
            kind = kind_of(each["name"])
            found[kind] = (*found.get(kind, ()), each["index"])
        return found

    def allowed(self, instance_type: str) -> tuple[int, ...] | None:
        """Indices of the GPUs that an order of this type may take: those of its kind; any usable ones of a type that is
        not of this machine, as a rehearsal wears it; None: any that there are."""
        kind = instance_type.partition("x-")[2]
        return self.kinds.get(kind, self.gpus)


def kind_of(name: str) -> str:
    """The name of a kind of GPU within the name of a type: its canonical id, else the driver's name for it."""
    known = resolve(name)
    return known[0] if known else re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def type_of(count: int, kind: str) -> str:
    """The instance type of so many GPUs of a kind: ``4x-RTX-4090``."""
    return f"{count}x-{kind}"

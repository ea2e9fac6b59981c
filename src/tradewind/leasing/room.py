"""What the room works with, and the shape of one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tradewind.domain.records import Lease
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Compute, Order
from tradewind.ports.transport import Transport
from tradewind.store.database import Database
from tradewind.store.queue import Claim

ACTOR = "leasing"


@dataclass(frozen=True, slots=True)
class Site:
    """The network that an account's machines need: which account rents it, and of which kind it is."""

    account: str
    kind: str


@dataclass(frozen=True, slots=True)
class Account:
    """One place where things are rented, and how its machines are reached.

    ``furnish`` fills in what an order lacks before it is first sent, once the network at ``site`` is there; it raises
    ``CloudFault`` when the order cannot be sent as it is planned. None: orders are whole as they are intended.
    ``console`` is asked what a machine said that never answered.
    """

    compute: Compute
    transport: Transport
    furnish: Callable[[Order], Order] | None = None
    site: Site | None = None
    console: Callable[[str], str | None] | None = None


@dataclass(frozen=True, slots=True)
class Room:
    """The store, the clock, the accounts by name, and the installation that owns what is rented.

    ``accounts`` may change while a process runs. ``draw`` gives a number from 0 to 1, for the jitter of pauses;
    ``retired`` names accounts that were given up when nothing of ours was there any more.
    """

    db: Database
    clock: Clock
    owner: str
    accounts: Mapping[str, Account]
    draw: Callable[[], float]
    retired: Callable[[], frozenset[str]] = frozenset


@dataclass(frozen=True, slots=True)
class Note:
    """An event to write with a step."""

    kind: str
    cause: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one look: the lease as it is to be written, under which claim, what to note, what to add.

    ``surplus`` are rows for what was found beside the lease; they are accepted and on their way out.
    """

    held: Claim[Lease]
    lease: Lease
    notes: tuple[Note, ...] = ()
    surplus: tuple[Lease, ...] = ()

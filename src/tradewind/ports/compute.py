"""The port that every cloud implements for renting machines, and the values that cross it.

Sync; called from worker threads. Rules: the order is built once and resent byte for byte; ``launch`` never resends by
itself and returns as soon as an id exists; an empty list is a proof only when it is complete.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol


class HardEnd(StrEnum):
    """How a machine ends although nobody looks again."""

    SERVER_SIDE = "server_side"
    GUEST_TERMINATES = "guest_terminates"
    IDENTITY_DELETES = "identity_deletes"
    PROCESSES_ONLY = "processes_only"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Facts that an adapter states about its cloud; seconds unless the name says otherwise.

    Attributes:
        list_lag_s: how long a new machine may be missing from the list.
        absence_s: shortest time over which three complete looks prove absence.
        beat_s: how often a live machine is looked at.
        hear_s: how often what its job wrote is read.
        boot_s: how long a launch may take to be reachable.
        notice_s: warning before a reclaim.
        silence_s: how long a machine may be silent before it is given up; infinite where it will come back.
        hear_out_s: how long a machine that ended by itself is left for its job to read its last words.
        host_environment: a job's environment goes on top of what a login there finds; False: it is all there is.
    """

    hard_end: HardEnd
    native_idempotency: bool
    list_lag_s: float
    absence_s: float
    beat_s: float
    hear_s: float
    boot_s: float
    notice_s: float
    silence_s: float = 1200.0
    hear_out_s: float = 30.0
    host_environment: bool = True


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of a cloud: the whole request, stored with the intent. ``hard_end`` is ISO 8601 UTC.

    ``gpus`` is the offer's number, for machines that give away some of what they have.
    """

    token: str
    lease: str
    owner: str
    cloud: str
    region: str
    zone: str | None
    instance_type: str
    purchase: str
    hard_end: str
    tags: dict[str, str] = field(default_factory=dict)
    gpus: float = 0

    def to_json(self) -> str:
        """The order as JSON text; the same order gives the same bytes."""
        return json.dumps(asdict(self), sort_keys=True)


def read_order(text: str) -> Order:
    """The order in ``text``, the inverse of :meth:`Order.to_json`."""
    return Order(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Accepted:
    """A cloud took an order; ``ids`` are its names for what it makes. ``at`` is when the paid time began."""

    ids: tuple[str, ...]
    at: datetime


class InstanceState(StrEnum):
    """What a cloud says of a machine."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    TERMINATING = "terminating"
    GONE = "gone"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Instance:
    """One machine as its cloud lists it.

    ``why`` says why it is going or gone, as far as the cloud tells; ``address`` is how it is reached (for ``local`` a
    folder), ``pgid`` its process group where it is one; ``reclaim_at`` the announced end of a spot machine.
    """

    id: str
    token: str
    lease: str
    owner: str
    state: InstanceState
    why: Literal["reclaimed", "ours", "capacity", "quota", "host", "expired", "unknown"] | None
    address: str
    launched_at: datetime
    ended_at: datetime | None = None
    reclaim_at: datetime | None = None
    pgid: int | None = None
    tags: dict[str, str] = field(default_factory=dict)
    instance_type: str | None = None
    region: str | None = None
    zone: str | None = None
    purchase: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for; fields that are None do not restrict."""

    owner: str | None = None
    token: str | None = None
    lease: str | None = None
    ids: tuple[str, ...] | None = None

    def matches(self, instance: Instance) -> bool:
        """Whether this is one of those looked for."""
        return (
            (self.owner is None or instance.owner == self.owner)
            and (self.token is None or instance.token == self.token)
            and (self.lease is None or instance.lease == self.lease)
            and (self.ids is None or instance.id in self.ids)
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """What a look found. Only with ``complete`` does missing mean absent; ``seen_at`` is by the cloud's clock.

    ``why``: why it is not complete, where that is known.
    """

    instances: tuple[Instance, ...]
    complete: bool
    seen_at: datetime
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something of a lease that still lies around: a disk, an address, processes, a folder."""

    kind: str
    id: str
    lease: str


class CloudFault(Exception):
    """A cloud's refusal or failure, classified by its adapter.

    ``sent`` is ``no`` when it is certain that the request never arrived, ``yes`` when it was answered, and ``maybe``
    when the answer was lost: only the last makes a lease UNKNOWN.
    """

    def __init__(
        self,
        kind: Literal[
            "capacity", "quota", "auth", "throttle", "invalid", "price_cap", "money", "conflict", "not_found",
            "clock", "unavailable", "busy",
        ],
        words: str,
        *,
        sent: Literal["no", "yes", "maybe"],
        retry_after_s: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(f"{kind}: {words}")
        self.kind = kind
        self.words = words
        self.sent = sent
        self.retry_after_s = retry_after_s


class Compute(Protocol):
    """Renting machines of one cloud account."""

    name: str
    caps: Capabilities

    def launch(self, order: Order) -> Accepted:
        """The ids of what the order made. Idempotent by ``order.token``.

        Raises:
            CloudFault: refused or failed; ``sent`` says what is known.
        """
        ...

    def find(self, query: Query) -> Listing:
        """All machines that match, ended ones as long as the cloud remembers them."""
        ...

    def end(self, ids: Sequence[str]) -> None:
        """Ask for the end of machines, with all of theirs, and of leftovers. Idempotent; an unknown id is success."""
        ...

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """What costs money and was left by machines that ended: ``ids`` are those machines', or the leftovers' own.

        By owner alone it is asked in the sweep; what costs nothing is told only for a lease that is being released.
        """
        ...

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """How the agent on this machine learns of a reclaim: ``kind`` and its settings."""
        ...

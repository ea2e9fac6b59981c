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
    CONTROL_PLANE = "control_plane"  # only somebody who looks ends it: networks, which nothing at the cloud times out


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
        keep_open_s: how long one that lives, and whose run is over, is left for its last checkpoint to come home; None:
            as long as one that ended.
        host_environment: a job's environment goes on top of what a login there finds; False: it is all there is.
        price_cap: whether a spot order may say what it pays at most; where not, nothing is sent of it.
        stop_frees_compute: a stopped machine costs no compute, only its disks.
        user_data_bytes: how much text a machine takes for its first boot, before it is encoded.
        most_tags: how many tags one thing may carry.
        boot_beat_s: how long at most until a machine that is not up yet is looked at again; one that is going, too, is
            looked at sooner than any other at first. None: they are looked at as any other.
        sweep_s: how long a whole list of ours there is good for, beside the looks at what is known.
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
    keep_open_s: float | None = None
    host_environment: bool = True
    price_cap: bool = False
    stop_frees_compute: bool = False
    user_data_bytes: int = 16384
    most_tags: int = 50
    boot_beat_s: float | None = None
    sweep_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk that is made with a machine and goes with it; the first of an order is the one it boots from.

    ``kind`` and ``kms_key`` are the cloud's own names; None: its usual kind, encrypted by its own key. ``device``:
    under which name it is attached, where the cloud wants to be told.
    """

    gb: int
    kind: str | None = None
    kms_key: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of a cloud: the whole request, stored with the intent. ``hard_end`` is ISO 8601 UTC.

    What follows ``price_cap`` is filled in just before it is first sent (``furnished``), and stored then; after that
    nothing of it changes any more.

    Attributes:
        gpus: the offer's number, for machines that give away some of what they have.
        price: what the plan reckons with for an hour, and ``price_cap`` what a spot machine may cost at most, as
            decimal text in ``currency``; None: not known, no cap. ``price_status``: how far the price can be believed.
        network: the cloud's id of the network of ours there, None where none is needed.
        image: the cloud's id of what it boots; ``subnet``, ``groups``: where it is and who may reach it there.
        public_ip: whether it gets an address by which it is reached from elsewhere.
        role: what the machine itself may do at the cloud, by the cloud's name for it; None: nothing.
        user_data: the text that runs at its first boot.
        dedicated: on hardware that nobody else is on.
        cloud_end: when the cloud itself ends it, ISO 8601 UTC, where that cannot be the hard end to the minute.
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
    price: str | None = None
    currency: str | None = None
    price_status: str | None = None
    price_cap: str | None = None
    network: str | None = None
    furnished: bool = False
    image: str | None = None
    subnet: str | None = None
    groups: tuple[str, ...] = ()
    public_ip: bool = False
    role: str | None = None
    disks: tuple[Disk, ...] = ()
    user_data: str = field(default="", repr=False)
    dedicated: bool = False
    cloud_end: str | None = None

    def to_json(self) -> str:
        """The order as JSON text; the same order gives the same bytes."""
        return json.dumps(asdict(self), sort_keys=True)


def read_order(text: str) -> Order:
    """The order in ``text``, the inverse of :meth:`Order.to_json`."""
    told = json.loads(text)
    told["groups"] = tuple(told.get("groups", ()))
    told["disks"] = tuple(Disk(**each) for each in told.get("disks", ()))
    return Order(**told)


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
    folder; empty: it has none yet), ``pgid`` its process group where it is one; ``reclaim_at`` the announced end of a
    spot machine; ``words`` what its cloud says of the reason for its state.
    """

    id: str
    token: str
    lease: str
    owner: str
    state: InstanceState
    why: Literal["reclaimed", "ours", "capacity", "quota", "host", "expired", "kms", "unknown"] | None
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
    words: str | None = None


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


FaultKind = Literal[
    "capacity", "quota", "auth", "throttle", "invalid", "price_cap", "money", "conflict", "not_found", "clock",
    "unavailable", "busy",
]  # fmt: skip
# Refusals of the request itself. After any other error, a 5xx say, a cloud may have made the machine all the same.
REFUSALS: tuple[FaultKind, ...] = ("capacity", "quota", "auth", "price_cap", "money", "invalid", "busy")


class CloudFault(Exception):
    """A cloud's refusal or failure, classified by its adapter.

    ``sent`` is ``no`` when it is certain that the request never arrived, ``yes`` when it was answered, and ``maybe``
    when the answer was lost: only the last makes a lease UNKNOWN.
    """

    def __init__(
        self,
        kind: FaultKind,
        words: str,
        *,
        sent: Literal["no", "yes", "maybe"],
        retry_after_s: float | None = None,
        code: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind = kind
        self.words = words
        self.sent = sent
        self.retry_after_s = retry_after_s
        self.code = code
        self.request_id = request_id


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

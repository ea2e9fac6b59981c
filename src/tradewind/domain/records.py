"""Lease, job, attempt, checkpoint, event and usage: what the store keeps, as values.

Times are UTC and aware. A record is read, a changed copy is applied; nothing here knows a database.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tradewind.domain.money import Money
from tradewind.domain.states import EndReason, JobState, LeaseState, Outcome


@dataclass(frozen=True, slots=True)
class Lease:
    """One thing being rented, from intent to released.

    Attributes:
        account: key of the adapter that rents it (``local``, ``rehearsal``); ``offer`` says what it is priced as.
        order: the exact request, built once (JSON text); what is sent is this, byte for byte.
        wanted: False once the thing should be gone.
        sent: ``no`` when it is proved that the last launch never left; ``maybe`` otherwise.
        looks: complete looks that found nothing, with ``looked_since`` the first of them.
        contact_at: when the node was last heard.
        limit: what set the hard end: ``max-lifetime``, ``max-duration``, ``budget`` or ``deadline``.
        budget, hold: the budget that pays, and the millionths of its currency held until the lease is closed.
        faults: cloud calls for this lease that failed in a row, with ``fault_kind`` of the last one.
    """

    id: str
    token: str
    kind: str
    state: LeaseState
    job: str
    epoch: int
    account: str
    offer: dict[str, Any]
    order: str
    wanted: bool
    created_at: datetime
    state_since: datetime
    hard_end: datetime
    hard_end_by: str
    wake_at: datetime | None
    sent: str = "no"
    looks: int = 0
    looked_since: datetime | None = None
    tries: int = 0
    last_error: str | None = None
    cloud_id: str | None = None
    requested_at: datetime | None = None
    paid_from: datetime | None = None
    paid_to: datetime | None = None
    reclaim_at: datetime | None = None
    end_reason: EndReason | None = None
    node: dict[str, Any] | None = None
    contact_at: datetime | None = None
    limit: str = "max-lifetime"
    budget: str | None = None
    hold: int = 0
    faults: int = 0
    fault_kind: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """The last thing heard of a job's training."""

    step: int
    total_steps: int | None = None
    samples_per_second: float | None = None
    loss: float | None = None
    accuracy: float | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A workload being carried out.

    Attributes:
        workload: the job file as given (JSON), ``plan`` the plan chosen at submit.
        settings: what was asked at submit: account, time scale, injected preemptions, environment.
        offsets: bytes of the current attempt's journal and log that are committed.
        outcome: stored when FINISHING begins; the end state follows from it.
        measures: what the run has shown: seconds of training, steps, the time scale in force.
    """

    id: str
    name: str
    state: JobState
    wanted: bool
    rehearsal: bool
    account: str
    workload: dict[str, Any]
    plan: dict[str, Any] | None
    settings: dict[str, Any]
    submitted_at: datetime
    state_since: datetime
    wake_at: datetime | None
    request_id: str | None = None
    attempt: int = 1
    epoch: int = 1
    why: str | None = None
    progress: dict[str, Any] | None = None
    measures: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    outcome: str | None = None
    exit_code: int | None = None
    ended_at: datetime | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent, in millionths of ``currency``: ``held`` by open leases, ``spent`` by closed ones.

    ``cap`` None: no limit. Held and spent never pass the cap by a new hold; what was spent is booked as it was.
    """

    id: str
    currency: str
    cap: int | None
    held: int
    spent: int

    @property
    def left(self) -> int | None:
        """What can still be held; None without a limit."""
        return None if self.cap is None else self.cap - self.held - self.spent


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a job on some nodes; ``outcome`` is None while it goes on."""

    job: str
    attempt: int
    epoch: int
    leases: tuple[str, ...]
    started_at: datetime
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    exit_code: int | None = None
    resumed_step: int | None = None
    last_step: int | None = None
    last_checkpoint_step: int | None = None
    repeated_steps: int | None = None
    lost_seconds: float | None = None
    journal_offset: int = 0
    log_offset: int = 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A committed state in the job's store; ``path`` is its folder or URL.

    ``state`` is ``complete``, ``torn``, or, when it is the folder of a script that writes no manifests, ``unverified``;
    ``uncounted`` where such a script told no step: ``step`` then only says which came after which.
    """

    job: str
    step: int
    epoch: int
    at: datetime
    bytes: int
    state: str
    path: str


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the history. ``kind`` says what happened, ``what`` to which lease or job, ``cause`` why."""

    id: int
    at: datetime
    actor: str
    kind: str
    what: str
    job: str | None
    old: str | None
    new: str | None
    cause: str | None
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """One line of the ledger: what a lease cost over a span of billed seconds; ``money`` None without a price."""

    lease: str
    job: str
    offer: dict[str, Any]
    started_at: datetime
    ended_at: datetime | None
    billed_seconds: float
    unit_price: Money | None
    money: Money | None

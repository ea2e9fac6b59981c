"""The old way, and slips of the new one: what the laws must find.

The old way rents as many programs do: it asks first and writes down afterwards, takes every exception for a refusal
and tries again with another request, believes that what it ended is gone, and looks for nothing it does not know.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import LeaseState
from tradewind.jobs import keeping
from tradewind.jobs.journal import Reading
from tradewind.leasing import launch, reconcile
from tradewind.leasing.room import ACTOR, Note, Room, Step
from tradewind.leasing.sweep import Swept
from tradewind.ports.compute import CloudFault, Instance, Leftover, Query, read_order
from tradewind.ports.transport import Transport
from tradewind.store import queue, records
from tradewind.store.queue import Claim


@dataclass(frozen=True, slots=True)
class Slip:
    """One way of doing it wrong: what stands in place of which names (``module.name``), or of which steps."""

    names: dict[str, Any]
    steps: dict[LeaseState, Any]

    def make(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have the product slip so."""
        for name, wrong in self.names.items():
            monkeypatch.setattr(name, wrong)
        for state, wrong in self.steps.items():
            monkeypatch.setitem(reconcile.STEPS, state, wrong)


def create_then_write_down(room: Room, held: Claim[Lease]) -> Step:
    """Ask, then write down what was asked; an exception means that there is nothing."""
    lease = held.record
    compute = room.accounts[lease.account].compute
    try:
        accepted = compute.launch(read_order(lease.order))
    except CloudFault as fault:
        asked = _write_down(room, held)
        refused = replace(asked.record, state=LeaseState.REFUSED, wake_at=None, last_error=str(fault))
        return Step(asked, refused, (Note("lease-refused", str(fault)),))
    asked = _write_down(room, held)
    return launch.take(asked, asked.record, accepted, room.clock.now())


def _write_down(room: Room, held: Claim[Lease]) -> Claim[Lease]:
    lease, now = held.record, room.clock.now()
    asked = replace(lease, state=LeaseState.REQUESTED, requested_at=now, sent="maybe", state_since=now)
    with room.db.write() as db:
        records.update_lease(db, lease, asked, held.token)
        records.append_event(
            db, now, ACTOR, "lease-requested", lease.id, job=lease.job, old=lease.state, new=asked.state
        )
    return Claim(asked, held.token, held.version + 1)


def believe_the_end(room: Room, held: Claim[Lease]) -> Step:
    """Ended is gone, whether it was answered or not."""
    lease, now = held.record, room.clock.now()
    with suppress(CloudFault):
        room.accounts[lease.account].compute.end((lease.cloud_id or "",))
    paid_to = lease.paid_to or now
    released = replace(lease, state=LeaseState.RELEASED, state_since=now, paid_to=paid_to, wake_at=None)
    return Step(held, released, (Note("lease-released", None, {"paid_to": paid_to.isoformat()}),))


def _sweep_nothing(room: Room, spared: Collection[str]) -> Swept:
    return Swept((), (), (), ())


def _resend(room: Room, held: Claim[Lease], asked: Lease, fault: CloudFault) -> Step:
    """A lost answer is taken for an order that never left."""
    return _FAILED(room, held, asked, CloudFault(fault.kind, fault.words, sent="no"))


_FAILED = launch._failed


@dataclass(frozen=True, slots=True)
class _NoLeftovers:
    inner: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        return ()


def _skip_leftovers(room: Room, held: Claim[Lease]) -> Step:
    accounts = {
        name: replace(account, compute=_NoLeftovers(account.compute)) for name, account in room.accounts.items()
    }
    return _RELEASING(replace(room, accounts=accounts), held)


_RELEASING = reconcile.STEPS[LeaseState.RELEASING]


def _forget_the_hold(db: Connection, lease: Lease, scale: float) -> None:
    return None


def _finish_lease_anyway(db: Connection, held: Claim[Lease], new: Lease, now: datetime) -> None:
    """A result whose claim ran out is written all the same."""
    try:
        _FINISH_LEASE(db, held, new, now)
    except records.Stale:
        records.update_lease(db, held.record, new)


def _finish_job_anyway(db: Connection, held: Claim[Job], new: Job, now: datetime) -> None:
    try:
        _FINISH_JOB(db, held, new, now)
    except records.Stale:
        records.update_job(db, held.record, new)


_FINISH_LEASE, _FINISH_JOB = queue.finish_lease, queue.finish_job


def _same_epoch(record: Job, /, **changes: Any) -> Job:
    return replace(record, **{name: value for name, value in changes.items() if name != "epoch"})


def _no_fence(*given: object) -> None:
    return None


def _count_at_once(reading: Reading, transport: Transport, instance: Instance, store: Path) -> Reading:
    """What a node says that it published counts, wherever that is."""
    for record in reading.published:
        keeping._count(reading, record, store)
    return reading


OLD_WAY = Slip(
    {"odd.world.keep": _sweep_nothing},
    {LeaseState.INTENDED: create_then_write_down, LeaseState.RELEASING: believe_the_end},
)
RESENDS = Slip({"tradewind.leasing.launch._failed": _resend}, {})
BELIEVES_THE_END = Slip({}, {LeaseState.RELEASING: believe_the_end})
SKIPS_LEFTOVERS = Slip({}, {LeaseState.RELEASING: _skip_leftovers})
FORGETS_THE_HOLD = Slip({"tradewind.leasing.budget.settle": _forget_the_hold}, {})
IGNORES_THE_CLAIM = Slip(
    {
        "tradewind.store.queue.finish_lease": _finish_lease_anyway,
        "tradewind.store.queue.finish_job": _finish_job_anyway,
    },
    {},
)
SAME_EPOCH = Slip({"tradewind.jobs.interrupted.replace": _same_epoch, "tradewind.jobs.preparing.fence": _no_fence}, {})
COUNTS_AT_ONCE = Slip({"tradewind.jobs.hearing.kept": _count_at_once}, {})
SWEEPS_NOTHING = Slip({"odd.world.keep": _sweep_nothing}, {})

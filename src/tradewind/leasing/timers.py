"""Timers that a restart or a jump of the clock would falsify: they begin again, which costs time and never money."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from tradewind.domain.states import LeaseState
from tradewind.leasing.room import ACTOR
from tradewind.store import queue, records

_TIMED = (LeaseState.PENDING, LeaseState.SUSPECT)


def restart_looks(db: Connection, now: datetime) -> None:
    """Absence is proved anew: who counted the looks is gone, and nobody knows how long he was away."""
    for lease in records.leases(db, open_only=True):
        if lease.state is LeaseState.UNKNOWN and lease.looks:
            records.update_lease(db, lease, replace(lease, looks=0, looked_since=None, wake_at=now))


def jumped(db: Connection, by: timedelta, now: datetime) -> None:
    """The wall clock jumped: what was to wait goes on waiting as long as before, what is timed is timed anew.

    After a jump forward (a laptop that slept) everything that came due meanwhile is looked at now, as it should be.
    """
    restart_looks(db, now)
    for lease in records.leases(db, open_only=True):
        if lease.state in _TIMED:
            records.update_lease(db, lease, replace(lease, state_since=now))
    if by < timedelta(0):
        queue.shift(db, by)
    records.append_event(db, now, ACTOR, "clock-jumped", "installation", cause=f"{by.total_seconds():+.0f} s")

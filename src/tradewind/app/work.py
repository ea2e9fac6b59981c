"""One piece of work: claim rows of a lane that are due, and take one step for each. Who calls decides on threads."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import datetime, timedelta

from tradewind.domain.errors import Unavailable
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import Lane
from tradewind.jobs import reconcile as jobs
from tradewind.jobs.room import Room
from tradewind.leasing import reconcile as leasing
from tradewind.leasing import timers
from tradewind.store import queue, records
from tradewind.store.queue import Claim

_log = logging.getLogger("tradewind.supervisor")


def claim(room: Room, lane: Lane, owner: str, limit: int) -> list[Claim[Lease] | Claim[Job]]:
    """Claims on what is due in a lane, at most ``limit`` leases and as many jobs; leases first."""
    now = room.clock.now()
    with room.db.write() as db:
        return [*queue.claim_leases(db, lane, now, owner, limit), *queue.claim_jobs(db, lane, now, owner, limit)]


def wakes(room: Room) -> dict[Lane, datetime]:
    """When the next row of each lane is due; a lane that is not there sleeps, or others hold its rows."""
    with room.db.read() as db:
        return queue.wakes(db, room.clock.now())


def carry_out(room: Room, held: Claim[Lease] | Claim[Job]) -> Lease | Job | None:
    """One step for a claimed row; the row as written, or None when the claim ran out meanwhile.

    A step that breaks says so on its row, which is looked at again; the fault is raised for the log.
    """
    try:
        if isinstance(held.record, Lease):
            return leasing.reconcile(room.leasing, held)
        return jobs.reconcile(room, held)
    except records.Stale:
        _log.warning("%s: a late result was dropped", held.record.id)
        return None
    except Exception as fault:
        why = f"{type(fault).__name__}: {fault}"
        # Stale: the commit was done, only its answer was lost. Unavailable: the claim runs out by itself.
        with suppress(records.Stale, Unavailable):
            if isinstance(held.record, Lease):
                leasing.put_off(room.leasing, held, why)
            else:
                jobs.put_off(room, held, why)
        raise


def begin(room: Room, owner: str) -> None:
    """What a worker does at its start: its name's claims are of one that is gone, nobody knows for how long."""
    with room.db.write() as db:
        queue.release(db, owner)
        timers.restart_looks(db, room.clock.now())


def jumped(room: Room, by: timedelta) -> None:
    """The wall clock was set by so much, or this computer slept: timers begin again."""
    with room.db.write() as db:
        timers.jumped(db, by, room.clock.now())

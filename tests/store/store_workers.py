"""What other processes do in the tests of the store: functions that a spawned process can import."""

from __future__ import annotations

from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

from doubles import START
from store_rows import STARTING

from tradewind.app.clock import SystemClock
from tradewind.domain.states import Lane
from tradewind.store import budgets, queue, records
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database


def claim_all(where: Path | str, batch: int, together: Barrier, told: Connection) -> None:
    """Claim until nothing is due; tells the ids."""
    db = Database(where)
    mine: list[str] = []
    together.wait(60)
    while True:
        with db.write() as connection:
            held = queue.claim_jobs(connection, STARTING, START, "p", batch)
        if not held:
            break
        mine += [each.record.id for each in held]
    told.send(mine)


def hold_all(where: Path | str, together: Barrier, told: Connection) -> None:
    """Take one of the budget as often as it is given; tells how often."""
    db = Database(where)
    taken = 0
    together.wait(60)
    while True:
        with db.write() as connection:
            if not budgets.hold(connection, "b", 1):
                break
        taken += 1
    told.send(taken)


def open_only(where: Path | str, together: Barrier, told: Connection) -> None:
    """Open the database, and so bring it up; tells that it worked."""
    together.wait(60)
    with Database(where).read() as connection:
        told.send(len(records.jobs(connection)))


def claim_briefly_and_finish_late(where: Path | str, told: Connection) -> None:
    """Claim for a second, tell it, and try to finish once told to; tells how that went."""
    queue.CLAIM_SECONDS = 1.0
    db = Database(where)
    clock = StoreClock(SystemClock(), db)
    with db.write() as connection:
        (held,) = queue.claim_jobs(connection, Lane.STARTING, clock.now(), "slow", 1)
    told.send("held")
    told.recv()
    try:
        with db.write() as connection:
            queue.finish_job(connection, held, replace(held.record, name="late"), clock.now())
    except records.Stale:
        told.send("stale")
    else:
        told.send("written")

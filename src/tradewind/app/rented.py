"""What is rented: rows held against what every account lists, and the end of what nothing explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.app.inside import Inside
from tradewind.app.interface import Answer
from tradewind.app.views.leases import checked_json, lease_json, remnant_json, stray_json
from tradewind.domain.records import Lease
from tradewind.domain.states import LEASE_CLOSED
from tradewind.leasing.sweep import Checked, Swept, look
from tradewind.ledger.usage import usage
from tradewind.ports.compute import InstanceState
from tradewind.store import records

END_WITHIN_S = 30.0  # a sweep waits this long for what it ends; then it says what is still ending
LOOK_SECONDS = 0.2


def listed(inside: Inside, everything: bool) -> Answer:
    """The rows that are open, or all, with what is there without one; and the places that were looked at."""
    swept = look(inside.leasing)
    with inside.db.read() as db:
        rows = rows_of(db, records.leases(db, open_only=not everything), inside.clock.now())
    there = [each for each in swept.strays if each.instance.state is not InstanceState.GONE]
    left = [remnant_json(each) for each in swept.remnants]
    return {"leases": rows + [stray_json(each) for each in there] + left, "checked": _checked(swept)}


def unexplained(inside: Inside, unasked: Iterable[str]) -> Answer:
    """What no open lease or live job explains, and the places that were looked at; ``unasked`` clouds were not."""
    swept = look(inside.leasing)
    with inside.db.read() as db:
        orphans = rows_of(db, list(swept.orphans), inside.clock.now())
    found = [stray_json(each) for each in swept.strays] + [remnant_json(each) for each in swept.remnants]
    now = inside.clock.now()
    missing = [checked_json(Checked(each, each, None, complete=False, seen_at=now)) for each in sorted(unasked)]
    return {"checked": _checked(swept) + missing, "found": found + orphans}


def until_ended(inside: Inside, going: Sequence[Lease], meanwhile: Callable[[], None]) -> Answer:
    """``ended`` and ``ending``: ids of leases on their way out, by what became of them while they were waited for."""
    deadline = inside.clock.monotonic() + END_WITHIN_S
    while True:
        meanwhile()
        with inside.db.read() as db:
            now = [records.lease(db, each.id) or each for each in going]
        left = [each.id for each in now if each.state not in LEASE_CLOSED]
        if not left or inside.clock.monotonic() >= deadline:
            return {"ended": [each.id for each in now if each.id not in left], "ending": left}
        inside.clock.sleep(LOOK_SECONDS)


def rows_of(db: Connection, leases: list[Lease], now: datetime) -> list[dict[str, Any]]:
    """Leases as JSON, each with its cost up to now."""
    jobs = {id_: records.job(db, id_) for id_ in sorted({each.job for each in leases})}
    costs = {line.lease: line.money for id_ in jobs for line in usage(records.events(db, job=id_), now)}
    return [lease_json(each, jobs[each.job], costs.get(each.id), now) for each in leases]


def _checked(swept: Swept) -> list[dict[str, Any]]:
    return [checked_json(each) for each in swept.checked]

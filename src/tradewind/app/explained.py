"""One row explained: as it is stored, what happened to it, when it is looked at next, and why it stands where it does;
of a job also its decisions, each made again from what it rested on.

What is told is a code with facts; the sentence is made where the reader's language is known.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from enum import Enum
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.app.finding import find
from tradewind.app.interface import Answer
from tradewind.app.rented import rows_of
from tradewind.app.views.decisions import replayed
from tradewind.app.views.jobs import event_json
from tradewind.app.views.leases import not_ending, tries
from tradewind.app.views.values import instant
from tradewind.domain.money import Money
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import LEASE_CLOSED, LeaseState
from tradewind.jobs.deciding import DECIDED
from tradewind.leasing.unknown import LOOKS
from tradewind.store import records

LAST_EVENTS = 20
LAST_DECISIONS = 5
Facts = dict[str, str]


def explain(db: Connection, name: str, everything: bool, now: datetime) -> Answer:
    """The explain object; the last events, or all with ``everything``.

    Raises:
        NotFound: nothing, or more than one thing, is called or begins so.
    """
    found = find(db, name)
    if isinstance(found, Job):
        leases = [each for each in records.leases(db, job=found.id) if each.state not in LEASE_CLOSED]
        code, facts = of_job(found, leases)
        events = records.events(db, job=found.id)
        made = [event for event in events if event.kind == DECIDED]
        decided = replayed(made if everything else made[-LAST_DECISIONS:])
    else:
        leases, made, decided = [], [], []
        code, facts = of_lease(found, records.job(db, found.job), now)
        events = records.events(db, what=found.id)
    return {
        "row": row_json(found), "events": [event_json(each) for each in events][0 if everything else -LAST_EVENTS :],
        "events_in_all": len(events), "next_wake": instant(found.wake_at), "code": code, "facts": facts,
        "leases": rows_of(db, leases, now), "decisions": decided, "decisions_in_all": len(made),
    }  # fmt: skip


def of_lease(lease: Lease, job: Job | None, now: datetime) -> tuple[str, Facts]:
    """Why a lease stands where it does: the code of a sentence, and its facts. Instants are ISO 8601."""
    facts = {
        "job": lease.job, "job_state": job.state.value if job else None, "account": lease.account,
        "cloud_id": lease.cloud_id, "error": lease.last_error, "since": instant(lease.state_since),
        "contact": instant(lease.contact_at), "hard_end": instant(lease.hard_end), "limit": lease.limit,
        "reclaim_at": instant(lease.reclaim_at), "looks": lease.looks, "of": LOOKS, "tries": tries(lease),
        "sends": lease.tries, "reason": lease.end_reason.value if lease.end_reason else None,
        "wake": instant(lease.wake_at), "price": None if job and job.rehearsal else _price(lease),
    }  # fmt: skip
    return _code(lease, now), _given(facts)


def _price(lease: Lease) -> str | None:
    price = lease.offer.get("price_per_hour")
    return str(Money.from_json(price)) if price else None


def _code(lease: Lease, now: datetime) -> str:
    """Which sentence: of what is wrong before that of the state."""
    code = f"lease-{lease.state.value}"
    if lease.state not in LEASE_CLOSED and lease.faults and lease.fault_kind == "auth":
        return "lease-auth"
    if not_ending(lease, now):
        return f"{code}-overdue"
    if lease.state is LeaseState.REQUESTED and lease.sent == "no":
        return f"{code}-delayed"
    if lease.state is LeaseState.RELEASED and lease.cloud_id is None:
        return f"{code}-unsent"
    return code


def of_job(job: Job, leases: list[Lease]) -> tuple[str, Facts]:
    """Why a job stands where it does, and what is done with it next; ``leases`` are its open ones."""
    newest = leases[-1] if leases else None
    facts = {
        "why": job.why, "attempt": job.attempt, "step": (job.progress or {}).get("step"), "error": job.last_error,
        "lease": newest.id if newest else None, "lease_state": newest.state.value if newest else None,
        "open": len(leases), "outcome": job.outcome, "exit": job.exit_code, "since": instant(job.state_since),
        "wake": instant(job.wake_at),
    }  # fmt: skip
    return f"job-{job.state.value}", _given(facts)


def _given(facts: dict[str, Any]) -> Facts:
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}


def row_json(record: Job | Lease) -> dict[str, Any]:
    """A row as it is stored; of an environment the names alone, for a value may be a secret."""
    row = {name: _plain(value) for name, value in asdict(record).items()}
    if isinstance(record, Lease):
        return {**row, "order": json.loads(record.order) if record.order else None}
    for place in ("workload", "settings"):
        row[place] = {**row[place], "env": sorted(row[place].get("env") or {})}
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    return value.value if isinstance(value, Enum) else value

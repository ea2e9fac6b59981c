"""Asking the policy, and writing down what it said: one event a decision, with all that it rested on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from tradewind.domain.records import Attempt, Budget, Job, Lease
from tradewind.jobs.pools import steered
from tradewind.jobs.room import Note
from tradewind.jobs.situation import interval, situation_of
from tradewind.jobs.tempo import real
from tradewind.planning.steering import Decision, Situation, decide

DECIDED = "job-decided"
AT_RISK = "deadline-at-risk"
_ONLY = Decision("rent", 0, 0.0, "planned")
_LEAST_WAIT = timedelta(seconds=1)


def decided(
    job: Job, attempts: Sequence[Attempt], leases: Sequence[Lease], budget: Budget | None, now: datetime
) -> tuple[Job, Decision, tuple[Note, ...]]:
    """The decision for a job, the job that remembers it, and its events; without a choice there is nothing to say."""
    if not steered(job):
        return job, _ONLY, ()
    situation = situation_of(job, attempts, leases, budget, now)
    decision = decide(situation)
    notes = (note_of(situation, decision), *_risk(job, decision))
    still = bool(job.measures.get("at_risk")) and decision.action != "keep"  # until a machine runs
    measures = {**job.measures, "decided_at": now.timestamp(), "at_risk": decision.at_risk or still}
    return replace(job, measures=measures), decision, notes


def note_of(situation: Situation, decision: Decision) -> Note:
    """The event of a decision, from which it can be decided again."""
    return Note(DECIDED, reason_of(decision), {"situation": situation.to_json(), "decision": decision.to_json()})


def reason_of(decision: Decision) -> str:
    """Why, as a code with its facts: ``wait slack=1.5``."""
    return " ".join([decision.why, *(f"{name}={_short(value)}" for name, value in decision.facts.items())])


def _short(value: float | str) -> str:
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


def due(job: Job, now: datetime) -> bool:
    """Whether a running job is to be decided about again."""
    if not steered(job):
        return False
    last = job.measures.get("decided_at")
    return last is None or now.timestamp() >= float(last) + interval(job).total_seconds()


def until(job: Job, decision: Decision, now: datetime) -> datetime:
    """When is decided again."""
    return now + max(real(job, timedelta(hours=decision.until)), _LEAST_WAIT)


def _risk(job: Job, decision: Decision) -> tuple[Note, ...]:
    """Said once, early: the deadline now depends on a machine that nobody grants."""
    if not decision.at_risk or job.measures.get("at_risk"):
        return ()
    return (Note(AT_RISK, reason_of(decision), dict(decision.facts)),)

"""A job's decisions: those that were made, whether they would be made again, and what would be done next.

``why`` is a code with its facts, as one text; the sentence is made where the reader's language is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tradewind.app.views.values import instant
from tradewind.domain.records import Attempt, Budget, Event, Job, Lease
from tradewind.domain.states import JOB_ENDED, JobState
from tradewind.jobs.deciding import DECIDED, reason_of
from tradewind.jobs.pools import steered
from tradewind.jobs.seen import DOWN_HOURS
from tradewind.jobs.situation import interval, situation_of
from tradewind.jobs.tempo import real
from tradewind.planning.steering import Decision, Situation, decide

Told = dict[str, Any]
_PLAIN = {
    "job-planned": "plan", "job-acquiring": "rent", "job-waiting": "wait", "job-interrupted": "interrupt",
    "job-stopping": "stop", "job-unplaced": "give-up",
}  # fmt: skip
_FOLLOWS = {"job-acquiring", "job-waiting", "job-unplaced"}  # what comes of a decision that is told itself


def decisions(job: Job, events: Sequence[Event]) -> list[Told]:
    """``decisions`` of the show object, in order."""
    told: list[Told] = []
    for event in events:
        if event.kind == DECIDED:
            told.append({"at": instant(event.at), **_decision(*_read(event))})
        elif event.kind in _PLAIN and not (steered(job) and event.kind in _FOLLOWS):
            told.append({"at": instant(event.at), "action": _PLAIN[event.kind], "why": event.cause, "pool": None})
    return told


def replayed(events: Sequence[Event]) -> list[Told]:
    """Each stored decision made again from what it rested on: whether it is the same, and what else there was."""
    told = []
    for event in events:
        if event.kind == DECIDED:
            situation, decision = _read(event)
            again = decide(situation)
            told.append({
                "id": event.id, "at": instant(event.at), **_decision(situation, decision), "same": again == decision,
                "again": None if again == decision else _decision(situation, again),
                "options": [{"kind": each.kind, "pool": _name(situation, each.pool), "cost": each.cost}
                            for each in decision.options],
                "currency": situation.currency,
            })  # fmt: skip
    return told


def next_step(
    job: Job, attempts: Sequence[Attempt], leases: Sequence[Lease], budget: Budget | None, now: datetime
) -> Told | None:
    """``next`` of the show object: what would be done now, what after a loss, and when on-demand is due at the latest.

    None for a job that has ended, or has only one pool.
    """
    if job.state in JOB_ENDED or job.state in (JobState.FINISHING, JobState.STOPPING) or not steered(job):
        return None
    situation = situation_of(job, attempts, leases, budget, now)
    decision = decide(situation)
    last = job.measures.get("decided_at")
    due = job.wake_at if job.state is JobState.WAITING else _next_look(job, last, now)
    return {
        **_decision(situation, decision), "at_risk": decision.at_risk, "if_lost": _if_lost(situation),
        "on_demand_by": _on_demand_by(job, situation, now), "decided_at": instant(due),
    }  # fmt: skip


def _next_look(job: Job, last: float | None, now: datetime) -> datetime | None:
    if job.state is not JobState.RUNNING or last is None:
        return None
    return max(datetime.fromtimestamp(last, now.tzinfo) + interval(job), now)


def _if_lost(situation: Situation) -> Told | None:
    """What would be done if the machine that runs were taken away now."""
    here = situation.running
    if here is None:
        return None
    pools = tuple(
        replace(pool, down_for=DOWN_HOURS if index == here else pool.down_for, spare=True)
        for index, pool in enumerate(situation.pools)
    )
    gone = replace(situation, pools=pools, running=None, age=0.0, lost=True, overhead_left=0.0, unsaved=0.0)
    return _decision(gone, decide(gone))


def _on_demand_by(job: Job, situation: Situation, now: datetime) -> str | None:
    """When at the latest an on-demand machine has to be asked for, if nothing else trained until then."""
    here, slack = situation.running, situation.slack
    resorts = [pool for pool in situation.pools if not pool.spot and pool.dropped is None]
    if slack is None or not resorts or (here is not None and not situation.pools[here].spot):
        return None
    return instant(now + real(job, timedelta(hours=max(slack - situation.overhead, 0.0))))


def _read(event: Event) -> tuple[Situation, Decision]:
    return Situation.from_json(event.data["situation"]), Decision.from_json(event.data["decision"])


def _decision(situation: Situation, decision: Decision) -> Told:
    return {
        "action": decision.action, "why": reason_of(decision), "pool": _name(situation, decision.pool),
        "code": decision.why, "facts": dict(decision.facts),
    }  # fmt: skip


def _name(situation: Situation, pool: int | None) -> str | None:
    return None if pool is None else situation.pools[pool].name

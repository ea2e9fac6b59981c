"""Submit: one row and one event; the same request id gives the same job, never a second."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.engine import Connection

from tradewind.domain.records import Budget, Job
from tradewind.jobs.room import ACTOR
from tradewind.store import budgets, records


def submit(db: Connection, job: Job, now: datetime, budget: Budget | None = None) -> Job:
    """The job as stored, with the budget that pays for it: this one, or the one that its request id made before."""
    if job.request_id is not None:
        earlier = records.job_by_request(db, job.request_id)
        if earlier is not None:
            return earlier
    if budget is not None:
        budgets.open_budget(db, budget)
    records.insert(db, job)
    data = {
        "plan": (job.plan or {}).get("plan_id"),
        "rehearsal": job.rehearsal,
        "account": job.account,
        "remarks": job.settings.get("remarks", []),
    }
    records.append_event(db, now, ACTOR, "job-submitted", job.id, job=job.id, new=job.state, data=data)
    return job

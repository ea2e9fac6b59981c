"""Submit: one row and one event; the same request id gives the same job, never a second."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.engine import Connection

from tradewind.domain.records import Job
from tradewind.jobs.room import ACTOR
from tradewind.store import records


def submit(db: Connection, job: Job, now: datetime) -> Job:
    """The job as stored: this one, or the one that its request id made before."""
    if job.request_id is not None:
        earlier = records.job_by_request(db, job.request_id)
        if earlier is not None:
            return earlier
    records.insert(db, job)
    data = {
        "plan": (job.plan or {}).get("plan_id"),
        "rehearsal": job.rehearsal,
        "account": job.account,
        "remarks": job.settings.get("remarks", []),
    }
    records.append_event(db, now, ACTOR, "job-submitted", job.id, job=job.id, new=job.state, data=data)
    return job

"""Finding what a user means: an id, a unique beginning of one, or the newest job of that name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy.engine import Connection

from tradewind.domain.errors import NotFound
from tradewind.domain.records import Job, Lease
from tradewind.store import records

R = TypeVar("R", Job, Lease)


def find_job(db: Connection, name: str) -> Job:
    """A job.

    Raises:
        NotFound: ``job-unknown`` (name, known), ``job-ambiguous`` (name, jobs).
    """
    found = records.job(db, name)
    if found is not None:
        return found
    known = records.jobs(db)
    starts = _beginning(known, name, "job")
    if len(starts) == 1:
        return starts[0]
    named = _named(known, name)
    if named is not None:
        return named
    if starts:
        raise NotFound("job-ambiguous", name=name, jobs=_ids(starts[:5]))
    raise NotFound("job-unknown", name=name, known=_ids(known[:3]) or "none")


def find(db: Connection, name: str) -> Job | Lease:
    """A job or a lease.

    Raises:
        NotFound: ``id-unknown`` (name), ``id-ambiguous`` (name, ids).
    """
    exact = records.job(db, name) or records.lease(db, name)
    if exact is not None:
        return exact
    jobs = records.jobs(db)
    starts: list[Job | Lease] = [*_beginning(jobs, name, "job")]
    starts += _beginning(records.leases(db), name, "lease")
    if len(starts) == 1:
        return starts[0]
    named = _named(jobs, name)
    if named is not None:
        return named
    if starts:
        raise NotFound("id-ambiguous", name=name, ids=_ids(starts[:5]))
    raise NotFound("id-unknown", name=name)


def _beginning(known: Sequence[R], name: str, kind: str) -> list[R]:
    return [each for each in known if each.id.startswith((name, f"{kind}-{name}"))]


def _named(jobs: Sequence[Job], name: str) -> Job | None:
    return next((job for job in jobs if job.name == name), None)


def _ids(found: Sequence[Job | Lease]) -> str:
    return ", ".join(each.id for each in found)

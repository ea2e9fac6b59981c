"""The wiring: which adapter stands behind which account, and the rooms made of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta

from tradewind.app.jobfile.spans import parse_preempt_at
from tradewind.app.settings import Settings
from tradewind.clouds.local.compute import LocalCompute
from tradewind.clouds.rehearsal.compute import RehearsalCompute, Script
from tradewind.jobs import room as jobs
from tradewind.leasing import room as leasing
from tradewind.leasing.breaker import Guarded
from tradewind.nodes.local import LocalTransport
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.ports.clock import Clock
from tradewind.store import records
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database

LOCAL, REHEARSAL = "local", "rehearsal"


@dataclass(frozen=True, slots=True)
class Inside:
    """The rooms of one installation, wired."""

    settings: Settings
    clock: Clock
    db: Database
    leasing: leasing.Room
    jobs: jobs.Room


def open_inside(settings: Settings, clock: Clock) -> Inside:
    """Open the store and wire the rooms to it."""
    db = Database(settings.database)
    local = LocalCompute(settings.instances, clock)
    rehearsal = RehearsalCompute(local, settings.home / "rehearsals", clock, lambda job: script_of(db, job))
    transport = LocalTransport()
    accounts = {
        name: leasing.Account(Guarded(compute, clock), transport)
        for name, compute in ((LOCAL, local), (REHEARSAL, rehearsal))
    }
    shared = StoreClock(clock, db)  # workers of one database agree on the time
    renting = leasing.Room(db, shared, settings.installation(), accounts, random.random)
    working = jobs.Room(db, shared, renting, settings.jobs, build_agent(settings.cache), build_library(settings.cache))
    return Inside(settings, clock, db, renting, working)


def script_of(db: Database, job_id: str) -> Script | None:
    """What a rehearsal is to inject into a job, and how far the job is, from the store."""
    with db.read() as connection:
        job = records.job(connection, job_id)
    if job is None or not job.settings.get("preempt_at"):
        return None
    progress, measures = job.progress or {}, job.measures
    return Script(
        preempt_at=parse_preempt_at(",".join(job.settings["preempt_at"])),
        notice=timedelta(seconds=float(job.settings["notice_s"])),
        step=int(progress.get("step") or 0),
        total_steps=progress.get("total_steps") or job.settings.get("total_steps"),
        training="attempt_steps" in measures,
        training_seconds=float(measures.get("train_s", 0.0)) + float(measures.get("attempt_train_s") or 0.0),
    )

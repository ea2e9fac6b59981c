"""What is to happen to a machine that is rehearsed: what its job's script injects, or what a trace does to its pool."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from tradewind.app.jobfile.spans import parse_preempt_at
from tradewind.app.replaying import kept_trace
from tradewind.clouds.rehearsal.compute import Worn
from tradewind.clouds.rehearsal.replay import Replay
from tradewind.clouds.rehearsal.script import Script
from tradewind.domain.records import Job
from tradewind.jobs import tempo
from tradewind.store import records
from tradewind.store.database import Database


def fate_of(db: Database, jobs: Path, worn: Worn) -> Script | Replay | None:
    """The fate of a machine, from the store and the job's folder beneath ``jobs``; None: nothing takes it."""
    with db.read() as connection:
        job = records.job(connection, worn.job)
    if job is None:
        return None
    pool = pool_of(job.settings, worn)
    notice = timedelta(seconds=float((pool or job.settings)["notice_s"]))
    if job.settings.get("preempt_at"):
        return _script(job, notice)
    trace = job.settings.get("trace")
    if not trace or not pool or not pool["zone"]:
        return None
    replayed = kept_trace(trace, jobs / job.id)
    zone = replayed.zones.index(pool["zone"])
    return Replay(replayed, zone, trace["start_tick"], partial(tempo.elapsed, job), notice)


def pool_of(settings: Mapping[str, Any], worn: Worn) -> dict[str, Any] | None:
    """The job's pool whose offer the machine wears."""
    wears = {"region": worn.region, "zone": worn.zone, "instance_type": worn.instance_type, "purchase": worn.purchase}
    pools: list[dict[str, Any]] = settings.get("pools", [])
    return next((each for each in pools if wears.items() <= each["offer"].items()), None)


def _script(job: Job, notice: timedelta) -> Script:
    progress, measures = job.progress or {}, job.measures
    if job.progress is None and measures.get("unverified") and "run_since" in measures:
        return _of_a_plain_script(job, notice)
    return Script(
        preempt_at=parse_preempt_at(",".join(job.settings["preempt_at"])),
        notice=notice,
        step=int(progress.get("step") or 0),
        total_steps=progress.get("total_steps") or job.settings.get("total_steps"),
        training="attempt_steps" in measures,
        training_seconds=float(measures.get("train_s", 0.0)) + float(measures.get("attempt_train_s") or 0.0),
    )


def _of_a_plain_script(job: Job, notice: timedelta) -> Script:
    """It tells no steps: its seconds count since it runs, from the first checkpoint kept on; a share is never due."""
    return Script(
        preempt_at=parse_preempt_at(",".join(job.settings["preempt_at"])), notice=notice, step=0, total_steps=None,
        training=True, training_seconds=float(job.measures.get("run_s", 0.0)),
        since=datetime.fromtimestamp(job.measures["run_since"], UTC),
    )  # fmt: skip

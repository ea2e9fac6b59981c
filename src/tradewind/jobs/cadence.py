"""Telling a running job how soon a loss is to be expected, so that it saves as often as is worth it.

What saves take comes back with the job's events and is kept in ``measures.saving`` (moving means, real seconds:
``blocking_s``, ``persist_s``, ``store_s``); what was told last in ``measures.cadence``. The training library is told
the mean time between losses and keeps the interval that follows. It is told nothing before it has saved once, nothing
where ``checkpoint.every`` is given, and nothing of a machine that no plan knows: there its own assumption stands.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tradewind.domain.offer import Purchase
from tradewind.domain.records import Job, Lease
from tradewind.jobs.pools import notice_seconds, pool_index, pools_of
from tradewind.jobs.room import Note, Room, Step, instance_of
from tradewind.jobs.tempo import elapsed, real
from tradewind.planning.checkpointing import Saving, hours_between_losses
from tradewind.wire.cadence import MEAN_SECONDS_BETWEEN_LOSSES, interval_seconds, moving_mean
from tradewind.wire.spec import Command

WORTH_TELLING = 1.2  # times longer or shorter than the interval that is kept now
_ENDING = ("noticed", "limit", "ended")  # measures of a job that will not save by itself again


def paced(room: Room, step: Step, lease: Lease, now: datetime) -> Step:
    """Tell the job's node how soon a loss is to be expected, when that changes how often to save; and note it.

    Raises:
        Unreachable: the node does not answer.
    """
    told = cadence_to_tell(step.job, lease, now)
    if told is None:
        return step
    command = Command("cadence", mean_seconds_between_losses=told["mean_seconds"])
    room.transport(lease).command(instance_of(lease), command.to_json(), f"cadence-{int(now.timestamp())}")
    job = replace(step.job, measures={**step.job.measures, "cadence": told})
    return replace(step, job=job, notes=(*step.notes, Note("checkpoint-interval", None, told)))


def cadence_to_tell(job: Job, lease: Lease, now: datetime) -> dict[str, Any] | None:
    """What the job on this lease should be told: ``mean_seconds`` between losses, and what follows from it.

    Also ``interval_seconds`` that the library will keep, ``age_hours`` of the machine in planned time, ``blocking_s``
    of a save, ``attempt``. None: what it knows is good enough.
    """
    saving = saving_of(job)
    if saving is None or lease.paid_from is None or job.plan is None or job.measures.keys() & set(_ENDING):
        return None
    if job.workload.get("checkpoint", {}).get("every", "auto") != "auto":
        return None
    age = (elapsed(job, now) - elapsed(job, lease.paid_from)) / timedelta(hours=1)
    mean = _mean_seconds(job, lease, age, saving)
    known = job.measures.get("cadence")
    before = known["mean_seconds"] if known and known["attempt"] == job.attempt else MEAN_SECONDS_BETWEEN_LOSSES
    kept, better = (interval_seconds(saving.blocking, saving.persist, each) for each in (before, mean))
    if max(kept, better) < WORTH_TELLING * min(kept, better):
        return None
    return {"mean_seconds": mean, "interval_seconds": round(better, 1), "age_hours": round(age, 3),
            "blocking_s": round(saving.blocking, 4), "attempt": job.attempt}  # fmt: skip


def saving_of(job: Job) -> Saving | None:
    """What the job's saves have taken; None before the first."""
    taken = job.measures.get("saving", {})
    if "blocking_s" not in taken:
        return None
    return Saving(taken["blocking_s"], taken.get("persist_s", 0.0), taken.get("store_s", 0.0))


def learnt(measures: dict[str, Any], name: str, seconds: float) -> dict[str, Any]:
    """``measures.saving`` after one more save took so many ``seconds``; ``name`` says of what."""
    taken = measures.get("saving", {})
    return {**taken, name: round(moving_mean(taken.get(name), seconds), 6)}


def _mean_seconds(job: Job, lease: Lease, age_hours: float, saving: Saving) -> float:
    """Mean real seconds between losses: hazards are by planned hours, notices and saves by real ones."""
    place = pool_index(job, lease)
    pool = pools_of(job)[place] if place is not None else {}
    mean = hours_between_losses(
        age_hours, spot=lease.offer["purchase"] == Purchase.SPOT.value,
        announced=saving.fits(notice_seconds(job, lease)), nodes=int(pool.get("nodes", 1)),
        multiplier=float(pool.get("hazard", 1.0)),
    )  # fmt: skip
    return round(real(job, timedelta(hours=mean)).total_seconds(), 3)

"""A job's rows as a Situation: what the policy has to know, in planned hours. Pure.

Restarts are measured by this job's own attempts, from the order to the first step; the plan's set-up counts as one
more of them in the mean. Of so few no quantile can be read: as the 99th percentile stands the longest seen times
1 + 2/n, and with fewer than three at least the one that the plan keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tradewind.domain.records import Attempt, Budget, Job, Lease
from tradewind.domain.states import EndReason
from tradewind.jobs.limits import allowance
from tradewind.jobs.measure import measured_step_seconds
from tradewind.jobs.pools import PoolJson, name_of, pool_index, pools_of
from tradewind.jobs.room import newest
from tradewind.jobs.seen import Seen, seen
from tradewind.jobs.tempo import elapsed, hours_left, real, tempo
from tradewind.planning.ask import SETUP_HOURS, SETUP_P99_HOURS
from tradewind.planning.steering import Pool, Situation, runs

DECIDE_EVERY = timedelta(minutes=10)  # planned, as the traces by which the policy is judged
_LEAST_REAL = timedelta(seconds=1)  # however fast a rehearsal is
ENOUGH_STARTS = 3
# While nobody knows how long the steps take here, the work is taken to fill this share of the time that is left.
UNMEASURED_SHARE = 0.5
_HOUR_S = 3600.0


def interval(job: Job) -> timedelta:
    """Real time between two decisions."""
    return max(real(job, DECIDE_EVERY), _LEAST_REAL)


def situation_of(
    job: Job, attempts: Sequence[Attempt], leases: Sequence[Lease], budget: Budget | None, now: datetime
) -> Situation:
    """The situation of a job; the machine counts as running once it is accepted and as long as it is wanted."""
    step = interval(job).total_seconds() * tempo(job) / _HOUR_S
    gone = max(elapsed(job, now).total_seconds() / _HOUR_S, 0.0)
    attempt = attempts[-1] if attempts else None
    lease = _running(attempt, leases)
    here = pool_index(job, lease) if lease else None
    told, count = seen(job, leases, now), int(gone / step) + 1
    p99, mean = restarts(job)
    work = _work(job, attempt, now, running=here is not None)
    return Situation(
        elapsed=round(gone, 6), hours_left=_rounded(hours_left(job, now)), work_done=work[0], work_left=work[1],
        step=round(step, 6), overhead=p99, overhead_mean=mean, overhead_left=_overhead_left(job, lease, mean, now),
        pools=tuple(_pool(job, pool, each, count, step, gone, here == place,
                          here is None or spare(job, pool["offer"], leases, budget, now))
                    for place, (pool, each) in enumerate(zip(pools_of(job), told, strict=True))),
        running=here, age=_age(job, lease, now) if here is not None else 0.0,
        lost=here is None and _was_lost(leases), unsaved=work[2] if here is not None else 0.0,
        checkpoint_cost=round(job.measures.get("saving", {}).get("blocking_s", 0.0) * tempo(job) / _HOUR_S, 6),
        checkpoint_gb=round(float(job.measures.get("checkpoint_bytes") or 0) / 1e9, 6),
        without=round(gone - _last_machine(job, leases), 6),
        currency=(job.settings["offer"].get("price_per_hour") or {}).get("currency"),
    )  # fmt: skip


def restarts(job: Job) -> tuple[float, float]:
    """Planned hours from an order to the first step: the 99th percentile, and the mean."""
    seconds: list[float] = job.measures.get("starts", [])
    took = [each * tempo(job) / _HOUR_S for each in seconds]
    mean = (SETUP_HOURS.value + sum(took)) / (1 + len(took))
    longest = max(took) * (1 + 2 / len(took)) if took else 0.0
    p99 = longest if len(took) >= ENOUGH_STARTS else max(longest, SETUP_P99_HOURS)
    return round(max(p99, mean), 6), round(mean, 6)


def started(job: Job, attempt: Attempt, lease: Lease) -> Job:
    """The job with the start of this attempt counted, once it made its first step; a prepared switch tells nothing."""
    first = job.measures.get("first_step_at")
    known = job.measures.get("starts_of", 0)
    if first is None or known >= attempt.attempt:
        return job
    took = [] if lease.created_at < attempt.started_at else [round(float(first) - lease.created_at.timestamp(), 3)]
    starts = [*job.measures.get("starts", []), *(each for each in took if each > 0)]
    return replace(job, measures={**job.measures, "starts": starts, "starts_of": attempt.attempt})


def _pool(
    job: Job, pool: PoolJson, each: Seen, count: int, step: float, now: float, runs_here: bool, spare: bool
) -> Pool:
    speed = 1.0 if job.rehearsal else _step_seconds(job, pool) / _slowest(job)  # one computer plays all machines
    offer = pool["offer"]
    return Pool(
        name=name_of(pool), place=f"{offer['cloud']}/{offer.get('region')}", purchase=offer["purchase"],
        price=round(_price(pool) * speed, 6), hazard=float(pool.get("hazard") or 1.0),
        notice=round(float(pool.get("notice_s") or job.settings["notice_s"]) * tempo(job) / _HOUR_S, 6),
        seen=runs(each.steps(count, step, runs=runs_here, now=now)),
        down_for=round(max(each.down_until - now, 0.0), 6) if not runs_here else 0.0, refusals=each.refusals,
        busy=each.busy, dropped=each.dropped, spare=spare, egress_per_gb=pool.get("egress_per_gb"),
    )  # fmt: skip


def _price(pool: PoolJson) -> float:
    """An hour of all its nodes at the upper end of its price, as plans rank it, in the currency of the chosen offer."""
    listed = pool["offer"].get("price_per_hour") or {"amount": 0}
    told = (pool.get(name) for name in ("rank_price", "price"))
    each = float(next((price for price in told if price is not None), listed["amount"]))
    return each * int(pool.get("nodes") or 1)


def _step_seconds(job: Job, pool: PoolJson) -> float:
    return float(pool.get("step_seconds") or job.settings.get("predicted_step_seconds") or 1.0)


def _slowest(job: Job) -> float:
    return max(_step_seconds(job, pool) for pool in pools_of(job))


def _work(job: Job, attempt: Attempt | None, now: datetime, *, running: bool) -> tuple[float, float | None, float]:
    """Hours done, hours left (None: nobody knows how many steps there are), hours since the last checkpoint."""
    total = (job.progress or {}).get("total_steps") or job.settings.get("total_steps")
    saved = int(job.measures.get("saved_step") or 0)
    reached = int((job.progress or {}).get("step") or 0)
    done = max(reached, saved) if running else saved
    if attempt is not None and running and attempt.last_step is None:
        done = saved  # it has still to come back to where it was
    each = _step_hours(job)
    if not total:
        return round(done * each, 6), None, round((done - saved) * each, 6)
    left = max(total - done, 0) * each
    if _unmeasured(job):
        within = hours_left(job, now)
        left = max(left, UNMEASURED_SHARE * within) if within else left
    return round(done * each, 6), round(left, 6), round((done - saved) * each, 6)


def _step_hours(job: Job) -> float:
    """Planned hours of a step on the slowest pool: as measured here, else as predicted."""
    measured = measured_step_seconds(job)
    if measured is None:
        return _slowest(job) / _HOUR_S
    if job.rehearsal:
        return measured * tempo(job) / _HOUR_S
    here = pools_of(job)[int(job.measures.get("pool", 0))]
    return measured * _slowest(job) / _step_seconds(job, here) / _HOUR_S


def _unmeasured(job: Job) -> bool:
    """Whether the tempo was given, and how long a step takes at it is not known yet."""
    speed = (job.settings.get("trace") or {}).get("speed", "auto")
    return job.rehearsal and speed != "auto" and measured_step_seconds(job) is None


def _running(attempt: Attempt | None, leases: Sequence[Lease]) -> Lease | None:
    lease = newest(attempt, leases) if attempt and attempt.outcome is None else None
    return lease if lease and lease.wanted and lease.paid_from is not None else None


def _overhead_left(job: Job, lease: Lease | None, mean: float, now: datetime) -> float:
    """What is still to come of the start that is going on, at its mean."""
    if lease is None or job.measures.get("first_step_at") is not None:
        return 0.0
    return round(max(mean - _age(job, lease, now, since_order=True), 0.0), 6)


def _age(job: Job, lease: Lease | None, now: datetime, *, since_order: bool = False) -> float:
    assert lease is not None and lease.paid_from is not None
    since = lease.created_at if since_order else lease.paid_from
    return round(max((elapsed(job, now) - elapsed(job, since)).total_seconds() / _HOUR_S, 0.0), 6)


def _was_lost(leases: Sequence[Lease]) -> bool:
    lived = [each for each in leases if each.paid_from is not None]
    return bool(lived) and lived[-1].end_reason in (EndReason.RECLAIMED, EndReason.VANISHED)


def _last_machine(job: Job, leases: Sequence[Lease]) -> float:
    """Planned hours from the submit to the last moment at which the job had a machine."""
    ends = [each.paid_to or each.state_since for each in leases if each.paid_from is not None]
    return max((elapsed(job, end).total_seconds() / _HOUR_S for end in ends), default=0.0)


def spare(job: Job, offer: dict[str, Any], leases: Sequence[Lease], budget: Budget | None, now: datetime) -> bool:
    """Whether the money holds such a machine beside the one that runs, for long enough to be worth preparing."""
    need = real(job, timedelta(hours=2 * restarts(job)[0]) + DECIDE_EVERY)
    return allowance(job, leases, budget, now, offer).lifetime >= need


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)

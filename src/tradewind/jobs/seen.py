"""What a job's own leases have shown of its pools. Pure.

Nobody probes. A pool was up while a machine of the job ran there. It was down from a refusal or a loss on: for ten
planned minutes, and after further refusals in a row for twice as long each time, up to two hours (an outage that has
lasted ends more rarely: ``planning.spot.hazards``); on demand for ten minutes always, if a deadline waits for it; what
is busy, for a real minute. At all other times nobody knows. A refusal that waiting does not cure (quota, rights, the
request) drops the pool. What was injected into a rehearsal says nothing of the market: there a pool is down after a
loss under a trace alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import EndReason, LeaseState
from tradewind.jobs.pools import name_of, pool_index, pools_of
from tradewind.jobs.tempo import elapsed
from tradewind.leasing.retry import FaultClass, class_of
from tradewind.planning.steering import DOWN, UNSEEN, UP

DOWN_HOURS, LONGEST_DOWN_HOURS = 1 / 6, 2.0
BUSY_FOR = timedelta(minutes=1)
_TAKEN = (EndReason.RECLAIMED, EndReason.VANISHED)
_NEVER_CAME = (EndReason.BOOT_TIMEOUT, EndReason.REFUSED_LATE)
_GOING = (LeaseState.RELEASING, LeaseState.RELEASED)
_FOR_GOOD = (FaultClass.AUTH, FaultClass.INVALID)


@dataclass(slots=True)
class Seen:
    """One pool: spans of planned hours in which it was up or down, and how it was refused.

    ``busy``: its last refusal was because what there is is in use.
    """

    spans: list[tuple[float, float, str]]
    refusals: int = 0
    busy: bool = False
    dropped: str | None = None
    down_until: float = 0.0

    def steps(self, count: int, step: float, *, runs: bool, now: float) -> str:
        """A letter for each step until now; what happened last in a step counts."""
        told = [UNSEEN] * count
        for start, end, letter in sorted(self.spans):
            first = min(int(start / step), count - 1)
            last = min(max(int(end / step), first), count - 1)
            told[first : last + 1] = [letter] * (last + 1 - first)
        told[-1] = UP if runs else DOWN if self.down_until > now else UNSEEN
        return "".join(told)


def seen(job: Job, leases: Sequence[Lease], now: datetime) -> list[Seen]:
    """What was seen of each pool, in their order."""

    def hours(at: datetime) -> float:
        return max(elapsed(job, at).total_seconds() / 3600, 0.0)

    told, patient = [Seen([]) for _ in pools_of(job)], not job.settings.get("deadline")
    market = not job.rehearsal or bool(job.settings.get("trace"))
    for lease in leases:
        place = pool_index(job, lease)
        if place is not None:
            _learn(told[place], lease, hours, now, market=market, patient=patient)
    return told


def refused(lease: Lease) -> bool:
    """Whether the lease never carried anything because nothing was to be had."""
    return lease.state is LeaseState.REFUSED or lease.end_reason in _NEVER_CAME


def tried(job: Job, leases: Sequence[Lease], now: datetime) -> list[dict[str, Any]]:
    """Which pools refused since a machine was last had there: how often in a row, and what would not pass by itself."""
    return [
        {"pool": name_of(pool), "times": each.refusals, "for_good": each.dropped}
        for pool, each in zip(pools_of(job), seen(job, leases, now), strict=True)
        if each.refusals
    ]


def _learn(
    pool: Seen, lease: Lease, hours: Callable[[datetime], float], now: datetime, *, market: bool, patient: bool
) -> None:
    if refused(lease):
        kind = class_of(lease.fault_kind)
        pool.refusals, pool.busy = pool.refusals + 1, kind is FaultClass.BUSY
        if kind in _FOR_GOOD:
            pool.dropped = lease.fault_kind
        if pool.busy:
            _down_until(pool, hours(lease.state_since), hours(lease.state_since + BUSY_FOR))
        else:
            _down(pool, hours(lease.state_since), pool.refusals if patient or lease.offer["purchase"] == "spot" else 1)
    elif lease.paid_from is not None:
        pool.refusals, pool.busy, pool.down_until = 0, False, 0.0
        end = lease.paid_to or (lease.state_since if lease.state in _GOING else now)
        pool.spans.append((hours(lease.paid_from), hours(end), UP))
        if lease.end_reason in _TAKEN and market:
            _down(pool, hours(end), 1)


def _down(pool: Seen, since: float, times: int) -> None:
    _down_until(pool, since, since + min(DOWN_HOURS * 2.0 ** min(times - 1, 10), LONGEST_DOWN_HOURS))


def _down_until(pool: Seen, since: float, until: float) -> None:
    pool.down_until = until
    pool.spans.append((since, pool.down_until, DOWN))

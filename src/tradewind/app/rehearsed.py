"""What a rehearsal on a trace came to, beside what the simulator says of the same window and on-demand only.

The simulator gets what the rehearsal measured: the work, and how long each start took. Its market is the window that
was replayed, its prices are the pools'. Its hours are planned time; they are billed as the rehearsal's are: each
machine's seconds × time scale, by its offer's granularity and minimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.app.replaying import kept_trace
from tradewind.app.views.book import Book
from tradewind.catalog.rates import converted
from tradewind.domain.billing import billed_on, money_for
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase
from tradewind.domain.records import Event, Job
from tradewind.domain.states import JobState
from tradewind.jobs.measure import measured_step_seconds
from tradewind.jobs.situation import restarts
from tradewind.jobs.tempo import elapsed, tempo
from tradewind.leasing.budget import time_scale
from tradewind.planning.steering.patience import RESTARTS, STRETCH

if TYPE_CHECKING:
    from tradewind.domain.trace import SpotTrace
    from tradewind.planning.simulation import Run, SimJob, SpotPolicy

Pool = dict[str, Any]


def told(job: Job, book: Book, events: Sequence[Event], folder: Path) -> dict[str, Any] | None:
    """``trace`` of the show object; None for a job that replays none.

    ``predicted`` and ``on_demand_only`` are ``{"cost", "hours", "preemptions", "missed"}`` once the job has succeeded,
    and null before, or where nothing can be told for lack of a measured step or an on-demand pool; the latter also has
    the ``offer`` that it rents.
    """
    trace = job.settings.get("trace")
    if not trace:
        return None
    replayed = kept_trace(trace, folder)
    end = job.ended_at or book.now
    return {
        "name": trace["name"], "seed": trace["seed"], "speed": trace["speed"], "tempo": tempo(job),
        "begins_hours": round(trace["start_tick"] * replayed.tick_seconds / 3600, 3),
        "of_hours": round(replayed.hours, 3),
        "zones": [{"zone": pool["zone"], "offer": _offer(pool)} for pool in job.settings["pools"] if pool["zone"]],
        "preemptions": sum(event.kind == "lease-notice" for event in events),
        "refused": sum(event.kind == "lease-refused" and event.data.get("kind") == "capacity" for event in events),
        "hours": round(elapsed(job, end).total_seconds() / 3600, 3), "deadline_hours": deadline_hours(job),
        **_beside(job, book, replayed),
    }  # fmt: skip


def deadline_hours(job: Job) -> float | None:
    """Planned hours from the submit to the deadline."""
    given = job.settings.get("deadline")
    return (datetime.fromisoformat(given) - job.submitted_at).total_seconds() / 3600 if given else None


def _beside(job: Job, book: Book, trace: SpotTrace) -> dict[str, Any]:
    nothing = {"predicted": None, "on_demand_only": None}
    each, total = measured_step_seconds(job), (job.progress or {}).get("total_steps") or job.settings["total_steps"]
    pools: list[Pool] = job.settings["pools"]
    resort = min((pool for pool in pools if _on_demand(pool)), key=_price, default=None)
    if job.state is not JobState.SUCCEEDED or each is None or not total or resort is None:
        return nothing
    spots = [pool for pool in pools if pool["zone"]]
    if not spots:
        return nothing
    simulated = Simulated(job, spots, resort, total * each * tempo(job) / 3600)
    return simulated.told(trace, (book.cost() or Money.from_json(resort["offer"]["price_per_hour"])).currency)


@dataclass(frozen=True, slots=True)
class Simulated:
    """The rehearsal's job for the simulator; ``work`` in planned hours."""

    job: Job
    spots: Sequence[Pool]
    resort: Pool
    work: float

    def told(self, trace: SpotTrace, currency: str) -> dict[str, Any]:
        """``predicted`` by our policy and ``on_demand_only``, with money in ``currency``."""
        from tradewind.planning.simulation import OnDemand, run, window
        from tradewind.planning.spot import Policy

        job, zones = self._job(), [trace.zones.index(pool["zone"]) for pool in self.spots]
        starts = [each * tempo(self.job) / 3600 for each in self.job.measures.get("starts", [])]
        market = window(trace, self.job.settings["trace"]["start_tick"], job.deadline + job.step, zones=zones,
                        spot_price=job.spot_price, od_price=job.od_price)  # fmt: skip
        market = replace(market, overheads=tuple(starts))
        policies: dict[str, SpotPolicy] = {"predicted": Policy(), "on_demand_only": OnDemand()}
        ran = ((name, run(job, market, policy, record=True)) for name, policy in policies.items())
        told = {name: self._ran(each, currency) for name, each in ran}
        told["on_demand_only"]["offer"] = _offer(self.resort)
        return told

    def _job(self) -> SimJob:
        from tradewind.planning.simulation import STEP_HOURS, SimJob

        overhead, mean = restarts(self.job)
        patience = STRETCH * self.work + RESTARTS * overhead
        return SimJob(
            work=self.work, deadline=deadline_hours(self.job) or patience, overhead=overhead,
            step=STEP_HOURS, zones=tuple(pool["zone"] for pool in self.spots), od_price=_price(self.resort),
            spot_price=tuple(_price(pool) for pool in self.spots), overhead_mean=mean,
            hazard=tuple(pool["hazard"] for pool in self.spots),
            notice=min((pool["notice_s"] for pool in self.spots), default=0.0) * tempo(self.job) / 3600,
        )  # fmt: skip

    def _ran(self, ran: Run, currency: str) -> dict[str, Any]:
        cost = self._bill(ran, currency)
        return {
            "cost": cost.to_json() if cost else None, "hours": round(ran.finish_hours, 3),
            "preemptions": ran.preemptions, "missed": ran.missed,
        }  # fmt: skip

    def _bill(self, ran: Run, currency: str) -> Money | None:
        """Every machine's use as its offer bills it; None without a rate into ``currency``."""
        scale = 3600 * time_scale(self.job) / tempo(self.job)
        whole = Money.from_json({"amount": "0", "currency": currency})
        for pool, hours in self._leases(ran):
            offer = pool["offer"]
            paid = money_for(Money.from_json(offer["price_per_hour"]), billed_on(offer, hours * scale))
            exchanged = converted(paid, currency)
            if exchanged is None:
                return None
            whole += exchanged[0]
        return whole

    def _leases(self, ran: Run) -> Iterator[tuple[Pool, float]]:
        """Which pool was rented for how many hours, one machine after the other."""
        steps = [*ran.steps]
        begins = [
            (step.hours, step.kind, step.zone)
            for index, step in enumerate(steps)
            if index == 0 or step.preempted or (step.kind, step.zone) != (steps[index - 1].kind, steps[index - 1].zone)
        ]
        if ran.missed and steps[-1].kind != "od":
            begins.append((self._job().deadline, "od", -1))
        ends = [begin for begin, _, _ in begins[1:]] + [ran.finish_hours]
        for (begin, kind, zone), end in zip(begins, ends, strict=True):
            if kind != "none":
                yield self.spots[zone] if kind == "spot" else self.resort, end - begin


def _offer(pool: Pool) -> dict[str, Any]:
    return {key: value for key, value in pool["offer"].items() if key != "billing"}


def _on_demand(pool: Pool) -> bool:
    return bool(pool["purchase"] == Purchase.ON_DEMAND.value) and pool["price"] is not None


def _price(pool: Pool) -> float:
    """An hour of all its nodes, in the chosen offer's currency."""
    return float(pool["price"]) * int(pool["nodes"])

"""``simulate``: a job's plan on many spot markets, under each policy, before anything is paid.

    plan ─▶ pools ─▶ SimJob ─┬─▶ every policy on every market ─▶ figures, histograms, bound
    trace or seed ─▶ markets ┘

Trace zone i stands for the plan's i-th spot pool, prices are the pools'. Work is reckoned in hours of the slowest pool,
so that the price of a faster one is lower by as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from tradewind.app.market import rates_of
from tradewind.app.pools import Pool, pools_of
from tradewind.app.queries import SimulateQuery
from tradewind.app.questions import plan
from tradewind.app.replaying import window_hours
from tradewind.app.settings import Settings
from tradewind.app.sizes.profiles import Tell
from tradewind.app.views.simulated import simulated
from tradewind.catalog.traces import trace as read_trace
from tradewind.catalog.traces import traces
from tradewind.domain.errors import BadInput, NothingFits
from tradewind.domain.offer import Purchase
from tradewind.domain.trace import SpotTrace
from tradewind.domain.workload import Workload
from tradewind.planning.ask import SETUP_HOURS, SETUP_P99_HOURS
from tradewind.planning.simulation.market import STEP_HOURS, Market, SimJob
from tradewind.planning.simulation.policies import POLICIES, compare
from tradewind.planning.simulation.synthetic import synthetic
from tradewind.planning.simulation.windows import start_ticks, window
from tradewind.planning.steering.patience import RESTARTS, STRETCH

Answer = dict[str, Any]
Progress = Callable[[int, int], None]  # runs done, of how many

HARDLY_FASTER = 1.1  # times: less is not told
LEAST_STEPS = 2  # of work: below, the market is hardly looked at before the job is over


def simulate(
    settings: Settings, workload: Workload, query: SimulateQuery, now: datetime, tell: Tell, progress: Progress
) -> Answer:
    """The object of ``simulate --json`` (docs/simulate.md). ``policies`` is empty where no policy has a choice.

    Raises:
        NotFound, BadInput: ``policy-unknown``, or a trace that cannot be used.
        NothingFits: ``simulate-nothing-fits``, ``simulate-no-on-demand``, ``length-unknown``, or what the plan raises.
    """
    names = _policies(query.policies)
    given = read_trace(query.trace) if query.trace else None
    planned = plan(settings, workload, now, tell)
    if not planned["chosen"]:
        raise NothingFits("simulate-nothing-fits")
    trace = given if query.market is not None or given else _like(planned)
    pools = pools_of(planned, trace, rates_of(settings))
    setting = Setting.of(workload, pools, now)
    remarks = list(_remarks(setting, trace))
    if not setting.choice:
        return simulated(planned, setting, trace, query, None, remarks)
    hours = window_hours(workload, planned, now)
    made = _windows(trace, setting, query, hours) if trace else _made_up(setting, query)
    compared = compare(setting.job, made, names, lambda done: progress(done, query.runs))
    return simulated(planned, setting, trace, query, compared, remarks)


@dataclass(frozen=True, slots=True)
class Setting:
    """What is simulated: the job, the spot pools that are its zones, the pool that is its on-demand."""

    job: SimJob
    spots: Sequence[Pool]
    resort: Pool
    nodes: int
    deadline_assumed: bool
    faster: float  # by how much the fastest pool is faster than the slowest
    resort_hours: float  # of the work on the on-demand pool itself

    @property
    def choice(self) -> bool:
        """Whether there is something to choose, and time to."""
        return bool(self.spots) and self.job.work >= LEAST_STEPS * STEP_HOURS

    @classmethod
    def of(cls, workload: Workload, pools: Sequence[Pool], now: datetime) -> Setting:
        """Raises NothingFits where the plan says too little."""
        steps, seconds = workload.training.total_steps, [pool["step_seconds"] for pool in pools]
        if steps is None or None in seconds:
            raise NothingFits("length-unknown")
        slowest = max(seconds)
        spots = [pool for pool in pools if pool["purchase"] == Purchase.SPOT]

        def price(pool: Pool) -> float:
            """Of all nodes, for what the slowest pool does in an hour."""
            return float(pool["price"] * pool["nodes"] * pool["step_seconds"] / slowest)

        def start(pool: Pool) -> float:
            """What a start costs beyond that price: it takes as long on a fast machine as on a slow one."""
            return (float(pool["price"] * pool["nodes"]) - price(pool)) * SETUP_HOURS.value

        resort = min((pool for pool in pools if pool["purchase"] == Purchase.ON_DEMAND), key=price, default=None)
        if resort is None:
            raise NothingFits("simulate-no-on-demand")
        work, overhead = steps * slowest / 3600, SETUP_P99_HOURS
        deadline = _deadline(workload, now)
        starts = (*map(start, spots), start(resort))
        job = SimJob(
            work, STRETCH * work + RESTARTS * overhead if deadline is None else deadline, overhead, STEP_HOURS,
            tuple(pool["zone"] or f"{pool['offer']['cloud']} {pool['offer']['region']}" for pool in spots),
            price(resort), tuple(map(price, spots)), SETUP_HOURS.value, tuple(pool["hazard"] for pool in spots),
            min((pool["notice_s"] for pool in spots), default=0.0) / 3600, (starts,) * len(starts),
        )  # fmt: skip
        return cls(job, spots, resort, max((pool["nodes"] for pool in spots), default=1), deadline is None,
                   slowest / min(seconds), steps * resort["step_seconds"] / 3600)  # fmt: skip


def _windows(trace: SpotTrace, setting: Setting, query: SimulateQuery, hours: float) -> Iterator[Market]:
    """The windows of the trace that the seed stands for; the first is what a rehearsal with it replays."""
    job, zones = setting.job, [trace.zones.index(pool["zone"]) for pool in setting.spots]
    for tick in start_ticks(trace, hours, query.seed, query.runs):
        market = window(
            trace, tick, job.deadline, zones=zones, spot_price=job.spot_price, od_price=job.od_price
        )  # fmt: skip
        yield _started(market, job)


def _made_up(setting: Setting, query: SimulateQuery) -> Iterator[Market]:
    job = setting.job
    for market in synthetic(
        query.market or 0, job.deadline, query.runs, spot_price=job.spot_price, od_price=job.od_price,
        hazard=job.hazard or (), nodes=setting.nodes,
    ):  # fmt: skip
        yield _started(market, job)


def _started(market: Market, job: SimJob) -> Market:
    """The market with what starts take on average, and cost."""
    assert job.transfer_cost is not None, "every setting says what starts cost"
    return replace(market, overheads=(SETUP_HOURS.value,), start_cost=job.transfer_cost[0])


def _deadline(workload: Workload, now: datetime) -> float | None:
    """Hours until the deadline of the job file, the sooner where there are two."""
    span, at = workload.schedule.deadline_seconds, workload.schedule.deadline_at
    ends = [] if span is None else [span / 3600]
    ends += [] if at is None else [(at - now).total_seconds() / 3600]
    return min(ends, default=None)


def _like(planned: Answer) -> SpotTrace | None:
    """The shipped trace of the GPU that the plan rents first on spot, and of gangs or not as the plan; None: none."""
    spot = next((way for way in _ways(planned) if way["offer"]["purchase"] == Purchase.SPOT), None)
    if spot is None:
        return None
    gpu, gang = spot["offer"]["gpu"], spot["nodes"] > 1
    known = (read_trace(name) for name in traces())
    return next((each for each in known if gpu.startswith(each.gpu) and (each.nodes > 1) == gang), None)


def _ways(planned: Answer) -> list[Answer]:
    return [planned["chosen"], *planned["fallbacks"]]


def _policies(asked: Sequence[str]) -> tuple[str, ...]:
    """The policies asked for, all when none is."""
    for name in asked:
        if name not in POLICIES:
            near = ", ".join(get_close_matches(name, POLICIES, n=2))
            raise BadInput("policy-unknown", name=name, nearest=near, known=", ".join(POLICIES))
    return tuple(dict.fromkeys(asked)) or tuple(POLICIES)


def _remarks(setting: Setting, trace: SpotTrace | None) -> Iterator[str]:
    """What should be known of the figures, as codes with facts."""
    job = setting.job
    if not setting.spots:
        yield "no-spot-pool"
    elif not setting.choice:
        yield f"too-short step={STEP_HOURS * 60:.0f}"
    if not setting.choice:
        return
    if setting.deadline_assumed:
        yield f"deadline-assumed hours={job.deadline:.1f} stretch={STRETCH:g} starts={RESTARTS:g}"
    elif job.work + job.overhead > job.deadline:
        yield f"deadline-tight hours={job.deadline:.1f} work={job.work:.1f} start={job.overhead * 60:.0f}"
    if setting.faster > HARDLY_FASTER:
        yield f"hours-of-slowest times={setting.faster:.1f}"
    if trace:
        yield from _of_trace(setting, trace)


def _of_trace(setting: Setting, trace: SpotTrace) -> Iterator[str]:
    """How far the trace is from what the plan rents."""
    gpus = sorted({pool["offer"]["gpu"] for pool in setting.spots})
    if trace.gpu and any(not gpu.startswith(trace.gpu) for gpu in gpus):
        yield f"trace-of-another-gpu gpu={trace.gpu} wanted='{', '.join(gpus)}'"
    if trace.nodes != setting.nodes:
        yield f"trace-of-other-nodes nodes={trace.nodes} wanted={setting.nodes}"
    if trace.hours < setting.job.deadline:
        yield f"trace-repeated hours={trace.hours:.0f} wanted={setting.job.deadline:.0f}"

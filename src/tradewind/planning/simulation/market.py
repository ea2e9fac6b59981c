"""What is simulated: a job as the policy is told of it, and a market as only the simulator knows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

STEP_HOURS = 600 / 3600  # how often the market is looked at: every ten minutes


@dataclass(frozen=True, slots=True)
class SimJob:
    """A job, as ``Policy.reset`` is told of it. Hours are of the wall, prices of all nodes together.

    Attributes:
        work: hours of progress that it takes.
        overhead: hours that a start, restart or change of zone takes at most; what a deadline is kept by.
        overhead_mean: hours that one takes on average; None: always ``overhead``.
        spot_price: per zone, at the first step.
        hazard: per zone, how much likelier than usual a running machine is lost.
        transfer_cost: money of a start by the place left and the place taken; the last place is on-demand.
        notice: hours between the warning of a loss and the loss; a simulated loss repeats no work.
    """

    work: float
    deadline: float
    overhead: float
    step: float
    zones: tuple[str, ...]
    od_price: float
    spot_price: tuple[float, ...]
    overhead_mean: float | None = None
    hazard: tuple[float, ...] | None = None
    notice: float = 1.0
    transfer_cost: tuple[tuple[float, ...], ...] | None = None
    od_granted: bool = True

    @property
    def steps(self) -> int:
        """Steps until the deadline, the last perhaps a part of one."""
        return math.ceil(self.deadline / self.step - 1e-9)


@dataclass(frozen=True, slots=True)
class Market:
    """What happens to zones and prices, step by step.

    Attributes:
        available: per step, per zone: up during the whole step.
        spot_price: per step, per zone, of all nodes together; or one row that always holds.
        od_price: an hour on demand, of all nodes together.
        overheads: hours that the first, second, … start really takes, the last of them for all others; empty: what
            the job states.
        start_cost: money that a start costs besides its hours, per zone and last on demand, where an hour of it is
            dearer than an hour of work; empty: nothing.
        od_refusals: how many requests for on-demand are refused before one is granted; ``math.inf`` for ever.
    """

    step_hours: float
    available: Sequence[tuple[bool, ...]]
    spot_price: Sequence[tuple[float, ...]]
    od_price: float
    overheads: tuple[float, ...] = ()
    od_refusals: float = 0
    start_cost: tuple[float, ...] = ()
    _prices: Sequence[tuple[float, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = list(self.spot_price)
        object.__setattr__(self, "_prices", rows * len(self.available) if len(rows) == 1 else rows)

    @property
    def prices(self) -> Sequence[tuple[float, ...]]:
        """Per step, per zone, also where one row always holds."""
        return self._prices

    def job(self, work: float, deadline: float, overhead: float, zones: Sequence[str] = ()) -> SimJob:
        """A job on this market; zones are called by their numbers unless named."""
        prices = tuple(self.spot_price[0])
        names = tuple(zones) or tuple(str(zone) for zone in range(len(prices)))
        return SimJob(work, deadline, overhead, self.step_hours, names, self.od_price, prices)

"""Situation: everything that a decision about a job's machines rests on, as a value that can be stored and read back.

Times are hours of the schedule, which is planned time in a rehearsal. Work is in hours of the slowest pool, so that on
any pool it takes no longer: the deadline is guarded on the safe side. Prices are of one hour of that work, all in one
currency.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from tradewind.domain.offer import Purchase

UP, DOWN, UNSEEN = "u", "d", "?"  # a step of a pool's history: a machine ran there, none was to be had, nobody looked


@dataclass(frozen=True, slots=True)
class Pool:
    """One place to rent in, as far as it is known.

    Attributes:
        name: cloud, zone or region, machine and purchase, for people.
        place: cloud and region; between two of them a checkpoint has to travel.
        price: of an hour of work.
        hazard: multiplier on the pooled hazard of a loss.
        notice: hours of warning before a reclaim.
        seen: its history in steps, oldest first, as runs: ``12?3u1d``.
        down_for: hours for which it counts as down after a refusal or a loss; 0: it may be tried.
        refusals: in a row, the last one included.
        busy: the last of them was because what there is is in use: it comes back by itself.
        dropped: why it is never tried again (``quota``, ``auth``, …); None: it may be.
        spare: whether the budget holds its machine beside the one that runs.
        egress_per_gb: of what is sent out of it; None: not known, and not counted.
    """

    name: str
    place: str
    purchase: str
    price: float
    hazard: float = 1.0
    notice: float = 0.0
    seen: str = ""
    down_for: float = 0.0
    refusals: int = 0
    busy: bool = False
    dropped: str | None = None
    spare: bool = True
    egress_per_gb: float | None = None

    @property
    def spot(self) -> bool:
        """Whether it can be taken away."""
        return self.purchase == Purchase.SPOT


@dataclass(frozen=True, slots=True)
class Situation:
    """A job in the middle of its market.

    Attributes:
        elapsed: since the submit.
        hours_left: until the deadline; None without one.
        work_left: None when nobody knows how long the job is.
        step: between two decisions.
        overhead, overhead_mean: from an order to the first step, at the 99th percentile and on average.
        overhead_left: of the start that is going on; 0 when the job trains.
        running: index of the pool that runs now.
        age: how long it has run there.
        lost: whether the last machine was taken away.
        unsaved: work since the last checkpoint.
        checkpoint_cost: of saving once, and how many GB it writes.
        without: since the last machine; since the submit if there was none yet.
        currency: of the prices.
    """

    elapsed: float
    hours_left: float | None
    work_done: float
    work_left: float | None
    step: float
    overhead: float
    overhead_mean: float
    pools: tuple[Pool, ...]
    overhead_left: float = 0.0
    running: int | None = None
    age: float = 0.0
    lost: bool = False
    unsaved: float = 0.0
    checkpoint_cost: float = 0.0
    checkpoint_gb: float = 0.0
    without: float = 0.0
    currency: str | None = None

    @property
    def slack(self) -> float | None:
        """Hours that may be lost before the deadline is; None without a deadline or a known length."""
        if self.hours_left is None or self.work_left is None:
            return None
        return self.hours_left - self.work_left - self.overhead_left

    def to_json(self) -> dict[str, Any]:
        """The situation as an event keeps it."""
        return {**asdict(self), "pools": [asdict(pool) for pool in self.pools]}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Situation:
        """The inverse of :meth:`to_json`; keys of a later version are passed over."""
        known = {name: value[name] for name in cls.__slots__ if name in value}
        pools = ({name: each[name] for name in Pool.__slots__ if name in each} for each in value["pools"])
        return cls(**{**known, "pools": tuple(Pool(**each) for each in pools)})


def runs(steps: str) -> str:
    """``"??uud"`` as ``"2?2u1d"``."""
    return "".join(f"{len(list(same))}{letter}" for letter, same in groupby(steps))


def steps(runs: str) -> str:
    """The inverse of :func:`runs`."""
    told, count = "", ""
    for letter in runs:
        if letter.isdigit():
            count += letter
        else:
            told, count = told + letter * int(count), ""
    return told

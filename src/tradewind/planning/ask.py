"""Ask: what a plan must satisfy; the terms on which a cloud rents; data to be near to; what was refused lately."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tradewind.domain.estimate import Estimate
from tradewind.domain.workload import Budget, Placement, Resources, Schedule

# From the order to the first step: boot 2 to 5 minutes, environment, image and data 1 to 15. Our assumption until a
# cloud's own times are known; image pull and compile of 1 to 10 minutes are reported for PyTorch containers (2026).
SETUP_HOURS = Estimate(8 / 60, 3 / 60, 20 / 60)
SETUP_P99_HOURS = 0.5  # the set-up that a last resort is given before a deadline. Assumed, as above.

DISK_GB = 50.0  # where the workload asks for no size: an operating system, CUDA, a PyTorch environment and room to work

Quota = Literal["ok", "none", "unknown"]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Data that lies in a cloud's object store.

    Attributes:
        region: None: not known; then it counts as near in all regions of its cloud.
        gb: None: not known, and not counted.
        reads: how often all of it is sent; a copy is sent once to each machine, what is streamed in every epoch.
        copied: whether the work waits until it is there.
        size_assumed: nobody told the size.
    """

    source: str
    cloud: str
    region: str | None
    gb: float | None
    reads: int = 1
    copied: bool = True
    size_assumed: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A cloud would not rent: where, what, when, and of which ``kind`` (``capacity``, ``quota`` …)."""

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    purchase: str
    at: datetime
    kind: str = "capacity"


@dataclass(frozen=True, slots=True)
class Ask:
    """The work, and the limits within which it is to be done.

    Attributes:
        total_steps: optimizer steps in all, at least 1; None: the length of the work is not known.
        fetched_gb: what is brought home at the end; None: not known, and not counted.
        datasets: read from object stores.
        controls: of compliance that were asked for; nothing checks them yet, which is told.
        stored: whether checkpoints have a store of their own; without one spot machines of a cloud cannot be paid for.
        folder_named: whether the job file says of checkpoints more than the default; else the job may have none.
    """

    total_steps: int | None
    resources: Resources = field(default_factory=Resources)
    placement: Placement = field(default_factory=Placement)
    schedule: Schedule = field(default_factory=Schedule)
    budget: Budget = field(default_factory=Budget)
    fetched_gb: float | None = None
    datasets: tuple[Dataset, ...] = ()
    controls: tuple[str, ...] = ()
    stored: bool = True
    folder_named: bool = True

    def __post_init__(self) -> None:
        if self.total_steps is not None and self.total_steps < 1:
            raise ValueError(f"total_steps must be at least 1, not {self.total_steps}")

    @property
    def disk_gb(self) -> float:
        """Disk of each node, asked for or assumed."""
        return self.resources.disk_gb or DISK_GB

    @property
    def max_duration_hours(self) -> float | None:
        """Running hours that may be paid for."""
        seconds = self.schedule.max_duration_seconds
        return None if seconds is None else seconds / 3600

    def deadline_hours(self, now: datetime) -> float | None:
        """Hours left until the deadline; the sooner one when both a span and an instant are given."""
        span, at = self.schedule.deadline_seconds, self.schedule.deadline_at
        ends = [] if span is None else [span / 3600]
        ends += [] if at is None else [(at - now).total_seconds() / 3600]
        return min(ends, default=None)


@dataclass(frozen=True, slots=True)
class Terms:
    """How a cloud bills, how long it takes to get going there, and whether the quota is known to suffice.

    ``shared``: its machines are there, but others may be using them when one is wanted; ``configured``: there is an
    account that may rent them.
    """

    granularity_s: float = 1.0
    minimum_s: float = 60.0
    setup_hours: Estimate = SETUP_HOURS
    setup_p99_hours: float = SETUP_P99_HOURS
    quota: Quota = "unknown"
    shared: bool = False
    configured: bool = False

    def billed_hours(self, hours: float) -> float:
        """Hours that are paid for ``hours`` of use: rounded up, and not below the minimum."""
        units = -(-round(hours * 3600, 6) // self.granularity_s)
        return max(units * self.granularity_s, self.minimum_s) / 3600

"""What a plan refuses, in the order in which it is counted; each offer counts once, for the first that it breaks.

    offer   purchase  no-gpu  gpu-unknown  no-data-sheet  price-unknown  price-expired  rate-unknown  (``supply``)
    wishes  purchase  cloud  region  residency  accelerators  other-vendor  other-processor  cpus
            too-few-machines  no-network  quota-refused
    fit     architecture-unsupported  precision-unsupported  batch-indivisible  …  too-little-memory
    limits  last-resort-late  over-deadline  over-max-duration  over-budget

An offer that several numbers of machines are tried of counts for the constraint that it got to last.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from tradewind.domain.fit import Fit
from tradewind.domain.gpus import data_sheet
from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.residency import allowed
from tradewind.domain.workload import Resources
from tradewind.planning.ask import Ask
from tradewind.planning.supply import PLANNED, Kind, Place
from tradewind.planning.way import Miss, Way

# Ways are compared in floats and paid in exact millionths: sums of rounded parts differ by less than this.
ROUNDING = 1e-5

WISHES = (
    "purchase", "cloud", "region", "residency", "accelerators", "other-vendor", "other-processor", "cpus",
    "too-few-machines", "no-network", "quota-refused",
)  # fmt: skip
LIMITS = ("last-resort-late", "over-deadline", "over-max-duration", "over-budget")

MACHINES = (1, 2, 4, 8)  # tried where the job file does not say how many
MOST_MACHINES = 64  # and up to so many where that many GPUs are wished for


@dataclass(frozen=True, slots=True)
class Wishes:
    """What this workload wants; only what it states is held against offers."""

    ask: Ask
    kinds: frozenset[Purchase]

    @classmethod
    def of(cls, ask: Ask) -> Wishes:
        """The wishes of an ask."""
        wish = ask.budget.purchase
        return cls(ask, PLANNED if wish == "auto" else frozenset({Purchase(wish)}))

    def before(self, sample: Offer) -> str | None:
        """Which wish a kind breaks wherever it is, that counts before those of the place."""
        if sample.purchase not in self.kinds:
            return "purchase"
        clouds = self.ask.placement.clouds
        return "cloud" if clouds and sample.cloud not in clouds else None

    def place(self, place: Place) -> str | None:
        """Which wish a place breaks."""
        wanted = self.ask.placement
        if wanted.regions and place.region not in wanted.regions:
            return "region"
        return "residency" if wanted.residency and place.country not in allowed(wanted.residency) else None

    def after(self, sample: Offer) -> str | None:
        """Which wish a kind breaks wherever it is, that counts after those of the place."""
        want = self.ask.resources
        sheet = data_sheet(sample.gpu)
        named = want.accelerators is not None
        checks = {
            "accelerators": named and not self.machines(sample, linked=True),
            # Scripts written for CUDA do not run elsewhere as they are: other vendors only where a GPU is named.
            "other-vendor": not named and sheet is not None and sheet.vendor != "NVIDIA",
            # Wheels and containers are built for x86-64 first: Arm only where its GPU is named.
            "other-processor": not named and sample.arch == "arm64",
            "cpus": want.cpus is not None and (sample.cpus or 0) < want.cpus,
            "too-few-machines": (sample.stock or math.inf) < min(self.machines(sample, linked=True), default=0),
            "no-network": named and not self.machines(sample),
        }
        return next((code for code, broken in checks.items() if broken), None)

    def machines(self, sample: Offer, *, linked: bool = False) -> list[int]:
        """The numbers of machines of a kind that are to be tried, the fewest first.

        Those that the job file names; else those with which the GPUs wished for are had; else one, and several only
        where the memory of one does not suffice. Several need a network that is known, or else ``linked``.
        """
        want = self.ask.resources
        gpus = float(sample.gpus)
        counts = _counts(want, gpus)
        if want.nodes_open and sample.network_gbps is None and not linked:
            counts = [count for count in counts if count == 1]
        wish = want.accelerators
        if wish is None:
            return counts
        if wish.gpu not in (None, sample.gpu):
            return []
        return [count for count in counts if wish.low <= gpus * count <= wish.high]


def _counts(want: Resources, gpus: float) -> list[int]:
    if not want.nodes_open:
        return [want.nodes]
    if gpus < 1:  # a slice works alone only
        return [1]
    wish = want.accelerators
    if wish is None:
        return list(MACHINES)
    powers = {1 << power for power in range(MOST_MACHINES.bit_length())}
    exact = {int(count / gpus) for count in (wish.low, wish.high) if count % gpus == 0}
    return sorted(count for count in powers | exact if count <= MOST_MACHINES)


@dataclass(frozen=True, slots=True)
class Limits:
    """Time, by the expected hours, and money, by the ranking currency; infinite where there is none."""

    deadline: float
    longest: float
    budget: float
    currency: str

    @classmethod
    def of(cls, ask: Ask, now: datetime, currency: str) -> Limits:
        """The limits of an ask whose budget, if any, is in ``currency``."""
        deadline, longest, budget = ask.deadline_hours(now), ask.max_duration_hours, ask.budget.limit
        return cls(
            math.inf if deadline is None else deadline, math.inf if longest is None else longest,
            math.inf if budget is None else float(budget.amount), currency,
        )  # fmt: skip

    def broken(self, way: Way) -> Miss | None:
        """The first limit that a way breaks, and by how much."""
        if way.hours > self.deadline:
            return late("over-deadline", way.hours - self.deadline)
        if way.pace and way.pace.paid > self.longest:
            over = way.pace.paid - self.longest
            return _over("over-max-duration", over, f"{over:.1f} h too long", f"hours-long value={over:.1f}")
        if way.cost + ROUNDING > self.budget:
            over = way.cost - self.budget
            near = f"over-budget value={over:.2f} currency={self.currency}"
            return _over("over-budget", over, f"{over:.2f} {self.currency} over", near)
        return None


def late(code: str, hours: float) -> Miss:
    """A miss by so many hours."""
    return _over(code, hours, f"{hours:.1f} h late", f"hours-late value={hours:.1f}")


def short_of_memory(fit: Fit) -> Miss:
    """The miss of a fit that does not hold the work."""
    gib = max(fit.peak_memory_gib.device.high - fit.gpu_memory_usable_gib, 0.1)
    near = f"gib-short value={gib:.1f} gpu={fit.gpu}"
    return Miss("too-little-memory", gib, f"{gib:.1f} GiB short on {fit.gpu}", near, stage=1)


def _over(code: str, excess: float, words: str, near: str) -> Miss:
    known = math.isfinite(excess)
    return Miss(code, excess, words if known else None, near if known else None, stage=2 + LIMITS.index(code))


def unpriced(kinds: Iterable[Kind]) -> Miss:
    """The miss of offers without a price: the cloud that has the most of them is the one to ask."""
    counts: dict[str, int] = {}
    for kind in kinds:
        counts[kind.sample.cloud] = counts.get(kind.sample.cloud, 0) + kind.unpriced
    cloud, count = min(counts.items(), key=lambda each: (-each[1], each[0]))
    near = f"refresh count={count} cloud={cloud}"
    return Miss("price-unknown", 0.0, f"{count} offers, refresh {cloud}", near)

"""What a rehearsal is expected to take where it runs, told before it begins and kept with the job.

    machines = 1 + the injected preemptions that its course reaches
    hours    = machines × (start + end) + (steps - machines) × seconds a step        paid hours of this computer
    money    = each machine's seconds × time scale, as the planned offer bills them

A start ends with a first step. Step, start and end are those of a lesson: measured here before, by ``calibrate`` or by
a run. It is taken that a notice suffices to save, so that nothing is repeated. How often a trace takes the machine
nobody knows before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tradewind.app.jobfile.spans import parse_preempt_at
from tradewind.app.views.book import currency_of
from tradewind.catalog.rates import converted
from tradewind.domain.billing import billed_on, money_for
from tradewind.domain.estimate import Estimate, Source
from tradewind.domain.money import Money
from tradewind.domain.plan import MoneyEstimate

if TYPE_CHECKING:
    from tradewind.app.sizes.lessons import Lesson
    from tradewind.domain.records import Job

# What came over what was expected, in 90 % of runs: benchmarks/prediction.py (2026-11-22), on two cores that seven
# other programs shared. Jobs that rest between steps stayed within 0.9 and 1.12.
SPREAD = (0.6, 1.5)


@dataclass(frozen=True, slots=True)
class Course:
    """Seconds that each machine of a rehearsal is held here, in their order."""

    machines: tuple[float, ...]

    @property
    def hours(self) -> float:
        """Of all machines together."""
        return sum(self.machines) / 3600


def expected(job: Job, known: Sequence[Lesson]) -> dict[str, Any] | None:
    """``settings.expected`` of a rehearsal that is being submitted; None where nothing was measured before.

    ``known`` are the lessons of its subject. Returns ``{"hours": R, "cost": R with currency or null, "machines",
    "measured": {"at", "job"}}``.
    """
    steps = job.settings.get("total_steps")
    lesson = lesson_for(job, known)
    if not job.rehearsal or job.settings.get("trace") or not steps or lesson is None:
        return None
    course = course_of(job, lesson, steps)
    low, high = SPREAD
    hours = Estimate(course.hours, course.hours * low, course.hours * high, Source.ESTIMATED, lesson.at[:10])
    cost = _cost(job, course, _scale(job, lesson), lesson.at[:10])
    return {
        "hours": hours.to_json(), "cost": cost.to_json() if cost else None, "machines": len(course.machines),
        "measured": {"at": lesson.at, "job": lesson.job},
    }  # fmt: skip


def lesson_for(job: Job, known: Sequence[Lesson]) -> Lesson | None:
    """The newest whole lesson from where the job is to run, with its batch."""
    on, training = job.account.partition(":")[2] or None, job.workload.get("training", {})
    batch = training.get("micro_batch") or training.get("batch_size")
    fit = [each for each in known if each.on == on and each.micro_batch == batch and each.start_seconds is not None]
    return max(fit, key=lambda each: each.at, default=None)


def course_of(job: Job, lesson: Lesson, steps: int) -> Course:
    """One machine after the other: a start that ends with a first step, the other steps, an end."""
    training = steps * lesson.step_seconds
    points = [point for text in job.settings.get("preempt_at") or () for point in parse_preempt_at(text)]
    asked = [each.seconds if each.share is None else each.share * training for each in points]
    reached = [each for each in asked if each is not None and each < training]
    overhead = (lesson.start_seconds or 0.0) + (lesson.end_seconds or 0.0) - lesson.step_seconds
    return Course(tuple(overhead + end - begin for begin, end in pairwise((0.0, *reached, training))))


def _scale(job: Job, lesson: Lesson) -> float:
    """Planned-offer seconds that a second here will stand for."""
    given, predicted = job.settings["time_scale"], job.settings.get("predicted_step_seconds")
    if given != "auto":
        return float(given)
    return float(predicted) / lesson.step_seconds if predicted else 1.0


def _cost(job: Job, course: Course, scale: float, as_of: str) -> MoneyEstimate | None:
    """The bill in the job's currency; None without a price or a rate."""
    value, low, high = (_bill(job, course, scale * share) for share in (1.0, *SPREAD))
    return MoneyEstimate(value, low, high, as_of=as_of) if value and low and high else None


def _bill(job: Job, course: Course, scale: float) -> Money | None:
    pool = job.settings["pools"][0]
    price, currency = pool["offer"]["price_per_hour"], currency_of(job)
    if not price or currency is None:
        return None
    hour, bill = Money.from_json(price), Money.from_json({"amount": "0", "currency": price["currency"]})
    for seconds in course.machines:
        bill += money_for(hour, billed_on(pool["offer"], seconds * scale))
    if bill.currency == currency:
        return bill
    exchanged = converted(bill, currency)
    return exchanged[0] if exchanged else None

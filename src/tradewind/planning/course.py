"""Course: how long the work takes on one fit, losses and set-up included."""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import Fit
from tradewind.planning.ask import Terms
from tradewind.planning.market import LOSS_SPREAD, expected_losses

# Reading the checkpoint and doing again what it lacks, after each loss; on top of the set-up of the next machine.
RESUME_HOURS = Estimate(0.05, 0.01, 0.25)  # our assumption: a checkpoint is saved within the notice, or minutes old


@dataclass(frozen=True, slots=True)
class Course:
    """Hours from the order to the end.

    Attributes:
        hours: in all; its value is ``setup_hours`` + ``loss_hours`` + the work.
        losses: preemptions to expect; 0 on demand.
        loss_hours: that they add, at their expected number; each costs a new set-up and the way back to the last step.
    """

    hours: Estimate
    setup_hours: float
    losses: float
    loss_hours: float


def course(fit: Fit, steps: int, terms: Terms, *, spot: bool) -> Course:
    """The course of ``steps`` optimizer steps; hours are rounded to a microhour, so that money is reproducible."""
    work, setup = fit.step_seconds.scaled(steps / 3600), terms.setup_hours
    losses = expected_losses(work.value, fit.nodes) if spot else 0.0
    loss_hours = losses * (setup.value + RESUME_HOURS.value)
    low, high = work.low + setup.low, work.high + setup.high
    if spot:
        low += LOSS_SPREAD[0] * expected_losses(work.low, fit.nodes) * (setup.low + RESUME_HOURS.low)
        high += LOSS_SPREAD[1] * expected_losses(work.high, fit.nodes) * (setup.high + RESUME_HOURS.high)
    total = round(work.value + setup.value + loss_hours, 6)
    hours = Estimate(total, min(low, total), max(high, total), work.source)
    return Course(hours, round(setup.value, 6), losses, round(loss_hours, 6))

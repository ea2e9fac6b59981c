"""Course: how long the work takes on one fit, set-up, losses and waiting included.

    on demand   set-up + work
    spot        set-up + work + losses × (set-up again + way back to the last step + wait for the next machine)

Losses are those to expect of a run that is replaced whenever it is lost (``interruption``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import Fit
from tradewind.planning.ask import Ask, Terms
from tradewind.planning.interruption import LOSS_SPREAD, expected_losses

# Reading the checkpoint and doing again what it lacks, after each loss; on top of the set-up of the next machine.
RESUME_HOURS = Estimate(0.05, 0.01, 0.25)  # our assumption: a checkpoint is saved within the notice, or minutes old

# Until another spot machine is had after a loss: none in four of five cases, when another pool has one at once
# (0.43 to 1.00 in public traces, 0.80 on average), else an hour on average, as outages that begin last, cut at 4 h.
WAIT_HOURS = Estimate(0.2, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Work:
    """Hours that the work itself takes; ``at_most``: they are but a bound, beyond which the job is ended."""

    hours: Estimate
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """The expected hours of a way, as numbers.

    Attributes:
        hours: from the order to the end; ``paid`` of them a machine is rented.
        setup: of the first machine; ``lost`` by losses, both paid. The work is what is left of ``paid``.
        losses: to expect; 0 on demand.
    """

    hours: float
    paid: float
    setup: float
    lost: float
    losses: float


def work_of(fit: Fit | None, ask: Ask) -> Work | None:
    """How long the work takes; None where nothing says. What is only bounded is taken to last that long."""
    if fit is not None and ask.total_steps is not None:
        return Work(fit.step_seconds.scaled(ask.total_steps / 3600))
    longest = ask.max_duration_hours
    return None if longest is None else Work(Estimate(longest, 0.0, longest), at_most=True)


def setup_of(terms: Terms, transfer_hours: float) -> Estimate:
    """From the order to the first step, fetching data from elsewhere included; that takes half to twice its time."""
    usual = terms.setup_hours
    if not transfer_hours:
        return usual
    return Estimate(
        usual.value + transfer_hours, usual.low + transfer_hours / 2, usual.high + transfer_hours * 2, usual.source
    )


@lru_cache(maxsize=20_000)
def pace(work: float, setup: float, nodes: int, multiplier: float | None, at_most: bool = False) -> Pace:
    """The pace of so many hours of work; ``multiplier`` on the pooled hazards, None on demand.

    Numbers are rounded to a microhour, so that money made from them is reproducible.
    """
    if at_most:  # the bound is on the hours paid for: set-up and losses are within it
        setup = min(setup, work)
        work -= setup
    losses = 0.0 if multiplier is None else expected_losses(work, nodes, multiplier)
    lost = losses * (setup + RESUME_HOURS.value)
    if at_most:
        lost = min(lost, work)
        work -= lost
    paid = round(work + setup + lost, 6)
    return Pace(round(paid + losses * WAIT_HOURS.value, 6), paid, round(setup, 6), round(lost, 6), losses)


@dataclass(frozen=True, slots=True)
class Span:
    """The hours of a way with their range; at its low and high end the hours that are paid for, and the losses."""

    hours: Estimate
    paid: tuple[float, float]
    losses: tuple[float, float]


def span_of(
    work: Work, setup: Estimate, nodes: int, multiplier: float | None, value: float, latest: float = math.inf
) -> Span:
    """The span around expected hours.

    Args:
        value: the expected hours of the way.
        latest: by when the work is done unless it takes longer than thought: a deadline that the policy keeps.
    """
    low, high = work.hours.low + setup.low, work.hours.high + setup.high
    if work.at_most:
        return Span(Estimate(value, min(low, value), value), (min(low, value), value), (0.0, 0.0))
    fewest = most = waiting = 0.0
    latest = max(latest, high)
    if multiplier is not None:
        fewest, most = (
            share * expected_losses(hours, nodes, multiplier)
            for share, hours in zip(LOSS_SPREAD, (work.hours.low, work.hours.high), strict=True)
        )
        low += fewest * (setup.low + RESUME_HOURS.low + WAIT_HOURS.low)
        waiting = most * WAIT_HOURS.high
        high += most * (setup.high + RESUME_HOURS.high) + waiting
    hours = Estimate(value, min(low, value), max(min(high, latest), value), work.hours.source)
    return Span(hours, (hours.low, min(high - waiting, hours.high)), (fewest, most))

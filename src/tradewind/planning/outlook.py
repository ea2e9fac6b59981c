"""What a way promises beside money: whether it ends in time, and on what that hangs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tradewind.domain.estimate import Estimate

NINETY = 1.6449  # standard deviations from the middle of a normal distribution to each end of its middle 90 %

# Share of the thermal design power that a training GPU draws on average. Our assumption; the machine around it and its
# cooling are not counted, as no source gives them by cloud.
POWER_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Promise:
    """How firm a deadline is, what that rests or hangs on as a code with facts, and the chance of keeping it."""

    guarantee: Literal["firm", "conditional", "none"]
    why: str
    probability: float | None = None


NO_DEADLINE = Promise("none", "no-deadline")


def on_time_probability(hours: Estimate, deadline_hours: float) -> float:
    """Probability, 0 to 1, of ending within ``deadline_hours``, taking the hours as lognormal around their value."""
    if deadline_hours <= 0:
        return 0.0
    spread = math.log(hours.high / hours.low) / (2 * NINETY) if hours.low > 0 else 0.0
    if spread == 0:
        return 1.0 if hours.value <= deadline_hours else 0.0
    deviations = math.log(deadline_hours / hours.value) / spread
    return round((1 + math.erf(deviations / math.sqrt(2))) / 2, 4)

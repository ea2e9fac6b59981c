"""What a way promises beside money: whether it ends in time, and what it emits."""

from __future__ import annotations

import math
from typing import Literal

from tradewind.domain.estimate import Estimate
from tradewind.domain.gpus import data_sheet
from tradewind.domain.offer import Purchase
from tradewind.planning.way import Way

NINETY = 1.6449  # standard deviations from the middle of a normal distribution to each end of its middle 90 %

# Share of the thermal design power that a training GPU draws on average. Our assumption; the machine around it and its
# cooling are not counted, as no source gives them by cloud.
POWER_SHARE = 0.7


def on_time_probability(hours: Estimate, deadline_hours: float) -> float:
    """Probability, 0 to 1, of ending within ``deadline_hours``, taking the hours as lognormal around their value."""
    if deadline_hours <= 0:
        return 0.0
    spread = math.log(hours.high / hours.low) / (2 * NINETY) if hours.low > 0 else 0.0
    if spread == 0:
        return 1.0 if hours.value <= deadline_hours else 0.0
    deviations = math.log(deadline_hours / hours.value) / spread
    return round((1 + math.erf(deviations / math.sqrt(2))) / 2, 4)


def guarantee(way: Way, deadline: float | None) -> Literal["firm", "conditional", "none"]:
    """How sure the deadline is: firm only on demand, with quota, and in time at the upper end of the hours."""
    if deadline is None:
        return "none"
    sure = way.offer.purchase is Purchase.ON_DEMAND and way.terms.quota == "ok" and way.course.hours.high <= deadline
    return "firm" if sure else "conditional"


def carbon_g(way: Way) -> float | None:
    """Grams of CO2 equivalent: GPU power over the hours times the region's annual mean; None when one is unknown."""
    sheet = data_sheet(way.offer.gpu, way.offer.form) or data_sheet(way.offer.gpu)
    if sheet is None or sheet.tdp_w is None or way.offer.carbon_g_per_kwh is None:
        return None
    kilowatts = way.fit.gpus * sheet.tdp_w * POWER_SHARE / 1000
    return round(kilowatts * way.hours * way.offer.carbon_g_per_kwh, 3)

"""How often a spot machine is lost: hazards by age, and the losses to expect over a run.

A run starts at age 0; when it is lost the next one starts at age 0 again, so the losses to expect in t hours are the
renewal function m(t) = F(t) + ∫ m(t - x) dF(x), with F the distribution of a run's lifetime. Past the grid it is
the asymptote (t - t0)/μ (elementary renewal theorem; Ross, Stochastic Processes, 2nd ed., §3.3).
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

# (from this age in hours, losses an hour). Our pooling over zones and families of public spot traces, among them AWS
# V100 (2023) and GCP H100 (2025-10), single and in gangs of 16, as published with SkyPilot and SkyNomad. Part of the
# fall is ageing, part is zones differing; most traces say whether a machine could be had, which overstates the loss of
# one that runs.
HAZARDS: tuple[tuple[float, float], ...] = (
    (0.0, 1.90), (0.1, 1.10), (0.5, 0.67), (1.0, 0.32), (4.0, 0.14), (12.0, 0.05),
)  # fmt: skip

LOSS_SPREAD = (0.0, 2.0)  # range of losses over their expectation: none in a calm zone, twice in a busy one. Assumed.

_STEP_HOURS = 0.05
_GRID_HOURS = 24.0


def survival(age_hours: float, nodes: int = 1) -> float:
    """Probability, 0 to 1, that none of ``nodes`` machines is lost before ``age_hours``; each has the pooled hazard."""
    ends = [start for start, _ in HAZARDS[1:]] + [math.inf]
    exposure = sum(
        rate * (min(age_hours, end) - start)
        for (start, rate), end in zip(HAZARDS, ends, strict=True)
        if age_hours > start
    )
    return math.exp(-exposure * nodes)


def mean_life_hours(nodes: int = 1) -> float:
    """Expected lifetime of a run of ``nodes`` machines, hours: the integral of its survival, piece by piece exact."""
    ends = [start for start, _ in HAZARDS[1:]] + [math.inf]
    return sum(
        (survival(start, nodes) - (survival(end, nodes) if end < math.inf else 0.0)) / (rate * nodes)
        for (start, rate), end in zip(HAZARDS, ends, strict=True)
    )


def expected_losses(hours: float, nodes: int = 1) -> float:
    """Losses to expect over ``hours`` of running on ``nodes`` spot machines, at least 0; grows with ``hours``."""
    if hours <= 0:
        return 0.0
    grid = _renewals(nodes)
    place = hours / _STEP_HOURS
    if place >= len(grid) - 1:
        return grid[-1] + (hours - _GRID_HOURS) / mean_life_hours(nodes)
    below = int(place)
    return grid[below] + (place - below) * (grid[below + 1] - grid[below])


@cache
def _renewals(nodes: int) -> list[float]:
    """m(t) at every step of the grid: m_k = F_k + Σ (m_{k-i} at mid-step) · (F_i - F_{i-1})."""
    count = round(_GRID_HOURS / _STEP_HOURS)
    lost = [1.0 - survival(k * _STEP_HOURS, nodes) for k in range(count + 1)]
    chance = [after - before for before, after in pairwise(lost)]
    renewals = [0.0]
    for k in range(1, count + 1):
        # a loss in step i leaves k - i + 1/2 steps on average; m there is the mean of its neighbours. The newest
        # neighbour is m_k itself for i = 1, so that the equation is solved for it.
        older = sum(chance[i - 1] * (renewals[k - i] + renewals[k - i + 1]) / 2 for i in range(2, k + 1))
        renewals.append((lost[k] + older + chance[0] * renewals[k - 1] / 2) / (1 - chance[0] / 2))
    return renewals

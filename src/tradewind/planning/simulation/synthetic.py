"""Markets made up from hazards: each zone goes up and down by itself, the likelier the shorter it has been so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, inf

from tradewind.planning.interruption import GANG
from tradewind.planning.simulation.chance import Chance
from tradewind.planning.simulation.market import STEP_HOURS, Market
from tradewind.planning.spot.hazards import LOSSES, RETURNS

BEFORE_HOURS = 72.0  # of history before the job, so that what it meets has an age

Hazards = Sequence[tuple[float, float]]  # from this age in hours, events an hour


def synthetic(
    seed: int,
    hours: float,
    runs: int,
    *,
    spot_price: Sequence[float],
    od_price: float,
    hazard: Sequence[float] = (),
    nodes: int = 1,
) -> Iterator[Market]:
    """``runs`` markets of so many hours, in steps of ten minutes, of the hazards pooled over measured markets.

    Args:
        spot_price: an hour of all nodes, per zone; it stays.
        hazard: per zone, by how much losses are likelier than the pooled hazards say; none: as they say.
        nodes: of the gang that is to be had together.
    """
    multipliers = tuple(hazard) or (1.0,) * len(spot_price)
    steps, prices = ceil(hours / STEP_HOURS - 1e-9), [tuple(spot_price)]
    for number in range(runs):
        zones = [
            _zone(Chance("market", seed, number, zone), steps, multiplier * nodes**GANG)
            for zone, multiplier in enumerate(multipliers)
        ]
        yield Market(STEP_HOURS, list(zip(*zones, strict=True)), prices, od_price)


def _zone(chance: Chance, steps: int, multiplier: float) -> list[bool]:
    """Per step, whether the zone is up during the whole of it."""
    up, end, now = [True] * steps, steps * STEP_HOURS, -BEFORE_HOURS
    while now < end:
        down = now + _spell(chance, LOSSES, multiplier)
        now = down + _spell(chance, RETURNS, 1.0)
        first, last = (min(max(step, 0), steps) for step in (floor(down / STEP_HOURS), ceil(now / STEP_HOURS)))
        up[first:last] = [False] * (last - first)
    return up


def _spell(chance: Chance, hazards: Hazards, multiplier: float) -> float:
    """Hours until the event, its hazards in pieces by age: where the summed hazard is an exponential of mean 1."""
    left = chance.exponential() / multiplier
    ends = [start for start, _ in hazards[1:]] + [inf]
    for (start, rate), end in zip(hazards, ends, strict=True):
        if left <= rate * (end - start):
            return start + left / rate
        left -= rate * (end - start)
    raise AssertionError("the last piece has no end")

"""The market of this moment as levels of price, each in a phase: what the chain is entered with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tradewind.planning.spot.beliefs import FIRST_AGE, Zone, level_of, multiplier_of
from tradewind.planning.spot.chain import ALONE, CHEAPER, DEARER, FIRST_LEVEL, NOTHING, Level

NEAR = 1.3  # prices within 30 % of the cheapest are one level: less is not worth a start
WORTH = 0.98  # of the on-demand price; a zone that saves less than 2 % is not looked at


class Sight(NamedTuple):
    """The market now.

    Attributes:
        levels: at most two, the cheaper one first.
        prices: mean price of each, in units of the on-demand price.
        zones: numbers of the zones of each that may be had now, the best one first.
        phases: of each.
    """

    levels: tuple[Level, ...]
    prices: tuple[float, ...]
    zones: tuple[tuple[int, ...], ...]
    phases: tuple[int, ...]

    def run_of(self, zone: int) -> int:
        """What runs when a machine of ``zone`` does, in the words of the chain; a zone not worth a start is nothing."""
        return next((FIRST_LEVEL + n for n, zones in enumerate(self.zones) if zone in zones), NOTHING)


def look(
    beliefs: Sequence[Zone],
    available: Sequence[bool],
    price: Sequence[float],
    on_demand: float,
    here: int,
    start: float,
) -> Sight:
    """The sight of this moment; ``here`` is the zone that runs (-1: none), ``start`` hours of a start."""
    groups = grouped(tuple(price), on_demand)
    ages = (ALONE,) if len(groups) == 1 else (CHEAPER, DEARER)
    levels, zones, phases = [], [], []
    for (members, _), phased in zip(groups, ages, strict=False):
        hazards = {zone: beliefs[zone].hazard for zone in members if available[zone]}
        level, age = _level(beliefs, members, hazards, here, phased)
        levels.append(level)
        zones.append(tuple(sorted(hazards, key=lambda zone: price[zone] * (1 + start * hazards[zone]))))
        phases.append(level.phase(bool(hazards), age))
    return Sight(tuple(levels), tuple(mean for _, mean in groups), tuple(zones), tuple(phases))


@lru_cache(256)
def grouped(price: tuple[float, ...], on_demand: float) -> tuple[tuple[tuple[int, ...], float], ...]:
    """The zones of each level, cheapest first, with their mean price in units of the on-demand price.

    Zones that are not worth a start are in none.
    """
    cheap = sorted((each, zone) for zone, each in enumerate(price) if each < WORTH * on_demand)
    near = NEAR * cheap[0][0] if cheap else 0.0
    found = [zone for each, zone in cheap if each <= near], [zone for each, zone in cheap if each > near]
    return tuple(
        (tuple(zones), round(sum(price[zone] for zone in zones) / len(zones) / on_demand, 2))
        for zones in found
        if zones
    )


def _level(
    beliefs: Sequence[Zone], members: tuple[int, ...], hazards: dict[int, float], here: int, ages: tuple[float, ...]
) -> tuple[Level, float]:
    """A level and its age; ``hazards`` of the zones that are up.

    When a machine is lost, another zone that is up now may be had, one that is down half so likely.
    """
    count, up = len(members), len(hazards)
    back = level_of(sum(multiplier_of(beliefs[zone].back) for zone in members))
    if not up:
        loss = round(sum(beliefs[zone].loss for zone in members) / count)
        age = min(beliefs[zone].age for zone in members)
        return Level(ages, loss, back, (count - 1) / count / 2), age
    best = here if here in hazards else min(hazards, key=hazards.__getitem__)
    spare = ((up - 1) + (count - up) / 2) / count if count > 1 else 0.0
    age = beliefs[best].age if beliefs[best].up else FIRST_AGE
    return Level(ages, beliefs[best].loss, back, round(min(spare, 0.95), 3)), age

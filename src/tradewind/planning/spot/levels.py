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
    levels, prices, zones, phases = [], [], [], []
    for members, phased in zip(groups, ages, strict=False):
        up = [zone for zone in members if available[zone]]
        up.sort(key=lambda zone: price[zone] * (1 + start * beliefs[zone].hazard))
        level, age = _level(beliefs, members, up, here, phased)
        levels.append(level)
        prices.append(round(sum(price[zone] for zone in members) / len(members) / on_demand, 2))
        zones.append(tuple(up))
        phases.append(level.phase(bool(up), age))
    return Sight(tuple(levels), tuple(prices), tuple(zones), tuple(phases))


@lru_cache(256)
def grouped(price: tuple[float, ...], on_demand: float) -> tuple[tuple[int, ...], ...]:
    """The zones of each level, cheapest first; none for zones that are not worth a start."""
    cheap = sorted((each, zone) for zone, each in enumerate(price) if each < WORTH * on_demand)
    near = NEAR * cheap[0][0] if cheap else 0.0
    found = (
        tuple(zone for each, zone in cheap if each <= near),
        tuple(zone for each, zone in cheap if each > near),
    )
    return tuple(each for each in found if each)


def _level(
    beliefs: Sequence[Zone], members: tuple[int, ...], up: list[int], here: int, ages: tuple[float, ...]
) -> tuple[Level, float]:
    """A level and its age. When a machine is lost, another zone that is up now may be had, one that is down half so
    likely."""
    count = len(members)
    back = level_of(sum(multiplier_of(beliefs[zone].back) for zone in members))
    if not up:
        loss = round(sum(beliefs[zone].loss for zone in members) / count)
        age = min(beliefs[zone].age for zone in members)
        return Level(ages, loss, back, (count - 1) / count / 2), age
    best = here if here in up else min(up, key=lambda zone: beliefs[zone].hazard)
    spare = ((len(up) - 1) + (count - len(up)) / 2) / count if count > 1 else 0.0
    age = beliefs[best].age if beliefs[best].up else FIRST_AGE
    return Level(ages, beliefs[best].loss, back, round(min(spare, 0.95), 3)), age

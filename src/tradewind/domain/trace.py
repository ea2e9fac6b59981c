"""SpotTrace: where and when spot machines could be had, as measured tick by tick."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor


@dataclass(frozen=True, slots=True)
class SpotTrace:
    """A measured piece of a spot market.

    Attributes:
        available: per zone one byte a tick: 1 where all ``nodes`` machines could be had (or were alive), else 0.
        spot_price: per zone USD an hour for one node: one number, or one a tick.
        od_price: per zone USD an hour for one node on demand.
        nodes: machines wanted together.
        start: when the first tick was, as far as it is known.
        source, licence: where the measurements come from and on which terms; empty for a user's own file.
    """

    name: str
    zones: tuple[str, ...]
    tick_seconds: float
    available: tuple[bytes, ...]
    spot_price: tuple[tuple[float, ...], ...]
    od_price: tuple[float, ...]
    nodes: int = 1
    gpu: str = ""
    start: str = ""
    source: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        lengths = {len(zone) for zone in self.available}
        if not self.zones or len(lengths) != 1 or 0 in lengths:
            raise ValueError("a trace has at least one zone, and as many ticks in each")
        if not len(self.zones) == len(self.available) == len(self.spot_price) == len(self.od_price):
            raise ValueError("a trace has availability and prices for each of its zones")
        if any(len(prices) not in {1, self.ticks} for prices in self.spot_price):
            raise ValueError("a zone of a trace has one spot price, or one a tick")

    @property
    def ticks(self) -> int:
        """How many ticks were measured."""
        return len(self.available[0])

    @property
    def hours(self) -> float:
        """How long the measurements go on."""
        return self.ticks * self.tick_seconds / 3600

    def up(self, zone: int, first: float, seconds: float = 0.0, count: int = 1) -> list[bool]:
        """Of ``count`` spans one after the other, whether the zone is up at every tick that each touches.

        Args:
            first: tick at which the first span begins, counted from 0; a fraction is a moment between two ticks.
            seconds: length of a span, of the trace's time; 0 is the one tick at which it begins.
        """
        begins = [first + number * seconds / self.tick_seconds + _ROUNDING for number in range(count + 1)]
        spans = [(floor(begin), max(floor(begin) + 1, ceil(end - 2 * _ROUNDING))) for begin, end in pairwise(begins)]
        repeats = 1 + spans[-1][1] // self.ticks  # what lies beyond the end goes on at the beginning
        ticks = self.available[zone] * repeats
        return [ticks.find(0, begin, end) < 0 for begin, end in spans]

    def price(self, zone: int, tick: float) -> float:
        """USD an hour for one node of the zone at a tick; ticks beyond the end go on at the beginning."""
        prices = self.spot_price[zone]
        return prices[0] if len(prices) == 1 else prices[floor(tick + _ROUNDING) % self.ticks]


_ROUNDING = 1e-6  # of a tick: whole ticks may come as sums of fractions

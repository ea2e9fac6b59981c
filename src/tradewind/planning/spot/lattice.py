"""One zone and on-demand, looked ahead exactly: what the rest costs, by time, slack, phase of the zone and what runs.

Slack instead of work as the state, so that one table serves every amount of work: work keeps slack as it is, waiting
uses up its length, and a start what it takes. Backward from the deadline (Bellman, Dynamic Programming, 1957), in steps
of ten minutes near it and of longer ones far from it, where little hangs on a single one.

    hours everywhere; money in units of the on-demand price an hour
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from tradewind.planning.spot.phases import FITTED_HOURS, PHASES, UP, Belief, Moves, moves, power

Row = list[float]  # cost of the rest, by slack
NEGLIGIBLE = 2e-3  # a move less likely than this is left out, and its probability spread over the others

# (steps of ten minutes that one level of the table spans, levels), from the deadline backwards: 48 hours in all.
SPANS: tuple[tuple[int, int], ...] = ((1, 24), (2, 18), (6, 10), (12, 14))
# (hours between the slacks of the table, up to); more is as good as the most.
SLACKS: tuple[tuple[float, float], ...] = ((1 / 12, 2.0), (1 / 4, 5.0), (1.0, 10.0), (2.5, 25.0))


class Level(NamedTuple):
    """Costs of the rest at one time before the deadline, a row for every phase."""

    nothing: list[Row]
    on_demand: list[Row]
    spot: list[Row]  # of the phases that are up


class Shift(NamedTuple):
    """Rows moved by slack that is used up: from which place on that is allowed, and what to read there."""

    begin: int
    reads: tuple[tuple[int, float, float], ...]

    def of(self, row: Row) -> Row:
        """The row from ``begin`` on."""
        return [low * row[at] + high * row[at + 1] for at, low, high in self.reads]


class Lattice:
    """The table of one zone.

    Args:
        price: of spot, in units of on-demand's; below 1.
        start: hours that a start takes on average.
        reserve: hours that on-demand may take to start; slack below it is never entered.
        least: hours of slack without which spot is not started.
        hazard: how much likelier than the pool the zone is lost.
    """

    def __init__(self, price: float, start: float, reserve: float, least: float, hazard: float) -> None:
        self.slacks = _slacks(reserve, least)
        self.times = [0.0]
        self._price = price
        nothing = [0.0] * len(self.slacks)
        self.levels = [Level([nothing] * PHASES, [nothing] * PHASES, [nothing] * UP)]
        ten_minutes = moves(FITTED_HOURS, hazard)
        start_od, start_spot = self._shift(start, reserve), self._shift(start, least)
        for span, count in SPANS:
            hours = span * FITTED_HOURS
            step, wait = (
                _Step(hours, power(ten_minutes, span), _staying(ten_minutes, span)),
                self._shift(hours, reserve + hours),
            )
            for _ in range(count):
                self.levels.append(self._before(step, wait, start_od, start_spot))
                self.times.append(self.times[-1] + hours)

    def _shift(self, used: float, least: float) -> Shift:
        """Slack less ``used``, where there is at least ``least`` of it."""
        slacks = self.slacks
        begin = next((number for number, slack in enumerate(slacks) if slack >= least - 1e-9), len(slacks))
        return Shift(begin, tuple(self._read(max(0.0, slack - used)) for slack in slacks[begin:]))

    def _read(self, slack: float) -> tuple[int, float, float]:
        slacks = self.slacks
        at = min(len(slacks) - 2, bisect_right(slacks, slack + 1e-12) - 1)
        high = min(1.0, (slack - slacks[at]) / (slacks[at + 1] - slacks[at]))
        return at, 1 - high, high

    def _before(self, step: _Step, wait: Shift, start_od: Shift, start_spot: Shift) -> Level:
        """The level that comes ``step`` before the last one: in every state the cheapest of what may be done."""
        last, time = self.levels[-1], self.times[-1] + step.hours
        work = [max(0.0, time - slack) for slack in self.slacks]
        paid = [min(step.hours, each) for each in work]
        spot_paid = [self._price * each for each in paid]
        done = sum(each > 0 for each in work)
        nothing, on_demand, spot = [], [], []
        for phase in range(PHASES):
            waited = wait.of(_expected(step.all[phase], last.nothing))
            kept = _expected(step.all[phase], last.on_demand)
            bought = _plus(paid[start_od.begin :], start_od.of(kept))
            idle = work[: start_od.begin] + bought  # less slack than that is never entered
            _lower(idle, wait.begin, waited)
            kept = _plus(paid, kept)
            _lower(kept, wait.begin, waited)
            if phase < UP:
                run = _expected(step.kept[phase] + step.lost[phase], last.spot + last.nothing)
                tried = _plus(spot_paid[start_spot.begin :], start_spot.of(run))
                run = _plus(spot_paid, run)
                _lower(run, start_od.begin, bought)
                _lower(run, wait.begin, waited)
                _lower(idle, start_spot.begin, tried)
                _lower(kept, start_spot.begin, tried)
                spot.append(run[:done] + [0.0] * (len(work) - done))
            nothing.append(idle[:done] + [0.0] * (len(work) - done))
            on_demand.append(kept[:done] + [0.0] * (len(work) - done))
        return Level(nothing, on_demand, spot)

    def after(self, time_left: float, belief: Belief) -> Callable[[str, float], float]:
        """The cost of the rest with ``time_left`` and what is believed then, as a function of what runs and the slack.

        Further from the deadline than the table reaches, the same share of the time counts as slack.
        """
        farthest = self.times[-1]
        scale = max(1.0, time_left / farthest)
        at = bisect_right(self.times, time_left / scale + 1e-9) - 1
        if at + 1 < len(self.times) and self.times[at + 1] - time_left < time_left - self.times[at]:
            at += 1
        level = self.levels[at]

        def cost(kind: str, slack: float) -> float:
            read, low, high = self._read(min(max(slack / scale, 0.0), self.slacks[-1]))
            rows = level.nothing
            if kind == "od":
                rows = level.on_demand
            elif kind == "spot":
                rows = level.spot + level.nothing[UP:]
            return scale * sum(
                [chance * (low * row[read] + high * row[read + 1]) for chance, row in zip(belief, rows, strict=True)]
            )

        return cost


class _Step:
    """Moves within a level: all; of a machine that runs on; of one that is lost, back up perhaps, but lost."""

    def __init__(self, hours: float, every: Moves, kept: Moves) -> None:
        self.hours, self.all, self.kept = hours, every, kept
        self.lost = tuple(
            tuple(chance - (kept[phase][to] if to < UP else 0.0) for to, chance in enumerate(every[phase]))
            for phase in range(UP)
        )


def _staying(ten_minutes: Moves, times: int) -> Moves:
    return power(tuple(row[:UP] for row in ten_minutes[:UP]), times)


def _slacks(reserve: float, least: float) -> list[float]:
    found = {0.0, round(reserve, 6), round(least, 6)}
    last = 0.0
    for distance, end in SLACKS:
        while last < end - 1e-9:
            last += distance
            found.add(round(last, 6))
    return sorted(found)


def _expected(chances: tuple[float, ...], rows: list[Row]) -> Row:
    """The mean of the rows."""
    found = [(chance, row) for chance, row in zip(chances, rows, strict=True) if chance > NEGLIGIBLE]
    whole = sum(chances) / sum(chance for chance, _ in found)
    total = [0.0] * len(rows[0])
    for chance, row in found:
        share = chance * whole
        total = [mean + share * each for mean, each in zip(total, row, strict=True)]
    return total


def _plus(one: Row, other: Row) -> Row:
    return [x + y for x, y in zip(one, other, strict=True)]


def _lower(row: Row, begin: int, other: Row) -> None:
    """In place, from ``begin`` on, the less of the two."""
    row[begin:] = [x if x < y else y for x, y in zip(row[begin:], other, strict=True)]


@lru_cache(16)
def lattice(price: float, start: float, reserve: float, least: float, hazard: float) -> Lattice:
    """The table of a zone, made once."""
    return Lattice(price, start, reserve, least, hazard)

"""The market as a small chain in continuous time: levels of zones that go up and down, and what runs meanwhile.

Zones of about one price are a level. A level is up at some age, or down at some age; as it ages it is lost, or comes
back, more rarely. A state is the phase of every level with what runs:

    phases of the levels × {nothing, on-demand, a machine of a level that is up}
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

from tradewind.planning.spot.beliefs import losses, multiplier_of, returns

NOTHING, ON_DEMAND, FIRST_LEVEL = 0, 1, 2  # what runs

# Where the phases of a level begin, hours: finer for one alone than for the cheaper of two, and one phase for the
# dearer, which only helps out. So a chain has at most 30 states.
ALONE: tuple[float, ...] = (0.0, 0.25, 0.75, 2.0, 6.0, 14.0)
CHEAPER: tuple[float, ...] = (0.0, 1.0)
DEARER: tuple[float, ...] = (0.0,)
LAST = 10.0  # hours over which the hazard of the last, open phase is averaged


class Level(NamedTuple):
    """Zones of about one price.

    Attributes:
        ages: where its phases begin, hours.
        loss, back: frailties (``beliefs.level_of``) of the machine that would run there, and of the level's return.
        spare: share of the losses, 0 to 1, at which another zone of the level can be had.
    """

    ages: tuple[float, ...]
    loss: int
    back: int
    spare: float

    def phase(self, up: bool, age: float) -> int:
        """The number of the phase at an age; the phases of a level that is down follow those of one that is up."""
        found = max(number for number, begin in enumerate(self.ages) if begin <= age)
        return found if up else len(self.ages) + found


class Phase(NamedTuple):
    """One phase of a level: moves to others as (events an hour, phase), and losses that leave the level up."""

    up: bool
    moves: tuple[tuple[float, int], ...]
    lost: float


class Chain(NamedTuple):
    """All states of some levels.

    Attributes:
        runs: what runs in each state.
        place: number of a state by the phases of the levels and what runs.
        moves: of each state as (events an hour, state), before anything is decided there.
        leaves: their sum.
        choices: of each state as (what runs, state): what may be decided there.
    """

    runs: tuple[int, ...]
    place: dict[tuple[tuple[int, ...], int], int]
    moves: tuple[tuple[tuple[float, int], ...], ...]
    leaves: tuple[float, ...]
    choices: tuple[tuple[tuple[int, int], ...], ...]


@lru_cache(256)
def chain(levels: tuple[Level, ...]) -> Chain:
    """The chain of one or two levels."""
    phases = [_phases(level) for level in levels]
    numbers = range(len(levels))
    states = [
        (market, run)
        for market in product(*(range(len(each)) for each in phases))
        for run in (NOTHING, ON_DEMAND, *(FIRST_LEVEL + n for n in numbers if phases[n][market[n]].up))
    ]
    place = {state: number for number, state in enumerate(states)}
    moves = []
    for market, run in states:
        found = []
        for n in numbers:
            phase = phases[n][market[n]]
            for rate, to in phase.moves:
                gone = run == FIRST_LEVEL + n and not phases[n][to].up
                found.append((rate, place[(*market[:n], to, *market[n + 1 :]), NOTHING if gone else run]))
            if run == FIRST_LEVEL + n and phase.lost > 0:
                found.append((phase.lost, place[market, NOTHING]))
        moves.append(tuple(found))
    every = range(FIRST_LEVEL + len(levels))
    choices = tuple(tuple((run, place[market, run]) for run in every if (market, run) in place) for market, _ in states)
    return Chain(tuple(run for _, run in states), place, tuple(moves),
                 tuple(sum(rate for rate, _ in each) for each in moves), choices)  # fmt: skip


def _phases(level: Level) -> list[Phase]:
    ages, count = level.ages, len(level.ages)
    loss, back = multiplier_of(level.loss), multiplier_of(level.back)
    ends = [*ages[1:], ages[-1] + LAST]
    up, down = [], []
    for number, (begin, end) in enumerate(zip(ages, ends, strict=True)):
        older = number + 1 < count
        lost = loss * (losses(end) - losses(begin)) / (end - begin)
        moves = [(lost * (1 - level.spare), count)]
        again = [(back * (returns(end) - returns(begin)) / (end - begin), 0)]
        if older:
            moves.append((1 / (end - begin), number + 1))
            again.append((1 / (end - begin), count + number + 1))
        up.append(Phase(True, tuple(moves), lost * level.spare))
        down.append(Phase(False, tuple(again), 0.0))
    return [*up, *down]

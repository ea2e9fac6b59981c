"""One zone as a hidden Markov chain: three ways to be up, three to be down, from flickering to lasting for days.

Ages and frailties come out of it by themselves: a zone that has been up for hours is probably in the lasting phase, one
that was lost twice within the hour in the flickering one, and then its next outage is probably short as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Belief = tuple[float, ...]  # probability of each phase
Moves = tuple[tuple[float, ...], ...]  # probability of each phase after a step, by the phase before it

UP = 3  # phases 0, 1, 2 are up, each lasting longer than the one before; 3, 4, 5 are down, likewise
PHASES = 6

# After ten minutes, and at first sight. Fitted on 2026-11-22 by `benchmarks/spot/pooled.py` (expectation maximisation:
# Rabiner, Proc. IEEE 77, 1989) to windows of 48 hours of the four development traces, each trace weighing the same.
FITTED_HOURS = 600 / 3600
FITTED: Moves = (
    (0.5135, 0.0080, 0.0000, 0.0086, 0.4076, 0.0623),
    (0.0089, 0.9322, 0.0004, 0.0396, 0.0117, 0.0072),
    (0.0001, 0.0022, 0.9932, 0.0045, 0.0000, 0.0000),
    (0.0528, 0.4115, 0.1149, 0.4024, 0.0108, 0.0076),
    (0.1906, 0.0364, 0.0000, 0.0173, 0.7436, 0.0121),
    (0.0067, 0.0001, 0.0003, 0.0025, 0.0044, 0.9860),
)
FIRST: Belief = (0.007, 0.178, 0.385, 0.044, 0.043, 0.343)
LIKELIEST_LOSS = 0.9  # within a step, however wild a zone is said to be


@lru_cache(64)
def moves(step: float, hazard: float) -> Moves:
    """Moves within ``step`` hours of a zone that is lost ``hazard`` times as often as the pool."""
    scaled = tuple(_wilder(row, hazard) if phase < UP else row for phase, row in enumerate(FITTED))
    whole, part = divmod(step / FITTED_HOURS + 1e-9, 1.0)
    rest = tuple(
        tuple(part * chance + (1 - part) * (to == phase) for to, chance in enumerate(row))
        for phase, row in enumerate(scaled)
    )
    return product(power(scaled, int(whole)), rest) if part > 1e-6 else power(scaled, int(whole))


def _wilder(row: Sequence[float], hazard: float) -> tuple[float, ...]:
    lost = sum(row[UP:])
    then = min(lost * hazard, LIKELIEST_LOSS)
    return tuple(
        chance * ((1 - then) / (1 - lost) if to < UP else then / lost) for to, chance in enumerate(row)
    )  # fmt: skip


def after(belief: Belief, step: Moves) -> Belief:
    """The belief a step later, before anybody looked."""
    found = [(chance, row) for chance, row in zip(belief, step, strict=True) if chance]
    if len(found) != UP:
        return tuple([sum([chance * row[to] for chance, row in found]) for to in range(PHASES)])
    (a, one), (b, two), (c, three) = found  # the rule: the zone was seen, so that half of the phases are out
    return tuple([a * x + b * y + c * z for x, y, z in zip(one, two, three, strict=True)])


def seen(belief: Belief, up: bool) -> Belief:
    """The belief of one who saw whether the zone is up."""
    there = belief[:UP] if up else belief[UP:]
    total = sum(there)
    if total <= 0.0:
        return seen(FIRST, up)  # what could not happen did: begin anew
    shares = tuple([chance / total for chance in there])
    return (*shares, 0.0, 0.0, 0.0) if up else (0.0, 0.0, 0.0, *shares)


def power(matrix: Moves, times: int) -> Moves:
    """The moves of so many steps, at least 0."""
    found = tuple(tuple(float(row == to) for to in range(len(matrix))) for row in range(len(matrix)))
    while times:
        if times & 1:
            found = product(found, matrix)
        matrix, times = product(matrix, matrix), times >> 1
    return found


def product(one: Moves, other: Moves) -> Moves:
    """The moves of ``one`` and then ``other``."""
    columns = tuple(zip(*other, strict=True))
    return tuple(tuple(sum(x * y for x, y in zip(row, each, strict=True)) for each in columns) for row in one)

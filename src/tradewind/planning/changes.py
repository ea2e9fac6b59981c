"""What would make an infeasible plan feasible: the smallest change of one key of the job file; if none does, of two.

A key is lifted, the supply surveyed again, and the value that the least demanding way needs is tried out: a change is
told only after a survey under it has found a way.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

from tradewind.domain.plan import Change, Infeasible
from tradewind.planning.ask import Ask
from tradewind.planning.fits import Fits
from tradewind.planning.levers import Lever, Situation, levers
from tradewind.planning.walk import Surveyor

TRIED = 6  # values of one key, from the least: a spot way may cost more under just the deadline that it asks for


def infeasible(surveyor: Surveyor, ask: Ask, fits: Fits, with_full: Fits | None) -> Infeasible:
    """What would help.

    Args:
        with_full: the fits with full activation checkpointing, where the job file rules that out.
    """
    start, known = Situation(ask, fits), levers(ask, surveyor.pricing.now, with_full)
    singles = [change for lever in known if (change := _alone(surveyor, lever, start))]
    if singles:
        return Infeasible(tuple(singles))
    pairs = [pair for one, other in combinations(known, 2) if (pair := _both(surveyor, one, other, start))]
    return Infeasible((), min(pairs, key=lambda pair: pair[0])[1] if pairs else ())


def _alone(surveyor: Surveyor, lever: Lever, start: Situation) -> Change | None:
    for _, to in islice(_values(surveyor, lever, start), TRIED):
        if _feasible(surveyor, lever.changed(start, to)):
            return lever.change(to)
    return None


def _both(
    surveyor: Surveyor, first: Lever, second: Lever, start: Situation
) -> tuple[float, tuple[Change, Change]] | None:
    """The smallest change of two keys: one as little as it may be while the other is lifted, then that one as little
    as is left to do; whichever of them goes first.
    """
    best: tuple[float, tuple[Change, Change]] | None = None
    for one, other in ((first, second), (second, first)):
        for size, to in islice(_values(surveyor, one, start, other), TRIED):
            held = one.changed(start, to)
            for more, value in islice(_values(surveyor, other, held), TRIED):
                if best is not None and size + more >= best[0]:
                    break
                if _feasible(surveyor, other.changed(held, value)):
                    pair = {one.key: one.change(to), other.key: other.change(value)}
                    best = size + more, (pair[first.key], pair[second.key])
                    break
    return best


def _values(
    surveyor: Surveyor, lever: Lever, start: Situation, beside: Lever | None = None
) -> Iterator[tuple[float, str]]:
    """Values of a key that may help, the smallest change first; with another key lifted ``beside`` it."""
    if lever.choices:
        yield from lever.choices
        return
    if beside is not None and beside.lifted is None:
        return  # it has a few values only, each of which is tried first
    lifted = start if beside is None or beside.lifted is None else beside.lifted(start)
    assert lever.lifted is not None, "a key with no choices can be lifted"
    situation = lever.lifted(lifted)
    survey = surveyor.survey(situation.ask, situation.fits)
    best: dict[str, tuple[float, float]] = {}
    for way in survey.ways:
        if found := lever.value(way, survey):
            size, to = found
            best[to] = min(best.get(to, (size, way.cost)), (size, way.cost))
    yield from ((size, to) for to, (size, _) in sorted(best.items(), key=lambda each: (each[1], each[0])))


def _feasible(surveyor: Surveyor, situation: Situation) -> bool:
    return bool(surveyor.survey(situation.ask, situation.fits).ways)

"""The price of slack: what an hour of waiting is worth, and what is best at that price.

A job has work and slack. Work costs what runs; waiting, and every start, use slack up. So give an hour of slack a price
σ, and let the job end at the rate 1/work while something runs (its expected length, without a clock): what is best in
every state of the chain then follows by policy iteration (Howard, Dynamic Programming and Markov Processes, 1960), and
with it how much slack is used. The right σ is the least at which no more slack is used than there is: the multiplier of
that constraint (Altman, Constrained Markov Decision Processes, 1999, §3).

    money in units of the on-demand price an hour; hours everywhere
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

from tradewind.planning.spot.chain import NOTHING, Chain, Level, chain

PRICES = tuple(0.02 * 1.2**number for number in range(33))  # of an hour of slack: 2 % of on-demand to 7 times
DRIFT = 1e-6  # an hour, at which waiting ends by itself: keeps a chain that nothing leaves solvable
ROUNDS = 20  # of policy iteration, which settles in three to six
GAIN = 1e-9  # a change that saves less is none
LEAST_WORK = 0.25  # hours: less counts as this
LENGTH = math.log(1.25)  # work is told in steps of a quarter, so that neighbouring decisions share what is reckoned


class Best(NamedTuple):
    """What is best at one price of slack, by state.

    Attributes:
        cost: of the rest once that is done which the state says, slack at its price included.
        use: slack that the rest then uses, hours.
        first: the state to go to.
    """

    cost: tuple[float, ...]
    use: tuple[float, ...]
    first: tuple[int, ...]


class Outlook:
    """One market, one length of work and one start: what is best there, for every price of slack."""

    def __init__(self, levels: tuple[Level, ...], prices: tuple[float, ...], length: int, start: float) -> None:
        self.chain = chain(levels)
        self._prices = (0.0, 1.0, *prices)
        self._work = math.exp(length * LENGTH)
        self._start = start
        self._best: list[Best | None] = [None] * len(PRICES)

    def best(self, number: int) -> Best:
        """What is best at ``PRICES[number]``."""
        found = self._best[number]
        if found is None:
            near = [each for each in (*self._best[number:], *self._best[:number]) if each]
            found = self._best[number] = self._solve(PRICES[number], near[0].first if near else None)
        return found

    def price(self, state: int, slack: float, guess: int) -> int:
        """The number of the least price at which no more than ``slack`` is used from a state on.

        ``guess`` is where to look first; the answer does not depend on it.
        """
        top, stride = len(PRICES) - 1, 1

        def enough(number: int) -> bool:
            return self.used(state, number) <= slack  # use falls as the price rises

        if enough(guess):
            high = guess
            while high and enough(low := max(0, high - stride)):
                high, stride = low, 2 * stride
            if not high:
                return 0
            low += 1
        else:
            low = guess + 1
            while low <= top and not enough(high := min(top, low + stride - 1)):
                low, stride = high + 1, 2 * stride
            if low > top:
                return top
        return low + bisect_left(range(low, high), True, key=enough)

    def used(self, state: int, number: int) -> float:
        """Slack that is used from a state on, what is decided there included, hours."""
        best = self.best(number)
        first = best.first[state]
        begins = first != state and self.chain.runs[first] != NOTHING
        return best.use[first] + (self._start if begins else 0.0)

    def _solve(self, sigma: float, near: tuple[int, ...] | None) -> Best:
        market, begin = self.chain, [self._start * (price + sigma) for price in self._prices]
        begin[NOTHING] = 0.0
        first = list(near) if near else [
            choices[1][1] if run == NOTHING else state
            for state, (run, choices) in enumerate(zip(market.runs, market.choices, strict=True))
        ]  # fmt: skip
        for _ in range(ROUNDS):
            cost, use = self._values(market, first, begin, sigma)
            better = [
                min((cost[to] + (begin[run] if to != state else 0.0) - (GAIN if to == first[state] else 0.0), to)
                    for run, to in choices)[1]
                for state, choices in enumerate(market.choices)
            ]  # fmt: skip
            if better == first:
                break
            first = better
        return Best(tuple(cost), tuple(use), tuple(first))

    def _values(
        self, market: Chain, first: list[int], begin: list[float], sigma: float
    ) -> tuple[list[float], list[float]]:
        """Cost and use of every state when ``first`` is done everywhere.

        Only states that are gone to need to be solved for together; the others follow from them.
        """
        gone_to = sorted(set(first))
        column = {state: number for number, state in enumerate(gone_to)}
        rows = [self._row(market, state, first, begin, sigma) for state in range(len(first))]
        count = len(gone_to)
        system = []
        for state in gone_to:
            rate, cost, use, flows = rows[state]
            line = [0.0] * (count + 2)
            line[column[state]] = rate
            for flow, to in flows:
                line[column[to]] -= flow
            line[count], line[count + 1] = cost, use
            system.append(line)
        costs, uses = _eliminate(system)
        return (
            [(cost + sum(flow * costs[column[to]] for flow, to in flows)) / rate for rate, cost, _, flows in rows],
            [(use + sum(flow * uses[column[to]] for flow, to in flows)) / rate for rate, _, use, flows in rows],
        )

    def _row(
        self, market: Chain, state: int, first: list[int], begin: list[float], sigma: float
    ) -> tuple[float, float, float, list[tuple[float, int]]]:
        """Of a state: the rate at which it is left, its cost and use an hour, and where it is left to."""
        run = market.runs[state]
        rate = market.leaves[state] + (DRIFT if run == NOTHING else 1 / self._work)
        cost, use = (sigma, 1.0) if run == NOTHING else (self._prices[run], 0.0)
        flows = []
        for flow, to in market.moves[state]:
            goes = first[to]
            if goes != to and market.runs[goes] != NOTHING:
                cost += flow * begin[market.runs[goes]]
                use += flow * self._start
            flows.append((flow, goes))
        return rate, cost, use, flows


def _eliminate(system: list[list[float]]) -> tuple[list[float], list[float]]:
    """Solve for two right-hand sides at once, in place; the matrix is diagonally dominant, so no pivots are sought."""
    count = len(system)
    for top in range(count):
        line = system[top]
        tail, inverse = line[top:], 1 / line[top]
        for lower in system[top + 1 :]:
            if lower[top]:
                factor = lower[top] * inverse
                lower[top:] = [mine - factor * theirs for mine, theirs in zip(lower[top:], tail, strict=True)]
    costs, uses = [0.0] * count, [0.0] * count
    for top in reversed(range(count)):
        line = system[top]
        cost, use = line[count], line[count + 1]
        for other in range(top + 1, count):
            if line[other]:
                cost -= line[other] * costs[other]
                use -= line[other] * uses[other]
        costs[top], uses[top] = cost / line[top], use / line[top]
    return costs, uses


@lru_cache(2048)
def outlook(levels: tuple[Level, ...], prices: tuple[float, ...], length: int, start: float) -> Outlook:
    """The outlook of one market: ``prices`` of the levels, work of ``length`` quarter steps, hours of a start."""
    return Outlook(levels, prices, length, start)


def length_of(work: float) -> int:
    """Hours of work as whole steps of a quarter."""
    return round(math.log(max(work, LEAST_WORK)) / LENGTH)


def hours_of(length: int) -> float:
    """The inverse of :func:`length_of`, to a step."""
    return math.exp(length * LENGTH)

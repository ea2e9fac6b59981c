"""Survey: what came of all offers: ways that keep every constraint; the rest, counted by what it broke first."""

from __future__ import annotations

from dataclasses import dataclass, field

from tradewind.domain.plan import Rejected
from tradewind.planning.constraints import LIMITS, WISHES
from tradewind.planning.resorts import Resorts
from tradewind.planning.supply import HARD
from tradewind.planning.way import Miss, Way


@dataclass(slots=True)
class Tally:
    """How many broke a constraint, and the nearest miss."""

    nearest: Miss
    count: int = 0

    def add(self, miss: Miss, count: int = 1) -> None:
        """So many more that broke it."""
        self.count += count
        if miss.excess < self.nearest.excess:
            self.nearest = miss


@dataclass(slots=True)
class Survey:
    """What came of all offers.

    Attributes:
        resorts: what on-demand ways there are to save a deadline.
        ways: that break nothing; ``over``: that break a limit only.
    """

    resorts: Resorts
    ways: list[Way] = field(default_factory=list)
    over: list[Way] = field(default_factory=list)
    tallies: dict[str, Tally] = field(default_factory=dict)

    def count(self, miss: Miss, count: int = 1) -> None:
        """Count offers that broke something; none are not counted."""
        if count:
            self.tallies.setdefault(miss.code, Tally(miss)).add(miss, count)

    def rejected(self) -> tuple[Rejected, ...]:
        """What was held back, in the order in which constraints are checked."""
        first = dict.fromkeys((*HARD, *WISHES))
        middle = sorted(self.tallies.keys() - {*first, *LIMITS})
        counted = ((code, self.tallies[code]) for code in (*first, *middle, *LIMITS) if code in self.tallies)
        return tuple(Rejected(code, each.count, each.nearest.words, each.nearest.near) for code, each in counted)

"""Sieve: offers in, ways out; what is held back is counted by the first constraint that it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tradewind.domain.offer import Offer
from tradewind.domain.plan import Change, Rejected
from tradewind.planning.constraints import Check
from tradewind.planning.way import Miss, Way
from tradewind.planning.ways import Ways


@dataclass(slots=True)
class Tally:
    """How many broke a constraint, and the nearest miss."""

    nearest: Miss
    count: int = 0

    def add(self, miss: Miss) -> None:
        """One more that broke it."""
        self.count += 1
        if miss.excess < self.nearest.excess:
            self.nearest = miss


@dataclass(slots=True)
class Sieve:
    """The constraints of one ask, in order: on offers for anyone, wishes of this workload, limits on ways."""

    ways: Ways
    hard: tuple[Check[Offer], ...]
    wishes: tuple[Check[Offer], ...]
    limits: tuple[Check[Way], ...]
    tallies: dict[str, Tally] = field(default_factory=dict)

    def pass_through(self, offers: Iterable[Offer]) -> list[Way]:
        """The ways that break nothing, ranked."""
        passed = list[Way]()
        for offer in offers:
            found = self._judge(offer)
            if isinstance(found, Way):
                passed.append(found)
            else:
                self.tallies.setdefault(found.code, Tally(found)).add(found)
        return sorted(passed, key=lambda way: way.order)

    def rejected(self) -> tuple[Rejected, ...]:
        """What was held back, in the order in which constraints are checked."""
        first = dict.fromkeys(check.code for check in (*self.hard, *self.wishes))
        last = [check.code for check in self.limits]
        middle = sorted(self.tallies.keys() - {*first, *last})
        counted = (code for code in (*first, *middle, *last) if code in self.tallies)
        return tuple(Rejected(code, self.tallies[code].count, self.tallies[code].nearest.words) for code in counted)

    def changes(self, offers: Iterable[Offer]) -> tuple[Change, ...]:
        """For each key of the job file, the smallest change of that key alone that lets some offer through."""
        best: dict[str, tuple[tuple[Any, ...], str]] = {}
        for offer in offers:
            if found := self._one_away(offer):
                check, way = found
                to, measure = check.admitting(way), (check.excess(way) if check.excess else 0.0, way.order)
                if to is not None and (check.key not in best or measure < best[check.key][0]):
                    best[check.key] = (measure, to)
        return tuple(Change(key, to) for key, (_, to) in sorted(best.items()))

    def _judge(self, offer: Offer) -> Way | Miss:
        for checks in (self.hard, self.wishes):
            for check in checks:
                if check.broken(offer):
                    return Miss(check.code)
        way = self.ways.make(offer)
        if isinstance(way, Way):
            for limit in self.limits:
                if limit.broken(way):
                    return _over(limit, way)
        return way

    def _one_away(self, offer: Offer) -> tuple[Check[Any], Way] | None:
        """The only wish or limit that an otherwise usable offer breaks."""
        wishes = [check for check in self.wishes if check.broken(offer)]
        if len(wishes) > 1 or any(check.broken(offer) for check in self.hard):
            return None
        way = self.ways.make(offer)
        if isinstance(way, Miss):
            return None
        broken: list[Check[Any]] = [*wishes, *(limit for limit in self.limits if limit.broken(way))]
        return (broken[0], way) if len(broken) == 1 else None


def _over(limit: Check[Way], way: Way) -> Miss:
    excess = limit.excess(way) if limit.excess else float("inf")
    return Miss(limit.code, excess, limit.words.format(excess))

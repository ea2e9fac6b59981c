"""Walk: every offer on every number of machines, held against every constraint.

What depends on the kind of machine is asked once a kind, what depends on the place once a place; the innermost loop is
over prices, in floats. Money is made exact only for the ways that are shown (``pricing``).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from tradewind.domain.fit import Fit
from tradewind.planning.ask import Ask, Terms
from tradewind.planning.constraints import Limits, Wishes, late, unpriced
from tradewind.planning.course import Pace, Work, pace, work_of
from tradewind.planning.fits import Fits
from tradewind.planning.outlook import POWER_SHARE
from tradewind.planning.pricing import HOURS_A_MONTH, Pricing
from tradewind.planning.refusals import Refusals
from tradewind.planning.resorts import Resorts, on_demand_share
from tradewind.planning.supply import Kind, Row, Supply
from tradewind.planning.survey import Survey
from tradewind.planning.way import InterruptionOf, Miss, TermsOf, Way

# Of a place: hours to fetch data; then, in the ranking currency: disks of a machine an hour, results brought home, data
# sent there once.
Figures = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Makes surveys of one supply for one workload, under the limits of any ask.

    ``currency`` is the one in which ways are ranked, and the budget's if there is one.
    """

    supply: Supply
    pricing: Pricing
    currency: str
    terms_of: TermsOf
    interruption_of: InterruptionOf
    refusals: Refusals

    def survey(self, ask: Ask, fits: Fits) -> Survey:
        """What comes of all offers under an ask."""
        return _Walk(self, ask, fits).survey()


@dataclass(slots=True)
class _Option:
    """One number of machines of a kind: the fit on them, the work, the terms, and paces that are reckoned already."""

    nodes: int
    fit: Fit | None
    work: Work | None
    terms: Terms
    paces: dict[tuple[float, float | None], tuple[Pace, float]] = field(default_factory=dict)

    def pace(self, work: Work, away: float, multiplier: float | None) -> tuple[Pace, float]:
        """The pace where data are so many hours away, and the hours that it is billed for."""
        found = self.paces.get((away, multiplier))
        if found is None:
            setup = self.terms.setup_hours.value + away
            done = pace(work.hours.value, setup, self.nodes, multiplier, work.at_most)
            found = self.paces[away, multiplier] = done, self.terms.billed_hours(done.paid)
        return found


class _Walk:
    """One walk through a supply."""

    def __init__(self, surveyor: Surveyor, ask: Ask, fits: Fits) -> None:
        self._surveyor, self._ask, self._fits = surveyor, ask, fits
        self._pricing = surveyor.pricing.under(ask)
        self._wishes = Wishes.of(ask)
        self._limits = Limits.of(ask, self._pricing.now, surveyor.currency)
        self._found = Survey(resorts=Resorts(self._limits.deadline))
        places = surveyor.supply.places
        self._places = [self._wishes.place(place) for place in places]
        self._carbon = [place.carbon_g_per_kwh for place in places]
        self._figures: list[Figures | None] = [None] * len(places)
        self._rescued = self._limits.deadline < math.inf and ask.budget.purchase != "spot"
        self._limited = min(self._limits.deadline, self._limits.longest, self._limits.budget) < math.inf
        self._refusals = surveyor.refusals if surveyor.refusals else None
        exchange = self._pricing.exchange
        factors = {each: exchange.factor(each, surveyor.currency) for each in surveyor.supply.currencies}
        self._rates: dict[str | None, float] = {
            each: float(factor) for each, factor in factors.items() if factor is not None
        }
        self._unrated = factors.keys() - self._rates.keys()
        self._rates[None] = 1.0  # of what is free, in any currency

    def survey(self) -> Survey:
        found, supply = self._found, self._surveyor.supply
        for code, count in supply.left_out.items():
            found.count(Miss(code), count)
        if any(kind.unpriced for kind in supply.kinds):
            found.count(unpriced(supply.kinds), sum(kind.unpriced for kind in supply.kinds))
        for kind in supply.kinds:  # those on demand first: they are the last resorts of the others
            if kind.hard:
                found.count(Miss(kind.hard), kind.count)
            else:
                found.count(Miss("price-expired"), kind.expired)
                self._kind(kind)
        return found

    def _kind(self, kind: Kind) -> None:
        found, places, refusals = self._found, self._places, self._refusals
        rows = kind.rows
        if self._unrated:
            rows = [row for row in rows if row.currency not in self._unrated]
            found.count(Miss("rate-unknown"), len(kind.rows) - len(rows))
        if before := self._wishes.before(kind.sample):
            found.count(Miss(before), len(rows))
            return
        after = self._wishes.after(kind.sample)
        options: list[_Option] | Miss | None = None
        barred = Counter[str]()
        for row in rows:
            if code := places[row.place] or after:
                barred[code] += 1
            elif refusals and refusals.quota(row.offer):
                found.count(Miss("quota-refused"))
            else:
                if options is None:
                    options = self._options(kind)
                if isinstance(options, Miss):
                    found.count(options)
                else:
                    self._row(kind, row, options)
        for code, count in barred.items():
            found.count(Miss(code), count)

    def _options(self, kind: Kind) -> list[_Option] | Miss:
        """On how many machines of a kind the work is to be tried, with what is known of it there."""
        found, terms = self._fits.on(kind, self._wishes), self._surveyor.terms_of(kind.sample.cloud)
        if isinstance(found, Miss):
            return found
        return [_Option(nodes, fit, work_of(fit, self._ask), terms) for nodes, fit in found]

    def _row(self, kind: Kind, row: Row, options: list[_Option]) -> None:
        worst: Miss | None = None
        passed = False
        for option in options:
            if option.work:
                way, miss = self._timed(kind, row, option, option.work)
            else:
                way, miss = self._by_unit(kind, row, option), None
            if miss is None:
                self._found.ways.append(way)
                passed = True
            else:
                self._found.over.append(way)
                worst = miss if worst is None else worst.further(miss)
        if worst and not passed:
            self._found.count(worst)

    def _timed(self, kind: Kind, row: Row, option: _Option, work: Work) -> tuple[Way, Miss | None]:
        """The way of an offer, and the first limit that it breaks."""
        offer, nodes = row.offer, option.nodes
        away, disk, once, sent = self._figures[row.place] or self._figures_of(row.place)
        rent = row.upper * self._rates[row.currency] * nodes
        interruption = self._surveyor.interruption_of(offer) if kind.spot else None
        done, billed = option.pace(work, away, interruption.multiplier if interruption else None)
        waits = self._refusals.wait_hours(offer) if self._refusals else 0.0
        cost = round(rent * (billed + waits) + disk * nodes * done.paid + once + sent * (1 + done.losses), 9)
        carbon, power = self._carbon[row.place], kind.power_kw
        grams = None if carbon is None or power is None else power * POWER_SHARE * nodes * done.paid * carbon
        way = Way(offer, row.name, nodes, option.fit, work, option.terms, done, done.hours + waits, cost, grams,
                  interruption, None, 0.0, waits)  # fmt: skip
        resorts, hours = self._found.resorts, work.hours.value
        if interruption is None:
            resorts.add(hours, hours + option.terms.setup_p99_hours + away + waits, rent * hours, way)
        elif self._rescued:
            needed = resorts.hours_needed(hours)
            if needed > self._limits.deadline:
                return way, late("last-resort-late", needed - self._limits.deadline)
            price, way.resort = resorts.cheapest(hours)
            way.share = on_demand_share(done, self._limits.deadline)
            way.cost = round(cost + way.share * max(0.0, price - rent * (billed - done.setup - done.lost)), 9)
        return way, self._limits.broken(way) if self._limited else None

    def _by_unit(self, kind: Kind, row: Row, option: _Option) -> Way:
        """The way of an offer for work whose length is not known: by a step of it; where no model is, by an hour."""
        fit, nodes = option.fit, option.nodes
        disk = (self._figures[row.place] or self._figures_of(row.place))[1]
        unit = fit.step_seconds.value / 3600 if fit else 1.0
        cost = round((row.upper * self._rates[row.currency] + disk) * nodes * unit, 9)
        interruption = self._surveyor.interruption_of(row.offer) if kind.spot else None
        hours = unit if fit else 0.0
        return Way(row.offer, row.name, nodes, fit, None, option.terms, None, hours, cost, None, interruption)

    def _figures_of(self, number: int) -> Figures:
        """The figures of a place; what is not known counts nothing."""
        place, currency, pricing = self._surveyor.supply.places[number], self._surveyor.currency, self._pricing
        month = pricing.storage(place.cloud, place.region, currency, HOURS_A_MONTH)
        once = pricing.fetched(place.cloud, place.region, currency)
        sent = pricing.nearness.egress(place.cloud, place.region, currency)
        found = self._figures[number] = (
            pricing.nearness.hours(place.cloud, place.region),
            float(month.amount) / HOURS_A_MONTH if month else 0.0,
            float(once.amount) if once else 0.0,
            float(sent.amount) if sent else 0.0,
        )
        return found

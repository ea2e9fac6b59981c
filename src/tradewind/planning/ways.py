"""Ways: from offers that have a price to ways, fast: like offers share one course and one disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from tradewind.domain.fit import Fit
from tradewind.domain.offer import Offer, Purchase
from tradewind.planning.ask import Terms
from tradewind.planning.course import Course, course
from tradewind.planning.pricing import HOURS_A_MONTH, Pricing
from tradewind.planning.way import FitOf, Miss, TermsOf, Way


@dataclass(slots=True)
class Ways:
    """Makes ways of offers that have a price; courses and tariffs of like offers are reckoned once."""

    pricing: Pricing
    currency: str
    fit_of: FitOf
    terms_of: TermsOf
    _courses: dict[tuple[int, str, bool], tuple[Fit, Terms, Course]] = field(default_factory=dict)
    _tariffs: dict[tuple[str, str, str], tuple[float, float]] = field(default_factory=dict)

    def make(self, offer: Offer) -> Way | Miss:
        """The offer's way, or why its hardware gives none."""
        fit = self.fit_of(offer)
        if not isinstance(fit, Fit):
            return Miss(fit or "no-data-sheet")
        if not fit.fits:
            short = fit.peak_memory_gib.device.high - fit.gpu_memory_usable_gib
            return Miss("too-little-memory", short, f"{max(short, 0.1):.1f} GiB short on {fit.gpu}")
        terms, path = self._course(fit, offer)
        return Way(offer, fit, path, terms, self._rank_cost(offer, terms, path))

    def _course(self, fit: Fit, offer: Offer) -> tuple[Terms, Course]:
        spot = offer.purchase is Purchase.SPOT
        key = (id(fit), offer.cloud, spot)
        known = self._courses.get(key)
        if known is None:  # the fit is kept with its course, so that its id stays its own
            terms = self.terms_of(offer.cloud)
            path = course(fit, self.pricing.ask.total_steps, terms, spot=spot)
            known = self._courses[key] = (fit, terms, path)
        return known[1], known[2]

    def _rank_cost(self, offer: Offer, terms: Terms, path: Course) -> float:
        bounds = offer.price_bounds()
        assert bounds is not None, "offers without a price are held back before"
        rate = self.pricing.exchange.factor(bounds[1].currency, self.currency)
        assert rate is not None, "offers without a rate are held back before"
        hours = terms.billed_hours(path.hours.value) * self.pricing.ask.resources.nodes
        return (float(bounds[1].amount) * hours + self._beside(offer, path.hours.value)) * float(rate)

    def _beside(self, offer: Offer, hours: float) -> float:
        """Disks for so many hours, and bringing the results home, in the offer's currency; unknown counts nothing."""
        assert offer.price_per_hour is not None, "offers without a price are held back before"
        key = (offer.cloud, offer.region, offer.price_per_hour.currency)
        if key not in self._tariffs:
            month, egress = self.pricing.storage(offer, HOURS_A_MONTH), self.pricing.egress(offer)
            self._tariffs[key] = (float(month.amount) / HOURS_A_MONTH if month else 0.0,
                                  float(egress.amount) if egress else 0.0)  # fmt: skip
        disk, once = self._tariffs[key]
        return disk * hours + once

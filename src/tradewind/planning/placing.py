"""Placing: a way as the plan shows it: exact money, hours with their range, how firm its deadline is and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tradewind.domain.estimate import Estimate
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase
from tradewind.domain.plan import LastResort, Losses, Placed
from tradewind.planning.constraints import ROUNDING, Limits
from tradewind.planning.course import Span, setup_of, span_of
from tradewind.planning.interruption import mean_life_hours
from tradewind.planning.outlook import NO_DEADLINE, Promise, on_time_probability
from tradewind.planning.pricing import Pricing
from tradewind.planning.way import Way

LONGEST_HOURS = 876_600.0  # a century


@dataclass(frozen=True, slots=True)
class Placing:
    """Turns the ways that are shown into what is shown of them."""

    pricing: Pricing
    limits: Limits

    def placed(self, way: Way, *, beaten: bool = False) -> Placed:
        """The way, its money in the offer's currency; unknown where the length of the work is."""
        offer = way.offer
        currency = self.pricing.price(way).currency
        span = self._span(way)
        cost, parts = (None, None) if span is None else self.pricing.cost(way, span)
        promise = self._promise(way, span)
        return Placed(
            offer=offer,
            fit=way.fit,
            nodes=way.nodes,
            hours=None if span is None else span.hours,
            cost=cost,
            cost_parts=parts,
            finish_by=_finish(self.pricing.now, span),
            on_time_probability=promise.probability,
            deadline_guarantee=promise.guarantee,
            quota=way.terms.quota,
            carbon_g=None if way.carbon is None else round(way.carbon, 3),
            policy="spot-with-fallback" if offer.purchase is Purchase.SPOT else "on-demand",
            beaten=beaten,
            guarantee_why=promise.why,
            interruption=_losses(way),
            transfer=self.pricing.nearness.transfer(offer.cloud, offer.region, currency),
            last_resort=self._last_resort(way),
            on_demand_share=way.share,
        )

    def cost(self, way: Way) -> Money:
        """What a way whose length is known costs, in its offer's currency."""
        span = self._span(way)
        assert span is not None, "only of ways whose length is known"
        return self.pricing.cost(way, span)[0].value

    def _span(self, way: Way) -> Span | None:
        if way.work is None:
            return None
        multiplier = way.interruption.multiplier if way.interruption else None
        latest = self.limits.deadline if way.resort else float("inf")
        return span_of(way.work, self._setup(way), way.nodes, multiplier, way.hours, latest)

    def _setup(self, way: Way) -> Estimate:
        return setup_of(way.terms, self._away(way))

    def _away(self, way: Way) -> float:
        return self.pricing.nearness.hours(way.offer.cloud, way.offer.region)

    def _slow_hours(self, way: Way, work: float) -> float:
        """Hours for so much work after a set-up as slow as one in a hundred."""
        return work + way.terms.setup_p99_hours + self._away(way) + way.waits

    def _last_resort(self, way: Way) -> LastResort | None:
        resort = way.resort
        if resort is None or resort.work is None:
            return None
        offer, hours = resort.offer, round(self._slow_hours(resort, resort.work.hours.value), 6)
        return LastResort(offer.cloud, offer.region, offer.zone, offer.instance_type, resort.nodes, hours)

    def _promise(self, way: Way, span: Span | None) -> Promise:
        """Firm only when the upper end of the work fits, quota is known to suffice, and the money for it is there.

        A spot way keeps its deadline by its last resort, so that one is what is judged.
        """
        deadline, last = self.limits.deadline, way.resort or way
        if deadline == float("inf"):
            return NO_DEADLINE
        if span is None or last.work is None:
            return Promise("conditional", "length-unknown")
        if way.interruption and way.resort is None:
            return Promise("conditional", "spot-only", on_time_probability(span.hours, deadline))
        steady = span_of(last.work, self._setup(last), last.nodes, None, _undisturbed(self._setup(last), last))
        upper = steady.hours.high if last is way else self._slow_hours(last, last.work.hours.high)
        why = self._open(way, last, upper)
        chance = on_time_probability(steady.hours, deadline)
        rests = "on-demand-in-time" if last is way else f"last-resort-in-time cloud={last.offer.cloud}"
        return Promise("conditional" if why else "firm", why or rests, chance)

    def _open(self, way: Way, last: Way, upper: float) -> str | None:
        """What the deadline hangs on, the gravest first; None: nothing."""
        deadline, budget = self.limits.deadline, self.pricing.ask.budget
        prefix, cloud = ("" if last is way else "fallback-"), last.offer.cloud
        if upper > deadline:
            return f"upper-end-late hours={upper:.1f} deadline={deadline:.1f}"
        if last.cost + ROUNDING > self.limits.budget and budget.on_limit == "stop":
            return f"fallback-over-budget cost={last.cost:.2f} currency={self.limits.currency}"
        if last.terms.quota != "ok":
            return f"{prefix}quota-{last.terms.quota} cloud={cloud}"
        return f"{prefix}may-be-taken cloud={cloud}" if last.terms.shared else None


def _undisturbed(setup: Estimate, way: Way) -> float:
    assert way.work is not None
    return way.work.hours.value if way.work.at_most else way.work.hours.value + setup.value + way.waits


def _finish(now: datetime, span: Span | None) -> datetime | None:
    """When it is done; None for what nobody lives to see, and calendars have no date for."""
    hours = None if span is None else span.hours.value
    return None if hours is None or hours > LONGEST_HOURS else now + timedelta(hours=hours)


def _losses(way: Way) -> Losses | None:
    known = way.interruption
    if known is None:
        return None
    life = round(mean_life_hours(way.nodes, known.multiplier), 4)
    return Losses(round(way.pace.losses, 4) if way.pace else None, life, known.source, known.as_of)

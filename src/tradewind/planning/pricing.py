"""The money of a way, exactly: each part in the currency of the offer, to a millionth, and the sum of the parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.plan import CostParts, MoneyEstimate, Placed, Tariff, hours_to_decimal
from tradewind.planning.ask import Ask
from tradewind.planning.exchange import Exchange
from tradewind.planning.outlook import carbon_g, guarantee, on_time_probability
from tradewind.planning.way import Way

TariffOf = Callable[[str, str], Tariff | None]  # by cloud and region
HOURS_A_MONTH = 730  # as clouds divide a month: 365 × 24 / 12


@dataclass(frozen=True, slots=True)
class Pricing:
    """Turns ways into money: the exchange, tariffs by cloud and region, the nodes and the disk of each."""

    ask: Ask
    now: datetime
    exchange: Exchange
    tariff: TariffOf  # of a GB-month of disk
    egress_tariff: TariffOf  # of a GB sent out

    def placed(self, way: Way, *, beaten: bool = False) -> Placed:
        """The way as the plan shows it, its money exact and in the offer's currency."""
        parts = self._parts(way)
        deadline = self.ask.deadline_hours(self.now)
        chance = None if deadline is None else on_time_probability(way.course.hours, deadline)
        return Placed(
            offer=way.offer,
            fit=way.fit,
            nodes=self.ask.resources.nodes,
            hours=way.course.hours,
            cost=self._range(way, parts),
            cost_parts=parts,
            finish_by=self.now + timedelta(hours=way.hours),
            on_time_probability=chance,
            deadline_guarantee=guarantee(way, deadline),
            quota=way.terms.quota,
            carbon_g=carbon_g(way),
            policy="spot-with-fallback" if way.offer.purchase is Purchase.SPOT else "on-demand",
            beaten=beaten,
        )

    def storage(self, offer: Offer, hours: float) -> Money | None:
        """Disks of all nodes over ``hours``, in the offer's currency; None when no tariff or no rate is known."""
        tariff = self.tariff(offer.cloud, offer.region)
        if tariff is None or offer.price_per_hour is None:
            return None
        months = hours_to_decimal(hours) / HOURS_A_MONTH
        whole = tariff.per_unit * (Decimal(str(self.ask.disk_gb)) * self.ask.resources.nodes * months)
        return self.exchange.convert(whole, offer.price_per_hour.currency)

    def egress(self, offer: Offer) -> Money | None:
        """Bringing the results home, in the offer's currency; None when their size, tariff or rate is not known."""
        tariff, size = self.egress_tariff(offer.cloud, offer.region), self.ask.fetched_gb
        if tariff is None or size is None or offer.price_per_hour is None:
            return None
        return self.exchange.convert(tariff.per_unit * Decimal(str(size)), offer.price_per_hour.currency)

    def _parts(self, way: Way) -> CostParts:
        price = _price(way.offer)
        billed = way.terms.billed_hours(way.hours)
        setup, lost = way.course.setup_hours, way.course.loss_hours
        nodes, nothing = self.ask.resources.nodes, Money(Decimal(0), price.currency)

        def rent(hours: float) -> Money:
            return (price * (hours_to_decimal(hours) * nodes)).rounded()

        return CostParts(
            compute=rent(max(0.0, billed - setup - lost)),
            storage=self.storage(way.offer, way.hours) or nothing,
            egress=self.egress(way.offer) or nothing,
            setup=rent(setup),
            preemption=rent(lost),
        )

    def _range(self, way: Way, parts: CostParts) -> MoneyEstimate:
        """Low price and low hours to high price and high hours, around the sum of the parts."""
        bounds, nodes = way.offer.price_bounds(), self.ask.resources.nodes
        assert bounds is not None, "only offers with a price become ways"
        ends, value = [], parts.sum()
        for price, hours in zip(bounds, (way.course.hours.low, way.course.hours.high), strict=True):
            rent = price * (hours_to_decimal(way.terms.billed_hours(hours)) * nodes)
            beside = [each for each in (self.storage(way.offer, hours), self.egress(way.offer)) if each]
            ends.append(sum(beside, rent).rounded())
        low, high = (ends[0] if ends[0] < value else value), (value if ends[1] < value else ends[1])
        return MoneyEstimate(value, low, high, as_of=way.offer.as_of)


def _price(offer: Offer) -> Money:
    assert offer.price_per_hour is not None, "only offers with a price become ways"
    return offer.price_per_hour
